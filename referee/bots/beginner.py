"""The beginner: knows what is legal and nothing more."""

from __future__ import annotations

from collections.abc import Callable

from referee.bots.chance import chance
from referee.rules.view import View


def make(text: str) -> Callable[[View], int]:
    """A beginner: every legal action is equally likely, a pass as much as a card.

    It is the yardstick: whatever a bot wins against it, it wins by thinking.
    """
    below = chance(text)

    def choose(view: View) -> int:
        legal = view.legal
        return legal[0] if len(legal) == 1 else legal[below(view, len(legal))]

    return choose
