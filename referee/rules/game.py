"""What a game is: a frozen record of data and functions, and the state of a hand that its functions work on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any, Final, NamedTuple

from referee.rules.actions import format_action, format_actions
from referee.rules.pieces import Deck, mask_of

SEAT_SHIFT: Final = 10
"""A history item is ``seat << SEAT_SHIFT | action``."""
ACTION_MASK: Final = (1 << SEAT_SHIFT) - 1
NO_PIECE: Final = -1

OptionValue = int | str | bool


class HandEnd(StrEnum):
    """Why a hand ended, as in the match log."""

    OUT = "out"
    BLOCKED = "blocked"
    LAST_PLAYER = "last_player"
    TARGET = "target"


class IllegalAction(ValueError):
    """An action that the rules refuse.

    Attributes:
        code: a stable name of the reason, for programs.
        reason: what is wrong with the action, for people.
        rule: the rule that refuses it, as ``game: sentence``.
        legal: what would be legal.
    """

    def __init__(self, code: str, reason: str, rule: str, legal: tuple[int, ...], deck: Deck) -> None:
        super().__init__(f"{reason}; legal: {format_actions(legal, deck)}")
        self.code = code
        self.reason = reason
        self.rule = rule
        self.legal = legal


class Result(NamedTuple):
    """How a hand ended: a tuple, since one is made for every hand of every playout.

    Attributes:
        reason: why it ended.
        winners: the seats that won it: one, both of a pair, or none for a drawn hand.
        points: what the game gives for the hand, by side.
        places: the places of the hand by side (1 = best), where the game ranks more than a winner.
        leader: the seat that starts the next hand with any piece; None: the next hand opens like a first one.
    """

    reason: HandEnd
    winners: tuple[int, ...]
    points: tuple[int, ...]
    places: tuple[int, ...] | None = None
    leader: int | None = None


class Deal(NamedTuple):
    """What a hand is dealt from: a tuple, as a `Result` is.

    Attributes:
        order: the whole deck, first to be dealt first.
        players: seats in the match.
        seats: the seats that play this hand, in turn order from 0.
        dealer: the seat that deals; the seat after it gets the first piece.
        options: the game's options in force.
        leader: who starts with any piece (from the `Result` of the hand before), or None.
    """

    order: list[int]
    players: int
    seats: tuple[int, ...]
    dealer: int
    options: Mapping[str, OptionValue]
    leader: int | None = None

    def round_table(self) -> tuple[int, ...]:
        """The seats that play, in the order of dealing: the dealer last."""
        return round_table(self.seats, self.dealer)


class Hand:
    """A deal being played. The functions of a `Game` change it; everybody else only reads.

    Attributes:
        deck: the pieces' names, for messages.
        game: the game's id, for messages.
        hands: the set of pieces each seat holds, by seat.
        stock: the undealt pieces; the top one is last.
        seats: the seats that play this hand.
        after: the next seat in turn order, by seat.
        dealer: the seat that dealt.
        starter: the seat that has the first turn.
        laid: the set of pieces on the table that nobody played: laid by the deal, or by a seat that lost the hand.
        seat: whose turn it is.
        legal: the actions that are legal now; empty once the hand has ended.
        drawn: the piece that `seat` drew last in this turn, or `NO_PIECE`.
        history: every action so far, as ``seat << SEAT_SHIFT | action``. It holds nothing hidden.
        points: points scored in the middle of the hand, by side.
        scored: the points that the last action scored, in games that score in play.
        laid_now: the set of pieces that the last action laid on the table besides the one it played.
        result: how the hand ended, once it has.
    """

    __slots__ = (
        "after",
        "dealer",
        "deck",
        "drawn",
        "game",
        "hands",
        "history",
        "laid",
        "laid_now",
        "legal",
        "points",
        "result",
        "scored",
        "seat",
        "seats",
        "starter",
        "stock",
    )

    def __init__(self, game: str, deck: Deck, deal: Deal, hands: list[int], stock: list[int], starter: int) -> None:
        self.game = game
        self.deck = deck
        self.hands = hands
        self.stock = stock
        self.seats = deal.seats
        self.after = ring(deal.seats, deal.players)
        self.dealer = deal.dealer
        self.starter = starter
        self.laid = 0
        self.seat = starter
        self.legal: tuple[int, ...] = ()
        self.drawn = NO_PIECE
        self.history: list[int] = []
        self.points = [0] * deal.players
        self.scored = 0
        self.laid_now = 0
        self.result: Result | None = None

    def finish(self, result: Result) -> None:
        """End the hand."""
        self.result = result
        self.legal = ()

    def refusal(self, code: str, reason: str, rule: str) -> IllegalAction:
        """The exception for an action that a rule of this game refuses now."""
        return IllegalAction(code, reason, f"{self.game}: {rule}", self.legal, self.deck)

    def name(self, action: int) -> str:
        """The canonical notation of an action."""
        return format_action(action, self.deck)


@cache
def round_table(seats: tuple[int, ...], dealer: int) -> tuple[int, ...]:
    """The seats in the order of dealing: the dealer last."""
    first = next((place for place, seat in enumerate(seats) if seat > dealer), 0)
    return seats[first:] + seats[:first]


@cache
def ring(seats: tuple[int, ...], players: int) -> tuple[int, ...]:
    """The next seat in turn order, by seat, among the seats that play; -1 for the others."""
    after = [-1] * players
    for place, seat in enumerate(seats):
        after[seat] = seats[(place + 1) % len(seats)]
    return tuple(after)


def deal_round(deal: Deal, each: int) -> tuple[list[int], list[int]]:
    """Deal ``each`` pieces to every seat, one at a time round the table.

    Returns:
        The sets dealt, by seat, and the stock (top last).
    """
    hands = [0] * deal.players
    table = deal.round_table()
    count = len(table)
    dealt = each * count
    order = deal.order
    for place, seat in enumerate(table):
        hands[seat] = mask_of(order[place:dealt:count])
    return hands, order[: dealt - 1 : -1]


@dataclass(frozen=True, slots=True)
class Option:
    """A rule of a game that may be set.

    Attributes:
        name: its key in files, flags and logs.
        default: the value in force when nothing is set.
        accepted: every value it may have.
        description: what it decides, for people.
    """

    name: str
    default: OptionValue
    accepted: tuple[OptionValue, ...]
    description: str


@dataclass(frozen=True, slots=True)
class FormatSpec:
    """A match format that a game is played in.

    Attributes:
        kind: ``single``, ``best_of``, ``hands`` or ``points``.
        hands: for ``best_of`` (odd) and ``hands``: how many.
        target: for ``points``: the points that end it.
        ending: for ``points``: ``first``, ``lowest`` or ``eliminate``.
        max_hands: the format also ends after so many hands.
    """

    kind: str
    hands: int | None = None
    target: int | None = None
    ending: str | None = None
    max_hands: int = 200

    def parameters(self) -> dict[str, OptionValue]:
        """The format as it stands in logs and messages: what does not apply is left out."""
        found: dict[str, OptionValue] = {"kind": self.kind}
        for name in ("hands", "target", "ending"):
            value = getattr(self, name)
            if value is not None:
                found[name] = value
        found["max_hands"] = self.max_hands
        return found


@dataclass(frozen=True, slots=True)
class Game:
    """A game as a record of functions. A variant is this record with a part replaced.

    Attributes:
        id: the stable name, such as ``domino-belga``.
        title: what people call it.
        source: where its rules come from.
        deck: its pieces.
        players: the numbers of seats it can be played with.
        formats: its match formats, the default first.
        deal: makes the hand from a `Deal`; None if the deal is void and the next attempt must be dealt.
        act: checks an action against the rules and carries it out on a hand that `deal` made; raises `IllegalAction`,
            and then changes nothing.
        options: what may be set.
        presets: named settings of the options, each usable in place of the game's id.
        pairs: True if seats 0 and 2 are a side against 1 and 3.
        passes_itself: True if a pass that is the only action is never asked of the seat.
        scores_in_play: True if points are scored in the middle of a hand.
        ends_dealing: the set of pieces that end the dealing once somebody holds one, under these options.
        direction: the way people sit in turn order, for viewers: ``clockwise`` or ``anticlockwise``.
    """

    id: str
    title: str
    source: str
    deck: Deck
    players: tuple[int, ...]
    formats: tuple[FormatSpec, ...]
    deal: Callable[[Deal], Hand | None]
    act: Callable[[Any, int], None]
    options: tuple[Option, ...] = ()
    presets: Mapping[str, Mapping[str, OptionValue]] = field(default_factory=dict)
    pairs: bool = False
    passes_itself: bool = False
    scores_in_play: bool = False
    ends_dealing: Callable[[Mapping[str, OptionValue]], int] = lambda options: 0
    direction: str = "clockwise"

    def sides(self, players: int) -> tuple[int, ...]:
        """The side of each seat, by seat: the pair's number, else the seat's own."""
        return tuple(seat % 2 for seat in range(players)) if self.pairs else tuple(range(players))

    def side_count(self, players: int) -> int:
        """How many sides there are at a table of so many seats."""
        return 2 if self.pairs else players
