"""The files of a tournament's folder that say how it stands."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from tournaments.folder import write_atomically
from tournaments.standings import Standings

WRITE_EVERY_S: Final = 5.0
"""So often the standings are written while a tournament runs (seconds), if that takes no time."""

WRITE_SHARE: Final = 10
"""After it the run goes on for at least so many times as long as the writing took, which grows with the entrants."""


class Pace:
    """How often a run writes its standings."""

    def __init__(self) -> None:
        self._next = 0.0

    def due(self) -> bool:
        """Whether it is time to write them."""
        return time.monotonic() > self._next

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """In here they are written."""
        begun = time.monotonic()
        yield
        ended = time.monotonic()
        self._next = ended + max(WRITE_EVERY_S, WRITE_SHARE * (ended - begun))


def write_standings(folder: Path, standings: Standings) -> None:
    """Write the standings as they are: ``standings.csv``, ``standings.md``, and ``standings.json``.

    That comes last: whoever is killed in between leaves one that counts no more than the others.
    """
    for name, text in reversed(files_of(standings).items()):
        write_atomically(folder / name, text)


def files_of(standings: Standings) -> dict[str, str]:
    """What is written, by file."""
    text = json.dumps(standings.to_json(), ensure_ascii=False, allow_nan=False)
    return {
        # What `json.dumps` writes with an indent, but not by Python, which takes seconds for some hundred entrants.
        "standings.json": msgspec.json.format(text, indent=2) + "\n",
        "standings.csv": standings.to_csv(),
        "standings.md": standings.to_markdown(),
    }
