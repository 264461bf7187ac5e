"""The expert at the card rows: `domino-cartas` and `domino-a-carte`.

A card that fits goes on fitting until its holder plays it, for nobody else can. So it is a turn in reserve for the
holder and, as long as it is kept, a block for everybody who waits behind it. Good play spends first the cards behind
which the own cards wait, and keeps those that only let others on; a pass, or keeping a drawn card, is a move
like any other, and often the best when everything else would open a way for others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from referee.bots.beliefs import Beliefs
from referee.bots.ways import way_of
from referee.rules.actions import ARM_BITS, DRAW, PASS
from referee.rules.game import ACTION_MASK, SEAT_SHIFT
from referee.rules.games.domino_cartas import CARD_POINTS
from referee.rules.pieces import mask_of
from referee.rules.rows import NOT_OPEN
from referee.rules.view import View

CARTAS: Final = "domino-cartas"


@dataclass(frozen=True, slots=True)
class Weights:
    """What a play is worth, in units of its own. Found by letting the bot play against earlier ones.

    Attributes:
        next_own: the card right behind is the own: nobody is let on, and the next turn is safe.
        behind: an own card behind, halved for every card of others in between.
        release: each card that others can play in a row right behind, by the chance that they hold them.
        release_soon: the card right behind, by the chance that the next seat holds it.
        beyond: each further card of others behind.
        last: nothing is behind: the play lets nobody on, but could be kept for later.
        pressed: the release, for every pass that the others have used: who is short of passes needs it most.
        points: each point of the card, which counts if it is left in hand.
        pass_base: passing or keeping a drawn card.
        pass_used: each pass already used.
        pass_reserve: each other turn in reserve while passing.
        pass_pressed: each pass that the others have used.
        pass_hand: each card in the own hand while passing.
    """

    next_own: float
    behind: float
    release: float
    release_soon: float
    beyond: float
    last: float
    pressed: float
    points: float
    pass_base: float
    pass_used: float
    pass_reserve: float
    pass_pressed: float
    pass_hand: float


A_CARTE: Final = Weights(1.0, 1.0, -0.6, -0.2, -0.1, 0.5, -0.05, 0.0, -0.5, -0.3, 0.0, 0.0, 0.0)
CARDS: Final = Weights(1.0, 1.0, -1.0, -1.0, -0.1, 0.0, 0.0, 0.01, -1.0, 0.0, 0.0, 0.0, 0.0)


def worths(view: View, weights: Weights) -> list[float]:
    """The worth of every legal action."""
    passes = view.passes or []
    if view.game == CARTAS:
        rows = _read(view)
        soon = rows[_following(view)]
        others = [0.0] * len(view.deck)
        for seat in view.seats:
            if seat != view.seat:
                others = [all_of + one for all_of, one in zip(others, rows[seat], strict=True)]
    else:
        others = [1.0] * len(view.deck)
        left = sum(count for seat, count in enumerate(view.counts) if seat != view.seat)
        soon = [view.counts[_following(view)] / left] * len(view.deck)
    pressed = sum(passes) - passes[view.seat] if passes else 0
    found = []
    for action in view.legal:
        if action == PASS:
            worth = (
                weights.pass_base
                + weights.pass_reserve * (len(view.legal) - 1)
                + weights.pass_pressed * pressed
                + weights.pass_hand * view.counts[view.seat]
            )
            if passes:
                worth += weights.pass_used * passes[view.seat]
            found.append(worth)
            continue
        found.append(_worth(view, action >> ARM_BITS, weights, others, soon, pressed))
    return found


def _worth(view: View, card: int, weights: Weights, others: list[float], soon: list[float], pressed: int) -> float:
    way = way_of(view, card)
    mine = view.pieces
    worth = weights.points * CARD_POINTS[card] if view.game == CARTAS else 0.0
    if not way:
        return worth + weights.last
    release = 0.0
    reach = 1.0
    nearness = 1.0
    nearest = True
    for card_behind in way:
        if mine >> card_behind & 1:
            worth += weights.behind * nearness
            if nearest:
                worth += weights.next_own
            reach = 0.0
        else:
            if nearest:
                worth += weights.release_soon * soon[card_behind]
            reach *= others[card_behind]
            release += reach
            worth += weights.beyond * others[card_behind]
            nearness /= 2
        nearest = False
    return worth + release * (weights.release + weights.pressed * pressed)


def _following(view: View) -> int:
    """The next seat that still holds cards."""
    seats = view.seats
    place = seats.index(view.seat)
    return next(seat for seat in (*seats[place + 1 :], *seats[: place + 1]) if view.counts[seat])


def _read(view: View) -> list[list[float]]:
    """The chance that a seat holds a card, by seat and card, from who had to draw or pass when."""
    ranks = view.deck.ranks
    history = view.history
    beliefs = Beliefs(view)
    table = 0
    if history:
        opener = (history[0] & ACTION_MASK) >> ARM_BITS
        fits = mask_of(suit * ranks + opener % ranks for suit in range(view.deck.suits))
        low = [NOT_OPEN] * view.deck.suits
        high = [NOT_OPEN] * view.deck.suits
        just_drew = False
        for item in history:
            seat = item >> SEAT_SHIFT
            action = item & ACTION_MASK
            if action == DRAW:
                beliefs.lacks(seat, fits)
                beliefs.draws(seat)
            elif action == PASS:
                if not just_drew:
                    beliefs.lacks(seat, fits)
            else:
                card = action >> ARM_BITS
                beliefs.plays(seat, card, just_drew)
                table |= 1 << card
                suit, rank = divmod(card, ranks)
                opens = low[suit] == NOT_OPEN
                fits &= ~(1 << card)
                if opens or rank < low[suit]:
                    low[suit] = rank
                    if rank > 0:
                        fits |= 1 << card - 1
                if opens or rank > high[suit]:
                    high[suit] = rank
                    if rank < ranks - 1:
                        fits |= 1 << card + 1
            just_drew = action == DRAW
    unseen = ((1 << len(view.deck)) - 1) & ~(view.pieces | table)
    return beliefs.chances(view, unseen)
