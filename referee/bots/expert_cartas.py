"""The expert at `domino-cartas`: rows of cards, a stock to draw from, and whoever is out first wins.

A card that fits goes on fitting until its holder plays it, for nobody else can. So it is a turn in reserve for the
holder and, as long as it is kept, a block for everybody who waits behind it. That is why a drawn card is often better
kept than played: kept, it is the next turn's play instead of another draw. What is behind a card decides: whether
another seat probably holds the next card (the fewer cards that seat has left, the more a play is worth to it), and
whether own cards wait behind cards that others can be expected to play.

Those are rules of thumb. The expert also plays every action out in a few worlds that fit what it knows, and trusts
the two about equally.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final

from referee.bots.beliefs import Beliefs
from referee.bots.playouts import chances_of_winning, ways_of_rows
from referee.bots.ways import ways_behind
from referee.rules.actions import ARM_BITS, DRAW, PASS
from referee.rules.game import ACTION_MASK, SEAT_SHIFT
from referee.rules.pieces import mask_of
from referee.rules.view import View


@dataclass(frozen=True, slots=True)
class Weights:
    """What an action is worth, in chances of winning.

    The values come from a regression on a few ten thousand choices, each of whose actions was played out many
    times over deals that fitted what the seat knew. "By own" means divided by the number of cards in the own hand,
    "by theirs" by that in the hand of the seat that is let on.

    Attributes:
        let: the chance that another seat can play the next card behind.
        let_by_own: the same, by own.
        let_by_theirs: the same, by theirs.
        run: the chance that others can play on from there, for each further card of an unbroken run.
        run_by_theirs: the same, by theirs.
        next_own: the own hand holds the next card behind.
        next_own_by_own: the same, by own.
        waiting: an own card waits behind cards of others.
        waiting_by_own: the same, by own.
        unlock: the chance that others play all the cards before the first own one that waits.
        unlock_by_own: the same, by own.
        unlock_by_theirs: the same, by theirs.
        more_by_own: each further own card behind, by own.
        last: no card is behind.
        keep: keeping a drawn card.
        keep_by_own: the same, by own.
        reserve: each own card that could be played one after another from now on, while keeping.
        reserve_by_own: the same, by own.
    """

    let: float = -0.025
    let_by_own: float = 0.67
    let_by_theirs: float = -1.178
    run: float = -0.005
    run_by_theirs: float = -0.286
    next_own: float = -0.008
    next_own_by_own: float = 0.041
    waiting: float = 0.03
    waiting_by_own: float = -0.175
    unlock: float = -0.037
    unlock_by_own: float = -0.002
    unlock_by_theirs: float = 1.108
    more_by_own: float = 0.062
    last: float = -0.017
    keep: float = -0.055
    keep_by_own: float = 0.262
    reserve: float = 0.017
    reserve_by_own: float = -0.1


WEIGHTS: Final = Weights()
WORLDS: Final = 60
"""Worlds tried for a choice, shared out among the seats: with many seats a world costs more and tells less."""


class _Others:
    """What the other seats together may hold.

    Attributes:
        held: the chance that one of them holds a card, by card.
        close: the same, each seat's chance divided by the number of its cards.
    """

    __slots__ = ("close", "held")

    def __init__(self, view: View, chances: list[list[float]]) -> None:
        size = len(view.deck)
        self.held = [0.0] * size
        self.close = [0.0] * size
        for seat in view.seats:
            if seat != view.seat:
                share = 1 / view.counts[seat]
                for card, chance in enumerate(chances[seat]):
                    if chance:
                        self.held[card] += chance
                        self.close[card] += chance * share


def worths(view: View, seed: int, weights: Weights = WEIGHTS) -> list[float]:
    """The worth of every legal action; there is more than one."""
    first = view.history[0] & ACTION_MASK if view.history else view.legal[0]
    opener = (first >> ARM_BITS) % view.deck.ranks
    unseen, chances = _read(view, opener)
    others = _Others(view, chances)
    won = chances_of_winning(view, opener, unseen, chances, WORLDS // len(view.seats), Random(seed))
    return [
        part + (_keeping(view, weights) if action == PASS else _playing(view, action >> ARM_BITS, weights, others))
        for action, part in zip(view.legal, won, strict=True)
    ]


def _keeping(view: View, weights: Weights) -> float:
    own = 1 / view.counts[view.seat]
    # Only a drawn card fits, or there would have been no draw: what is in reserve hangs on it.
    card = next(action >> ARM_BITS for action in view.legal if action != PASS)
    reserve = 1
    for way in ways_behind(view, card):
        for behind in way:
            if not view.pieces >> behind & 1:
                break
            reserve += 1
    return weights.keep + weights.keep_by_own * own + (weights.reserve + weights.reserve_by_own * own) * reserve


def _playing(view: View, card: int, weights: Weights, others: _Others) -> float:
    mine = view.pieces
    own = 1 / view.counts[view.seat]
    held = others.held
    worth = 0.0
    for way in ways_behind(view, card):
        if not way:
            worth += weights.last
        reach = 1.0
        reach_close = 0.0
        waiting = False
        for place, behind in enumerate(way):
            if mine >> behind & 1:
                if waiting:
                    worth += weights.more_by_own * own
                elif place == 0:
                    worth += weights.next_own + weights.next_own_by_own * own
                else:
                    worth += weights.waiting + weights.waiting_by_own * own
                    worth += (weights.unlock + weights.unlock_by_own * own) * reach
                    worth += weights.unlock_by_theirs * reach_close
                waiting = True
            elif not waiting:
                reach_close = reach * others.close[behind]
                reach *= held[behind]
                if place == 0:
                    worth += (weights.let + weights.let_by_own * own) * reach + weights.let_by_theirs * reach_close
                else:
                    worth += weights.run * reach + weights.run_by_theirs * reach_close
    return worth


def _read(view: View, opener: int) -> tuple[int, list[list[float]]]:
    """The set of unseen cards, and the chance that a seat holds one, from who had to draw or pass when."""
    beliefs = Beliefs(view)
    ranks = view.deck.ranks
    opens = ways_of_rows(opener, ranks, view.deck.suits).opens
    fits = mask_of(suit * ranks + opener for suit in range(view.deck.suits))
    known = view.pieces
    just_drew = False
    for item in view.history:
        seat = item >> SEAT_SHIFT
        action = item & ACTION_MASK
        if action == DRAW:
            beliefs.lacks(seat, fits)
            beliefs.draws(seat)
        elif action == PASS:
            # After a draw it may be the drawn card that is kept.
            if not just_drew:
                beliefs.lacks(seat, fits)
        else:
            card = action >> ARM_BITS
            beliefs.plays(seat, card, just_drew)
            known |= 1 << card
            fits = fits ^ 1 << card | opens[card]
        just_drew = action == DRAW
    unseen = ((1 << len(view.deck)) - 1) & ~known
    return unseen, beliefs.chances(view, unseen)
