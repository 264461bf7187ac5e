"""The files of a tournament's folder that say how it stands."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from tournaments.folder import write_atomically
from tournaments.standings import Standings


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
