"""A process that outlives its parent just long enough to end the parent's bots.

It reads ``+PGID`` and ``-PGID`` lines from its standard input. When that is closed, by a parent that ended in whatever
way, SIGKILL included, it kills every process group that is still listed. It imports next to nothing, so that starting
it costs a few milliseconds.
"""

import contextlib
import os
import signal
import sys


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


if __name__ == "__main__":
    main()
