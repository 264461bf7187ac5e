"""The expert: counts what is out, and weighs what a play opens for others against what it opens for itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from referee.bots import expert_line, expert_rows
from referee.bots.chance import chance
from referee.rules.view import View

_ROWS: Final = {"domino-cartas": expert_rows.CARDS, "domino-a-carte": expert_rows.A_CARTE}
_LINE: Final = {
    "domino-classico": expert_line.CLASSICO,
    "domino-belga": expert_line.BELGA,
    "domino-duplas": expert_line.DUPLAS,
}


def make(text: str) -> Callable[[View], int]:
    """An expert: the action of the greatest worth; among equals, any."""
    below = chance(text)

    def choose(view: View) -> int:
        legal = view.legal
        if len(legal) == 1:
            return legal[0]
        rows = _ROWS.get(view.game)
        worths = expert_rows.worths(view, rows) if rows else expert_line.worths(view, _LINE[view.game])
        most = max(worths) - 1e-9
        best = [action for action, worth in zip(legal, worths, strict=True) if worth >= most]
        return best[0] if len(best) == 1 else best[below(view, len(best))]

    return choose
