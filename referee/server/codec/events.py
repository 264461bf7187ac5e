"""What happened in a match, as messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from referee.match.events import Event, MatchSpec
from referee.match.policy import Remedy
from referee.rules.view import told
from referee.server.codec.pieces import logged_action, piece_value, piece_values
from referee.server.codec.wire import embedded, keys, number, packed
from referee.v1 import fault_pb2, play_pb2, table_pb2

EVENTS: Final = keys(play_pb2.PlayResponse.DESCRIPTOR)["events"]
EVENT: Final = keys(play_pb2.PlayEvent.DESCRIPTOR)
_TAKEN: Final = keys(play_pb2.ActionTaken.DESCRIPTOR)
_TAKEN_BY: Final = {
    "bot": play_pb2.TAKEN_BY_BOT,
    "forced": play_pb2.TAKEN_BY_FORCED,
    "timeout": play_pb2.TAKEN_BY_TIMEOUT,
    "forfeit": play_pb2.TAKEN_BY_FORFEIT,
}
_DIRECTIONS: Final = {
    "clockwise": play_pb2.DIRECTION_CLOCKWISE,
    "anticlockwise": play_pb2.DIRECTION_ANTICLOCKWISE,
}
REMEDIES: Final = {
    Remedy.ASK_AGAIN: fault_pb2.REMEDY_ASK_AGAIN,
    Remedy.STAND_IN: fault_pb2.REMEDY_STAND_IN_TURN,
    Remedy.FORFEIT: fault_pb2.REMEDY_FORFEIT,
}
_OWN_ONLY: Final = frozenset({"fault"})
"""The events that only their own seat is told of."""
_PERSONAL: Final = frozenset({"match_started", "hand_started"})
"""The events that are told to each seat in its own way; others are encoded once for all who may know the same."""


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


class EventCodec:
    """Encodes the events of one match."""

    def __init__(self, spec: MatchSpec) -> None:
        self._spec = spec
        self._deck = spec.game.deck
        self._public: tuple[Event, bytes] = ({}, b"")

    def encode(self, event: Event, seat: int | None) -> bytes:
        """A log event as a seat (None: anybody) may see it, as an encoded `PlayResponse`; empty if it is not told."""
        encode = _ENCODERS.get(event["event"])
        if encode is None or (event["event"] in _OWN_ONLY and event["seat"] != seat):
            return b""
        personal = event["event"] in _PERSONAL or ("drawn" in event and event["seat"] == seat)
        if not personal and self._public[0] is event:
            return self._public[1]
        data = embedded(EVENTS, encode(self, told(event, seat), seat))
        if not personal:
            self._public = (event, data)
        return data

    def _pieces(self, names: list[str]) -> list[table_pb2.Piece.ValueType]:
        return piece_values(names, self._deck)

    def _match_started(self, event: Mapping[str, Any], seat: int | None) -> bytes:
        started = play_pb2.MatchStarted(
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
        if seat is not None:
            started.seat = seat
        return embedded(EVENT["match_started"], started.SerializeToString())

    def _hand_started(self, event: Mapping[str, Any], seat: int | None) -> bytes:
        started = play_pb2.HandStarted(
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
        return embedded(EVENT["hand_started"], started.SerializeToString())

    def _action(self, event: Mapping[str, Any], seat: int | None) -> bytes:
        action = event["action"]
        taken = [
            number(_TAKEN["hand"], event["hand"]),
            number(_TAKEN["turn"], event["turn"]),
            number(_TAKEN["seat"], event["seat"]),
            number(_TAKEN["taken_by"], _TAKEN_BY[event["by"]]),
            number(_TAKEN["took_ms"], event["took_ms"]),
            _logged(action["type"], action.get("piece", ""), action.get("arm", ""), self._deck.id),
        ]
        if "drawn" in event:
            taken.append(number(_TAKEN["drawn"], piece_value(self._deck.piece(event["drawn"]), self._deck)))
        if "scored" in event:
            taken.append(number(_TAKEN["scored"], event["scored"]))
        if "laid" in event:
            taken.append(packed(_TAKEN["laid"], bytes(self._pieces(event["laid"]))))
        return embedded(EVENT["action_taken"], b"".join(taken))

    def _hand_ended(self, event: Mapping[str, Any], seat: int | None) -> bytes:
        left = [
            play_pb2.PieceSet(out_of_match=pieces is None, pieces=self._pieces(pieces or []))
            for pieces in event["left"]
        ]
        ended = play_pb2.HandEnded(
            hand=event["hand"],
            reason=play_pb2.HandEndReason.Value(f"HAND_END_REASON_{event['reason'].upper()}"),
            winners=event["winners"],
            left=left,
            points=event["points"],
            totals=event["totals"],
        )
        return embedded(EVENT["hand_ended"], ended.SerializeToString())

    def _match_ended(self, event: Mapping[str, Any], seat: int | None) -> bytes:
        ended = play_pb2.MatchEnded(
            reason=play_pb2.MatchEndReason.Value(f"MATCH_END_REASON_{event['reason'].upper()}"),
            places=event["places"],
            totals=event["totals"],
            seed=event.get("seed", ""),
            seed_withheld="seed_withheld" in event,
        )
        return embedded(EVENT["match_ended"], ended.SerializeToString())

    def _forfeited(self, event: Mapping[str, Any], seat: int | None) -> bytes:
        fault = fault_pb2.Fault(
            seat=event["seat"],
            kind=fault_pb2.FaultKind.Value(f"FAULT_KIND_{event['cause'].upper()}"),
            count=event["count"],
            remedy=fault_pb2.REMEDY_FORFEIT,
            message=f"seat {event['seat']} has lost the match by its faults; the last was: {event['cause']}",
        )
        return embedded(EVENT["fault"], fault.SerializeToString())

    def _fault(self, event: Mapping[str, Any], seat: int | None) -> bytes:
        fault = fault_pb2.Fault(
            seat=event["seat"],
            kind=fault_pb2.FaultKind.Value(f"FAULT_KIND_{event['kind'].upper()}"),
            count=event["count"],
            remedy=REMEDIES[event["remedy"]],
            message=event["detail"],
        )
        return embedded(EVENT["fault"], fault.SerializeToString())


@cache
def _logged(kind: str, piece: str, arm: str, deck_id: str) -> bytes:
    """An action as it stands in the log, as the field of an `ActionTaken`."""
    return embedded(_TAKEN["action"], logged_action(kind, piece, arm, deck_id).SerializeToString())


_ENCODERS: Final[Mapping[str, Callable[[EventCodec, Mapping[str, Any], int | None], bytes]]] = {
    "match_started": EventCodec._match_started,
    "hand_started": EventCodec._hand_started,
    "action": EventCodec._action,
    "hand_ended": EventCodec._hand_ended,
    "match_ended": EventCodec._match_ended,
    "forfeited": EventCodec._forfeited,
    "fault": EventCodec._fault,
}
