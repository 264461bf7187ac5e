"""Card rows: one row a suit, grown upwards and downwards from a card that opens it."""

from __future__ import annotations

from typing import Final

from referee.rules.actions import ARM_BITS, ARM_MASK, play
from referee.rules.game import Deal, Hand, IllegalAction
from referee.rules.pieces import Deck

NOT_OPEN: Final = -1

_PLAY_OF_BIT: Final = {1 << card: play(card) for card in range(52)}


class RowsHand(Hand):
    """A hand of a card game played on rows.

    Attributes:
        table: the set of cards on the table.
        low: the lowest rank (from 0) of the unbroken run that holds the suit's opener, by suit; `NOT_OPEN` before.
        high: the highest rank of that run, by suit.
        fits: the set of cards that may be played.
        opener: the rank (from 0) of the cards that open a row.
    """

    __slots__ = ("_fits_of", "fits", "high", "low", "opener", "table")

    def __init__(
        self, game: str, deck: Deck, deal: Deal, hands: list[int], stock: list[int], starter: int, opener: int
    ) -> None:
        super().__init__(game, deck, deal, hands, stock, starter)
        self.table = 0
        self.low = [NOT_OPEN] * deck.suits
        self.high = [NOT_OPEN] * deck.suits
        self.opener = opener
        self._fits_of = [1 << (suit * deck.ranks + opener) for suit in range(deck.suits)]
        self.fits = 0
        for fits in self._fits_of:
            self.fits |= fits

    def put(self, card: int) -> None:
        """Lay a card that fits: it opens its row or lengthens it."""
        self.table |= 1 << card
        suit = card // self.deck.ranks
        if self.low[suit] == NOT_OPEN:
            self.low[suit] = self.high[suit] = self.opener
        self._lengthen(suit)

    def lay(self, cards: int) -> None:
        """Lay cards at their places, joined to a row or not."""
        self.table |= cards
        for suit in range(self.deck.suits):
            if self.low[suit] != NOT_OPEN:
                self._lengthen(suit)

    def _lengthen(self, suit: int) -> None:
        """Bring a row's ends and what fits them up to date: cards that touch the run belong to it."""
        ranks = self.deck.ranks
        first = suit * ranks
        table = self.table
        low, high = self.low[suit], self.high[suit]
        while low > 0 and table >> (first + low - 1) & 1:
            low -= 1
        while high < ranks - 1 and table >> (first + high + 1) & 1:
            high += 1
        self.low[suit], self.high[suit] = low, high
        fits = (1 << (first + low - 1) if low > 0 else 0) | (1 << (first + high + 1) if high < ranks - 1 else 0)
        self.fits = self.fits & ~self._fits_of[suit] | fits
        self._fits_of[suit] = fits

    def plays(self, cards: int) -> tuple[int, ...]:
        """Every play of a card of the set that fits."""
        fitting = cards & self.fits
        if not fitting:
            return ()
        found = []
        while fitting:
            low = fitting & -fitting
            found.append(_PLAY_OF_BIT[low])
            fitting ^= low
        return tuple(found)

    def row_name(self, suit: int) -> str:
        """A suit's row for a message: ``the spades row, 5..7``."""
        if self.low[suit] == NOT_OPEN:
            return f"the {self.deck.suit_names[suit]} row, not open yet"
        first = suit * self.deck.ranks
        low, high = (self.deck.names[first + rank][:-1] for rank in (self.low[suit], self.high[suit]))
        return f"the {self.deck.suit_names[suit]} row, {low}..{high}"


def refuse_play(hand: RowsHand, action: int) -> IllegalAction:
    """Why a card may not be played; called only with a play that is not legal."""
    card = action >> ARM_BITS
    if action & ARM_MASK:
        return hand.refusal("arm_closed", "a card is played without an arm", "a card goes to the row of its suit")
    name = hand.deck.names[card]
    if not hand.hands[hand.seat] >> card & 1:
        return hand.refusal("not_in_hand", f"`{name}` is not in your hand", "a player plays cards of the own hand")
    suit = card // hand.deck.ranks
    return hand.refusal(
        "does_not_fit",
        f"`{name}` does not touch {hand.row_name(suit)}",
        "a card is played next to either end of its suit's row",
    )
