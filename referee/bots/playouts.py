"""Playing `domino-cartas` out over deals that fit what a seat knows.

Two actions seldom differ by much there, and what they differ by lies many turns ahead: in who will have to draw. So
the expert tries them. Each world gives the hidden cards places at random, as likely as the history makes them, and
in each world every action is played out with a quick rule of thumb for all seats (the same world for every action, so
that its luck cancels out).
"""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Final, NamedTuple

from referee.rules.actions import ARM_BITS, PASS
from referee.rules.pieces import pieces_of
from referee.rules.rows import NOT_OPEN
from referee.rules.view import View

_LONGEST: Final = 400
_UNLIKELY: Final = 1e-4


class Ways(NamedTuple):
    """The rows of a deck with one opener, ready for quick play.

    Attributes:
        opens: the set of cards that a card, once played, lets others play, by card.
        behind: the set of all cards that wait behind it, by card.
    """

    opens: tuple[int, ...]
    behind: tuple[int, ...]


@cache
def ways_of_rows(opener: int, ranks: int, suits: int) -> Ways:
    """The ways of rows that grow from the rank ``opener``."""
    opens = []
    behind = []
    for card in range(ranks * suits):
        rank = card % ranks
        up = ((1 << ranks - 1 - rank) - 1) << card + 1 if rank >= opener else 0
        down = ((1 << rank) - 1) << card - rank if rank <= opener else 0
        behind.append(up | down)
        opens.append((up & 1 << card + 1) | (down & 1 << card >> 1))
    return Ways(tuple(opens), tuple(behind))


def chances_of_winning(
    view: View, opener: int, unseen: int, chances: list[list[float]], worlds: int, random: Random
) -> list[float]:
    """The part of the worlds that each legal action wins.

    Args:
        view: the view of the seat that chooses.
        opener: the rank that opens a row.
        unseen: the set of cards that others or the stock hold.
        chances: the chance that a seat holds a card, by seat and card.
        worlds: how many worlds are tried.
        random: draws them.
    """
    deck = view.deck
    ways = ways_of_rows(opener, deck.ranks, deck.suits)
    fits = _fits(view, opener)
    hidden = pieces_of(unseen)
    wins = [0] * len(view.legal)
    place = view.seats.index(view.seat)
    following = (*view.seats[place + 1 :], *view.seats[:place])
    counts = [(chances[seat], view.counts[seat]) for seat in following]
    for _ in range(worlds):
        hands, stock = _world(hidden, counts, random)
        for which, action in enumerate(view.legal):
            own = view.pieces
            now = fits
            if action != PASS:
                card = action >> ARM_BITS
                own ^= 1 << card
                now = now ^ 1 << card | ways.opens[card]
            wins[which] += not own or _play_out([own, *hands], stock.copy(), now, ways) == 0
    return [won / worlds for won in wins]


def _fits(view: View, opener: int) -> int:
    """The set of cards that fit the rows."""
    ranks = view.deck.ranks
    fits = 0
    for suit, (low, high) in enumerate(zip(view.low, view.high, strict=True)):
        first = 1 << suit * ranks
        if low == NOT_OPEN:
            fits |= first << opener
            continue
        if low > 0:
            fits |= first << low - 1
        if high < ranks - 1:
            fits |= first << high + 1
    return fits


def _world(hidden: list[int], counts: list[tuple[list[float], int]], random: Random) -> tuple[list[int], list[int]]:
    """Hands for the other seats, drawn by their chances, and a stock of what is left."""
    uniform = random.random
    left = hidden
    hands = []
    for row, count in counts:
        # The greatest of such powers of uniform numbers: a draw without replacement by weight.
        left = sorted(left, key=lambda card: uniform() ** (1 / (row[card] + _UNLIKELY)), reverse=True)
        hand = 0
        for card in left[:count]:
            hand |= 1 << card
        hands.append(hand)
        left = left[count:]
    stock = left.copy()
    random.shuffle(stock)
    return hands, stock


def _play_out(hands: list[int], stock: list[int], fits: int, ways: Ways) -> int:
    """Play on from the seat in place 1; the place of the seat that is out first, or -1.

    The rule of thumb: the card behind which most own cards wait; a drawn card that only lets others on is kept.
    """
    opens, behind = ways
    seats = len(hands)
    seat = 0
    for _ in range(_LONGEST):
        seat += 1
        if seat == seats:
            seat = 0
        hand = hands[seat]
        fitting = hand & fits
        if not fitting:
            if not stock:
                continue
            card = stock.pop()
            bit = 1 << card
            if bit & fits and (not behind[card] or behind[card] & hand):
                fits = fits ^ bit | opens[card]
            else:
                hands[seat] = hand | bit
            continue
        bit = fitting
        if fitting & (fitting - 1):
            bit = _best(fitting, hand, ways)
        card = bit.bit_length() - 1
        hand ^= bit
        if not hand:
            return seat
        hands[seat] = hand
        fits = fits ^ bit | opens[card]
    return -1


def _best(fitting: int, hand: int, ways: Ways) -> int:
    """The card (as a set) of several that fit behind which most own cards wait, the next one above all."""
    opens, behind = ways
    best = 0
    most = -3
    while fitting:
        bit = fitting & -fitting
        fitting ^= bit
        card = bit.bit_length() - 1
        mark = 0
        if behind[card]:
            mark = 2 * (behind[card] & hand).bit_count() + (3 if opens[card] & hand else -2)
        if mark > most:
            best, most = bit, mark
    return best
