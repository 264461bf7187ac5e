"""All drills in one table: ``python -m tests.drills [NAME …] [--quick|--full]``.

Each runs real server processes. What is promised whatever the machine (nothing lost, no wrong result, no growth) is
checked, and a promise that is broken makes the exit status 1; a goal for time that is missed does not.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from importlib import import_module

from rich.console import Console
from rich.table import Table

from tests.drills.row import CannotRun, Row

DRILLS = ("kills", "restart", "crowd", "ill_behaved", "last_seat", "clock_jumps", "small_disk", "day", "fuzz")


def main() -> int:
    """Run the drills that are named, or all; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.drills", description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="*", choices=[[], *DRILLS], help="which to run (default: all)")
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument("--quick", action="store_true", help="the sizes of the test suite, a minute or two (default)")
    sizes.add_argument("--full", action="store_true", help="the sizes of the README's table, a quarter of an hour")
    words = parser.parse_args()
    table = Table("drill", "done", "figure", "goal", "reached")
    console, errors = Console(width=150), Console(stderr=True)
    begun, broken = time.monotonic(), []
    for name in words.name or DRILLS:
        errors.print(f"{time.monotonic() - begun:.0f} s: {name}")
        try:
            rows = import_module(f"tests.drills.{name}").rows(words.full)
        except CannotRun as reason:
            rows = [Row(name, "not run", str(reason), "", False)]
        except Exception as error:
            errors.print_exception()
            broken.append(name)
            rows = [Row(name, "broken", f"{type(error).__name__}: {error}"[:300], "", False)]
        for row in rows:
            table.add_row(row.drill, row.done, row.figure, row.goal, "yes" if row.reached else "no")
    console.print(table)
    size = "full" if words.full else "quick"
    console.print(
        f"{time.monotonic() - begun:.0f} s on {os.cpu_count()} processors, {size}; broken: {broken or 'none'}"
    )
    return 1 if broken else 0


if __name__ == "__main__":
    # Ended from outside, it still ends the servers that it has started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    sys.exit(main())
