"""What happened to a tournament besides its results: ``incidents.jsonl`` in its folder, appended to by every run.

A line is a JSON object. The standings do not depend on it: they follow from the logs alone, however often a run was
interrupted. What breakdowns and restarts there were depends on the machine, so it is kept and shown apart.

| incident | fields |
|---|---|
| `played_again` | `match`; `cause`: one of `tournaments.faults.Breakdown`; `problem`: what it was, in words |
| `restart` | `entrant`; `why`: what became of the process before, in words |

Each has `at` too: when it was written (RFC 3339, UTC).
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from tournaments.faults import Breakdown

FILE: Final = "incidents.jsonl"
"""The file in a tournament's folder."""
LISTED: Final = 50
"""So many breakdowns are kept in words, the last ones."""
MOST_BYTES: Final = 16 << 20
"""The file does not grow beyond this: what happens later is not written any more."""


@dataclass(frozen=True, slots=True)
class Again:
    """A match that is played again.

    Attributes:
        match: its id.
        cause: whose fault it was.
        problem: what it was, in words.
    """

    match: str
    cause: Breakdown
    problem: str


@dataclass(slots=True)
class Incidents:
    """What happened.

    Attributes:
        breakdowns: how often a match had to be played again, by cause.
        again: the last `LISTED` of those.
        restarts: how often a process that is kept from match to match had to be started again, by entrant: since it
            had ended, or since it was ended after a match that it forfeited or that failed.
    """

    breakdowns: Counter[Breakdown] = field(default_factory=Counter)
    again: list[Again] = field(default_factory=list)
    restarts: Counter[str] = field(default_factory=Counter)


def note_again(folder: Path, match: str, cause: Breakdown, problem: str) -> None:
    """Note that a match is played again. That it cannot be written is no reason to stop."""
    _append(folder, {"incident": "played_again", "match": match, "cause": cause.value, "problem": problem})


def note_restart(folder: Path, entrant: str, why: str) -> None:
    """Note that a process of an entrant is started again. That it cannot be written is no reason to stop."""
    _append(folder, {"incident": "restart", "entrant": entrant, "why": why})


def _append(folder: Path, incident: dict[str, str]) -> None:
    now = datetime.now(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
    append(folder, msgspec.json.encode(incident | {"at": now}) + b"\n")


def append(folder: Path, lines: bytes) -> None:
    """Append whole lines to the file, in one piece, since several workers may do so at a time."""
    with contextlib.suppress(OSError), (folder / FILE).open("ab", buffering=0) as file:
        if file.tell() < MOST_BYTES:
            file.write(lines)


class IncidentReader:
    """Reads the file as it grows.

    Args:
        folder: the tournament's folder.

    Attributes:
        so_far: what has been read.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._at = 0
        self.so_far = Incidents()

    def read(self) -> Incidents:
        """What has happened by now; a line that is not whole, or is none of ours, is passed over."""
        with contextlib.suppress(OSError), self._path.open("rb") as file:
            file.seek(self._at, os.SEEK_SET)
            *lines, rest = file.read().split(b"\n")
            self._at = file.tell() - len(rest)
            for line in lines:
                with contextlib.suppress(msgspec.MsgspecError, LookupError, ValueError):
                    self._count(msgspec.json.decode(line, type=dict[str, Any]))
        return self.so_far

    def _count(self, line: dict[str, Any]) -> None:
        if line["incident"] == "restart":
            self.so_far.restarts[str(line["entrant"])] += 1
        elif line["incident"] == "played_again":
            again = Again(str(line["match"]), Breakdown(line["cause"]), str(line["problem"]))
            self.so_far.breakdowns[again.cause] += 1
            self.so_far.again = [*self.so_far.again, again][-LISTED:]


def incident_lines(incidents: Incidents) -> list[str]:
    """What happened, in lines for people: breakdowns, then restarts; none where nothing did."""
    restarts = ", ".join(f"{name!r} {times}" for name, times in sorted(incidents.restarts.items()))
    lines = breakdowns_text(incidents), f"processes started again: {restarts}" if restarts else ""
    return [line for line in lines if line]


def breakdowns_text(incidents: Incidents) -> str:
    """How many matches were played again, and for whose fault, in a sentence; empty where none was."""
    total = incidents.breakdowns.total()
    if not total:
        return ""
    causes = ", ".join(
        f"{incidents.breakdowns[cause]} the {cause}'s" for cause in Breakdown if incidents.breakdowns[cause]
    )
    times = "once a match" if total == 1 else f"{total} times a match"
    return f"{times} had to be played again, for no fault of an entrant: {causes}"
