"""What entrants had against one another, deal set by deal set, as far as the course of a tournament depends on it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tournaments.result import MatchResult


@dataclass(slots=True)
class Compared:
    """How one entrant did against another.

    Attributes:
        matches: how many they had.
        halves: 2 for each match in which the first was ahead, 1 for each in which they were level.
    """

    matches: int = 0
    halves: int = 0

    @property
    def mean(self) -> Fraction:
        """From 0 to 1; 1/2 where they have not met."""
        return Fraction(self.halves, 2 * self.matches) if self.matches else Fraction(1, 2)


class Scores:
    """What two entrants had against one another in each deal set; for any number at a table."""

    def __init__(self) -> None:
        self._sets: dict[int, dict[str, MatchResult]] = {}

    def add(self, result: MatchResult) -> None:
        """Take note of a result; of the same again, nothing changes."""
        self._sets.setdefault(result.deal_set, {})[result.id] = result

    def of(self, deal_set: int, one: str, other: str) -> Compared:
        """How one did against another in a deal set."""
        found = Compared()
        for result in self._sets.get(deal_set, {}).values():
            places = dict(zip(result.seats, (result.places[side] for side in result.sides), strict=True))
            found.matches += 1
            found.halves += 1 + (places[one] < places[other]) - (places[one] > places[other])
        return found

    def drop(self, deal_set: int) -> None:
        """Forget a deal set that is counted."""
        self._sets.pop(deal_set, None)
