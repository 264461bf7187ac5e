"""A day of joins and leaves, as fast as it goes: the server holds at its end what it held in its first hours."""

from __future__ import annotations

import asyncio
import signal
import statistics
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import grpc
from oracle.verify import check_log
from server_kit import Bot, created, match_request, run

from referee.match.verify import verify
from referee.v1 import match_pb2, match_pb2_grpc
from tests.drills.row import Row
from tests.drills.server import COUNTED, SPARE, Server

HOURS = 24
AT_ONCE = 6
"""So many matches are played at once."""

KEPT = 20
"""So many matches the server remembers: they are all there after the first hours."""

SHORT_MS = 100
"""How long one is waited for that will not come."""

OBJECTS_A_MATCH = 10
"""Python objects that may be added by a match: less than its streams have. A match that is kept varies as much."""

MOST_GROWTH = 0.05
"""The share by which resident memory may differ from one half of the day to the other: the allocator's own."""


async def _plays(_: _Day, bots: Sequence[Bot], tokens: Sequence[str]) -> None:
    await _join(bots, tokens)
    await asyncio.gather(*[bot.play() for bot in bots])


async def _comes_back(day: _Day, bots: Sequence[Bot], tokens: Sequence[str]) -> None:
    """One loses its connection in the middle, and plays on over another; its opponent's plays on as before."""
    await _join(bots, tokens)
    other = asyncio.create_task(bots[1].play())
    await bots[0].play(3)
    await bots[0].crash()
    again = Bot(day.address)
    await again.join(tokens[0])
    await asyncio.gather(other, again.play())
    await again.crash()


async def _leaves(_: _Day, bots: Sequence[Bot], tokens: Sequence[str]) -> None:
    await _join(bots, tokens)
    other = asyncio.create_task(bots[1].play())
    await bots[0].play(1)
    await bots[0].leave()
    await other


async def _crashes(_: _Day, bots: Sequence[Bot], tokens: Sequence[str]) -> None:
    await _join(bots, tokens)
    other = asyncio.create_task(bots[1].play())
    await bots[0].play(2)
    await bots[0].crash()
    await other


async def _half_closes(_: _Day, bots: Sequence[Bot], tokens: Sequence[str]) -> None:
    await _join(bots, tokens)
    other = asyncio.create_task(bots[1].play())
    await bots[0].call.done_writing()
    await other


async def _never_comes(_: _Day, bots: Sequence[Bot], tokens: Sequence[str]) -> None:
    await _join(bots[1:], tokens[1:])
    await bots[1].play()


async def _is_refused(_: _Day, bots: Sequence[Bot], tokens: Sequence[str]) -> None:
    """Two with tokens that are none, before the match's own bots fail to come."""
    for bot, token in zip(bots, tokens, strict=True):
        await bot.join(token[:-1])
        await bot.end()


_Visit = Callable[["_Day", Sequence[Bot], Sequence[str]], Awaitable[None]]

VISITS: tuple[tuple[_Visit, dict[str, int]], ...] = (
    (_plays, {}),
    (_comes_back, {}),
    (_leaves, {}),
    (_crashes, {"move_ms": SHORT_MS}),
    (_half_closes, {"move_ms": SHORT_MS}),
    (_never_comes, {"join_ms": SHORT_MS}),
    (_is_refused, {"join_ms": SHORT_MS}),
    (_plays, {}),
)
"""What happens in a match, and its clock."""


async def _join(bots: Sequence[Bot], tokens: Sequence[str]) -> None:
    for bot, token in zip(bots, tokens, strict=True):
        await bot.join(token)
        await bot.ready()


class _Day:
    """The visitors of a server.

    Attributes:
        address: where they dial in.
        connections: how many there have been.
    """

    def __init__(self, address: str, channel: grpc.aio.Channel) -> None:
        self.address = address
        self.connections = 0
        self._matches = match_pb2_grpc.MatchServiceStub(channel)
        self._room = asyncio.Semaphore(AT_ONCE)

    async def hour(self, matches: int) -> None:
        """So many matches, one visit after the other, to the end of all of them."""
        await asyncio.gather(*[self._visit(number) for number in range(matches)])

    async def _visit(self, number: int) -> None:
        async with self._room:
            visit, clock = VISITS[number % len(VISITS)]
            match_id, tokens = await created(self._matches, match_request(clock=clock, seed=None))
            gone = self._matches.WatchMatch(match_pb2.WatchMatchRequest(match_id=match_id))
            await gone.read()
            bots = [Bot(self.address), Bot(self.address)]
            self.connections += 2 + (visit is _comes_back)
            await visit(self, bots, tokens)
            gone.cancel()
            async for _ in self._matches.WatchMatch(match_pb2.WatchMatchRequest(match_id=match_id), timeout=60):
                pass
            for bot in bots:
                await bot.crash()


def rows(full: bool) -> list[Row]:
    """The rows of this drill."""
    hours, matches = (HOURS, 100) if full else (8, 10)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        server = Server(data, watched=True, env={"DRILL_KEPT": str(KEPT)})
        server.start()
        try:
            held, connections = run(lambda: _samples(server, hours, matches), 1800)
            server.kill(signal.SIGTERM)
        finally:
            server.close()
        logs = list(data.glob("*.jsonl"))
        assert len(logs) == hours * matches
        for log in logs:
            verify(log)
            check_log(log)
        assert not server.complaints(), server.complaints()
    # The first quarter is the server's warming up: what is made once, and the matches that it keeps.
    early, late = _halves(held[hours // 4 :])
    for kind in COUNTED:
        assert late[kind] <= early[kind] + SPARE[kind], f"{kind}: {[one[kind] for one in held]}"
    objects = (late["objects"] - early["objects"]) / (matches * (hours - hours // 4) / 2)
    assert objects < OBJECTS_A_MATCH, f"{objects:.1f} objects a match: {[one['objects'] for one in held]}"
    grown = late["memory_kib"] / early["memory_kib"] - 1
    assert grown < MOST_GROWTH, f"memory: {[one['memory_kib'] for one in held]} KiB"
    done = f"{hours} hours of {matches} matches: {len(logs)} matches, {connections} connections"
    same = ", ".join(f"{kind} {early[kind]:.0f} → {late[kind]:.0f}" for kind in COUNTED)
    figure = f"{same}; memory {early['memory_kib'] / 1024:.1f} → {late['memory_kib'] / 1024:.1f} MiB; "
    figure += f"{objects:+.2f} objects a match"
    return [Row("a day of joins and leaves", done, figure, "no growth", True)]


async def _samples(server: Server, hours: int, matches: int) -> tuple[list[dict[str, int]], int]:
    """What the server holds after each hour; and how many connections there were."""
    held = []
    async with grpc.aio.insecure_channel(server.address) as channel:
        day = _Day(server.address, channel)
        for _ in range(hours):
            await day.hour(matches)
            held.append(await server.settled(held[0] if held else None))
    return held, day.connections


def _halves(held: Sequence[dict[str, int]]) -> tuple[dict[str, float], dict[str, float]]:
    """The medians of the first and of the second half of some samples."""
    middle = len(held) // 2
    halves = held[:middle], held[-middle:]
    early, late = ({kind: statistics.median(one[kind] for one in half) for kind in held[0]} for half in halves)
    return early, late
