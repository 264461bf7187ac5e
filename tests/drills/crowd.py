"""Ten times as many bots connected at once: how much later is each told what follows on an answer.

Every bot has a connection of its own and thinks for a while, as bots do; what is measured is the time from an answer's
sending to the turn of whoever is next, so the machine's other work and that of the bots is in it.
"""

from __future__ import annotations

import asyncio
import random
import signal
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import grpc
from oracle.verify import check_log
from server_kit import Bot, created, match_request, run

from referee.match.log import read_log
from referee.match.verify import verify
from referee.v1 import match_pb2_grpc, play_pb2
from tests.bench.harness import percentile
from tests.drills.row import Row
from tests.drills.server import Server

GOAL = 3.0
THINKS_S = (0.4, 1.2)
"""How long a bot thinks, at least and at most; it is allowed twice as long."""

CLOCK = {"join_ms": 60_000, "ready_ms": 60_000, "move_ms": int(2000 * THINKS_S[1])}
LONG = play_pb2.Format(kind="points", target=10_000)


def rows(full: bool) -> list[Row]:
    """The rows of this drill."""
    few, many, seconds = (50, 500, 10.0) if full else (10, 100, 2.0)
    took: dict[int, list[float]] = {few: [], many: []}
    turns = 0
    for bots in (few, many) * (3 if full else 1):
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "data"
            server = Server(data, "--drain-s", "0")
            server.start()
            try:
                timed, slow = run(lambda: _crowd(server.address, bots, seconds))  # noqa: B023
                took[bots].extend(timed)
                server.kill(signal.SIGTERM)
            finally:
                server.close()
            turns += _checked(data, bots // 2, slow)
    p99 = {bots: 1000 * percentile(times, 0.99) for bots, times in took.items()}
    ratio = p99[many] / p99[few]
    done = f"{many} bots connected against {few}, {turns} turns, {sum(map(len, took.values()))} of them timed"
    figure = f"p99 {p99[many]:.1f} ms against {p99[few]:.1f} ms: {ratio:.1f} times; 0 faults charged"
    return [Row("crowd", done, figure, f"< {GOAL:g} times", ratio < GOAL)]


async def _crowd(address: str, count: int, seconds: float) -> tuple[list[float], set[str]]:
    """So many bots, two to a match, for so long: the times (s) from an answer to the turn after it.

    And the matches in which a bot was slow by its own clock, since this process had to wait for a processor.
    """
    took: list[float] = []
    slow: set[str] = set()
    counting = asyncio.Event()
    bots, playing = [], []
    async with grpc.aio.insecure_channel(address) as channel:
        service = match_pb2_grpc.MatchServiceStub(channel)
        for number in range(count // 2):
            match_id, tokens = await created(service, match_request("domino-belga", "rr", CLOCK, LONG, seed=None))
            pair = [Bot(address), Bot(address)]
            bots += pair
            for bot, token in zip(pair, tokens, strict=True):
                await bot.join(token)
                await bot.ready()
            match = _Match(match_id, random.Random(number), took, slow, counting)
            playing += [asyncio.create_task(match.play(bot)) for bot in pair]
        counting.set()
        ended, _ = await asyncio.wait(playing, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        assert not ended, [task.exception() for task in ended]
    for bot in bots:
        await bot.crash()
    return took, slow


class _Match:
    """The two bots of a match."""

    def __init__(
        self, match_id: str, chance: random.Random, took: list[float], slow: set[str], counting: asyncio.Event
    ) -> None:
        self._id = match_id
        self._slow = slow
        self._chance = chance
        self._took = took
        self._counting = counting
        self._answered = 0.0

    async def play(self, bot: Bot) -> None:
        """Answer a bot's turns, each after a while."""
        while True:
            turn = await bot.until("turn")
            asked = time.perf_counter()
            if self._answered and self._counting.is_set():
                self._took.append(asked - self._answered)
            await asyncio.sleep(self._chance.uniform(*THINKS_S))
            self._answered = time.perf_counter()
            if self._answered - asked > 1.5 * THINKS_S[1]:
                self._slow.add(self._id)
            await bot.answer(turn.turn_id, index=0)


def _checked(data: Path, matches: int, slow: set[str]) -> int:
    """Check every log: it verifies, and no bot has a fault that was in time by its own clock; the turns."""
    logs: Sequence[Path] = sorted(data.glob("*.jsonl"))
    assert len(logs) == matches, logs
    turns = 0
    for log in logs:
        verify(log)
        check_log(log)
        events = list(read_log(log))
        assert log.stem in slow or not [event for event in events if event["event"] == "fault"], log
        turns += sum(event["event"] == "action" for event in events)
    return turns
