"""The files of a tournament's folder that say how it stands."""

from __future__ import annotations

import json
from pathlib import Path

from tournaments.folder import write_atomically
from tournaments.standings import Standings


def write_standings(folder: Path, standings: Standings) -> None:
    """Write the standings as they are: ``standings.json``, ``standings.csv`` and ``standings.md``."""
    text = json.dumps(standings.to_json(), indent=2, ensure_ascii=False, allow_nan=False)
    write_atomically(folder / "standings.json", text + "\n")
    write_atomically(folder / "standings.csv", standings.to_csv())
    write_atomically(folder / "standings.md", standings.to_markdown())
