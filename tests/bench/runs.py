"""Whole tournaments of built-in bots: what they take besides their matches, and whether they grow in memory."""

from __future__ import annotations

import statistics
from contextlib import ExitStack

from tests.bench.harness import Row, at_least, at_most, hear, say, serving
from tests.bench.tournament_run import WORKERS

CHILD = "tests.bench.tournament_run"
EVEN = ["domino-belga", '{"kind": "points", "target": 300}', "1000"]
"""A thousand matches of about 5 ms."""
SHORT = ["domino-classico", '{"kind": "single"}']
FEW, MANY = 1_000, 20_000


def run(*args: str) -> list[float]:
    """One tournament: see `tests.bench.tournament_run`."""
    with serving(CHILD, *args) as (_, line):
        return [float(word) for word in line.split()]


def workers() -> list[Row]:
    """A tournament on two workers, against as many processes that only play its matches, side by side."""
    found = []
    with ExitStack() as stack:
        bare = [stack.enter_context(serving(CHILD, *EVEN, f"{part}/{WORKERS}"))[0] for part in range(WORKERS)]

        def ideal_s() -> float:
            for one in bare:
                say(one)
            # On average: what is left to one of them at the end could have been shared.
            return sum(hear(one)[0] for one in bare) / WORKERS

        for _ in range(3):
            took_s, since_first_s, _ = run(*EVEN)
            found.append((took_s, since_first_s, ideal_s()))
    took, since_first, ideal = (statistics.median(times) for times in zip(*found, strict=True))
    whole = statistics.median(ideal / took for took, _, ideal in found)
    started = statistics.median(ideal / since_first for _, since_first, ideal in found)
    name, yardstick = "1,000 matches on 2 workers", f"matches alone {ideal:.2f} s"
    return [
        at_least(name, f"{took:.2f} s", yardstick, whole, 0.95),
        at_least(f"{name}, once they run", f"{since_first:.2f} s", yardstick, started, 0.95),
        Row("report of 1,000 matches", f"{run(*EVEN, 'report')[3]:.1f} s", "", None, "", None),
    ]


def memory() -> list[Row]:
    """The runner's largest memory with few matches and with many."""
    _, _, few, _, few_all = run(*SHORT, str(FEW), "report")
    _, _, many, _, many_all = run(*SHORT, str(MANY), "report")
    name = f"memory of the runner, {MANY:,} matches"
    return [
        at_most(name, f"{many / 1024:.1f} MiB", f"{FEW:,} matches {few / 1024:.1f} MiB", many / few, 1.05),
        at_most(
            f"{name}, report and all",
            f"{many_all / 1024:.1f} MiB",
            f"{FEW:,} matches {few_all / 1024:.1f} MiB",
            many_all / few_all,
            1.05,
        ),
    ]


def rows() -> list[Row]:
    """The rows of this benchmark."""
    return workers() + memory()
