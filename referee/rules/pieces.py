"""Decks of pieces and their notation, both ways.

Inside the rules a piece is an int, its place in the canonical order of its deck, and a set of pieces is an
int used as a bit mask (bit *i* stands for piece *i*). Names exist at the edges only: a `Deck` knows them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

NUMBERS: Final = 7
"""The numbers on the halves of a domino tile: 0 to 6."""


class NotationError(ValueError):
    """A text that names no piece (or no action) of the deck at hand."""


@dataclass(frozen=True, slots=True)
class Deck:
    """All pieces of a game, in canonical order.

    Attributes:
        id: the deck's name, as in published deal vectors: ``domino-28``, ``spanish-40``, ``french-52``.
        names: the notation of each piece; a piece is its place in this tuple.
        suits: how many suits of equal length the deck is made of (1 for tiles).
        suit_names: what a person calls the suits, in deck order.
    """

    id: str
    names: tuple[str, ...]
    suits: int = 1
    suit_names: tuple[str, ...] = ()
    _places: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_places", {name: place for place, name in enumerate(self.names)})

    def __len__(self) -> int:
        return len(self.names)

    @property
    def ranks(self) -> int:
        """How many pieces a suit has."""
        return len(self.names) // self.suits

    def piece(self, name: str) -> int:
        """The piece that ``name`` is the notation of.

        Raises:
            NotationError: no piece of this deck is written so.
        """
        try:
            return self._places[name]
        except (KeyError, TypeError):
            raise NotationError(f"{name!r} is no piece of the {self.id} deck") from None

    def mask(self, names: Iterable[str]) -> int:
        """The set of the pieces written in ``names``. Raises `NotationError`."""
        mask = 0
        for name in names:
            mask |= 1 << self.piece(name)
        return mask

    def names_of(self, mask: int) -> list[str]:
        """The notation of every piece of a set, in canonical order."""
        return [self.names[piece] for piece in pieces_of(mask)]


def pieces_of(mask: int) -> list[int]:
    """The pieces of a set, in canonical order."""
    pieces = []
    while mask:
        low = mask & -mask
        pieces.append(low.bit_length() - 1)
        mask ^= low
    return pieces


def mask_of(pieces: Iterable[int]) -> int:
    """The set of these pieces."""
    mask = 0
    for piece in pieces:
        mask |= 1 << piece
    return mask


def _tile_halves() -> list[tuple[int, int]]:
    return [(high, low) for high in range(NUMBERS) for low in range(high + 1)]


TILES: Final[tuple[tuple[int, int], ...]] = tuple(_tile_halves())
"""The halves of every tile, (high, low), by piece."""

PIPS: Final[tuple[int, ...]] = tuple(high + low for high, low in TILES)
"""The pips of every tile, by piece."""

BEARING: Final[tuple[int, ...]] = tuple(
    mask_of(tile for tile, halves in enumerate(TILES) if number in halves) for number in range(NUMBERS)
)
"""The set of the seven tiles that bear a number, by number."""

DOUBLES: Final = mask_of(tile for tile, (high, low) in enumerate(TILES) if high == low)
"""The set of the seven doubles."""

DOMINO_28: Final = Deck("domino-28", tuple(f"{high}-{low}" for high, low in TILES))

_SPANISH_RANKS = ("1", "2", "3", "4", "5", "6", "7", "10", "11", "12")
_FRENCH_RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K")


def _cards(ranks: Sequence[str], suits: str) -> tuple[str, ...]:
    return tuple(rank + suit for suit in suits for rank in ranks)


SPANISH_40: Final = Deck("spanish-40", _cards(_SPANISH_RANKS, "OCEB"), 4, ("oros", "copas", "espadas", "bastos"))
FRENCH_52: Final = Deck("french-52", _cards(_FRENCH_RANKS, "DHSC"), 4, ("diamonds", "hearts", "spades", "clubs"))


def pips_in(mask: int) -> int:
    """The pips of a set of tiles."""
    pips = 0
    while mask:
        low = mask & -mask
        pips += PIPS[low.bit_length() - 1]
        mask ^= low
    return pips
