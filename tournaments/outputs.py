"""What bots print: a file an entrant, in which it stands match by match, and which does not grow for ever.

While a process plays, it prints into a file of its own in `DIR/running`. After each match that is moved to the
entrant's file in one piece, under a line that says of which match and seat it is. What a run that was killed has left
in `DIR/running` stays there.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final
from urllib.parse import quote

from tournaments.faults import fault_events

MOST_BYTES: Final = 1 << 20
"""So much of what an entrant prints is kept, and so much of what one process prints in a match."""
MAX_FILE_NAME: Final = 200
"""The most characters of a name in a file's; file systems take 255 bytes."""

_FULL: Final = b"== the referee keeps no more: 1 MiB is full ==\n"


class Outputs:
    """The files that bots print into.

    Args:
        folder: the tournament's `bots` folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running = folder.parent / "running"
        self._running.mkdir(exist_ok=True)
        self._numbers = itertools.count()

    def new(self) -> Path:
        """A file for a process that is about to be started."""
        path = self._running / f"{os.getpid()}-{next(self._numbers)}.log"
        path.write_bytes(b"")
        return path

    @staticmethod
    def cap(file: Path) -> None:
        """Cut off what a running process has printed beyond the limit."""
        with contextlib.suppress(OSError):
            if file.stat().st_size > MOST_BYTES:
                os.truncate(file, MOST_BYTES)

    def gather(self, file: Path, entrant: str, when: str, remarks: Iterable[str] = ()) -> None:
        """Move what a process has printed, and what the referee remarks on it, to its entrant's file, under `when`.

        Nothing is written where there is neither. That it cannot be written is no reason to stop.
        """
        with contextlib.suppress(OSError):
            with file.open("r+b") as own:
                printed = own.read(MOST_BYTES)
                full = bool(own.read(1)) or len(printed) == MOST_BYTES
                own.truncate(0)
            said = "".join(f"== referee: {remark} ==\n" for remark in remarks).encode()
            if not printed and not said:
                return
            head = f"== {when} ==\n".encode()
            if printed and not printed.endswith(b"\n"):
                printed += b"\n"
            block = head + printed + (_FULL if full else b"") + said
            keep(self._folder / f"{file_name(entrant)}.log", block)

    def ended(self, file: Path) -> None:
        """The process that printed into a file has ended."""
        with contextlib.suppress(OSError):
            file.unlink()

    def close(self) -> None:
        """Nothing is printed any more."""
        with contextlib.suppress(OSError):
            self._running.rmdir()


def keep(file: Path, block: bytes) -> None:
    """Append what was printed, whole lines, to an entrant's file, as far as there is room. Raises `OSError`."""
    with file.open("ab") as kept:
        left = MOST_BYTES - kept.tell()
        if left > 0:
            kept.write(block if len(block) <= left else block[: left - 1].rstrip(b"\n") + b"\n" + _FULL)


def remarks_on(log: Path, seat: int) -> list[str]:
    """The faults of a seat in a finished match, each with what came of it; the last are the most telling."""
    try:
        data = log.read_bytes()
    except OSError:
        return []
    found, turn = [], "before the first turn"
    for event in fault_events(data):
        if event["event"] == "action":
            turn = f"turn {event['turn'] + 1}"
        if event["event"] == "hand_started" and not event["hand"]:
            turn = "turn 1"
        if event["event"] == "fault" and event["seat"] == seat:
            came = {"forfeit": "the match is lost by it", "stand_in": "the stand-in plays", "ask_again": "asked again"}
            detail = " ".join(event["detail"].split())
            found.append(f"{turn}: {event['kind']}: {detail}; {came[event['remedy']]}")
    return found


def file_name(name: str) -> str:
    """An entrant's name as that of a file: no two alike, and none too long."""
    quoted = quote(name, safe=" ")
    if len(quoted) <= MAX_FILE_NAME:
        return quoted
    return f"{quoted[:MAX_FILE_NAME]}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"
