"""The Play stream: joining, being replaced, coming back."""

import asyncio

import pytest
from server_kit import DUEL, commitment_of, of_kind, run, serving, told

from referee.v1 import play_pb2

GAMES = [
    ("domino-cartas", 4),
    ("domino-a-carte", 4),
    (DUEL, 2),
    ("domino-belga", 4),
    ("domino-duplas", 4),
]


@pytest.mark.parametrize(("game", "players"), GAMES)
def test_well_behaved_bots_play_a_match_to_its_end(tmp_path, game, players):
    """Bots that answer every turn see the match through; the seed told at the end is the one committed to."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create(game, "r" * players)
            bots = [await kit.joined(token) for token in tokens]
            closed = await asyncio.gather(*[bot.play() for bot in bots])
            assert {one.reason for one in closed} == {play_pb2.CLOSE_REASON_MATCH_OVER}
            assert not any(one.join_again for one in closed)
            events = await kit.ended(match_id)
            assert events[-1]["reason"] == "completed"
            assert {event["by"] for event in of_kind(events, "action")} <= {
                "bot",
                "forced",
            }
            assert not of_kind(events, "fault")
            for seat, bot in enumerate(bots):
                kinds = [event.WhichOneof("event") for event in bot.seen]
                assert kinds[:2] == ["joined", "match_started"]
                assert kinds[-2:] == ["match_ended", "closed"]
                assert bot.seen[1].match_started.seat == seat
                assert bot.seen[1].match_started.commitment == commitment_of(bot.seen[-2].match_ended.seed)

    run(promise)


def test_immediate_delivery_tells_the_same_as_delivery_with_the_turn(tmp_path):
    """How events are delivered changes when they come, not what they are."""

    async def promise():
        async with serving(tmp_path) as kit:
            seen = []
            for delivery in (
                play_pb2.EVENT_DELIVERY_IMMEDIATE,
                play_pb2.EVENT_DELIVERY_WITH_TURN,
                77,
            ):
                match_id, tokens = await kit.create("domino-belga", "rrr")
                bots = [kit.bot() for _ in tokens]
                for bot, token in zip(bots, tokens, strict=True):
                    await bot.join(token, delivery=delivery)
                    await bot.ready()
                await asyncio.gather(*[bot.play() for bot in bots])
                await kit.ended(match_id)
                seen.append([_plain(event) for event in bots[1].seen if not event.HasField("joined")])
            assert seen[0] == seen[1] == seen[2]

    run(promise)


def _plain(event):
    """An event without what differs from match to match."""
    plain = play_pb2.PlayEvent()
    plain.CopyFrom(event)
    if event.HasField("action_taken"):
        plain.action_taken.took_ms = 0
    if event.HasField("match_started"):
        plain.match_started.match_id = ""
    if event.HasField("turn"):
        plain.turn.clock.Clear()
    return plain


def test_events_held_back_come_with_the_end_of_a_hand_at_the_latest(tmp_path):
    """A seat that is asked nothing any more still hears of each hand when it ends."""

    async def promise():
        async with serving(tmp_path) as kit:
            format = play_pb2.Format(kind="hands", hands=3)
            match_id, tokens = await kit.create("domino-a-carte", "rrrr", format=format, policy="strict")
            bots = [await kit.joined(token) for token in tokens]
            others = [asyncio.create_task(bot.play()) for bot in bots[1:]]
            turn = await bots[0].until("turn")
            await bots[0].answer(turn.turn_id, index=99)
            while await bots[0].event() is not None:
                pass
            await asyncio.gather(*others)
            await kit.ended(match_id)
            ends = [[event.WhichOneof("event") for event in response] for response in bots[0].responses]
            assert sum(kinds[-1] == "hand_ended" for kinds in ends) >= 2
            assert not any("hand_ended" in kinds[:-1] and "match_ended" not in kinds for kinds in ends)

    run(promise)


def test_the_newest_stream_has_the_seat(tmp_path):
    """A second stream with the same token takes the seat and its open turn; the first is told that it is replaced."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create()
            old, other = [await kit.joined(token) for token in tokens]
            playing = asyncio.create_task(other.play())
            await old.play(2)
            turn = await old.until("turn")
            new = await kit.joined(tokens[0])
            assert new.seen[0].joined.resumed
            assert (await new.until("turn")).turn_id == turn.turn_id
            closed = await old.end()
            assert closed.reason == play_pb2.CLOSE_REASON_REPLACED
            assert not closed.join_again
            await new.answer(turn.turn_id, index=0)
            assert (await new.play()).reason == play_pb2.CLOSE_REASON_MATCH_OVER
            await playing
            events = await kit.ended(match_id)
            assert not of_kind(events, "fault")
            assert not of_kind(events, "seat_left")

    run(promise)


def test_a_bot_that_comes_back_in_its_turn_is_caught_up_and_asked_again(tmp_path):
    """After a break in its own turn a bot gets the match, the hand, what was played, and the same turn."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create(clock={"move_ms": 5_000, "bank_ms": 10_000})
            bot, other = [await kit.joined(token) for token in tokens]
            playing = asyncio.create_task(other.play())
            await bot.play(2)
            turn = await bot.until("turn")
            await bot.crash()
            await kit.until_logged(match_id, "seat_left")
            again = await kit.joined(tokens[0], ready=False)
            open_turn = await again.until("turn")
            kinds = [event.WhichOneof("event") for event in again.seen]
            assert kinds[:3] == ["joined", "match_started", "hand_started"]
            assert set(kinds[3:-1]) == {"action_taken"}
            assert kinds.count("action_taken") == turn.turn_id - 1
            assert open_turn.turn_id == turn.turn_id
            assert open_turn.view == turn.view
            assert open_turn.legal == turn.legal
            assert open_turn.clock.move_ms < turn.clock.move_ms
            assert open_turn.clock.bank_ms == turn.clock.bank_ms
            await again.answer(turn.turn_id, index=0)
            await again.play()
            await playing
            events = await kit.ended(match_id)
            assert [event["resumed"] for event in of_kind(events, "seat_joined", seat=0)] == [False, True]
            assert events[-1]["reason"] == "completed"
            assert not of_kind(events, "fault")

    run(promise)


def test_a_break_between_turns_is_no_fault(tmp_path):
    """A bot that is away while others think, and back for its turn, has done nothing wrong."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create("domino-belga", "rrr")
            bots = [await kit.joined(token) for token in tokens]
            asked = [asyncio.create_task(bot.until("turn")) for bot in bots]
            done, _ = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            first = asked.index(done.pop())
            away = (first + 1) % 3
            asked[away].cancel()
            await bots[away].crash()
            await kit.until_logged(match_id, "seat_left")
            await bots[first].answer(asked[first].result().turn_id, index=0)
            again = await kit.joined(tokens[away])
            bots[away] = again
            asked[(first + 2) % 3].cancel()
            third = bots[(first + 2) % 3]
            third.call.cancel()
            await kit.until_logged(match_id, "seat_left", 2)
            bots[(first + 2) % 3] = await kit.joined(tokens[(first + 2) % 3])
            await asyncio.gather(*[bot.play() for bot in bots])
            events = await kit.ended(match_id)
            assert events[-1]["reason"] == "completed"
            assert not of_kind(events, "fault")

    run(promise)


def test_a_break_before_ready_leaves_the_seat_to_the_next_stream(tmp_path):
    """Joined, broken, joined again and ready: the match begins."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create(seats="rb")
            bot = await kit.joined(tokens[0], ready=False)
            await bot.crash()
            await kit.until_logged(match_id, "seat_left")
            again = await kit.joined(tokens[0])
            assert (await again.play()).reason == play_pb2.CLOSE_REASON_MATCH_OVER
            assert not of_kind(await kit.ended(match_id), "fault")

    run(promise)


def test_a_half_closed_stream_is_ended_and_the_seat_kept(tmp_path):
    """Whoever ends its own side of the stream can answer nothing: it is told to join again, and may."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create(seats="rb")
            bot = await kit.joined(tokens[0])
            turn = await bot.until("turn")
            await bot.call.done_writing()
            closed = await bot.end()
            assert closed.reason == play_pb2.CLOSE_REASON_LEFT
            assert closed.join_again
            again = await kit.joined(tokens[0])
            assert (await again.until("turn")).turn_id == turn.turn_id
            await again.answer(turn.turn_id, index=0)
            await again.play()
            assert not of_kind(await kit.ended(match_id), "fault")

    run(promise)


def test_a_token_is_good_for_its_match_only(tmp_path):
    """After the match its token admits to nothing, and says so."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create(seats="rb")
            await (await kit.joined(tokens[0])).play()
            await kit.ended(match_id)
            assert kit.server.admission.find(tokens[0]) is None
            late = kit.bot()
            await late.join(tokens[0])
            closed = await late.end()
            assert closed.reason == play_pb2.CLOSE_REASON_REFUSED
            assert "over" in closed.message
            assert not closed.join_again

    run(promise)


def test_the_same_seed_and_answers_give_the_same_match(tmp_path):
    """Nothing but the seed and the answers decides what happens."""

    async def promise():
        async with serving(tmp_path) as kit:
            matches = []
            for _ in range(2):
                match_id, tokens = await kit.create("domino-cartas", "rrr")
                bots = [await kit.joined(token) for token in tokens]
                await asyncio.gather(*[bot.play() for bot in bots])
                matches.append(told(await kit.ended(match_id)))
            assert matches[0] == matches[1]

    run(promise)
