"""What is refused, with which code, and what it does to the match: nothing."""

import asyncio

import pytest
from server_kit import DUEL, of_kind, opening, run, serving, told

from referee.v1 import fault_pb2, play_pb2, table_pb2

LEFT, UP, DOWN = table_pb2.ARM_LEFT, table_pb2.ARM_UP, table_pb2.ARM_DOWN
CARD = table_pb2.PIECE_SPANISH_OROS_7
LONG = "x" * 30_000


def action(notation="", **kind):
    """An answer's choice: an action."""
    return {"action": table_pb2.Action(notation=notation, **kind)}


def tile(piece, arm=0):
    """An answer's choice: a piece played."""
    return action(play=table_pb2.Play(piece=piece, arm=arm))


WRONG = {
    "nothing chosen": ({}, "malformed"),
    "an action without kind and notation": (action(), "malformed"),
    "text that is no action": (action("knock"), "malformed"),
    "a long text": (action(LONG), "malformed"),
    "text that a terminal would obey": (action("\x1b[2J\n\0"), "malformed"),
    "a place beyond the list": ({"index": 99}, "unknown_action"),
    "the greatest place": ({"index": 2**32 - 1}, "unknown_action"),
    "a card at a table of dominoes": (tile(CARD), "malformed"),
    "no piece": (tile(table_pb2.PIECE_UNSPECIFIED), "malformed"),
    "an unknown piece": (tile(999_999), "malformed"),
    "a negative piece": (tile(-5), "malformed"),
    "an unknown arm": (tile(table_pb2.PIECE_TILE_6_6, 77), "malformed"),
    "a negative arm": (tile(table_pb2.PIECE_TILE_6_6, -1), "malformed"),
    "a pass while a tile fits": (action("pass"), "must_play"),
    "a pass by kind": (action(pass_turn=table_pb2.PassTurn()), "must_play"),
    "a draw while a tile fits": (action("draw"), "must_play"),
    "a kind before a notation": (action("0-0", draw=table_pb2.Draw()), "must_play"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_answer_is_refused_and_asked_again(tmp_path, wrong):
    """A wrong answer gets its code, what would be legal, and the turn goes on; the match is as without it."""
    choice, code = WRONG[wrong]

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, bot, other, turn = await opening(kit)
            await bot.answer(turn.turn_id, **choice)
            refusal = await bot.until("refusal")
            assert refusal.code == code
            assert refusal.turn_id == turn.turn_id
            assert refusal.remedy == fault_pb2.REMEDY_ASK_AGAIN
            assert list(refusal.legal) == list(turn.legal)
            assert 0 < len(refusal.message) < 1000
            assert bool(refusal.rule) == (code == "must_play")
            await bot.answer(turn.turn_id, index=turn.turn_id % len(turn.legal))
            await asyncio.gather(bot.play(), other.play())
            events = await kit.ended(match_id)
            (rejected,) = of_kind(events, "rejected")
            assert rejected["code"] == code
            assert rejected["turn"] == turn.turn_id
            assert len(rejected["given"]) <= 200
            assert len(rejected["message"]) < 1000
            (fault,) = of_kind(events, "fault")
            assert fault["kind"] == ("illegal" if code == "must_play" else "malformed")
            assert (fault["count"], fault["remedy"]) == (1, "ask_again")
            quiet_id, tokens = await kit.create()
            await asyncio.gather(*[(await kit.joined(token)).play() for token in tokens])
            assert told(await kit.ended(quiet_id)) == told(events)

    run(promise)


def test_pieces_that_cannot_be_played_are_refused_by_the_rule(tmp_path):
    """Not in hand, does not fit, arm closed, arm required: each has its code, and the hand stays hidden from others."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, bot, other, turn = await opening(kit)
            codes = set()
            for piece in range(1, 29):
                if piece in turn.view.pieces:
                    continue
                await bot.answer(turn.turn_id, **tile(piece))
                codes.add((await bot.until("refusal")).code)
                if piece > 8:
                    break
            assert codes == {"not_in_hand"}
            wrong = next(piece for piece in turn.view.pieces if piece != turn.legal[0].play.piece)
            await bot.answer(turn.turn_id, **tile(wrong))
            assert (await bot.until("refusal")).code == "opening_required"
            await bot.answer(turn.turn_id, index=0)
            turn = await other.until("turn")
            await other.answer(turn.turn_id, action=table_pb2.Action(notation=turn.legal[0].notation))
            await bot.play(1)
            assert not of_kind([{"event": one.WhichOneof("event")} for one in other.seen], "refusal")
            assert not any(one.HasField("fault") for one in other.seen)
            assert kit.server.host.matches[match_id].match.turn >= 2

    run(promise)


def test_actions_may_be_given_by_place_kind_or_notation(tmp_path):
    """Place, kind and notation name the same action; a kind counts before a notation; an arm may be left out."""

    async def promise():
        async with serving(tmp_path) as kit:
            matches = []
            for way in ("index", "notation", "kind"):
                match_id, tokens = await kit.create()

                async def play(bot, way=way):
                    while isinstance(turn := await bot.until("turn", "closed"), play_pb2.Turn):
                        place = turn.turn_id % len(turn.legal)
                        legal = turn.legal[place]
                        by_kind = table_pb2.Action()
                        by_kind.CopyFrom(legal)
                        by_kind.notation = "nonsense"
                        fitting = [one for one in turn.legal if one.play.piece == legal.play.piece]
                        if len(fitting) == 1 and legal.HasField("play"):
                            by_kind.play.arm = 0
                        choice = {
                            "index": place,
                            "notation": table_pb2.Action(notation=legal.notation),
                            "kind": by_kind,
                        }
                        name = "index" if way == "index" else "action"
                        await bot.answer(turn.turn_id, **{name: choice[way]})

                await asyncio.gather(*[play(await kit.joined(token)) for token in tokens])
                events = await kit.ended(match_id)
                assert not of_kind(events, "rejected")
                matches.append(told(events))
            assert matches[0] == matches[1] == matches[2]

    run(promise)


def test_answers_to_other_turns_change_nothing(tmp_path):
    """An answer to a turn that is over, answered or not asked is refused by its code; the open turn stays open."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, bot, other, turn = await opening(kit)

            async def refused(who, turn_id):
                await who.answer(turn_id, index=0)
                refusal = await who.until("refusal")
                assert refusal.remedy == fault_pb2.REMEDY_IGNORE
                assert refusal.turn_id == turn_id
                return refusal.code

            assert await refused(other, turn.turn_id) == "not_your_turn"
            assert await refused(other, 0) == "not_your_turn"
            assert await refused(bot, turn.turn_id + 5) == "stale_turn"
            assert await refused(bot, 0) == "stale_turn"
            await bot.answer(turn.turn_id, index=0)
            assert await refused(bot, turn.turn_id) == "stale_turn"
            await asyncio.gather(bot.play(), other.play())
            events = await kit.ended(match_id)
            assert events[-1]["reason"] == "completed"
            assert not of_kind(events, "rejected")
            assert not of_kind(events, "fault")

    run(promise)


def test_the_first_legal_answer_counts(tmp_path):
    """Of two answers to one turn that come together the first counts, and the second is stale."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, bot, other, turn = await opening(kit)
            await bot.answer(turn.turn_id, index=0)
            await bot.answer(turn.turn_id, index=99)
            assert (await bot.until("refusal")).code == "stale_turn"
            await asyncio.gather(bot.play(), other.play())
            events = await kit.ended(match_id)
            assert not of_kind(events, "rejected")
            assert of_kind(events, "action")[0]["by"] == "bot"

    run(promise)


def test_unknown_fields_are_passed_over(tmp_path):
    """A client of a newer protocol is understood as far as it is known; a request of an unknown kind is malformed."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, bot, other, turn = await opening(kit, game=DUEL)
            unknown = bytes([0xFA, 0x3E, 3]) + b"abc"  # field 1007, three bytes
            await bot.send(unknown)
            assert (await bot.until("refusal")).code == "malformed"
            answer = play_pb2.PlayRequest(answer=play_pb2.Answer(turn_id=turn.turn_id, index=0))
            await bot.send(answer.SerializeToString() + unknown)
            await asyncio.gather(bot.play(), other.play())
            events = await kit.ended(match_id)
            assert [event["code"] for event in of_kind(events, "rejected")] == ["malformed"]

    run(promise)
