"""The result of a match, as standings are fed with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from referee.rules.formats import rank
from referee.rules.registry import unknown
from tournaments.faults import FAULTS


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A match that was played to its end, or forfeited.

    Attributes:
        id: its id in the schedule.
        deal_set: its deal set.
        seats: the entrant's name, by seat.
        sides: the side of each seat, by seat.
        places: by side, 1 = best, shared places equal and the next skipped: 1 1 3.
        faults: how often each entrant that committed faults did, by name and then by `tournaments.faults.Fault`.
        forfeited: the entrants that lost the match by their faults.
    """

    id: str
    deal_set: int
    seats: tuple[str, ...]
    sides: tuple[int, ...]
    places: tuple[int, ...]
    faults: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    forfeited: tuple[str, ...] = ()


def score_units(places: Sequence[int], side: int) -> int:
    """The score of a side in units of 1 / (2 * (sides - 1)): best place all of them, worst none, shared places share.

    A place shared by m sides counts as the average of the places p … p + m - 1 that they occupy.
    """
    place = places[side]
    return 2 * (len(places) - place) - (places.count(place) - 1)


def check_result(result: MatchResult, table: int, sides: int) -> None:
    """See that a result makes sense for so many seats and sides.

    Raises:
        ValueError: it does not.
    """

    def check(right: bool, problem: str) -> None:
        if not right:
            raise ValueError(f"match {result.id}: {problem}")

    check(len(result.seats) == table == len(result.sides), f"it needs {table} seats, each with its side")
    entrants = dict(zip(result.sides, result.seats, strict=True))
    check(set(entrants) == set(range(sides)), f"its sides must be 0 to {sides - 1}, not {result.sides}")
    check(
        len(set(entrants.values())) == sides
        and all(entrants[side] == name for side, name in zip(result.sides, result.seats, strict=True)),
        "each side must be one entrant, and each entrant one side",
    )
    check(
        len(result.places) == sides and rank(result.places) == tuple(result.places),
        f"{result.places} are no places of {sides} sides, such as 1 1 3",
    )
    for faults in result.faults.values():
        for fault, times in faults.items():
            check(fault in FAULTS, unknown("fault", fault, FAULTS))
            check(times >= 0, f"{times} times {fault} is no count")
