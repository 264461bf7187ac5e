"""What a seat is asked, what it answers, and why an answer is refused."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from referee.match.events import MatchSpec
from referee.match.policy import Remedy
from referee.match.seat import Reply
from referee.rules.actions import (
    ARM_BITS,
    ARM_MASK,
    ARM_NAMES,
    DOWN,
    DRAW,
    LEFT,
    PASS,
    RIGHT,
    UP,
    parse_action,
    play,
)
from referee.rules.game import ACTION_MASK, NO_PIECE, SEAT_SHIFT, IllegalAction
from referee.rules.line import CLOSED
from referee.rules.pieces import NotationError, pieces_of
from referee.rules.rows import NOT_OPEN
from referee.rules.view import View
from referee.server.codec.events import EVENT, EVENTS, REMEDIES
from referee.server.codec.pieces import FIRST_PIECE, action_message
from referee.server.codec.wire import embedded, keys, number, packed, packed_signed
from referee.v1 import fault_pb2, play_pb2, table_pb2

MOST_NOTATION: Final = 40
"""A longer text names no action, and is not repeated to anybody."""


_TURN: Final = keys(play_pb2.Turn.DESCRIPTOR)
_CLOCK: Final = keys(table_pb2.ClockState.DESCRIPTOR)
_VIEW: Final = keys(table_pb2.View.DESCRIPTOR)
_LINE: Final = keys(table_pb2.Line.DESCRIPTOR)
_ROWS: Final = keys(table_pb2.Rows.DESCRIPTOR)
_HISTORY: Final = keys(table_pb2.History.DESCRIPTOR)


@lru_cache(1 << 14)
def _legal(legal: tuple[int, ...], deck_id: str) -> bytes:
    """The legal actions, as the fields of a `Turn`. Few lists come once only."""
    key = _TURN["legal"]
    return b"".join([embedded(key, action_message(action, deck_id).SerializeToString()) for action in legal])


@lru_cache(1 << 14)
def _line(ends: tuple[int, ...], spinner: int) -> bytes:
    """A `Line`, as the field of a `View`. The spinner is a value of the enum `Piece`, or `NO_PIECE`."""
    line = b""
    if ends[LEFT] != CLOSED:
        line = number(_LINE["left_end"], ends[LEFT]) + number(_LINE["right_end"], ends[RIGHT])
    if ends[UP] != CLOSED:
        line += number(_LINE["up_end"], ends[UP]) + number(_LINE["down_end"], ends[DOWN])
    if spinner != NO_PIECE:
        line += number(_LINE["spinner"], spinner)
    return embedded(_VIEW["line"], line)


class TurnCodec:
    """Encodes the turns of one match and decodes the answers.

    What everybody knows of a hand (its history and table) grows from turn to turn and is kept encoded; what one seat
    knows is encoded afresh for every turn, so that nothing of it can reach another.
    """

    def __init__(self, spec: MatchSpec) -> None:
        self._scores = spec.game.scores_in_play
        self._deck = spec.game.deck
        self._first = FIRST_PIECE[self._deck.id]
        self._history_of: list[int] | None = None
        self._seen = 0
        self._laid = 0
        self._hand = b""
        self._table = bytearray()
        self._seats = bytearray()
        self._kinds = bytearray()
        self._pieces = bytearray()
        self._arms = bytearray()

    def turn(self, view: View, move_ms: int, bank_ms: int) -> bytes:
        """A turn to be asked, as an encoded `PlayResponse`."""
        self._catch_up(view)
        clock = number(_CLOCK["move_ms"], move_ms) + number(_CLOCK["bank_ms"], bank_ms)
        turn = b"".join(
            [
                number(_TURN["turn_id"], view.turn),
                embedded(_TURN["view"], self._view(view)),
                _legal(view.legal, self._deck.id),
                embedded(_TURN["clock"], clock),
            ]
        )
        return embedded(EVENTS, embedded(EVENT["turn"], turn))

    def _catch_up(self, view: View) -> None:
        """Bring what everybody knows up to date."""
        history = view.history
        if self._history_of is not history:
            self._history_of = history
            self._seen = 0
            self._laid = 0
            self._hand = self._of_hand(view)
            for kept in (self._table, self._seats, self._kinds, self._pieces, self._arms):
                kept.clear()
        if self._laid != view.laid:
            self._table += self._values(view.laid & ~self._laid)
            self._laid = view.laid
        for item in history[self._seen :]:
            action = item & ACTION_MASK
            self._seats.append(item >> SEAT_SHIFT)
            if action < DRAW:
                piece = (action >> ARM_BITS) + self._first
                self._kinds.append(table_pb2.ACTION_KIND_PLAY)
                self._pieces.append(piece)
                self._arms.append(action & ARM_MASK)
                self._table.append(piece)
            else:
                self._kinds.append(table_pb2.ACTION_KIND_DRAW if action == DRAW else table_pb2.ACTION_KIND_PASS)
                self._pieces.append(table_pb2.PIECE_UNSPECIFIED)
                self._arms.append(table_pb2.ARM_UNSPECIFIED)
        self._seen = len(history)

    @staticmethod
    def _of_hand(view: View) -> bytes:
        """The part of a view that stays the same for a whole hand."""
        return (
            number(_VIEW["hand"], view.hand)
            + number(_VIEW["dealer"], view.dealer)
            + number(_VIEW["starter"], view.starter)
            + packed_signed(_VIEW["totals"], view.totals)
            + packed(_VIEW["seats_in"], bytes(view.seats))
        )

    def _view(self, view: View) -> bytes:
        history = (
            packed(_HISTORY["seats"], self._seats)
            + packed(_HISTORY["kinds"], self._kinds)
            + packed(_HISTORY["pieces"], self._pieces)
            + packed(_HISTORY["arms"], self._arms)
        )
        parts = [
            self._hand,
            embedded(_VIEW["history"], history),
            packed(_VIEW["table"], self._table),
            number(_VIEW["seat"], view.seat),
            number(_VIEW["turn"], view.turn),
            packed(_VIEW["pieces"], self._values(view.pieces)),
            packed(_VIEW["piece_counts"], bytes(view.counts)),
            number(_VIEW["stock_size"], view.stock),
            self._layout(view),
        ]
        if view.drawn != NO_PIECE:
            parts.append(number(_VIEW["drawn"], view.drawn + self._first))
        if view.passes is not None:
            parts.append(packed(_VIEW["passes_used"], bytes(view.passes)))
        if self._scores:
            parts.append(packed_signed(_VIEW["hand_points"], view.points))
        return b"".join(parts)

    def _values(self, mask: int) -> bytes:
        """The values of the enum `Piece` of a set of pieces."""
        first = self._first
        return bytes([piece + first for piece in pieces_of(mask)])

    def _layout(self, view: View) -> bytes:
        if self._deck.suits > 1:
            return embedded(_VIEW["rows"], self._rows(view))
        spinner = view.spinner
        return _line(tuple(view.ends), spinner + self._first if spinner != NO_PIECE else NO_PIECE)

    def _rows(self, view: View) -> bytes:
        ranks = self._deck.ranks
        low, high = (
            bytes(
                self._first + suit * ranks + rank if rank != NOT_OPEN else table_pb2.PIECE_UNSPECIFIED
                for suit, rank in enumerate(ends)
            )
            for ends in (view.low, view.high)
        )
        return packed(_ROWS["low"], low) + packed(_ROWS["high"], high)

    def answered(self, answer: play_pb2.Answer, view: View) -> int:
        """The action that an answer names.

        Raises:
            NotationError: it names none of this deck, with what was given.
        """
        choice = answer.WhichOneof("choice")
        if choice == "index":
            if answer.index < len(view.legal):
                return view.legal[answer.index]
            raise NotationError(f"index {answer.index}: the legal actions are numbered 0 to {len(view.legal) - 1}")
        if choice is None:
            raise NotationError("the answer holds neither `index` nor `action`")
        action = answer.action
        kind = action.WhichOneof("kind")
        if kind == "draw":
            return DRAW
        if kind == "pass_turn":
            return PASS
        if kind is None:
            if not action.notation:
                raise NotationError("the action has no kind that this server knows, and no notation")
            if len(action.notation) > MOST_NOTATION:
                raise NotationError(f"a notation of {len(action.notation)} characters is that of no action")
            return parse_action(action.notation, self._deck)
        piece = action.play.piece - self._first
        if not 0 <= piece < len(self._deck):
            raise NotationError(f"piece {action.play.piece} is no piece of the {self._deck.id} deck")
        arm = action.play.arm
        if not 0 <= arm < len(ARM_NAMES):
            raise NotationError(f"arm {arm} is none of left, right, up, down")
        if self._deck.suits > 1 or not view.history:
            return play(piece)
        if not arm:
            fitting = [one for one in view.legal if one < DRAW and one >> ARM_BITS == piece]
            return fitting[0] if len(fitting) == 1 else play(piece)
        return play(piece, arm)

    def given(self, answer: play_pb2.Answer) -> str:
        """What an answer said, for the log."""
        if answer.HasField("action"):
            return answer.action.notation or str(answer.action).replace("\n", " ")
        return f"index {answer.index}" if answer.HasField("index") else ""

    def refusal(self, what: IllegalAction | Reply, remedy: Remedy, view: View) -> bytes:
        """The refusal of an answer to the open turn, as an encoded `PlayResponse`."""
        refusal = fault_pb2.Refusal(
            turn_id=view.turn,
            code=what.code,
            message=what.detail if isinstance(what, Reply) else str(what),
            rule=what.rule if isinstance(what, IllegalAction) else "",
            legal=[action_message(action, self._deck.id) for action in view.legal],
            remedy=REMEDIES[remedy],
        )
        return play_pb2.PlayResponse(events=[play_pb2.PlayEvent(refusal=refusal)]).SerializeToString()
