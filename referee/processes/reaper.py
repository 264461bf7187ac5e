"""A process that outlives its parent just long enough to end the parent's bots.

It reads ``+PGID`` and ``-PGID`` lines from its standard input. When that is closed, by a parent that ended in whatever
way, SIGKILL included, it kills every process group that is still listed; and where there is a ``/proc``, every process
that has its mark (its argument) in the environment: one that was started a moment before its parent could say so, or
that has left its group. It imports next to nothing, so that starting it costs a few milliseconds.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator


def main() -> None:
    """Keep the list until the input ends, then kill what is on it."""
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin:
        group = int(line[1:])
        if line[0] == "+":
            groups.add(group)
        else:
            groups.discard(group)
    for group in groups:
        # One group that is gone, or not ours to kill, must not save the others.
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)
    # Twice: a process that was being started has its environment a moment later.
    for pause_s in (0.0, 0.05):
        time.sleep(pause_s)
        for process in marked(sys.argv[1].encode()):
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)


def marked(mark: bytes) -> Iterator[int]:
    """The processes that have the mark in their environment."""
    try:
        names = os.listdir("/proc")
    except OSError:
        return
    for name in names:
        with contextlib.suppress(OSError, ValueError), open(f"/proc/{name}/environ", "rb") as file:
            if mark in file.read().split(b"\0"):
                yield int(name)


if __name__ == "__main__":
    main()
