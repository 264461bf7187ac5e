"""The expert: counts what is out, and weighs what a play opens for others against what it opens for itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from referee.bots import expert_a_carte, expert_cartas, expert_line
from referee.bots.chance import chance
from referee.rules.view import View

_SEEDS: Final = 1 << 32


def make(text: str) -> Callable[[View], int]:
    """An expert: the action of the greatest worth; among equals, any."""
    below = chance(text)

    def choose(view: View) -> int:
        legal = view.legal
        if len(legal) == 1:
            return legal[0]
        if view.deck.suits == 1:
            worths = expert_line.worths(view)
        elif view.passes is None:
            worths = expert_cartas.worths(view, below(view, _SEEDS))
        else:
            worths = expert_a_carte.worths(view)
        most = max(worths) - 1e-9
        best = [action for action, worth in zip(legal, worths, strict=True) if worth >= most]
        return best[0] if len(best) == 1 else best[below(view, len(best))]

    return choose
