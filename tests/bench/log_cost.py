"""What the log costs the turn rate: none against one, and one that outlasts a loss of power against one that does not.

Both servers run all the time, each with 16 matches of bots that dial in; their clients play by turns, so that whatever
else the machine does meets both.
"""

from __future__ import annotations

import statistics
from contextlib import ExitStack
from subprocess import Popen

from tests.bench.clients import clients
from tests.bench.harness import Row, asked, at_least, cpu_of, paired, serving

MATCHES = 16
SECONDS = 0.5
TIMES = 15


class Playing:
    """A server with its clients."""

    def __init__(self, stack: ExitStack, *options: str) -> None:
        self.server, line = stack.enter_context(serving("tests.bench.referee_server", str(MATCHES), "2", *options))
        address, *tokens = line.split()
        self._clients: Popen[str] = stack.enter_context(clients((address, tokens)))
        self._cpu_us: list[float] = []

    def rate(self) -> float:
        """Turns a second, for a moment."""
        before = cpu_of(self.server.pid)
        turns, seconds = asked(self._clients, str(SECONDS))
        self._cpu_us.append(1e6 * (cpu_of(self.server.pid) - before) / turns)
        return turns / seconds

    @property
    def cpu_us(self) -> float:
        """The server's processor time a turn (us)."""
        return statistics.median(self._cpu_us)


def _row(name: str, ours: Playing, other: str, theirs: Playing, goal: float) -> Row:
    mine, base, ratio = paired(ours.rate, theirs.rate, TIMES)
    value = f"{mine:,.0f} turns/s ({ours.cpu_us:.0f} us CPU)"
    return at_least(name, value, f"{other} {base:,.0f} turns/s ({theirs.cpu_us:.0f} us)", ratio, goal)


def rows() -> list[Row]:
    """The rows of this benchmark."""
    with ExitStack() as stack:
        logged, bare, safe = (Playing(stack, *options) for options in ([], ["--no-log"], ["--power"]))
        found = [
            _row("turns with a log, 16 matches", logged, "no log", bare, 0.97),
            _row("turns with durability power", safe, "durability process", logged, 0.9),
        ]
        p50, p99, disk = (1000 * seconds for seconds in asked(safe.server))
    value = f"p50 {p50:.1f} ms, p99 {p99:.1f} ms"
    found.append(Row("lag of durability power", value, f"one fsync {disk:.1f} ms", None, "<= 10 ms", p99 <= 10))
    return found
