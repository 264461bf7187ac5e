"""The expert at `domino-a-carte`: four rows, no stock, three passes, and a place for everybody.

A card that fits goes on fitting until its holder plays it, for nobody else can. So it is a turn in reserve for the
holder and, as long as it is kept, a block for everybody who waits behind it: the sixes and eights first of all. Good
play spends first the cards behind which the own cards wait, keeps those that only let others on, and passes on
purpose when nothing else is left: the others have three passes too, and who runs out of them loses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from referee.bots.ways import way_of
from referee.rules.actions import ARM_BITS, PASS
from referee.rules.view import View


@dataclass(frozen=True, slots=True)
class Weights:
    """What an action is worth, in units of its own. Found by letting the bot play against earlier ones.

    Attributes:
        next_own: the card right behind is the own: nobody is let on, and the next turn is safe.
        behind: an own card behind, halved for every card of others in between.
        release: each card that others can play in a row right behind.
        release_soon: the card right behind, by the chance that the next seat holds it.
        beyond: each card of others behind.
        last: nothing is behind: the play lets nobody on, but could be kept for later.
        pressed: each card released, for every pass that the others have used: who is short of them needs it most.
        pass_base: passing.
        pass_used: each pass already used.
        pass_reserve: each card that fits and is kept by the pass.
        pass_pressed: each pass that the others have used.
        pass_hand: each card in the own hand.
    """

    next_own: float = 1.44
    behind: float = 0.79
    release: float = -0.76
    release_soon: float = -0.2
    beyond: float = -0.38
    last: float = 0.5
    pressed: float = -0.05
    pass_base: float = -0.4
    pass_used: float = -0.13
    pass_reserve: float = -0.14
    pass_pressed: float = 0.03
    pass_hand: float = -0.2


WEIGHTS: Final = Weights()


def worths(view: View, weights: Weights = WEIGHTS) -> list[float]:
    """The worth of every legal action; there is more than one."""
    passes = view.passes or [0] * len(view.counts)
    pressed = sum(passes) - passes[view.seat]
    others = sum(view.counts) - view.counts[view.seat]
    soon = view.counts[_following(view)] / others
    found = []
    for action in view.legal:
        if action == PASS:
            worth = weights.pass_base + weights.pass_used * passes[view.seat]
            worth += weights.pass_reserve * (len(view.legal) - 1) + weights.pass_pressed * pressed
            worth += weights.pass_hand * view.counts[view.seat]
        else:
            worth = _playing(view, action >> ARM_BITS, weights, soon, pressed)
        found.append(worth)
    return found


def _playing(view: View, card: int, weights: Weights, soon: float, pressed: int) -> float:
    way = way_of(view, card)
    if not way:
        return weights.last
    worth = 0.0
    released = 0
    free = True
    nearness = 1.0
    for place, behind in enumerate(way):
        if view.pieces >> behind & 1:
            worth += weights.behind * nearness
            if place == 0:
                worth += weights.next_own
            free = False
        else:
            if place == 0:
                worth += weights.release_soon * soon
            worth += weights.beyond
            released += free
            nearness /= 2
    return worth + released * (weights.release + weights.pressed * pressed)


def _following(view: View) -> int:
    """The next seat that still holds cards."""
    seats = view.seats
    place = seats.index(view.seat)
    return next(seat for seat in (*seats[place + 1 :], *seats[: place + 1]) if view.counts[seat])
