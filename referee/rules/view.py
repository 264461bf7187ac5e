"""What a seat may know. Nothing else in the referee decides what is hidden from whom.

A seat knows its own pieces, the table, how many pieces the others and the stock have, and everything that was done
in the open. It never knows the others' pieces, the stock's, or which piece another seat drew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from referee.rules.actions import ARM_BITS, DRAW
from referee.rules.game import ACTION_MASK, Hand
from referee.rules.games.domino_a_carte import PassesHand
from referee.rules.line import LineHand
from referee.rules.pieces import Deck, pieces_of
from referee.rules.rows import RowsHand


class View:
    """A hand as one seat sees it when its turn comes: all that a bot without memory needs.

    Attributes:
        deck: the pieces' names.
        game: the game's id.
        seat: whose view this is, and whose turn it is.
        seats: the seats that play this hand, in turn order from 0.
        sides: the side of each seat, by seat.
        pieces: the set of pieces in the own hand.
        counts: how many pieces each seat holds, by seat.
        stock: how many pieces the stock holds.
        dealer: the seat that dealt.
        starter: the seat that had the first turn.
        drawn: the piece drawn last in this turn, or `NO_PIECE`.
        laid: the set of pieces on the table that nobody played: laid by the deal, or by a seat that lost the hand.
        history: every action of this hand, as ``seat << SEAT_SHIFT | action``; drawn pieces are not in it.
        points: points scored so far in this hand, by side.
        totals: what the match format counts so far, by side.
        legal: the legal actions.
        hand: the number of the hand in the match, from 0.
        turn: the number of the turn in the match, from 1.
        ends: dominoes: the number open on each arm, by arm; `line.CLOSED` where nothing can be played.
        tips: dominoes: the last tile on each arm, by arm; `NO_PIECE` where there is none.
        spinner: dominoes: the first double played, if the game has a spinner; else `NO_PIECE`.
        low: cards: the lowest rank (from 0) of each suit's row; `rows.NOT_OPEN` before it is opened.
        high: cards: the highest rank of each suit's row.
        passes: `domino-a-carte`: the passes used, by seat; None in other games.
    """

    __slots__ = (
        "counts",
        "dealer",
        "deck",
        "drawn",
        "ends",
        "game",
        "hand",
        "high",
        "history",
        "laid",
        "legal",
        "low",
        "passes",
        "pieces",
        "points",
        "seat",
        "seats",
        "sides",
        "spinner",
        "starter",
        "stock",
        "tips",
        "totals",
        "turn",
    )

    deck: Deck
    ends: list[int]
    tips: list[int]
    spinner: int
    low: list[int]
    high: list[int]
    passes: list[int] | None

    def __init__(self, state: Hand, sides: tuple[int, ...], totals: list[int], hand: int, turn: int) -> None:
        seat = state.seat
        self.game = state.game
        self.deck = state.deck
        self.seat = seat
        self.seats = state.seats
        self.sides = sides
        self.pieces = state.hands[seat]
        self.counts = [pieces.bit_count() for pieces in state.hands]
        self.stock = len(state.stock)
        self.dealer = state.dealer
        self.starter = state.starter
        self.drawn = state.drawn
        self.laid = state.laid
        self.history = state.history
        self.points = state.points
        self.totals = totals
        self.legal = state.legal
        self.hand = hand
        self.turn = turn
        self.passes = None
        if isinstance(state, LineHand):
            self.ends = state.ends
            self.tips = state.tips
            self.spinner = state.spinner
        elif isinstance(state, RowsHand):
            self.low = state.low
            self.high = state.high
            if isinstance(state, PassesHand):
                self.passes = state.passes

    def table(self) -> list[int]:
        """The pieces on the table: those that nobody played, then the others in the order they were played."""
        played = [item & ACTION_MASK for item in self.history]
        return pieces_of(self.laid) + [action >> ARM_BITS for action in played if action < DRAW]


_OWN: Final[Mapping[str, tuple[str, ...]]] = {
    "action": ("drawn",),
    # A refusal lists what would be legal, and so tells of the hand.
    "rejected": ("message", "given"),
    "fault": ("detail",),
}
"""The fields of an event that only its own seat may see."""


def told(event: Mapping[str, Any], seat: int | None) -> Mapping[str, Any]:
    """A log event as a seat may see it (None: as anybody may).

    What is hidden is left out: the hands of others and the stock of a deal (their sizes stay), the piece that
    another seat drew, and what another seat answered wrongly. The event itself, where nothing is.
    """
    kind = event["event"]
    hidden = () if event.get("seat") == seat else [key for key in _OWN.get(kind, ()) if key in event]
    if kind != "hand_started" and not hidden:
        return event
    shown = dict(event)
    if kind == "hand_started":
        hands = shown.pop("hands")
        shown["counts"] = [0 if pieces is None else len(pieces) for pieces in hands]
        shown["seats"] = [place for place, pieces in enumerate(hands) if pieces is not None]
        shown["stock"] = len(event["stock"])
        shown["pieces"] = [] if seat is None else hands[seat] or []
    for key in hidden:
        del shown[key]
    return shown
