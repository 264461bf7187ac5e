"""Swiss tournaments: in each round those meet who have done equally well so far, and nobody meets the same one twice.

After the Dutch system (FIDE Handbook, C.04.3) in what matters here: in the first round the upper half of the entrants
meets the lower, in the tournament file's order; then from the top down each meets the nearest that it has not met. Of
an odd number the last who has had no bye has one, and is credited a meeting won.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final

from tournaments.outlook import Outlook
from tournaments.result import MatchResult
from tournaments.schedule import DealSet, Schedule
from tournaments.scores import Scores

EFFORT: Final = 20_000
"""So many pairs are tried to find a round in which nobody meets the same one twice."""

Pair = tuple[str, str]

Cost = Callable[[str, str], int]
"""What it costs if two meet: nothing for those who have met least often, more the more often they have."""


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

    Where that leads nowhere the last choices are changed first. Where some must meet again, it is as few as possible,
    and rather two pairs for the second time than one for the third; where that takes longer than `EFFORT`, as few as a
    few exchanges lead to.
    """
    fewest = min((met.get(frozenset(pair), 0) for pair in combinations(order, 2)), default=0)

    def cost(one: str, other: str) -> int:
        return (met.get(frozenset((one, other)), 0) - fewest) ** 2

    found = _search(list(order), cost, 0, EFFORT)
    if found is not None:
        return found
    near = _exchanged(_greedy(list(order), cost), cost)
    worst = sum(cost(*pair) for pair in near)
    for most in range(1, worst):
        found = _search(list(order), cost, most, EFFORT // worst)
        if found is not None:
            return found
    return near


def _greedy(left: list[str], cost: Cost) -> list[Pair]:
    """From the top down each with the nearest of those that it has met least often."""
    pairs = []
    while left:
        one = left.pop(0)
        other = min(left, key=lambda name: cost(one, name))
        left.remove(other)
        pairs.append((one, other))
    return pairs


def _exchanged(pairs: list[Pair], cost: Cost) -> list[Pair]:
    """The pairs after all exchanges between two of them by which it costs less."""
    places = list(combinations(range(len(pairs)), 2))
    better = True
    while better:
        better = False
        for upper, lower in places:
            (one, other), (third, fourth) = pairs[upper], pairs[lower]
            now = cost(one, other) + cost(third, fourth)
            for new in (((one, third), (other, fourth)), ((one, fourth), (other, third))):
                if now and sum(cost(*pair) for pair in new) < now:
                    pairs[upper], pairs[lower] = new
                    better = True
                    break
    return pairs


def _search(order: list[str], cost: Cost, most: int, effort: int) -> list[Pair] | None:
    """Pairs that cost no more than so much, or None: there are none, or so many were tried."""

    def choices(left: list[str], most: int) -> Iterator[str]:
        fit = [name for name in left[1:] if cost(left[0], name) <= most]
        return iter(sorted(fit, key=lambda name: cost(left[0], name)))  # stable: then the nearest

    tried = 0
    pairs: list[Pair] = []
    stack = [(order, most, choices(order, most))]
    while stack and tried < effort:
        left, most, others = stack[-1]
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
        most -= cost(left[0], other)
        stack.append((rest, most, choices(rest, most)))
    return None
