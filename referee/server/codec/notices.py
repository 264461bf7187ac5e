"""What a stream is told besides its match: that it has joined, that a message is ignored, that it is closed."""

from __future__ import annotations

from referee.v1 import fault_pb2, play_pb2


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
