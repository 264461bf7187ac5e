"""What the seats of a match did wrong, in words and for programs; and what their processes printed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from referee.cli.common import counted, printable
from referee.match.events import Event

_COUNTED: Final = {"illegal": "illegal answer", "malformed": "unreadable answer"}
_TIMES: Final = {"late": "late", "gone": "not connected in its turn"}
_ONCE: Final = {
    "never_came": "never came",
    "not_ready": "not ready in time",
    "crashed": "crashed",
    "flooding": "flooding",
}
_LAST_LINES: Final = 10
_LINE_CHARACTERS: Final = 200
_CHUNK: Final = 1 << 20


@dataclass(slots=True)
class SeatFaults:
    """The faults of a seat.

    Attributes:
        seat: the seat.
        counts: how many, by kind, in the order in which each came first.
        details: what the last of a kind was, in words.
        forfeited: the kind of fault by which the seat lost the match; None: it did not.
    """

    seat: int
    counts: dict[str, int] = field(default_factory=dict)
    details: dict[str, str] = field(default_factory=dict)
    forfeited: str | None = None

    def words(self) -> str:
        """The faults in one line, such as ``late 3 times; forfeited``."""
        found = ", ".join(self._counted(kind, count) for kind, count in self.counts.items())
        if self.forfeited is None:
            return found
        last = f" (the last: {self.forfeited.replace('_', ' ')})" if len(self.counts) > 1 else ""
        return f"{found}; forfeited{last}"

    def _counted(self, kind: str, count: int) -> str:
        if kind in _COUNTED:
            return counted(count, _COUNTED[kind])
        if kind in _TIMES:
            return f"{_TIMES[kind]} {'once' if count == 1 else f'{count} times'}"
        why = f" ({self.details[kind]})" if kind in {"crashed", "flooding"} and self.details.get(kind) else ""
        return _ONCE.get(kind, kind) + why

    def as_dict(self) -> dict[str, Any]:
        """The faults for programs."""
        return {"seat": self.seat, "counts": self.counts, "forfeited": self.forfeited}


def faults_of(events: Iterable[Event]) -> list[SeatFaults]:
    """The faults in a log, by seat; seats without any are left out."""
    found: dict[int, SeatFaults] = {}
    for event in events:
        if event["event"] == "fault":
            seat = found.setdefault(event["seat"], SeatFaults(event["seat"]))
            seat.counts[event["kind"]] = event["count"]
            seat.details[event["kind"]] = event.get("detail", "")
        elif event["event"] == "forfeited":
            seat = found.setdefault(event["seat"], SeatFaults(event["seat"]))
            seat.counts.setdefault(event["cause"], event["count"])
            seat.forfeited = event["cause"]
    return [found[seat] for seat in sorted(found)]


def printed_lines(path: Path) -> int:
    """How many lines a bot has printed into a file; the last may lack its end."""
    lines, last = 0, b"\n"
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            lines += chunk.count(b"\n")
            last = chunk[-1:]
    return lines + (last != b"\n")


def last_lines(path: Path) -> list[str]:
    """The last lines that a bot has printed into a file, made harmless."""
    most = 4 * _LINE_CHARACTERS * _LAST_LINES
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - most))
        text = file.read(most).decode(errors="replace")
    lines = [printable(line.rstrip("\r").expandtabs(4)) for line in text.removesuffix("\n").split("\n")]
    return [
        line if len(line) <= _LINE_CHARACTERS else line[: _LINE_CHARACTERS - 1] + "…" for line in lines[-_LAST_LINES:]
    ]
