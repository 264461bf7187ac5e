"""What the benchmarks share: rows of the table, the time of other processes, child processes that serve."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table.

    Attributes:
        figure: what is measured.
        value: what came out, with its unit.
        yardstick: what it is held against, measured in the same run.
        ratio: ours against the yardstick, as the goal states it.
        goal: the goal in words, such as ``>= 10``.
        reached: whether it is reached; None where there is no goal.
    """

    figure: str
    value: str
    yardstick: str
    ratio: float | None
    goal: str
    reached: bool | None


def at_least(figure: str, value: str, yardstick: str, ratio: float, goal: float) -> Row:
    """A row whose ratio should not be less than the goal."""
    return Row(figure, value, yardstick, ratio, f">= {goal:g}", ratio >= goal)


def at_most(figure: str, value: str, yardstick: str, ratio: float, goal: float) -> Row:
    """A row whose ratio should not be more than the goal."""
    return Row(figure, value, yardstick, ratio, f"<= {goal:g}", ratio <= goal)


def paired(ours: Callable[[], float], yardstick: Callable[[], float], times: int = 5) -> tuple[float, float, float]:
    """Measure two things by turns; the median of each, and the median of the pairwise ratios ours / yardstick."""
    mine, theirs = [], []
    for _ in range(times):
        mine.append(ours())
        theirs.append(yardstick())
    ratios = [one / other for one, other in zip(mine, theirs, strict=True)]
    return statistics.median(mine), statistics.median(theirs), statistics.median(ratios)


def cpu_of(pid: int) -> float:
    """The processor time (s) that a process has used, its threads included."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def cpu_of_all() -> float:
    """The processor time (s) that all processes of this machine have used."""
    user, nice, system = Path("/proc/stat").read_text().split()[1:4]
    return (int(user) + int(nice) + int(system)) / TICKS


def not_measured(figure: str, why: str, goal: str) -> Row:
    """A row of something that cannot be measured here."""
    return Row(figure, "not measured", why, None, goal, None)


@contextmanager
def serving(
    module: str, *args: str, python: Sequence[str] = (sys.executable,), path: Sequence[Path] = (), quiet: bool = False
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A benchmark server in a process of its own; gives the process and the first line that it prints.

    Args:
        module: what runs in it.
        *args: its arguments.
        python: the interpreter, with its options.
        path: where it looks for modules before it looks here.
        quiet: whether what it says on standard error is of no interest.
    """
    process = subprocess.Popen(
        [*python, "-P", "-m", module, *args],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL if quiet else None,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [*path, ROOT, ROOT / "clients" / "python"]))},
    )
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


def say(process: subprocess.Popen[str], question: str = "") -> None:
    """Ask a process that answers every line of its input with a line of numbers."""
    assert process.stdin is not None
    print(question, file=process.stdin, flush=True)


def hear(process: subprocess.Popen[str]) -> list[float]:
    """The answer of a process."""
    assert process.stdout is not None
    return [float(word) for word in process.stdout.readline().split()]


def asked(process: subprocess.Popen[str], question: str = "") -> list[float]:
    """Ask a process and wait for its answer."""
    say(process, question)
    return hear(process)


def answer(measure: Callable[[str], Sequence[float]]) -> None:
    """Measure once for every line of standard input, and print what came out as a line."""
    print("ready", flush=True)
    for line in sys.stdin:
        print(*measure(line.strip()), flush=True)


def timed(call: Callable[[], object]) -> float:
    """How long a call takes (s)."""
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which a share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
