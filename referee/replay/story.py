"""A match as its log tells it: every event with the table it leaves, as everybody or as one seat could see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from referee.match.events import Event, LogFault, MatchSpec
from referee.match.fold import Match
from referee.match.log import LogError, read_log
from referee.match.verify import verify
from referee.replay.table import Table, empty_table
from referee.replay.words import PLAIN
from referee.rules.view import told

_RULED: Final = frozenset({"hand_started", "action", "hand_ended", "match_ended"})
"""The events that `told` knows how to show to a seat."""
_OPEN: Final = frozenset({"event", "hand", "turn", "seat", "kind", "count", "remedy", "cause", "resumed"})
"""What may be seen of another seat's further events. Their other fields may say what that seat could have played."""

_OF_A_TURN: Final = frozenset({"fault", "forfeited"})
"""The events that do not say their turn; it is the open one."""
_REFUSED: Final = frozenset({"illegal", "malformed"})
"""The kinds of fault that the log tells with the refusal of an answer, which follows at once."""
_TOLD_BY_THE_NEXT: Final = frozenset({("fault", True, "rejected"), ("seat_gave_up", False, "fault")})
"""What needs no line of its own: an event, whether its kind is one of `_REFUSED`, and the event after it."""


@dataclass(frozen=True, slots=True)
class Frame:
    """An event and what it leaves.

    Attributes:
        event: the event, without what the viewer could not see.
        table: the table after it.
        turn: the number of the last turn.
        next: the seat whose turn it then is; None while it is nobody's.
    """

    event: Event
    table: Table
    turn: int
    next: int | None

    @property
    def noted_turn(self) -> int | None:
        """The turn that an event which is no part of the game belongs to; None if to none."""
        if "turn" in self.event:
            turn: int = self.event["turn"]
            return turn
        asked = self.next is not None and self.event.get("seat") == self.next
        return self.turn + 1 if asked and self.event["event"] in _OF_A_TURN else None


@dataclass(frozen=True, slots=True)
class Story:
    """A match's log, as far as it verifies.

    Attributes:
        spec: what the match is.
        viewer: the seat through whose eyes it is seen; None: everything is shown.
        opening: the first event of the log.
        frames: every later event.
        fault: why the log is not shown any further; None if it verifies to its end.
    """

    spec: MatchSpec
    viewer: int | None
    opening: Event
    frames: list[Frame]
    fault: LogError | None

    @property
    def ended(self) -> Event | None:
        """The `match_ended` event, if there is one."""
        return next((frame.event for frame in self.frames if frame.event["event"] == "match_ended"), None)

    @property
    def seed(self) -> str | None:
        """The seed of the deals, once the log tells it: with the match's end, or after it."""
        return next((frame.event["seed"] for frame in reversed(self.frames) if "seed" in frame.event), None)

    @property
    def turns(self) -> int:
        """How many turns were played."""
        return self.frames[-1].turn if self.frames else 0

    def hands(self) -> list[list[Frame]]:
        """The frames of each hand, in order; what comes between hands belongs to the hand before."""
        found: list[list[Frame]] = []
        for frame in self.frames:
            if frame.event["event"] == "hand_started":
                found.append([])
            if found and frame.event["event"] != "match_ended":
                found[-1].append(frame)
        return found

    def before_hands(self) -> list[Frame]:
        """What happened before the first deal."""
        first = next((i for i, frame in enumerate(self.frames) if frame.table.hand >= 0), len(self.frames))
        return [frame for frame in self.frames[:first] if frame.event["event"] != "match_ended"]


def worth_telling(frames: Sequence[Frame]) -> list[Frame]:
    """The frames without what nobody needs to be told, or is told by the next one."""
    found = []
    for place, frame in enumerate(frames):
        event = frame.event
        if event["event"] in PLAIN:
            continue
        following = frames[place + 1].event if place + 1 < len(frames) else {}
        told = (event["event"], event.get("kind") in _REFUSED, following.get("event"))
        if told in _TOLD_BY_THE_NEXT and following.get("seat") == event["seat"]:
            continue
        found.append(frame)
    return found


def read_events(path: str | Path) -> tuple[list[Event], LogError | None]:
    """The events of a log up to its first fault, and that fault. A match that is still running is no fault.

    Raises:
        LogError: not even the first line is the beginning of a log.
    """
    fault: LogError | None = None
    try:
        verify(path, partial=True)
    except LogError as error:
        fault = error
        if fault.line < 2:
            raise
    events: list[Event] = []
    try:
        for event in read_log(path):
            if fault is not None and len(events) == fault.line - 1:
                break
            events.append(event)
    except LogError as error:
        # The log of a running match may have grown since; what verified is shown all the same.
        fault = fault or error
    return events, fault


def read_story(events: list[Event], fault: LogError | None, viewer: int | None) -> Story:
    """Tell a log's events as everybody (None) or one seat could see them.

    Raises:
        LogError: an event does not follow from those before it.
    """
    spec = MatchSpec.from_started(events[0])
    match = Match(spec, None)
    table = empty_table(spec)
    frames = []
    for number, event in enumerate(events[1:], start=2):
        try:
            match.apply(event)
        except LogFault as error:
            raise LogError(spec.id, number, str(error)) from None
        shown = seen(event, viewer)
        table = table.after(shown)
        state = match.state
        following = None if state is None or state.result is not None else state.seat
        frames.append(Frame(shown, table, match.turn, following))
    return Story(spec, viewer, events[0], frames, fault)


def seen(event: Event, viewer: int | None) -> Event:
    """An event as the viewer could see it."""
    if viewer is None:
        return event
    kind = event["event"]
    if kind not in _RULED and event.get("seat") not in (None, viewer):
        return {key: value for key, value in event.items() if key in _OPEN}
    shown = dict(told(event, viewer))
    if kind == "hand_started":
        shown["viewer"] = viewer
    return shown
