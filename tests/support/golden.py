"""Golden logs: one match of each game, played by the oracle alone under policies written down here.

`PYTHONPATH=.:tests python -m support.golden` writes them again; they change only if a rule does.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from oracle.canonical import canonical
from oracle.games import DRAW, FRENCH_52, PASS, SPANISH_40, halves
from oracle.playout import play_match

FOLDER = Path(__file__).parents[1] / "golden"

Choose = Callable[[list[dict[str, Any]]], dict[str, Any]]


def heaviest_tile(choices: list[dict[str, Any]]) -> dict[str, Any]:
    """The tile with the most pips; of its ends a side arm first, then the right one."""
    arms = [None, "left", "right", "up", "down"]
    plays = [choice for choice in choices if choice["type"] == "play"]
    return max(plays or choices, key=lambda one: plays and (sum(halves(one["piece"])), arms.index(one.get("arm"))))


def keeping_what_is_drawn(choices: list[dict[str, Any]]) -> dict[str, Any]:
    """The highest card; but a card that was drawn is kept."""
    plays = [choice for choice in choices if choice["type"] == "play"]
    if choices == [DRAW] or PASS in choices:
        return choices[-1]
    return max(plays, key=lambda one: SPANISH_40.index(one["piece"]) % 10)


def patience(choices: list[dict[str, Any]]) -> dict[str, Any]:
    """Pass while there are few cards to choose from; else the card farthest from the seven."""
    plays = [choice for choice in choices if choice["type"] == "play"]
    if PASS in choices and len(plays) < 3:
        return PASS
    return max(plays, key=lambda one: abs(FRENCH_52.index(one["piece"]) % 13 - 6))


class Golden(NamedTuple):
    """A match: seats, options, format, the number that its seed comes from, and how it is played."""

    seats: int
    options: dict[str, Any]
    form: dict[str, Any]
    number: int
    choose: Choose


GOLDEN = {
    "domino-cartas": Golden(3, {}, {"kind": "points", "target": 30, "ending": "eliminate"}, 8, keeping_what_is_drawn),
    "domino-a-carte": Golden(4, {}, {"kind": "hands", "hands": 5}, 0, patience),
    "domino-classico": Golden(3, {}, {"kind": "best_of", "hands": 5}, 0, heaviest_tile),
    "domino-belga": Golden(
        2, {"spinner_opens": "at_once"}, {"kind": "points", "target": 100, "ending": "first"}, 10, heaviest_tile
    ),
    "domino-duplas": Golden(4, {}, {"kind": "points", "target": 50, "ending": "first"}, 4, heaviest_tile),
}


def log_of(game: str, golden: Golden) -> list[dict[str, Any]]:
    """The events of a golden log."""
    seed = hashlib.sha256(f"golden/{game}/{golden.number}".encode()).hexdigest()
    return play_match(game, golden.seats, golden.options, golden.form, seed, golden.choose)


def text_of(events: list[dict[str, Any]]) -> str:
    """The lines of a log."""
    return "".join(canonical(event) + "\n" for event in events)


if __name__ == "__main__":
    for name, match in GOLDEN.items():
        (FOLDER / f"{name}.jsonl").write_text(text_of(log_of(name, match)), encoding="utf-8")
