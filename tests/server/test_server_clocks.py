"""Clocks: what a turn costs, and what happens when the time is up."""

import asyncio
from datetime import datetime

import pytest
from server_kit import of_kind, run, serving

from referee.match.clock import ClockSpec, charge
from referee.v1 import fault_pb2, play_pb2

SLACK_MS = 250
"""How late a busy machine may make the referee; the referee's lateness is never the bot's."""


async def _against_nobody(kit, turns, think_s=0.0, **clock):
    """A duel of which one bot answers so many turns and is silent then, and the other answers all."""
    match_id, tokens = await kit.create(clock=clock, seats="rr")
    bot, other = [await kit.joined(token) for token in tokens]
    playing = asyncio.create_task(other.play())
    asked = []
    for _ in range(turns):
        turn = await bot.until("turn")
        asked.append(turn)
        await asyncio.sleep(think_s)
        await bot.answer(turn.turn_id, index=0)
    return match_id, bot, playing, asked


def test_the_bank_is_used_after_the_move_time_and_refilled_by_the_increment(tmp_path):
    """A turn costs the bank what it takes beyond move_ms and brings the increment; the next turn tells what is left."""

    async def promise():
        clock = {"move_ms": 20, "bank_ms": 5_000, "increment_ms": 7}
        async with serving(tmp_path) as kit:
            match_id, bot, playing, asked = await _against_nobody(kit, 4, 0.05, **clock)
            await bot.leave()
            await playing
            events = await kit.ended(match_id)
            bank, spec = 5_000, ClockSpec(**clock)
            took = [event["took_ms"] for event in of_kind(events, "action", seat=0, by="bot")]
            assert len(took) == 4
            for turn, took_ms in zip(asked, took, strict=True):
                assert turn.clock.move_ms == 20
                assert turn.clock.bank_ms == bank
                assert 0 <= took_ms <= 50 + SLACK_MS
                bank = charge(spec, bank, took_ms, True)
            assert bank < 5_000 + 4 * 7

    run(promise)


def test_a_quick_answer_leaves_the_bank_alone(tmp_path):
    """Within move_ms nothing is taken from the bank."""

    async def promise():
        async with serving(tmp_path) as kit:
            _, bot, playing, asked = await _against_nobody(kit, 4, move_ms=10_000, bank_ms=500, increment_ms=11)
            await bot.leave()
            await playing
            assert [turn.clock.bank_ms for turn in asked] == [500, 511, 522, 533]

    run(promise)


def test_when_the_time_is_up_the_stand_in_plays_and_the_third_time_forfeits(tmp_path):
    """Two late turns are played by the stand-in at the whole limit's cost; the third loses the match."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, bot, playing, _ = await _against_nobody(kit, 1, move_ms=60, bank_ms=90)
            faults = [await bot.until("fault") for _ in range(3)]
            assert [fault.kind for fault in faults] == [fault_pb2.FAULT_KIND_LATE] * 3
            assert [fault.count for fault in faults] == [1, 2, 3]
            stand_in, forfeit = fault_pb2.REMEDY_STAND_IN_TURN, fault_pb2.REMEDY_FORFEIT
            assert [fault.remedy for fault in faults] == [stand_in, stand_in, forfeit]
            assert (await bot.end()).reason == play_pb2.CLOSE_REASON_FORFEITED
            assert (await playing).reason == play_pb2.CLOSE_REASON_MATCH_OVER
            events = await kit.ended(match_id)
            late = of_kind(events, "action", seat=0, by="timeout")
            first_ms = of_kind(events, "action", seat=0, by="bot")[0]["took_ms"]
            assert [event["took_ms"] for event in late] == [
                60 + 90 - max(0, first_ms - 60),
                60,
            ]
            assert [event["remedy"] for event in of_kind(events, "fault")] == [
                "stand_in",
                "stand_in",
                "forfeit",
            ]
            assert of_kind(events, "forfeited")[0]["cause"] == "late"
            assert events[-1]["reason"] == "forfeit"
            assert events[-1]["places"] == [2, 1]

    run(promise)


def test_a_rejected_answer_neither_stops_nor_refills_the_clock(tmp_path):
    """A bot that is refused again and again is late when one that says nothing is late."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, bot, playing, _ = await _against_nobody(kit, 1, move_ms=150, bank_ms=0)
            turn = await bot.until("turn")
            for _ in range(3):
                await asyncio.sleep(0.03)
                await bot.answer(turn.turn_id, index=99)
                assert (await bot.until("refusal")).code == "unknown_action"
            assert (await bot.until("fault")).kind == fault_pb2.FAULT_KIND_LATE
            await bot.answer(turn.turn_id, index=0)
            assert (await bot.until("refusal")).code in {"stale_turn", "not_your_turn"}
            await bot.leave()
            await playing
            events = await kit.ended(match_id)
            late = next(event for event in events if event["event"] == "action" and event["by"] == "timeout")
            before = events[: late["seq"]]
            asked = [event for event in before if event["event"] in {"action", "hand_started"}][-1]
            passed = datetime.fromisoformat(late["ts"]) - datetime.fromisoformat(asked["ts"])
            assert late["took_ms"] == 150
            assert 145 <= passed.total_seconds() * 1000 <= 150 + SLACK_MS
            assert len(of_kind(events, "rejected", turn=turn.turn_id)) == 3

    run(promise)


def test_a_late_answer_is_stale_and_the_next_turn_is_asked(tmp_path):
    """An answer that comes after the time is up is refused; the seat plays on."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, bot, playing, _ = await _against_nobody(kit, 1, move_ms=80, bank_ms=0)
            turn = await bot.until("turn")
            await bot.until("fault")
            await bot.answer(turn.turn_id, index=0)
            assert (await bot.until("refusal")).code == "stale_turn"
            await bot.play()
            await playing
            events = await kit.ended(match_id)
            assert len(of_kind(events, "fault")) >= 1
            assert len(of_kind(events, "action", seat=0, by="timeout")) <= 2
            assert of_kind(events, "action", seat=0, by="bot")

    run(promise)


def test_a_seat_that_is_not_connected_when_its_time_is_up_is_gone(tmp_path):
    """Who is away is charged like who is silent, under a name of its own; twice is forgiven."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, bot, playing, _ = await _against_nobody(kit, 1, move_ms=60, bank_ms=0)
            await bot.crash()
            await playing
            events = await kit.ended(match_id)
            assert {event["kind"] for event in of_kind(events, "fault")} == {"gone"}
            assert [event["remedy"] for event in of_kind(events, "fault")] == [
                "stand_in",
                "stand_in",
                "forfeit",
            ]
            assert of_kind(events, "seat_left", seat=0)

    run(promise)


@pytest.mark.parametrize("clock", [{"move_ms": 0, "bank_ms": 0}, {"move_ms": 0, "bank_ms": 40}])
def test_a_clock_of_nothing_is_a_clock(tmp_path, clock):
    """With no time at all every turn is late; the match still ends as the policy says."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create(clock=clock, seats="rb")
            bot = await kit.joined(tokens[0])
            assert (await bot.end()).reason == play_pb2.CLOSE_REASON_FORFEITED
            events = await kit.ended(match_id)
            assert events[-1]["reason"] == "forfeit"

    run(promise)


def test_the_referees_own_lateness_is_not_charged(tmp_path):
    """While the referee is busy no clock runs out, and what it took is logged as its own."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create(clock={"move_ms": 150, "bank_ms": 0}, seats="rb")
            bot = await kit.joined(tokens[0])
            turn = await bot.until("turn")
            asyncio.get_running_loop().call_soon(_busy, 0.4)  # as soon as the answer is on its way
            await bot.answer(turn.turn_id, index=0)
            await bot.play()
            events = await kit.ended(match_id)
            assert not of_kind(events, "fault")
            first = of_kind(events, "action", seat=0)[0]
            assert first["by"] == "bot"
            assert first["took_ms"] <= 150
            assert first["lag_ms"] >= 200

    run(promise)


def _busy(seconds):
    """Keep the event loop from everything else."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while loop.time() < end:
        pass
