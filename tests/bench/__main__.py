"""All benchmarks in one table: ``python -m tests.bench [NAME …]``.

They need the `bench` extra and never fail for time. Every figure is held against a yardstick that is measured in the
same run, since machines differ and are noisy; the last column says how many processors others used meanwhile.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from importlib import import_module

from rich.console import Console
from rich.table import Table

from tests.bench.harness import Row, cpu_of_all

BENCHMARKS = (
    "playouts",
    "compiled",
    "turns",
    "fleet",
    "log_cost",
    "logs",
    "tournaments",
    "runs",
    "first_word",
    "stopping",
    "startup",
)


def main() -> None:
    """Run the benchmarks that are named, or all."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="*", choices=[[], *BENCHMARKS], help="which to run (default: all)")
    names = parser.parse_args().name or BENCHMARKS
    table = Table("figure", "ours", "yardstick", "ratio", "goal", "reached", "others")
    begun = time.perf_counter()
    try:
        for name in names:
            before = time.perf_counter(), cpu_of_all() - _own()
            rows = import_module(f"tests.bench.{name}").rows()
            others = (cpu_of_all() - _own() - before[1]) / (time.perf_counter() - before[0])
            for row in rows:
                table.add_row(*_cells(row), f"{others:.2f}")
    finally:  # whoever stops it sees what there is
        console = Console(width=160)
        console.print(table)
        spent = time.perf_counter() - begun
        console.print(f"{spent:.0f} s on {os.cpu_count()} processors; others: the processors that other processes used")


def _own() -> float:
    """The processor time (s) of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _cells(row: Row) -> list[str]:
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    reached = "" if row.reached is None else "yes" if row.reached else "no"
    return [row.figure, row.value, row.yardstick, ratio, row.goal, reached]


if __name__ == "__main__":
    main()
