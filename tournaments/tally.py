"""Running sums for standings: what is kept of the matches played, whatever their number.

Scores are whole numbers in here, so that sums are exact and do not depend on the order in which matches come in: a
match's score of 0 to 1 in units of 1 / (2 * (sides - 1)), which is exact for shared places too, and a comparison of
two entrants (ahead, level, behind) as 2, 1 or 0. A deal set's value is the sum over its matches; of one that is not
yet complete, the sum as it would be if the rest went the same way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from tournaments.resampling import Replicates

Number = int | Fraction


class Line(NamedTuple):
    """What is kept of a match while its deal set is in progress.

    Attributes:
        id: the match's id.
        seats: the entrant's number, by seat.
        units: the score in units, by seat.
    """

    id: str
    seats: tuple[int, ...]
    units: tuple[int, ...]


@dataclass(slots=True)
class Sums:
    """How many values there were, their sum and the sum of their squares."""

    count: int = 0
    total: Number = 0
    squares: Number = 0

    def add(self, value: Number) -> None:
        """Count a value."""
        self.count += 1
        self.total += value
        self.squares += value * value

    def variance_of_mean(self, scale: int) -> float:
        """The estimated variance of the mean of the values divided by ``scale``; 0 for fewer than two values."""
        if self.count < 2:
            return 0.0
        spread = self.count * self.squares - self.total * self.total
        return float(spread / Fraction(self.count**2 * (self.count - 1) * scale**2))


@dataclass(slots=True)
class Meetings:
    """Two entrants, over the deal sets in which both played.

    Attributes:
        matches: how many matches they had in common.
        units: the first one's comparisons with the second, 2 + 1 + 0 …, over those.
        compared: the same by deal set.
        first: the first one's scores, summed by deal set.
        second: the second one's.
        product: the products of the two, summed.
        match_squares: the squares of the first one's comparisons by match, summed over the complete deal sets.
        seated: the first one's comparisons, summed over the complete deal sets by the first seat that it had.
    """

    matches: int = 0
    units: int = 0
    compared: Sums = field(default_factory=Sums)
    first: Number = 0
    second: Number = 0
    product: Number = 0
    match_squares: int = 0
    seated: list[int] = field(default_factory=list)

    def covariance_sum(self, scale: int) -> float:
        """The estimated covariance of the two's scores in a deal set, times the number of deal sets."""
        count = self.compared.count
        if count < 2:
            return 0.0
        spread = count * self.product - self.first * self.second
        return float(spread / Fraction((count - 1) * scale**2))


@dataclass(slots=True)
class Meeting:
    """Deal sets in which the same entrants met.

    Attributes:
        count: how many.
        totals: the entrants' scores, summed, in the order of their numbers.
    """

    count: int
    totals: list[Number]


class Totals:
    """The sums over deal sets, by entrant, by pair, by meeting and by seat.

    Args:
        entrants: how many entrants there are.
        table: seats a match.
        rotations: matches a deal set.

    Attributes:
        scores: by entrant.
        pairs: by pair, the lower number first, for those that have met.
        meetings: by who met, in the order of their numbers; where two meet in a match `pairs` says it all.
        seats: by seat.
        replicates: the same by entrant in tournaments of resampled deal sets.
        unit: a score in the replicates is the score in units, times this.
    """

    def __init__(self, entrants: int, table: int, rotations: int) -> None:
        self.scores = [Sums() for _ in range(entrants)]
        self.pairs: dict[tuple[int, int], Meetings] = {}
        self.meetings: dict[tuple[int, ...], Meeting] = {}
        self.seats = [Sums() for _ in range(table)]
        self.replicates = Replicates(entrants)
        self.unit = math.lcm(*range(1, rotations + 1))
        self._rotations = rotations

    def add(self, deal_set: int, lines: Sequence[Line]) -> None:
        """Count a deal set, as far as it has been played."""
        complete = len(lines) == self._rotations

        def whole(value: int) -> Number:
            return value if complete else Fraction(value * self._rotations, len(lines))

        for seat, sums in enumerate(self.seats):
            sums.add(whole(sum(line.units[seat] for line in lines)))
        # Both seats of a pair have the same score, so that either may be taken.
        scored = [dict(zip(line.seats, line.units, strict=True)) for line in lines]
        values = {entrant: whole(sum(units[entrant] for units in scored)) for entrant in sorted(scored[0])}
        for entrant, value in values.items():
            self.scores[entrant].add(value)
        self.replicates.add(deal_set, {entrant: int(value * self.unit) for entrant, value in values.items()})
        if len(values) > 2:
            meeting = self.meetings.setdefault(tuple(values), Meeting(0, [0] * len(values)))
            meeting.count += 1
            meeting.totals = [total + value for total, value in zip(meeting.totals, values.values(), strict=True)]
        for one, other in combinations(values, 2):
            met = self.pairs.setdefault((one, other), Meetings())
            compared = [1 + (line[one] > line[other]) - (line[one] < line[other]) for line in scored]
            met.matches += len(lines)
            met.units += sum(compared)
            met.compared.add(whole(sum(compared)))
            met.first += values[one]
            met.second += values[other]
            met.product += values[one] * values[other]
            if complete and self._rotations > 1:
                met.seated = met.seated or [0] * len(self.seats)
                for line, units in zip(lines, compared, strict=True):
                    met.match_squares += units * units
                    met.seated[line.seats.index(one)] += units
