"""A thousand streams join at once for the last seat of a match: with its token, and with others that are much alike."""

from __future__ import annotations

import asyncio
import random
import signal
import string
import tempfile
from collections import Counter
from pathlib import Path

import grpc
from oracle.verify import check_log
from server_kit import Bot, created, match_request, run

from referee.match.log import read_log
from referee.match.verify import verify
from referee.server.remote import MOST_UNASKED
from referee.v1 import match_pb2_grpc, play_pb2
from tests.drills.row import Row
from tests.drills.server import Server

CONNECTIONS = 20
"""The streams come over so many connections."""

LIMITS = "[limits]\nunjoined_per_peer = 100_000\njoins_per_second = 100_000\n"
"""All come from one address, which by default may not have so many streams that have not joined."""


def rows(full: bool) -> list[Row]:
    """The rows of this drill."""
    joins, times = (1000, 5) if full else (200, 1)
    # Less than what counts as a flood of one bot, which loses the seat: many of the owner's own streams, and strangers.
    owners = min(joins, MOST_UNASKED) * 3 // 4
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        limits = Path(folder) / "limits.toml"
        limits.write_text(LIMITS)
        server = Server(data, "--config", str(limits))
        server.start()
        try:
            for number in range(times):
                match_id = run(lambda: _race(server.address, joins, owners, number))  # noqa: B023
                log = data / f"{match_id}.jsonl"
                verify(log)
                check_log(log)
                events = list(read_log(log))
                assert not [event for event in events if event["event"] == "fault"], log
            server.kill(signal.SIGTERM)
        finally:
            server.close()
        assert not server.complaints(), server.complaints()
    done = f"{times} times {joins} joins at once, {owners} of them with the token"
    return [Row("race for the last seat", done, "each time 1 stream has it, and plays to the end", "exactly 1", True)]


async def _race(address: str, joins: int, owners: int, number: int) -> str:
    """Join at once, and play the match to its end with the one stream that has the seat; the match's id."""
    chance = random.Random(number)
    async with grpc.aio.insecure_channel(address) as channel:
        match_id, (others, token) = await created(match_pb2_grpc.MatchServiceStub(channel), match_request(seed=None))
    first = Bot(address)
    await first.join(others)
    await first.ready()
    other = asyncio.create_task(first.play())
    tokens = [token] * owners + [_alike(token, chance) for _ in range(joins - owners)]
    chance.shuffle(tokens)
    doors = [Bot(address) for _ in range(CONNECTIONS)]
    streams = [Bot(address, channel=doors[place % CONNECTIONS].channel) for place in range(joins)]
    await asyncio.gather(*[stream.join(shown) for stream, shown in zip(streams, tokens, strict=True)])
    ends = [asyncio.create_task(stream.play()) for stream in streams]
    # All but one are sent away; the one that has the seat is asked for nothing before it is ready.
    while len(left := [end for end in ends if not end.done()]) > 1:
        await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)
    assert left, "nobody has the seat"
    place = ends.index(left[0])
    assert tokens[place] == token, "a stranger has the seat"
    reasons = Counter((shown == token, _reason(end)) for shown, end in zip(tokens, ends, strict=True) if end.done())
    sent_away = reasons[True, play_pb2.CLOSE_REASON_REPLACED] + reasons[True, play_pb2.CLOSE_REASON_REFUSED]
    assert sent_away == owners - 1, reasons
    assert reasons[False, play_pb2.CLOSE_REASON_REFUSED] == joins - owners, reasons
    await streams[place].ready()
    await ends[place]
    assert _reason(ends[place]) == play_pb2.CLOSE_REASON_MATCH_OVER
    await other
    for bot in (first, *doors):
        await bot.crash()
    return match_id


def _reason(end: asyncio.Task[play_pb2.Closed | None]) -> int:
    """Why a stream was ended."""
    closed = end.result()
    assert closed is not None
    return closed.reason


def _alike(token: str, chance: random.Random) -> str:
    """A token in which one character is another."""
    place = chance.randrange(len(token))
    letters = string.ascii_letters + string.digits
    return token[:place] + chance.choice(letters.replace(token[place], "")) + token[place + 1 :]
