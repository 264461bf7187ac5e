"""What lies on the table and who holds what, as the fold of a log's events alone.

A `Table` is built from whatever events it is given. Given the events that `referee.rules.view.told` leaves for a seat,
it knows no more than that seat: what is hidden never gets here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from referee.match.events import Event, MatchSpec
from referee.rules.line import AT_ONCE
from referee.rules.pieces import Deck


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile where it lies.

    Attributes:
        piece: its notation.
        near: the half to the left; on a side arm the half towards the spinner.
        far: the other half.
    """

    piece: str
    near: str
    far: str

    @property
    def double(self) -> bool:
        """Whether both halves are alike; it then lies across."""
        return self.near == self.far


@dataclass(frozen=True, slots=True)
class Table:
    """A hand at one moment, as far as the events told.

    Attributes:
        deck: the pieces.
        hand: the number of the hand; -1 before the first.
        hands: the pieces each seat holds, by seat; None where they are hidden.
        counts: how many pieces each seat holds, by seat; None for a seat that is out of the match.
        stock: how many pieces the stock holds.
        line: the tiles in line, from left to right.
        up: the tiles on the spinner's upper arm, the nearest first.
        down: the tiles on its lower arm, the nearest first.
        spinner: the notation of the spinner; empty while there is none.
        spinner_opens: the option in force; empty in games without a spinner.
        cards: the cards on the table, in the order they came.
        last: the pieces that came last.
        passes: how often each seat passed in this hand, by seat.
        points: points scored in the middle of the hand, by side.
        totals: what the match format counts, by side.
        result: the `hand_ended` event, once the hand has ended.
    """

    deck: Deck
    hands: tuple[tuple[str, ...] | None, ...]
    counts: tuple[int | None, ...]
    sides: tuple[int, ...]
    spinner_opens: str
    points: tuple[int, ...]
    totals: tuple[int, ...]
    hand: int = -1
    stock: int = 0
    line: tuple[Tile, ...] = ()
    up: tuple[Tile, ...] = ()
    down: tuple[Tile, ...] = ()
    spinner: str = ""
    cards: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    passes: tuple[int, ...] = ()
    result: Event | None = None

    def after(self, event: Mapping[str, Any]) -> Table:
        """The table as an event leaves it. Events that the rules do not know leave it as it is."""
        kind = event["event"]
        if kind == "hand_started":
            return self._dealt(event)
        if kind == "action":
            return self._acted(event)
        if kind == "hand_ended":
            left = tuple(None if pieces is None else tuple(pieces) for pieces in event["left"])
            counts = tuple(None if pieces is None else len(pieces) for pieces in left)
            return replace(self, hands=left, counts=counts, totals=tuple(event["totals"]), result=dict(event))
        return self

    def open_ends(self) -> dict[str, str]:
        """The number at each end that can be played on, by arm."""
        if not self.line:
            return {}
        ends = {"left": self.line[0].near, "right": self.line[-1].far}
        inside = self.spinner not in {"", self.line[0].piece, self.line[-1].piece}
        if self.spinner and (inside or self.spinner_opens == AT_ONCE):
            ends["up"] = self.up[-1].far if self.up else self.spinner[0]
            ends["down"] = self.down[-1].far if self.down else self.spinner[0]
        return ends

    def _dealt(self, event: Mapping[str, Any]) -> Table:
        seats = range(len(self.counts))
        if "hands" in event:
            hands = tuple(None if pieces is None else tuple(pieces) for pieces in event["hands"])
            counts = tuple(None if pieces is None else len(pieces) for pieces in hands)
            stock = len(event["stock"])
        else:
            counts = tuple(event["counts"][seat] if seat in event["seats"] else None for seat in seats)
            hands = tuple(tuple(event["pieces"]) if seat == event["viewer"] else None for seat in seats)
            stock = event["stock"]
        fresh = Table(
            self.deck,
            hands,
            counts,
            self.sides,
            self.spinner_opens,
            (0,) * len(self.points),
            self.totals,
            event["hand"],
        )
        return replace(fresh, stock=stock, cards=tuple(event["laid"]), passes=(0,) * len(self.counts))

    def _acted(self, event: Mapping[str, Any]) -> Table:
        seat, action = event["seat"], event["action"]
        held, count = self.hands[seat], self.counts[seat] or 0
        if action["type"] == "draw":
            drawn = event.get("drawn")
            if held is not None and drawn is not None:
                held = tuple(sorted((*held, drawn), key=self.deck.piece))
            return replace(self, **self._holding(seat, held, count + 1), stock=self.stock - 1, last=())
        if action["type"] == "pass":
            passes = tuple(number + (place == seat) for place, number in enumerate(self.passes))
            laid = tuple(event.get("laid", ()))
            held = tuple(piece for piece in held if piece not in laid) if held is not None else None
            holding = self._holding(seat, held, count - len(laid))
            return replace(self, **holding, cards=self.cards + laid, last=laid, passes=passes)
        piece = action["piece"]
        held = tuple(one for one in held if one != piece) if held is not None else None
        table = replace(self, **self._holding(seat, held, count - 1), last=(piece,))
        scored = event.get("scored", 0)
        if scored:
            side = self.sides[seat]
            table = replace(table, points=tuple(p + scored * (s == side) for s, p in enumerate(self.points)))
        if self.deck.suits > 1:
            return replace(table, cards=(*self.cards, piece))
        return table._laid(piece, action.get("arm", ""))

    def _holding(self, seat: int, held: tuple[str, ...] | None, count: int) -> dict[str, Any]:
        return {
            "hands": _with(self.hands, seat, held),
            "counts": _with(self.counts, seat, count),
        }

    def _laid(self, piece: str, arm: str) -> Table:
        """Lay a tile on an arm, turned so that it fits."""
        high, low = piece.split("-")
        changes: dict[str, Any] = {}
        if not arm:
            changes["line"] = (Tile(piece, high, low),)
        elif arm == "left":
            end = self.line[0].near
            changes["line"] = (Tile(piece, low if high == end else high, end), *self.line)
        elif arm == "right":
            end = self.line[-1].far
            changes["line"] = (*self.line, Tile(piece, end, low if high == end else high))
        else:
            end = self.open_ends()[arm]
            before = self.up if arm == "up" else self.down
            changes[arm] = (*before, Tile(piece, end, low if high == end else high))
        if self.spinner_opens and not self.spinner and high == low:
            changes["spinner"] = piece
        return replace(self, **changes)


def _with(values: Sequence[Any], place: int, value: Any) -> tuple[Any, ...]:
    return (*values[:place], value, *values[place + 1 :])


def empty_table(spec: MatchSpec) -> Table:
    """The table of a match before its first deal."""
    seats = len(spec.names)
    sides = spec.game.sides(seats)
    zeros = (0,) * (max(sides) + 1)
    opens = str(spec.options.get("spinner_opens", ""))
    return Table(spec.game.deck, (None,) * seats, (0,) * seats, sides, opens, zeros, zeros)
