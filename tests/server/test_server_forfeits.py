"""Who loses a match by faults, and what becomes of the match."""

import asyncio

import pytest
from server_kit import DUEL, of_kind, run, serving

from referee.v1 import fault_pb2, match_pb2, play_pb2


async def _wrong(bot):
    """Answer the next turn with a place that is not there."""
    turn = await bot.until("turn")
    await bot.answer(turn.turn_id, index=99)


async def _garbage(bot):
    await bot.until("turn")
    await bot.send(b"\xff\xff")


async def _silent(bot):
    await bot.until("turn")


async def _leaves(bot):
    await bot.until("turn")
    await bot.leave("tired")


async def _crashes(bot):
    await bot.until("turn")
    await bot.crash()


STRICT = {
    "malformed": _wrong,
    "garbage": _garbage,
    "late": _silent,
    "leaves": _leaves,
    "gone": _crashes,
}
CAUSES = {"garbage": "malformed", "leaves": "gone"}


@pytest.mark.parametrize("fault", STRICT)
def test_by_the_strict_policy_the_first_fault_forfeits(tmp_path, fault):
    """Strict forgives nothing: the first fault loses the match, and both are told."""

    async def promise():
        async with serving(tmp_path) as kit:
            move_ms = 100 if fault in {"late", "gone"} else 20_000
            match_id, tokens = await kit.create(policy="strict", clock={"move_ms": move_ms})
            bot, other = [await kit.joined(token) for token in tokens]
            playing = asyncio.create_task(other.play())
            await STRICT[fault](bot)
            await playing
            forfeited = next(event.fault for event in other.seen if event.HasField("fault"))
            assert forfeited.seat == 0
            assert forfeited.remedy == fault_pb2.REMEDY_FORFEIT
            assert forfeited.count == 1
            assert "99" not in forfeited.message
            events = await kit.ended(match_id)
            cause = CAUSES.get(fault, fault)
            assert [event["remedy"] for event in of_kind(events, "fault", seat=0, kind=cause)] == ["forfeit"]
            assert of_kind(events, "forfeited", seat=0, cause=cause)
            assert events[-1]["reason"] == "forfeit"
            assert events[-1]["places"] == [2, 1]
            if fault in {"malformed", "garbage"}:
                assert (await bot.until("refusal")).remedy == fault_pb2.REMEDY_FORFEIT
                assert (await bot.end()).reason == play_pb2.CLOSE_REASON_FORFEITED

    run(promise)


def test_ten_wrong_answers_are_forgiven_and_the_next_is_not(tmp_path):
    """Lenient asks again ten times in a match for each kind of wrong answer, then the seat forfeits."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create(seats="rb")
            bot = await kit.joined(tokens[0])
            turn = await bot.until("turn")
            remedies = []
            for _ in range(11):
                await bot.answer(turn.turn_id, index=99)
                remedies.append((await bot.until("refusal")).remedy)
            assert remedies == [fault_pb2.REMEDY_ASK_AGAIN] * 10 + [fault_pb2.REMEDY_FORFEIT]
            assert (await bot.end()).reason == play_pb2.CLOSE_REASON_FORFEITED
            events = await kit.ended(match_id)
            assert len(of_kind(events, "rejected")) == 11
            assert events[-1]["reason"] == "forfeit"

    run(promise)


@pytest.mark.parametrize("how", ["leaves", "malformed"])
@pytest.mark.parametrize("game", ["domino-cartas", "domino-a-carte", DUEL, "domino-belga"])
def test_a_match_of_four_is_played_on_by_the_stand_in(tmp_path, game, how):
    """One of four gone: the match is completed, its turns taken by the referee, and it is placed last."""

    async def promise():
        async with serving(tmp_path) as kit:
            policy = "strict" if how == "malformed" else "lenient"
            match_id, tokens = await kit.create(game, "rrrr", policy=policy)
            bots = [await kit.joined(token) for token in tokens]
            playing = [asyncio.create_task(bot.play()) for bot in bots[1:]]
            await STRICT[how](bots[0])
            await asyncio.gather(*playing)
            events = await kit.ended(match_id)
            left = of_kind(events, "forfeited", seat=0)[0]["seq"]
            after = [event for event in of_kind(events, "action", seat=0) if event["seq"] > left]
            assert {event["by"] for event in after} <= {"forfeit", "forced"}
            assert after
            assert events[-1]["reason"] == "completed"
            closed = await bots[0].end()
            expected = play_pb2.CLOSE_REASON_LEFT if how == "leaves" else play_pb2.CLOSE_REASON_FORFEITED
            assert closed.reason == expected

    run(promise)


def test_who_has_left_cannot_come_back(tmp_path):
    """Leave gives the seat up: the token is not taken again, and says so."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create("domino-cartas", "rrr")
            bots = [await kit.joined(token) for token in tokens]
            await bots[0].leave("tired " * 100)
            assert (await bots[0].end()).reason == play_pb2.CLOSE_REASON_LEFT
            again = kit.bot()
            await again.join(tokens[0])
            closed = await again.end()
            assert closed.reason == play_pb2.CLOSE_REASON_FORFEITED
            assert not closed.join_again
            await asyncio.gather(*[bot.play() for bot in bots[1:]])
            events = await kit.ended(match_id)
            (fault,) = of_kind(events, "fault")
            assert fault["kind"] == "gone"
            assert fault["remedy"] == "forfeit"
            assert len(fault["detail"]) < 300

    run(promise)


def test_a_pair_plays_on_with_one_and_loses_with_none(tmp_path):
    """Duplas: one of a pair gone is stood in for; when both are gone the other pair has won."""

    async def promise():
        async with serving(tmp_path) as kit:
            one_gone, tokens = await kit.create("domino-duplas", "rrrr")
            bots = [await kit.joined(token) for token in tokens]
            await bots[1].leave()
            await asyncio.gather(*[bot.play() for bot in (bots[0], bots[2], bots[3])])
            events = await kit.ended(one_gone)
            assert events[-1]["reason"] == "completed"
            assert of_kind(events, "action", seat=1, by="forfeit")

            both_gone, tokens = await kit.create("domino-duplas", "rrrr")
            bots = [await kit.joined(token) for token in tokens]
            await bots[1].leave()
            await bots[3].leave()
            await asyncio.gather(*[bot.play() for bot in (bots[0], bots[2])])
            events = await kit.ended(both_gone)
            assert events[-1]["reason"] == "forfeit"
            assert events[-1]["places"] == [1, 2]

    run(promise)


@pytest.mark.parametrize(
    ("game", "seats"),
    [(DUEL, "rr"), ("domino-cartas", "rrr"), ("domino-duplas", "rrrr")],
)
def test_a_match_to_which_nobody_came_ends_by_forfeit_with_all_places_shared(tmp_path, game, seats):
    """All never came: the match ends before its first deal, and nobody is better than another."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, _ = await kit.create(game, seats, clock={"join_ms": 50})
            events = await kit.ended(match_id)
            assert [event["kind"] for event in of_kind(events, "fault")] == ["never_came"] * len(seats)
            assert not of_kind(events, "hand_started")
            assert events[-1]["reason"] == "forfeit"
            assert set(events[-1]["places"]) == {1}
            info = (await kit.matches.GetMatch(match_pb2.GetMatchRequest(match_id=match_id))).info
            assert info.state == match_pb2.MATCH_STATE_FINISHED
            assert not info.HasField("hand")

    run(promise)


def test_a_seat_that_never_came_forfeits_alone(tmp_path):
    """One of three never came: the others play, and a late-comer finds the seat lost but may look on."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create("domino-cartas", "rrr", clock={"join_ms": 300})
            bots = [await kit.joined(token) for token in tokens[:2]]
            await asyncio.gather(*[bot.play() for bot in bots])
            events = await kit.ended(match_id)
            assert of_kind(events, "forfeited", seat=2, cause="never_came")
            assert events[-1]["reason"] == "completed"

    run(promise)


@pytest.mark.parametrize("silent", [0, 1])
def test_a_seat_that_is_never_ready_forfeits(tmp_path, silent):
    """Joined but not ready in time loses, counted from its own Joined."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create(clock={"ready_ms": 100})
            bots = [await kit.joined(token, ready=seat != silent) for seat, token in enumerate(tokens)]
            assert (await bots[silent].end()).reason == play_pb2.CLOSE_REASON_FORFEITED
            events = await kit.ended(match_id)
            assert of_kind(events, "forfeited", seat=silent, cause="not_ready")
            assert events[-1]["places"] == [2, 1][:: 1 if silent == 0 else -1]

    run(promise)


def test_waiting_for_one_seat_does_not_lengthen_the_time_of_another(tmp_path):
    """A seat that was not ready in time is found out as soon as the seats before it have come."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create(clock={"join_ms": 20_000, "ready_ms": 1_000})
            await kit.joined(tokens[1], ready=False)
            loop = asyncio.get_running_loop()
            await asyncio.sleep(1.0)
            begun = loop.time()
            await kit.joined(tokens[0])
            events = await kit.ended(match_id)
            assert of_kind(events, "forfeited", seat=1, cause="not_ready")
            assert loop.time() - begun < 0.5

    run(promise)


def test_a_flood_of_stale_answers_forfeits(tmp_path):
    """Two hundred messages that answer nothing are ignored one by one; one more loses the match and ends the stream."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create()
            bot, other = [await kit.joined(token) for token in tokens]
            playing = asyncio.create_task(other.play())
            await bot.until("turn")
            for _ in range(201):
                await bot.answer(4_000_000_000, index=0)
            closed = await bot.end()
            assert closed.reason == play_pb2.CLOSE_REASON_FORFEITED
            assert "200" in closed.message
            assert sum(event.HasField("refusal") for event in bot.seen) == 200
            await playing
            events = await kit.ended(match_id)
            assert of_kind(events, "forfeited", seat=0, cause="flooding")
            assert events[-1]["reason"] == "forfeit"

    run(promise)
