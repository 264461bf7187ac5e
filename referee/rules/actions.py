"""Actions: what a turn asks a seat for.

Inside the rules an action is an int: a play is ``piece << 3 | arm``, drawing is `DRAW`, passing is `PASS`.
Its canonical notation is ``6-5 left``, ``6-6`` (a hand's first tile), ``7O``, ``draw``, ``pass``.
"""

from __future__ import annotations

from typing import Final

from referee.rules.pieces import Deck, NotationError

NO_ARM: Final = 0
LEFT: Final = 1
RIGHT: Final = 2
UP: Final = 3
DOWN: Final = 4
ARM_NAMES: Final = ("", "left", "right", "up", "down")
"""The names of the arms of a domino layout; none for a hand's first tile and for cards."""

ARM_BITS: Final = 3
ARM_MASK: Final = 7
DRAW: Final = 512
PASS: Final = 513

PASS_ONLY: Final = (PASS,)
DRAW_ONLY: Final = (DRAW,)


def play(piece: int, arm: int = NO_ARM) -> int:
    """The action of playing a piece, for a tile on an arm."""
    return piece << ARM_BITS | arm


def format_action(action: int, deck: Deck) -> str:
    """The canonical notation of an action."""
    if action == DRAW:
        return "draw"
    if action == PASS:
        return "pass"
    name = deck.names[action >> ARM_BITS]
    arm = action & ARM_MASK
    return f"{name} {ARM_NAMES[arm]}" if arm else name


def parse_action(text: str, deck: Deck) -> int:
    """The action that ``text`` is the canonical notation of.

    Raises:
        NotationError: the text is no action with this deck.
    """
    if text == "draw":
        return DRAW
    if text == "pass":
        return PASS
    name, _, arm = text.partition(" ")
    piece = deck.piece(name)
    if not arm and name == text:
        return play(piece)
    if arm not in ARM_NAMES[1:] or deck.suits > 1:
        raise NotationError(f"{text!r}: after a tile may come left, right, up or down, after a card nothing")
    return play(piece, ARM_NAMES.index(arm))


def format_actions(actions: tuple[int, ...], deck: Deck) -> str:
    """A list of actions for a person: each in backquotes, comma between."""
    return ", ".join(f"`{format_action(action, deck)}`" for action in actions)
