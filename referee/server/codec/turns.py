"""What a seat is asked, what it answers, and why an answer is refused."""

from __future__ import annotations

from functools import cache
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
from referee.server.codec.events import REMEDIES
from referee.server.codec.pieces import ARMS, FIRST_PIECE, action_message, piece_enum
from referee.v1 import fault_pb2, play_pb2, table_pb2

MOST_NOTATION: Final = 40
"""A longer text names no action, and is not repeated to anybody."""


@cache
def _legal_fragment(action: int, deck_id: str) -> bytes:
    """A `Turn` with nothing but this legal action, to be merged into the turn that is asked."""
    return play_pb2.Turn(legal=[action_message(action, deck_id)]).SerializeToString()


class TurnCodec:
    """Encodes the turns of one match and decodes the answers.

    What everybody knows of a hand (its history and table) grows from turn to turn and is kept as a message; what one
    seat knows is made afresh for every turn, so that nothing of it can reach another.
    """

    def __init__(self, spec: MatchSpec) -> None:
        self._scores = spec.game.scores_in_play
        self._deck = spec.game.deck
        self._pieces = piece_enum(self._deck.id)
        self._public = table_pb2.View()
        self._history_of: list[int] | None = None
        self._seen = 0
        self._laid = 0

    def turn(self, view: View, move_ms: int, bank_ms: int) -> bytes:
        """A turn to be asked, as an encoded `PlayResponse`."""
        response = play_pb2.PlayResponse()
        turn = response.events.add().turn
        deck_id = self._deck.id
        turn.MergeFromString(b"".join([_legal_fragment(action, deck_id) for action in view.legal]))
        turn.turn_id = view.turn
        clock = turn.clock
        clock.move_ms = move_ms
        clock.bank_ms = bank_ms
        self._catch_up(view)
        message = turn.view
        message.MergeFrom(self._public)
        self._own(view, message)
        return response.SerializeToString()

    def _catch_up(self, view: View) -> None:
        """Bring what everybody knows up to date."""
        public = self._public
        history = view.history
        if self._history_of is not history:
            self._history_of = history
            self._seen = 0
            public.Clear()
            public.hand = view.hand
            public.dealer = view.dealer
            public.starter = view.starter
            public.totals.extend(view.totals)
            public.seats_in.extend(view.seats)
            self._laid = 0
        if self._laid != view.laid:
            public.table.extend(self._values(view.laid & ~self._laid))
            self._laid = view.laid
        pieces = self._pieces
        message = public.history
        for item in history[self._seen :]:
            action = item & ACTION_MASK
            message.seats.append(item >> SEAT_SHIFT)
            if action < DRAW:
                piece = pieces[action >> ARM_BITS]
                message.kinds.append(table_pb2.ACTION_KIND_PLAY)
                message.pieces.append(piece)
                message.arms.append(ARMS[action & ARM_MASK])
                public.table.append(piece)
            else:
                message.kinds.append(table_pb2.ACTION_KIND_DRAW if action == DRAW else table_pb2.ACTION_KIND_PASS)
                message.pieces.append(table_pb2.PIECE_UNSPECIFIED)
                message.arms.append(table_pb2.ARM_UNSPECIFIED)
        self._seen = len(history)

    def _own(self, view: View, message: table_pb2.View) -> None:
        message.seat = view.seat
        message.turn = view.turn
        message.pieces.extend(self._values(view.pieces))
        message.piece_counts.extend(view.counts)
        message.stock_size = view.stock
        if view.drawn != NO_PIECE:
            message.drawn = self._pieces[view.drawn]
        if self._deck.suits == 1:
            self._line(view, message.line)
        else:
            self._rows(view, message.rows)
        if view.passes is not None:
            message.passes_used.extend(view.passes)
        if self._scores:
            message.hand_points.extend(view.points)

    def _values(self, mask: int) -> list[table_pb2.Piece.ValueType]:
        pieces = self._pieces
        return [pieces[piece] for piece in pieces_of(mask)]

    def _line(self, view: View, line: table_pb2.Line) -> None:
        ends = view.ends
        if ends[LEFT] != CLOSED:
            line.left_end = ends[LEFT]
            line.right_end = ends[RIGHT]
        if ends[UP] != CLOSED:
            line.up_end = ends[UP]
            line.down_end = ends[DOWN]
        if view.spinner != NO_PIECE:
            line.spinner = self._pieces[view.spinner]

    def _rows(self, view: View, rows: table_pb2.Rows) -> None:
        pieces = self._pieces
        start = 0
        for low, high in zip(view.low, view.high, strict=True):
            open = low != NOT_OPEN
            rows.low.append(pieces[start + low] if open else table_pb2.PIECE_UNSPECIFIED)
            rows.high.append(pieces[start + high] if open else table_pb2.PIECE_UNSPECIFIED)
            start += self._deck.ranks

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
        piece = action.play.piece - FIRST_PIECE[self._deck.id]
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
