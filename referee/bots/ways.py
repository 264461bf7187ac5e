"""The ways of a card layout: what can be played in a row behind a card."""

from __future__ import annotations

from functools import cache

from referee.rules.rows import NOT_OPEN
from referee.rules.view import View


def ways_behind(view: View, card: int) -> tuple[tuple[int, ...], ...]:
    """The cards that wait behind a card that fits, nearest first: one way, or both of an opener."""
    ranks = view.deck.ranks
    suit, rank = divmod(card, ranks)
    low = view.low[suit]
    if low == NOT_OPEN:
        return _upwards(card, ranks), _downwards(card, ranks)
    return (_downwards(card, ranks) if rank < low else _upwards(card, ranks),)


def way_of(view: View, card: int) -> tuple[int, ...]:
    """The cards behind a card that fits as one way; those behind an opener one direction after the other."""
    ways = ways_behind(view, card)
    return ways[0] if len(ways) == 1 else ways[0] + ways[1]


@cache
def _upwards(card: int, ranks: int) -> tuple[int, ...]:
    return tuple(range(card + 1, (card // ranks + 1) * ranks))


@cache
def _downwards(card: int, ranks: int) -> tuple[int, ...]:
    return tuple(range(card - 1, card // ranks * ranks - 1, -1))
