"""What a log says of a bot that dials in, for when the server is started again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from referee.match.events import Event
from referee.match.loop import REFUSED
from referee.match.policy import FaultKind
from referee.match.seat import Reply


class Memory(NamedTuple):
    """What is known of a seat.

    Attributes:
        joined: whether its bot has ever joined.
        ready: whether it was ready.
        gave_up: why it will not play on, if it will not.
        told: what it must be told when it comes back.
    """

    joined: bool
    ready: bool
    gave_up: Reply | None
    told: list[Event]


def remembered(events: Sequence[Event], number: int) -> Memory:
    """What the events of a log say of a seat."""
    own = {event["event"]: event for event in events if event.get("seat") == number}
    gave_up = None
    if left := own.get("seat_gave_up"):
        gave_up = Reply(fault=FaultKind(left["kind"]), detail=left["detail"], for_good=True)
    hands = [place for place, event in enumerate(events) if event["event"] == "hand_started"]
    recent = [*events[:1], *events[hands[-1] if hands else 1 :]]
    told = [event for event in recent if event["event"] != "fault" or event["kind"] not in REFUSED]
    return Memory("seat_joined" in own, "seat_ready" in own, gave_up, told)
