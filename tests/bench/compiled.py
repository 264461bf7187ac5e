"""The playouts of the compiled rules: the wheel is built for it, and its rules run in a process of their own."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from referee.rules import line
from referee.rules.registry import GAMES
from tests.bench.harness import Row, answer, asked, at_least, not_measured, paired, serving
from tests.bench.playouts import connect_four, playouts, team_dominoes
from tests.support.compiled import install_compiled

HANDS = "playouts domino-duplas, compiled"
MOVES = "moves domino-duplas, compiled"


def rows() -> list[Row]:
    """The rows of this benchmark."""
    with tempfile.TemporaryDirectory() as name:
        try:
            site = install_compiled(Path(name))
        except (subprocess.CalledProcessError, OSError):
            why = "the wheel cannot be built here"
            return [not_measured(HANDS, why, ">= 60"), not_measured(MOVES, why, ">= 3")]
        with serving("tests.bench.compiled", path=[site]) as (process, _):
            hands, base, ratio = paired(lambda: asked(process)[0], lambda: team_dominoes()[0])
            moves, other, more = paired(lambda: asked(process)[1], connect_four)
    return [
        at_least(HANDS, f"{hands:,.0f} hands/s", f"team_dominoes {base:,.0f} hands/s", ratio, 60),
        at_least(MOVES, f"{moves:,.0f} moves/s", f"C++ connect_four {other:,.0f} moves/s", more, 3),
    ]


def main() -> None:
    """Answer with hands and moves per second."""
    assert line.__file__.endswith(".so"), "these are not the compiled rules"

    def measure(_: str) -> tuple[float, float]:
        hands, us = playouts(GAMES["domino-duplas"], 4)
        return hands, 1e6 / us

    answer(measure)


if __name__ == "__main__":
    main()
