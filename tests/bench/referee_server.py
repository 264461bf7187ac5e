"""The server under the turn benchmarks: long matches of bots that dial in.

It prints its address and the tokens, match by match; then, for every line of its input, how long it took to make what
was written since the line before outlast a loss of power: the median and the 99th percentile (s), and the median of
as many syncs of a file that nobody else has a hand in.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, BinaryIO

from referee.bots.registry import find_bot
from referee.match.clock import ClockSpec
from referee.match.deal import commitment, new_seed
from referee.match.events import Event, MatchSpec
from referee.match.seat import Bot
from referee.rules.registry import GAMES, resolve_format, resolve_options
from referee.server import app, host
from referee.server.admission import Ticket
from referee.server.app import Policy, RefereeServer
from referee.server.operations import Operations
from referee.server.sync import Descriptor, Syncer
from tests.bench.harness import percentile

PATIENT = ClockSpec(join_ms=600_000, ready_ms=600_000, move_ms=600_000)
"""A client is asked while it waits for its turn to be measured."""


class Unlogged(host.CountedLog):
    """In the place of a match log: counts the lines, and neither renders, chains nor keeps them."""

    def __init__(self, file: BinaryIO, operations: Operations) -> None:
        super().__init__(file, operations)
        self._heard = operations.heard

    def append(self, event: Event) -> Any:
        """Forget an event."""
        self.seq += 1
        self._heard(event)
        return event


class TimedSyncer(Syncer):
    """Notes how long those waited who had something made safe."""

    took: list[float] = []  # noqa: RUF012  (one server, one syncer)

    async def sync(self, file: Descriptor) -> None:
        """See `Syncer.sync`."""
        begun = time.perf_counter()
        await super().sync(file)
        self.took.append(time.perf_counter() - begun)


def lags(folder: Path) -> tuple[float, float, float]:
    """How long was waited since this was last asked, and how long the disk alone takes."""
    took, TimedSyncer.took = TimedSyncer.took or [0.0], []
    alone = []
    with (folder / "alone").open("ab", buffering=0) as file:
        for _ in range(50):
            file.write(b"x" * 300)
            begun = time.perf_counter()
            os.fsync(file.fileno())
            alone.append(time.perf_counter() - begun)
    return statistics.median(took), percentile(took, 0.99), statistics.median(alone)


async def main() -> None:
    """Serve until the input ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("matches", type=int)
    parser.add_argument("remote", type=int, help="of the two seats of each match; a built-in bot has the other")
    parser.add_argument("--no-log", action="store_true", help="do without the match log")
    parser.add_argument("--power", action="store_true", help="durability = power")
    given = parser.parse_args()
    if given.no_log:
        host.CountedLog = Unlogged  # type: ignore[misc]
    app.Syncer = TimedSyncer  # type: ignore[misc]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = RefereeServer(folder, policy=Policy(power=given.power))
        await server.start()
        game = GAMES["domino-belga"]
        tokens = []
        for number in range(given.matches):
            seed = new_seed()
            spec = MatchSpec(
                f"bench{number}",
                game,
                resolve_options(game, {}),
                resolve_format(game, {"target": 1_000_000, "max_hands": 10_000}),
                ("first", "second"),
                PATIENT,
                commitment(seed),
            )
            players: list[Bot | Ticket] = [find_bot("beginner").make(str(number))] * 2
            for seat in range(given.remote):
                token, players[seat] = server.admission.issue("remote")
                tokens.append(token)
            server.host.create(spec, seed, players, folder / f"{number}.jsonl")
        print(server.address, *tokens, flush=True)
        while await asyncio.to_thread(sys.stdin.readline):
            print(*lags(folder), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
