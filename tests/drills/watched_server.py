"""The referee's command line in a process that tells what it holds, with a wall clock that jumps if it is told so.

At SIGUSR1 it prints a line of JSON: asyncio tasks, threads, open files, objects that the garbage collector knows, and
resident memory (KiB). In its environment, ``DRILL_JUMPS`` lets `time.time` jump by two days, forth and back, every
200 ms; ``DRILL_KEPT`` is how many matches the server remembers, in place of its thousands, so that a drill gets to
where old ones are forgotten.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import time
from pathlib import Path

DAY_S = 86_400
_wall = time.time


def jumping() -> float:
    """The wall clock, a day ahead or a day behind."""
    return _wall() + (DAY_S if int(time.monotonic() * 5) % 2 else -DAY_S)


def tell(*_: object) -> None:
    """Print what this process holds."""
    gc.collect()
    held = {
        "tasks": len(asyncio.all_tasks()),
        "threads": len(os.listdir("/proc/self/task")),
        "fds": len(os.listdir("/proc/self/fd")),
        "objects": len(gc.get_objects()),
        "memory_kib": int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024,
    }
    print(json.dumps(held), flush=True)


def main() -> None:
    """Run the command line."""
    if "DRILL_JUMPS" in os.environ:
        time.time = jumping  # before anything of ours has taken the real one
    from referee.cli.main import main as referee

    if "DRILL_KEPT" in os.environ:
        from referee.server import host

        host.MOST_KEPT = int(os.environ["DRILL_KEPT"])  # type: ignore[misc]
    signal.signal(signal.SIGUSR1, tell)
    referee()


if __name__ == "__main__":
    main()
