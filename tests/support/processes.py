"""Waiting for what other processes do, without asking again and again."""

from __future__ import annotations

import os
import select
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

PATIENCE_S = 30.0


def ended(pid: int, within_s: float = 10.0) -> bool:
    """Whether a process ends within a time; one that nobody has waited for counts as ended."""
    try:
        file = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return _ready(file, within_s)
    finally:
        os.close(file)


@contextmanager
def mouth(path: Path) -> Iterator[TextIO]:
    """A named pipe that a process writes a line to, as if it were a file. Reading it waits, but not for ever."""
    os.mkfifo(path)
    # Open for writing too: a writer never waits for a reader, and a reader sees no end.
    with os.fdopen(os.open(path, os.O_RDWR), closefd=True) as file:
        yield file


def line(file: TextIO) -> str:
    """The next line out of a `mouth`."""
    assert _ready(file.fileno(), PATIENCE_S), "nobody has written"
    return file.readline()


def _ready(file: int, within_s: float) -> bool:
    return bool(select.select([file], [], [], within_s)[0])
