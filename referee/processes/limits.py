"""Limits of a bot's process, laid on from within before its own code runs; its children inherit them.

As a script it lays them on and becomes the command: ``python -I -S limits.py memory_mb=512 cpu_s=60 -- COMMAND``. So
nothing of ours has to run between a fork and an exec in a process with threads.
"""

import contextlib
import os
import resource
import sys
from collections.abc import Mapping, Sequence

KINDS = ("memory_mb", "cpu_s", "open_files", "processor")
"""What can be limited: the data of a process (MiB), its processor time (seconds), its open files, and the one processor
that it may run on (its number), which is for systems with ``os.sched_setaffinity`` only."""

NOT_STARTED = 127
"""The exit status of a command that cannot be executed, as shells have it."""


def lay_on(limits: Mapping[str, int]) -> None:
    """Limit this process for good; where the system allows less, that stands.

    Memory is what a process has written or may write of its own (``RLIMIT_DATA``), not what it has mapped or reserved.
    """
    if "memory_mb" in limits:
        _set(resource.RLIMIT_DATA, limits["memory_mb"] << 20)
    if "cpu_s" in limits:
        _set(resource.RLIMIT_CPU, limits["cpu_s"])
    if "open_files" in limits:
        _set(resource.RLIMIT_NOFILE, limits["open_files"])
    if "processor" in limits:
        os.sched_setaffinity(0, {limits["processor"]})


def _set(which: int, value: int) -> None:
    _, hard = resource.getrlimit(which)
    least = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (least, least))


def limited(argv: Sequence[str], limits: Mapping[str, int]) -> list[str]:
    """The command that runs another under limits."""
    if not limits:
        return list(argv)
    words = [f"{kind}={limits[kind]}" for kind in KINDS if kind in limits]
    return [sys.executable, "-I", "-S", os.path.abspath(__file__), *words, "--", *argv]


def main() -> None:
    """Lay on the limits of the arguments before ``--``, and become the command after it."""
    end = sys.argv.index("--")
    command = sys.argv[end + 1 :]
    lay_on({kind: int(value) for kind, _, value in (word.partition("=") for word in sys.argv[1:end])})
    problem = ""
    try:
        os.execvp(command[0], command)
    except OSError as error:
        problem = f"{command[0]}: {error.strerror}"
    with contextlib.suppress(OSError):
        print(problem, file=sys.stderr, flush=True)
    os._exit(NOT_STARTED)


if __name__ == "__main__":
    main()
