"""Swiss tournaments: in each round those meet who have done equally well so far, and nobody meets the same one twice.

After the Dutch system (FIDE Handbook, C.04.3) in what matters here: in the first round the upper half of the entrants
meets the lower, in the tournament file's order; then from the top down each meets the nearest that it has not met. Of
an odd number the last who has had no bye has one, and is credited a meeting won.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from tournaments.outlook import Outlook
from tournaments.result import MatchResult
from tournaments.schedule import DealSet, Schedule
from tournaments.scores import Scores

EFFORT: Final = 20_000
"""So many pairs are tried to find a round in which nobody meets the same one twice."""

Pair = tuple[str, str]


class Swiss:
    """A Swiss tournament; a meeting's points are its mean score.

    Args:
        schedule: who is entered, what a deal set consists of, and how many a meeting has.
        rounds: how many rounds.
    """

    def __init__(self, schedule: Schedule, rounds: int) -> None:
        self._schedule = schedule
        self._rounds = rounds
        self._scores = Scores()
        self._paired: list[list[Pair]] = []
        self._byes: Counter[str] = Counter()

    def total(self) -> int:
        """How many matches there are."""
        return self._rounds * self._a_round() * self._schedule.rotations

    def add(self, result: MatchResult) -> None:
        """Take note of a result."""
        self._scores.add(result)

    def waves(self) -> Iterator[Iterable[DealSet]]:
        """A wave a round."""
        self._paired.clear()
        self._byes.clear()
        for number in range(self._rounds):
            self._paired.append(self._draw())
            yield [
                self._schedule.sitting(self._number(number, place, deal), met, deal + number)
                for deal in range(self._schedule.deals)
                for place, met in enumerate(self._paired[number])
            ]

    def ranking(self) -> Mapping[str, Fraction]:
        """The points of each entrant."""
        points = {name: Fraction(self._byes[name]) for name in self._schedule.entrants}
        for number, pairs in enumerate(self._paired):
            for place, (one, other) in enumerate(pairs):
                sets = [self._number(number, place, deal) for deal in range(self._schedule.deals)]
                compared = [self._scores.of(deal_set, one, other) for deal_set in sets]
                matches = sum(part.matches for part in compared)
                if matches:
                    points[one] += Fraction(sum(part.halves for part in compared), 2 * matches)
                    points[other] += Fraction(sum(2 * part.matches - part.halves for part in compared), 2 * matches)
        return points

    def verdict(self) -> str:
        """Who has had a bye."""
        names = ", ".join(repr(name) for name in self._schedule.entrants if self._byes[name])
        return f"places go by points, a bye being one: {names}" if names else ""

    def outlook(self) -> Outlook:
        """What the standings need to know."""
        return Outlook(self.total(), self.ranking(), verdict=self.verdict())

    def _a_round(self) -> int:
        """Deal sets a round."""
        return len(self._schedule.entrants) // 2 * self._schedule.deals

    def _number(self, number: int, place: int, deal: int) -> int:
        """The number of a deal set: the same whoever meets there."""
        return number * self._a_round() + deal * (len(self._schedule.entrants) // 2) + place

    def _draw(self) -> list[Pair]:
        """The pairs of the next round."""
        points = self.ranking()
        order = sorted(self._schedule.entrants, key=lambda name: -points[name])  # stable: then by the file's order
        if len(order) % 2:
            fewest = min(self._byes[name] for name in order)
            bye = next(name for name in reversed(order) if self._byes[name] == fewest)
            order.remove(bye)
            self._byes[bye] += 1
        if not self._paired:
            half = len(order) // 2
            return list(zip(order[:half], order[half:], strict=True))
        met = Counter(frozenset(pair) for pairs in self._paired for pair in pairs)
        return pair_up(order, met)


def pair_up(order: Sequence[str], met: Mapping[frozenset[str], int]) -> list[Pair]:
    """Pairs of an even number of entrants: from the top down each with the nearest that it has not met.

    Where that leads nowhere the last choices are changed first; and where that takes longer than `EFFORT`, those meet
    again who have met least often.
    """
    for allowed in range(max(met.values(), default=0) + 1):
        found = _search(list(order), met, allowed)
        if found is not None:
            return found
    left, pairs = list(order), []
    while left:
        one = left.pop(0)
        other = min(left, key=lambda name: met.get(frozenset((one, name)), 0))
        left.remove(other)
        pairs.append((one, other))
    return pairs


def _search(order: list[str], met: Mapping[frozenset[str], int], allowed: int) -> list[Pair] | None:
    """Pairs who have met at most so often, or None."""

    def choices(left: list[str]) -> Iterator[str]:
        return iter([name for name in left[1:] if met.get(frozenset((left[0], name)), 0) <= allowed])

    tried = 0
    pairs: list[Pair] = []
    stack = [(order, choices(order))]
    while stack and tried < EFFORT:
        left, others = stack[-1]
        other = next(others, None)
        if other is None:
            stack.pop()
            if pairs:
                pairs.pop()
            continue
        tried += 1
        pairs.append((left[0], other))
        rest = [name for name in left[1:] if name != other]
        if not rest:
            return pairs
        stack.append((rest, choices(rest)))
    return None
