"""Running sums for standings: what is kept of the matches played, whatever their number.

Scores are whole numbers in here, so that sums are exact and do not depend on the order in which matches come in: a
match's score of 0 to 1 in units of 1 / (2 * (sides - 1)), which is exact for shared places too, and a comparison of
two entrants (ahead, level, behind) as 2, 1 or 0. A deal set's value is the sum over its matches; of one that is not
yet complete, the sum as it would be if the rest went the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

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
    """

    matches: int = 0
    units: int = 0
    compared: Sums = field(default_factory=Sums)
    first: Number = 0
    second: Number = 0
    product: Number = 0

    def covariance_sum(self, scale: int) -> float:
        """The estimated covariance of the two's scores in a deal set, times the number of deal sets."""
        count = self.compared.count
        if count < 2:
            return 0.0
        spread = count * self.product - self.first * self.second
        return float(spread / Fraction((count - 1) * scale**2))


class Totals:
    """The sums over deal sets, by entrant, by pair and by seat.

    Attributes:
        scores: by entrant.
        pairs: by pair, the lower number first, for those that have met.
        seats: by seat.
    """

    def __init__(self, entrants: int, table: int) -> None:
        self.scores = [Sums() for _ in range(entrants)]
        self.pairs: dict[tuple[int, int], Meetings] = {}
        self.seats = [Sums() for _ in range(table)]

    def add(self, lines: Sequence[Line], rotations: int) -> None:
        """Count a deal set, of which ``lines`` have been played, out of so many."""

        def whole(value: int) -> Number:
            return value if len(lines) == rotations else Fraction(value * rotations, len(lines))

        for seat, sums in enumerate(self.seats):
            sums.add(whole(sum(line.units[seat] for line in lines)))
        # Both seats of a pair have the same score, so that either may be taken.
        scored = [dict(zip(line.seats, line.units, strict=True)) for line in lines]
        values = {entrant: whole(sum(units[entrant] for units in scored)) for entrant in sorted(scored[0])}
        for entrant, value in values.items():
            self.scores[entrant].add(value)
        for one, other in combinations(values, 2):
            met = self.pairs.setdefault((one, other), Meetings())
            units = sum(1 + (line[one] > line[other]) - (line[one] < line[other]) for line in scored)
            met.matches += len(lines)
            met.units += units
            met.compared.add(whole(units))
            met.first += values[one]
            met.second += values[other]
            met.product += values[one] * values[other]
