"""Domino a carte (Kaartdomino): 52 cards, 4 players, three passes."""

from __future__ import annotations

from typing import Final

from referee.rules.actions import ARM_BITS, DRAW, PASS, PASS_ONLY
from referee.rules.game import (
    SEAT_SHIFT,
    Deal,
    FormatSpec,
    Game,
    HandEnd,
    IllegalAction,
    Result,
    deal_round,
    ring,
)
from referee.rules.pieces import FRENCH_52
from referee.rules.rows import RowsHand, refuse_play

ID: Final = "domino-a-carte"
PASSES: Final = 3
"""Passes a hand that cost nothing, also when able to play."""
PLACE_POINTS: Final = (3, 2, 1, 0)
_EACH: Final = 13
_SEVEN: Final = 6
_SEVENS: Final = tuple(suit * FRENCH_52.ranks + _SEVEN for suit in range(FRENCH_52.suits))


class PassesHand(RowsHand):
    """A hand with counted passes.

    Attributes:
        passes: the passes each seat has used, by seat.
        finished: the seats that ran out of cards, in order.
        lost: the seats that lost by a fourth pass, in order.
    """

    __slots__ = ("finished", "lost", "passes")

    def __init__(self, deal: Deal, hands: list[int], stock: list[int], starter: int) -> None:
        super().__init__(ID, FRENCH_52, deal, hands, stock, starter, _SEVEN)
        self.passes = [0] * deal.players
        self.finished: list[int] = []
        self.lost: list[int] = []


def deal(deal: Deal) -> PassesHand:
    """All 52 cards; the sevens are laid at once; whoever held 7D starts."""
    hands, stock = deal_round(deal, _EACH)
    starter = next(seat for seat in deal.seats if hands[seat] >> _SEVENS[0] & 1)
    hand = PassesHand(deal, hands, stock, starter)
    for seven in _SEVENS:
        hand.laid |= 1 << seven
        hand.put(seven)
    for seat in deal.seats:
        hands[seat] &= ~hand.laid
    hand.legal = _legal(hand)
    return hand


def _legal(hand: PassesHand) -> tuple[int, ...]:
    plays = hand.plays(hand.hands[hand.seat])
    if hand.passes[hand.seat] < PASSES:
        return (*plays, PASS)
    return plays or PASS_ONLY


def act(hand: PassesHand, action: int) -> None:
    """Play a card next to an end of its row, or pass; a fourth pass, of one who cannot play, loses the hand."""
    if action not in hand.legal:
        raise _refuse(hand, action)
    seat = hand.seat
    hands = hand.hands
    hand.history.append(seat << SEAT_SHIFT | action)
    following = hand.after[seat]
    hand.laid_now = 0
    if action == PASS:
        if hand.passes[seat] == PASSES:
            hand.lost.append(seat)
            hand.laid_now = hands[seat]
            hand.laid |= hands[seat]
            hand.lay(hands[seat])
            hands[seat] = 0
            _leave(hand)
        else:
            hand.passes[seat] += 1
    else:
        card = action >> ARM_BITS
        hands[seat] ^= 1 << card
        hand.put(card)
        if not hands[seat]:
            hand.finished.append(seat)
            _leave(hand)
    if hand.after[following] == following:
        hand.finish(_result(hand, following))
        return
    hand.seat = following
    hand.legal = _legal(hand)


def _leave(hand: PassesHand) -> None:
    """Take the seats that are done out of the turn order of this hand."""
    gone = (*hand.finished, *hand.lost)
    hand.after = ring(tuple(other for other in hand.seats if other not in gone), len(hand.hands))


def _result(hand: PassesHand, last: int) -> Result:
    order = [*hand.finished, last, *reversed(hand.lost)]
    places = [0] * len(order)
    points = [0] * len(order)
    for place, seat in enumerate(order):
        places[seat] = place + 1
        points[seat] = PLACE_POINTS[place]
    return Result(HandEnd.LAST_PLAYER, winners=(order[0],), points=tuple(points), places=tuple(places))


def _refuse(hand: PassesHand, action: int) -> IllegalAction:
    if action == DRAW:
        return hand.refusal("no_draw", "there is no stock", "all cards are dealt; a turn is a card or a pass")
    if action == PASS:
        return hand.refusal(
            "passes_used_up",
            f"your {PASSES} passes are used and a card fits",
            f"after {PASSES} passes a player who can play must play",
        )
    return refuse_play(hand, action)


GAME: Final = Game(
    id=ID,
    title="Domino a carte",
    source="Italian rules of Domino a carte and Dutch rules of Kaartdomino: the same game",
    deck=FRENCH_52,
    players=(4,),
    formats=(FormatSpec("hands", hands=5), FormatSpec("single")),
    deal=deal,
    act=act,
)
