"""What a bot sees: the referee's messages in plain Python, each part made when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from referee.v1 import play_pb2, table_pb2

_NAMES: dict[int, str] = dict(enumerate((f"{high}-{low}" for high in range(7) for low in range(high + 1)), 1))
_NAMES |= enumerate((rank + suit for suit in "OCEB" for rank in (*"1234567", "10", "11", "12")), 31)
_NAMES |= enumerate((rank + suit for suit in "DHSC" for rank in "A23456789TJQK"), 71)
_PIECES = frozenset(_NAMES.values())
_ARMS = {1: " left", 2: " right", 3: " up", 4: " down"}


def piece_name(piece: int) -> str:
    """The notation of a piece in a protocol message: 27 is ``6-5``, 37 is ``7O``."""
    return _NAMES.get(piece) or f"#{piece}"


@dataclass(frozen=True, slots=True)
class Action:
    """What a seat does in one turn. ``str(action)`` is its notation, and ``Action.of`` reads one.

    Attributes:
        notation: the action in text: ``6-5 left``, ``6-6``, ``7O``, ``draw`` or ``pass``.
        kind: ``play``, ``draw`` or ``pass``; ``other`` if this SDK is too old to know the action.
        piece: the piece played, such as ``6-5`` or ``7O``; None if none is.
        arm: where the tile goes: ``left``, ``right``, ``up`` or ``down``; None for the first tile and for cards.
    """

    notation: str
    kind: Literal["play", "draw", "pass", "other"]
    piece: str | None = None
    arm: str | None = None

    @staticmethod
    def of(notation: str) -> Action:
        """The action that is written so. The same text gives the same object."""
        action = _actions.get(notation)
        if action is None:
            piece, _, arm = notation.partition(" ")
            if piece in _PIECES:
                action = Action(notation, "play", piece, arm or None)
            else:
                action = Action(notation, "draw" if notation == "draw" else "pass" if notation == "pass" else "other")
            _actions[notation] = action
        return action

    def __str__(self) -> str:
        return self.notation


_actions: dict[str, Action] = {}


class MatchInfo:
    """What holds for the whole match.

    Attributes:
        message: the protocol's ``MatchStarted``, for what is not here.
        id: the match's id.
        game: the game's id, such as ``domino-belga``.
        options: all options of the game by name, with the values in force.
        format: the protocol's ``Format``: ``kind``, ``hands``, ``target``, ``ending``, ``max_hands``.
        names: the players' names, by seat.
        sides: the side that each seat plays for: the pair's number in ``domino-duplas``, else the seat's own.
        seat: this bot's seat, from 0.
        side: this bot's side. ``turn.points`` and ``turn.totals`` are by side.
    """

    def __init__(self, message: play_pb2.MatchStarted) -> None:
        self.message = message
        self.id: str = message.match_id
        self.game: str = message.game
        self.options: dict[str, int | str | bool] = {
            option.name: getattr(option, option.WhichOneof("value") or "text") for option in message.options
        }
        self.format: play_pb2.Format = message.format
        self.names: tuple[str, ...] = tuple(seat.name for seat in message.seats)
        self.sides: tuple[int, ...] = tuple(seat.side for seat in message.seats)
        self.seat: int = message.seat
        self.side: int = self.sides[self.seat] if self.seat < len(self.sides) else self.seat


class Turn:
    """A question of the referee: everything that a bot needs to choose by, so it need remember nothing.

    Lists by seat begin with seat 0, lists by side with side 0. What a game does not have is empty or None.

    Attributes:
        view: the protocol's ``View``, which all of this is read from.
        match: what holds for the whole match.
        turn_id: the number of the question; the same if it is asked again.
        refusal: why the last answer to this turn was refused; None if there was none.
    """

    def __init__(self, message: play_pb2.Turn, match: MatchInfo) -> None:
        self._message = message
        self.turn_id: int = message.turn_id
        self.view: table_pb2.View = message.view
        self.match = match
        self.refusal: str | None = None

    @cached_property
    def legal(self) -> tuple[Action, ...]:
        """All legal actions, at least one. `choose` returns one of them."""
        of = Action.of
        return tuple([of(action.notation) for action in self._message.legal])

    @cached_property
    def hand(self) -> tuple[str, ...]:
        """The bot's own pieces, in deck order."""
        return _pieces(self.view.pieces)

    @property
    def game(self) -> str:
        """The game's id, such as ``domino-belga``."""
        return self.match.game

    @property
    def seat(self) -> int:
        """The bot's own seat, from 0."""
        return self.view.seat

    @property
    def players(self) -> int:
        """How many seats the match has."""
        return len(self.view.piece_counts)

    @property
    def seats_in(self) -> tuple[int, ...]:
        """The seats that play this hand, in turn order from the lowest; who is out of the match is missing."""
        return tuple(self.view.seats_in)

    @property
    def hand_number(self) -> int:
        """The number of the hand in the match, from 0."""
        return self.view.hand

    @property
    def dealer(self) -> int:
        """The seat that dealt this hand."""
        return self.view.dealer

    @property
    def starter(self) -> int:
        """The seat that had the first turn of this hand."""
        return self.view.starter

    @property
    def counts(self) -> tuple[int, ...]:
        """How many pieces each seat holds."""
        return tuple(self.view.piece_counts)

    @property
    def stock(self) -> int:
        """How many pieces are left to draw."""
        return self.view.stock_size

    @cached_property
    def table(self) -> tuple[str, ...]:
        """All pieces on the table: those laid by the deal, then the others as they came."""
        return _pieces(self.view.table)

    @cached_property
    def ends(self) -> dict[str, int]:
        """Dominoes: the number to match at each open arm (``left``, ``right``, ``up``, ``down``)."""
        line = self.view.line
        arms = ("left", "right", "up", "down")
        return {arm: getattr(line, f"{arm}_end") for arm in arms if line.HasField(f"{arm}_end")}  # type: ignore[arg-type]

    @property
    def spinner(self) -> str | None:
        """Dominoes: the first double played, where the game has such a thing."""
        return _NAMES.get(self.view.line.spinner)

    @cached_property
    def rows(self) -> dict[str, tuple[str, str]]:
        """Cards: the lowest and the highest card of each open row, by suit letter: ``{"O": ("4O", "7O")}``."""
        rows = self.view.rows
        pairs = zip(_pieces(rows.low), _pieces(rows.high), strict=True)
        return {low[-1]: (low, high) for low, high in pairs if low in _PIECES}

    @property
    def passes_used(self) -> tuple[int, ...]:
        """``domino-a-carte``: how many passes each seat has used in this hand."""
        return tuple(self.view.passes_used)

    @property
    def points(self) -> tuple[int, ...]:
        """``domino-belga``: the points scored in this hand so far, by side."""
        return tuple(self.view.hand_points)

    @property
    def totals(self) -> tuple[int, ...]:
        """What the match format counts so far, by side: hands won, or points."""
        return tuple(self.view.totals)

    @cached_property
    def history(self) -> tuple[tuple[int, Action], ...]:
        """The actions of this hand so far, each with the seat that took it."""
        log = self.view.history
        acts = zip(log.kinds, log.pieces, log.arms, strict=True)
        return tuple(zip(log.seats, [_past(*act) for act in acts], strict=True))

    @property
    def drawn(self) -> str | None:
        """The piece that the bot has just drawn, if that was the last action."""
        return _NAMES.get(self.view.drawn)

    @property
    def move_ms(self) -> int | None:
        """Milliseconds left of this turn's own time when the referee asked; None: not timed."""
        clock = self._message.clock
        return clock.move_ms if clock.HasField("move_ms") else None

    @property
    def bank_ms(self) -> int | None:
        """Milliseconds left in the bank, used once `move_ms` is; None: there is no bank."""
        clock = self._message.clock
        return clock.bank_ms if clock.HasField("bank_ms") else None


def _past(kind: int, piece: int, arm: int) -> Action:
    if kind == table_pb2.ACTION_KIND_PLAY:
        return Action.of(piece_name(piece) + _ARMS.get(arm, ""))
    return Action.of("draw" if kind == table_pb2.ACTION_KIND_DRAW else "pass")


def _pieces(pieces: Iterable[int]) -> tuple[str, ...]:
    return tuple([piece_name(piece) for piece in pieces])
