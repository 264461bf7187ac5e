"""What a report tells of one entrant besides its figures: its faults, its slowest turns and the hands that it lost."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import msgspec

from tournaments.faults import FAULT_OF
from tournaments.result import MatchResult

MOST_FAULTS: Final = 60
"""So many faults of an entrant are listed, the first ones."""
MOST_SLOW: Final = 12
"""So many of its slowest turns."""
MOST_LOST: Final = 24
"""So many of the hands that it lost, those that gave most points away first."""

_TOOK: Final = re.compile(
    rb'"by":"(?:bot|timeout)",[^\n]*"seat":(\d+),[^\n]*"took_ms":(\d+),[^\n]*"turn":(\d+)',
)
"""A turn that a seat answered, or let pass, itself; its fields stand in the order of their names. Text from outside
cannot look so: its quotes are escaped."""
_REMEDIES: Final[Mapping[str, str]] = {
    "forfeit": "the match is lost by it",
    "stand_in": "the stand-in played",
    "ask_again": "asked again",
}


class SeenFault(NamedTuple):
    """A fault of a seat in a match.

    Attributes:
        match: the match's id.
        seat: the seat.
        turn: the turn that was due; 0: before the first deal.
        fault: what it counts as, one of `tournaments.faults.Fault`.
        detail: what was said of it.
        came: what came of it, in words.
    """

    match: str
    seat: int
    turn: int
    fault: str
    detail: str
    came: str


class SlowTurn(NamedTuple):
    """How long a turn took (ms); its match, its number and its seat."""

    ms: int
    match: str
    turn: int
    seat: int


class LostHand(NamedTuple):
    """The points that others had in a hand; its match, its number and the seat that lost it."""

    points: int
    match: str
    hand: int
    seat: int


@dataclass(slots=True)
class Details:
    """What is told of an entrant.

    Attributes:
        faults: the first of its faults.
        times: how many of its turns took so many milliseconds.
        slow: the slowest of those turns, in no order.
        lost: hands that it lost, in no order.
    """

    faults: list[SeenFault] = field(default_factory=list)
    times: Counter[int] = field(default_factory=Counter)
    slow: list[SlowTurn] = field(default_factory=list)
    lost: list[LostHand] = field(default_factory=list)

    def matches(self) -> set[str]:
        """The ids of all matches that are mentioned."""
        mentioned: list[SeenFault | SlowTurn | LostHand] = [*self.faults, *self.slow, *self.lost]
        return {one.match for one in mentioned}


def full(details: Mapping[str, Details], names: Iterable[str]) -> bool:
    """Whether no more faults of these entrants are listed."""
    return all(len(details[name].faults) >= MOST_FAULTS for name in names)


def note_faults(details: Mapping[str, Details], result: MatchResult, log: bytes) -> None:
    """Add the faults of a match to those of its entrants."""
    turn = 0
    for line in log.splitlines():
        if b'"event":"action"' in line or (not turn and b'"event":"hand_started"' in line):
            turn += 1
        elif b'"event":"fault"' in line:
            event: dict[str, Any] = msgspec.json.decode(line)
            kept = details[result.seats[event["seat"]]].faults
            if len(kept) < MOST_FAULTS:
                what, came = FAULT_OF[event["kind"]].value, _REMEDIES[event["remedy"]]
                kept.append(SeenFault(result.id, event["seat"], turn, what, " ".join(event["detail"].split()), came))


def note_play(details: Mapping[str, Details], result: MatchResult, log: bytes) -> None:
    """Add the thinking times in a match, and the hands that were lost in it, to those of its entrants."""
    for seat, took, turn in _TOOK.findall(log):
        one = details[result.seats[int(seat)]]
        one.times[int(took)] += 1
        _keep(one.slow, SlowTurn(int(took), result.id, int(turn), int(seat)), MOST_SLOW)
    for line in log.splitlines():
        if b'"event":"hand_ended"' in line:
            event: dict[str, Any] = msgspec.json.decode(line)
            winners = event["winners"]
            if not winners:
                continue
            points = sum(event["points"][side] for side in {result.sides[seat] for seat in winners})
            for seat in set(range(len(result.seats))) - set(winners):
                _keep(details[result.seats[seat]].lost, LostHand(points, result.id, event["hand"], seat), MOST_LOST)


def _keep(kept: list[Any], one: tuple[Any, ...], most: int) -> None:
    """Keep the greatest."""
    if len(kept) < most:
        heapq.heappush(kept, one)
    else:
        heapq.heappushpop(kept, one)
