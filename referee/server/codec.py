"""Domain objects to messages and back; the only place that does it.

Encoded `PlayResponse` messages are passed on as bytes: the encoding of two messages one after the other is the encoding
of their merge (protobuf encoding guide, "Last One Wins" and repeated fields), and all that `PlayResponse` holds is a
list of events. So an event is encoded once, and whoever is owed several gets them joined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from referee.match.events import Event, MatchSpec
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
    format_action,
    parse_action,
    play,
)
from referee.rules.game import ACTION_MASK, NO_PIECE, SEAT_SHIFT, IllegalAction
from referee.rules.line import CLOSED
from referee.rules.pieces import DOMINO_28, FRENCH_52, SPANISH_40, Deck, NotationError, pieces_of
from referee.rules.rows import NOT_OPEN
from referee.rules.view import View, told
from referee.v1 import fault_pb2, play_pb2, table_pb2

_FIRST_PIECE: Final = {DOMINO_28.id: 1, SPANISH_40.id: 31, FRENCH_52.id: 71}
"""The number in the enum `Piece` of a deck's first piece; the others follow in canonical order."""

_TAKEN_BY: Final = {
    "bot": play_pb2.TAKEN_BY_BOT,
    "forced": play_pb2.TAKEN_BY_FORCED,
    "timeout": play_pb2.TAKEN_BY_TIMEOUT,
    "forfeit": play_pb2.TAKEN_BY_FORFEIT,
}
_REMEDIES: Final = {
    Remedy.ASK_AGAIN: fault_pb2.REMEDY_ASK_AGAIN,
    Remedy.STAND_IN: fault_pb2.REMEDY_STAND_IN_TURN,
    Remedy.FORFEIT: fault_pb2.REMEDY_FORFEIT,
}
_DIRECTIONS: Final = {
    "clockwise": play_pb2.DIRECTION_CLOCKWISE,
    "anticlockwise": play_pb2.DIRECTION_ANTICLOCKWISE,
}


def options_messages(options: Mapping[str, Any]) -> list[play_pb2.Option]:
    """Options as messages."""
    found = []
    for name, value in options.items():
        option = play_pb2.Option(name=name)
        if isinstance(value, bool):
            option.flag = value
        elif isinstance(value, int):
            option.number = value
        else:
            option.text = value
        found.append(option)
    return found


def action_message(action: int, deck: Deck) -> table_pb2.Action:
    """An action as a message, its notation beside it."""
    message = table_pb2.Action(notation=format_action(action, deck))
    if action == DRAW:
        message.draw.SetInParent()
    elif action == PASS:
        message.pass_turn.SetInParent()
    else:
        message.play.piece = _piece(action >> ARM_BITS, deck)
        message.play.arm = _arm(action & ARM_MASK)
    return message


@cache
def _legal_fragment(action: int, deck_id: str) -> bytes:
    """A `Turn` with nothing but this legal action, to be merged into the turn that is asked."""
    deck = next(deck for deck in (DOMINO_28, SPANISH_40, FRENCH_52) if deck.id == deck_id)
    return play_pb2.Turn(legal=[action_message(action, deck)]).SerializeToString()


def _piece(piece: int, deck: Deck) -> table_pb2.Piece.ValueType:
    return table_pb2.Piece.ValueType(piece + _FIRST_PIECE[deck.id])


def _arm(arm: int) -> table_pb2.Arm.ValueType:
    return table_pb2.Arm.ValueType(arm)


class MatchCodec:
    """Encodes the events and turns of one match.

    It keeps the messages that grow from turn to turn (the hand's history) and brings them up to date.
    """

    def __init__(self, spec: MatchSpec) -> None:
        self._spec = spec
        self._deck = spec.game.deck
        self._base = _FIRST_PIECE[self._deck.id]
        self._public: tuple[Event, bytes] = ({}, b"")
        self._history = table_pb2.History()
        self._history_of: list[int] | None = None

    def event(self, event: Event, seat: int | None) -> bytes:
        """A log event as a seat (None: anybody) may see it, as an encoded `PlayResponse`; empty if it is not told."""
        encode = _ENCODERS.get(event["event"])
        if encode is None:
            return b""
        personal = event["event"] in _PERSONAL or ("drawn" in event and event["seat"] == seat)
        if not personal and self._public[0] is event:
            return self._public[1]
        message = play_pb2.PlayEvent()
        encode(self, told(event, seat), message, seat)
        data = _response(message)
        if not personal:
            self._public = (event, data)
        return data

    def turn(self, view: View, move_ms: int, bank_ms: int) -> bytes:
        """A turn to be asked, as an encoded `PlayResponse`."""
        response = play_pb2.PlayResponse()
        turn = response.events.add().turn
        deck_id = self._deck.id
        turn.MergeFromString(b"".join([_legal_fragment(action, deck_id) for action in view.legal]))
        turn.turn_id = view.turn
        turn.clock.move_ms = move_ms
        turn.clock.bank_ms = bank_ms
        self._view(view, turn.view)
        return response.SerializeToString()

    def _view(self, view: View, message: table_pb2.View) -> None:
        base = self._base
        message.seat = view.seat
        message.hand = view.hand
        message.dealer = view.dealer
        message.starter = view.starter
        message.turn = view.turn
        message.pieces.extend([piece + base for piece in pieces_of(view.pieces)])  # type: ignore[misc]
        message.piece_counts.extend(view.counts)
        message.stock_size = view.stock
        message.table.extend([piece + base for piece in view.table()])  # type: ignore[misc]
        message.totals.extend(view.totals)
        message.seats_in.extend(view.seats)
        if view.drawn != NO_PIECE:
            message.drawn = _piece(view.drawn, self._deck)
        if self._deck.suits == 1:
            self._line(view, message.line)
        else:
            low, high = message.rows.low, message.rows.high
            for suit, (first, last) in enumerate(zip(view.low, view.high, strict=True)):
                start = base + suit * self._deck.ranks
                low.append(0 if first == NOT_OPEN else start + first)  # type: ignore[arg-type]
                high.append(0 if last == NOT_OPEN else start + last)  # type: ignore[arg-type]
        if view.passes is not None:
            message.passes_used.extend(view.passes)
        if self._spec.game.scores_in_play:
            message.hand_points.extend(view.points)
        message.history.CopyFrom(self._history_up_to(view))

    def _line(self, view: View, line: table_pb2.Line) -> None:
        ends = view.ends
        if ends[LEFT] != CLOSED:
            line.left_end = ends[LEFT]
            line.right_end = ends[RIGHT]
        if ends[UP] != CLOSED:
            line.up_end = ends[UP]
            line.down_end = ends[DOWN]
        if view.spinner != NO_PIECE:
            line.spinner = _piece(view.spinner, self._deck)

    def _history_up_to(self, view: View) -> table_pb2.History:
        """The history message, with what happened since it was last asked for."""
        history = self._history
        if self._history_of is not view.history:
            history.Clear()
            self._history_of = view.history
        base = self._base
        for item in view.history[len(history.seats) :]:
            history.seats.append(item >> SEAT_SHIFT)
            action = item & ACTION_MASK
            if action < DRAW:
                history.kinds.append(table_pb2.ACTION_KIND_PLAY)
                history.pieces.append((action >> ARM_BITS) + base)  # type: ignore[arg-type]
                history.arms.append(action & ARM_MASK)  # type: ignore[arg-type]
            else:
                history.kinds.append(table_pb2.ACTION_KIND_DRAW if action == DRAW else table_pb2.ACTION_KIND_PASS)
                history.pieces.append(table_pb2.PIECE_UNSPECIFIED)
                history.arms.append(table_pb2.ARM_UNSPECIFIED)
        return history

    # Events --------------------------------------------------------------------------------------------------

    def _pieces(self, names: list[str]) -> list[table_pb2.Piece.ValueType]:
        return [_piece(self._deck.piece(name), self._deck) for name in names]

    def _match_started(self, event: Event, message: play_pb2.PlayEvent, seat: int | None) -> None:
        started = message.match_started
        started.CopyFrom(
            play_pb2.MatchStarted(
                match_id=event["match"],
                game=event["game"],
                rules_version=event["rules_version"],
                options=options_messages(event["options"]),
                format=play_pb2.Format(**event["format"]),
                clock=play_pb2.Clock(**event["clock"]),
                seats=[play_pb2.Seat(**one) for one in event["seats"]],
                commitment=event["commitment"],
                direction=_DIRECTIONS[self._spec.game.direction],
            )
        )
        if seat is not None:
            started.seat = seat

    def _hand_started(self, event: Event, message: play_pb2.PlayEvent, seat: int | None) -> None:
        message.hand_started.CopyFrom(
            play_pb2.HandStarted(
                hand=event["hand"],
                attempt=event["attempt"],
                dealer=event["dealer"],
                starter=event["starter"],
                pieces=self._pieces(event["pieces"]),
                piece_counts=event["counts"],
                stock_size=event["stock"],
                laid=self._pieces(event["laid"]),
                seats_in=event["seats"],
            )
        )

    def _action(self, event: Event, message: play_pb2.PlayEvent, seat: int | None) -> None:
        taken = message.action_taken
        taken.hand = event["hand"]
        taken.turn = event["turn"]
        taken.seat = event["seat"]
        taken.taken_by = _TAKEN_BY[event["by"]]
        taken.took_ms = event["took_ms"]
        taken.action.MergeFromString(_action_bytes(self._deck, **event["action"]))
        if "drawn" in event:
            taken.drawn = _piece(self._deck.piece(event["drawn"]), self._deck)
        if "scored" in event:
            taken.scored = event["scored"]
        if "laid" in event:
            taken.laid.extend(self._pieces(event["laid"]))

    def _hand_ended(self, event: Event, message: play_pb2.PlayEvent, seat: int | None) -> None:
        left = [
            play_pb2.PieceSet(out_of_match=pieces is None, pieces=self._pieces(pieces or []))
            for pieces in event["left"]
        ]
        message.hand_ended.CopyFrom(
            play_pb2.HandEnded(
                hand=event["hand"],
                reason=play_pb2.HandEndReason.Value(f"HAND_END_REASON_{event['reason'].upper()}"),
                winners=event["winners"],
                left=left,
                points=event["points"],
                totals=event["totals"],
            )
        )

    def _match_ended(self, event: Event, message: play_pb2.PlayEvent, seat: int | None) -> None:
        message.match_ended.CopyFrom(
            play_pb2.MatchEnded(
                reason=play_pb2.MatchEndReason.Value(f"MATCH_END_REASON_{event['reason'].upper()}"),
                places=event["places"],
                totals=event["totals"],
                seed=event.get("seed", ""),
                seed_withheld="seed_withheld" in event,
            )
        )

    def _forfeited(self, event: Event, message: play_pb2.PlayEvent, seat: int | None) -> None:
        message.fault.seat = event["seat"]
        message.fault.kind = fault_pb2.FaultKind.Value(f"FAULT_KIND_{event['cause'].upper()}")
        message.fault.remedy = fault_pb2.REMEDY_FORFEIT

    # From the bots -------------------------------------------------------------------------------------------

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
            return parse_action(action.notation, self._deck)
        piece = action.play.piece - self._base
        if not 0 <= piece < len(self._deck):
            raise NotationError(f"piece {action.play.piece} is no piece of the {self._deck.id} deck")
        arm = action.play.arm
        if arm >= len(ARM_NAMES):
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

    def refusal(self, turn_id: int, what: IllegalAction | Reply, remedy: Remedy, view: View) -> bytes:
        """The refusal of an answer to the open turn, as an encoded `PlayResponse`."""
        illegal = what if isinstance(what, IllegalAction) else None
        refusal = fault_pb2.Refusal(
            turn_id=turn_id,
            code=what.code,
            message=what.detail if isinstance(what, Reply) else str(what),
            rule=illegal.rule if illegal else "",
            legal=[action_message(action, self._deck) for action in view.legal],
            remedy=_REMEDIES[remedy],
        )
        return _response(play_pb2.PlayEvent(refusal=refusal))


_ENCODERS: Final[Mapping[str, Callable[[MatchCodec, Event, play_pb2.PlayEvent, int | None], None]]] = {
    "match_started": MatchCodec._match_started,
    "hand_started": MatchCodec._hand_started,
    "action": MatchCodec._action,
    "hand_ended": MatchCodec._hand_ended,
    "match_ended": MatchCodec._match_ended,
    "forfeited": MatchCodec._forfeited,
}


_PERSONAL: Final = frozenset({"match_started", "hand_started"})
"""The events that are told to each seat in its own way; others are encoded once for all who may know the same."""


@cache
def _encoded_action(action: int, deck_id: str) -> bytes:
    turn = play_pb2.Turn.FromString(_legal_fragment(action, deck_id))
    return turn.legal[0].SerializeToString()


def _action_bytes(deck: Deck, type: str, piece: str = "", arm: str = "") -> bytes:
    """An encoded `Action` from an action as it stands in the log."""
    if type == "play":
        return _encoded_action(play(deck.piece(piece), ARM_NAMES.index(arm)), deck.id)
    return _encoded_action(DRAW if type == "draw" else PASS, deck.id)


def _response(event: play_pb2.PlayEvent) -> bytes:
    return play_pb2.PlayResponse(events=[event]).SerializeToString()


def joined(match_id: str, seat: int, name: str, resumed: bool) -> bytes:
    """The first thing a bot is told, as an encoded `PlayResponse`."""
    message = play_pb2.Joined(match_id=match_id, seat=seat, name=name, resumed=resumed)
    return _response(play_pb2.PlayEvent(joined=message))


def ignored(code: str, message: str, turn_id: int | None = None) -> bytes:
    """The refusal of a message that changes nothing, as an encoded `PlayResponse`."""
    refusal = fault_pb2.Refusal(code=code, message=message, remedy=fault_pb2.REMEDY_IGNORE)
    if turn_id is not None:
        refusal.turn_id = turn_id
    return _response(play_pb2.PlayEvent(refusal=refusal))


def closed(reason: play_pb2.CloseReason.ValueType, message: str, join_again: bool = False) -> bytes:
    """The last thing a bot is told, as an encoded `PlayResponse`."""
    return _response(play_pb2.PlayEvent(closed=play_pb2.Closed(reason=reason, message=message, join_again=join_again)))
