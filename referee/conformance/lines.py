"""What stands in a script's `send`, as the referee's encoded responses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from google.protobuf import json_format

from referee.conformance.story import Story, unknown_event
from referee.server.codec import notices
from referee.v1 import play_pb2

ASK_AGAIN: Final = "ask_again"
"""What a refusal does unless the script says otherwise."""

_GARBAGE: Final = b"\x0a\xff\xff\xff\xff\x07"
"""A field that is longer than its message."""


def line(item: Mapping[str, Any], story: Story) -> list[bytes]:
    """What one item stands for. Raises `referee.conformance.story.NoSuchTurnError`."""
    made = _plain(item, story)
    if "set" in item:
        response = play_pb2.PlayResponse.FromString(made[-1])
        event = response.events[0]
        json_format.ParseDict({str(event.WhichOneof("event")): item["set"]}, event)
        made[-1] = response.SerializeToString()
        if item["event"] == "turn" and story.asked is not None:
            story.asked.change(made[-1])
    return made


def _plain(item: Mapping[str, Any], story: Story) -> list[bytes]:
    kind = item["event"]
    if kind == "joined":
        return [story.joined(item.get("resumed", False))]
    if kind == "match_started":
        return [story.match_started()]
    if kind == "hand":
        return story.hand()
    if kind == "turn":
        return story.turn(item.get("only"), item.get("unknown_actions", 0))
    if kind == "turn_again":
        return [story.turn_again()]
    if kind == "refusal":
        return [story.refusal(item.get("code", "does_not_fit"), item.get("remedy", ASK_AGAIN))]
    if kind == "fault":
        return [story.fault(item.get("kind", "late"), item.get("remedy", "stand_in"))]
    if kind == "timeout":
        return story.timeout()
    if kind == "match_ended":
        return story.match_ended()
    if kind == "unknown_event":
        return [unknown_event()]
    if kind == "garbage":
        return [_GARBAGE]
    reason = play_pb2.CloseReason.Value(f"CLOSE_REASON_{item.get('reason', 'match_over').upper()}")
    return [notices.closed(reason, item.get("message", "the match is over"), item.get("join_again", False))]
