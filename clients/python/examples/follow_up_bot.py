"""A slightly clever bot for all games: plays what it can follow up best from its own hand."""

from collections import Counter

from referee_bot import Action, Turn, run


def marks(piece: str) -> list[str]:
    """The numbers of a tile, or the suit of a card."""
    return piece.split("-") if "-" in piece else [piece[-1]]


def choose(turn: Turn) -> Action:
    """Of the plays, the piece whose numbers (or suit) the hand has most of."""
    held = Counter(mark for piece in turn.hand for mark in marks(piece))
    return max(turn.legal, key=lambda action: sum(held[mark] for mark in marks(action.piece)) if action.piece else 0)


if __name__ == "__main__":
    run(choose)
