"""Clients that do their worst: the match next to theirs is undisturbed, and every log stands up to verification."""

import asyncio

import pytest
from abuse_kit import ABUSE, FORMAT, HURRIED, abused
from server_kit import of_kind, run, serving, told

from referee.v1 import play_pb2, table_pb2


async def _sound_match(kit):
    """A match of two well-behaved bots, and what its log says."""
    match_id, tokens = await kit.create(format=FORMAT)
    bots = [await kit.joined(token) for token in tokens]
    await asyncio.gather(*[bot.play() for bot in bots])
    events = await kit.ended(match_id)
    assert not of_kind(events, "fault")
    return told(events)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What the match of two well-behaved bots comes to where nothing else happens."""
    found = []

    async def promise():
        async with serving(tmp_path_factory.mktemp("undisturbed")) as kit:
            found.append(await _sound_match(kit))

    run(promise)
    return found[0]


@pytest.mark.parametrize("abuse", ABUSE)
def test_one_match_is_not_disturbed_by_another(tmp_path, undisturbed, abuse):
    """Whatever a client does, its own match ends with a result, and the match beside it is as without it."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create(clock=HURRIED, format=FORMAT)
            other = await kit.joined(tokens[1])
            playing = asyncio.create_task(other.play())
            bot = kit.bot()

            sound, _ = await asyncio.gather(_sound_match(kit), abused(abuse, bot, tokens[0]))
            assert sound == undisturbed
            events = await kit.ended(match_id)
            assert events[-1]["reason"] == "forfeit"
            assert events[-1]["places"] == [2, 1]
            assert of_kind(events, "forfeited", seat=0)
            await playing

    run(promise)


def test_a_message_that_is_too_large_ends_the_stream_with_a_status_and_not_the_seat(
    tmp_path,
):
    """One megabyte is refused by the transport; the bot may come back and play on."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create(seats="rb")
            bot = await kit.joined(tokens[0])
            turn = await bot.until("turn")
            await bot.answer(turn.turn_id, action=table_pb2.Action(notation="x" * 1_000_000))
            assert (await bot.status()).name == "RESOURCE_EXHAUSTED"
            again = await kit.joined(tokens[0])
            await again.play()
            assert not of_kind(await kit.ended(match_id), "fault")

    run(promise)


def test_a_client_that_stops_reading_is_late_and_holds_up_nobody(tmp_path):
    """Nothing waits for a client that does not read: its turns run out, and the match goes on."""

    async def promise():
        async with serving(tmp_path) as kit:
            format = play_pb2.Format(kind="points", target=100, ending="lowest")
            match_id, tokens = await kit.create("domino-cartas", "rrrr", clock=HURRIED, format=format)
            bots = [await kit.joined(token) for token in tokens[1:]]
            deaf = kit.bot()
            await deaf.join(tokens[0], delivery=play_pb2.EVENT_DELIVERY_IMMEDIATE)
            await deaf.ready()
            await asyncio.gather(*[bot.play() for bot in bots])
            events = await kit.ended(match_id)
            assert of_kind(events, "forfeited", seat=0, cause="late")
            assert events[-1]["reason"] == "completed"

    run(promise)


def test_a_client_that_reads_nothing_is_cut_off(tmp_path):
    """What is owed to a client that does not read is bounded: its stream is ended, its seat lost to it."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create(seats="rb")
            bot = kit.bot()
            await bot.join(tokens[0])
            await bot.ready()
            await kit.until_logged(match_id, "seat_ready")
            (_, seat) = kit.server.host.matches[match_id].remote[0]
            connection = seat.connection
            assert connection is not None
            while not connection.ended.is_set():
                connection.send(bytes([10, 0]) * 50_000)
            await kit.until_logged(match_id, "seat_left")
            assert seat.connection is None

    run(promise)


def test_streams_that_never_come_to_anything_leave_nothing_behind(tmp_path):
    """Hundreds of streams opened and dropped leave no connection on a seat or waiting."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create(seats="rb")
            for number in range(100):
                bot = kit.bot()
                if number % 2:
                    await bot.join(tokens[0])
                await bot.crash()
            last = await kit.joined(tokens[0])
            assert (await last.play()).reason == play_pb2.CLOSE_REASON_MATCH_OVER
            await kit.ended(match_id)
            assert not kit.server.host.matches[match_id].remote

    run(promise)
