"""How long commands take to start."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.harness import ROOT, Row, timed


def rows() -> list[Row]:
    """The rows of this benchmark."""
    referee = [sys.executable, "-m", "referee.cli.main"]
    with tempfile.TemporaryDirectory() as folder:
        log = str(Path(folder) / "match.jsonl")
        play = [*referee, "play", "domino-belga", "--seats", "beginner,beginner", "--log", log, "--json"]
        subprocess.run(play, check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
        return [
            _row("referee --help", [*referee, "--help"], 0.3),
            _row("referee verify of one log", [*referee, "verify", log], 0.5),
        ]


def _row(figure: str, command: list[str], most: float) -> Row:
    def run() -> None:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=ROOT)

    run()
    spent = statistics.median(timed(run) for _ in range(7))
    return Row(figure, f"{spent:.3f} s", "", None, f"<= {most} s", spent <= most)
