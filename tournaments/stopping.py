"""Tournaments that stop when it is clear: deal sets are given, wave by wave, to the meetings still in doubt.

Which of two is better is judged from what they had against one another. For two entrants there is the sequential
probability ratio test; else each pair has an e-process (`tournaments.sequential.Wealth`), at a share of the error that
is the same for every pair that meets (Bonferroni), so that all that is called settled holds together at the stated
confidence, however often one looks. `deals` is the most that a meeting is given.

Since some meet more often than others then, places go by the mean over opponents, each of whom counts as much.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations, islice
from typing import Final

from tournaments.outlook import Outlook
from tournaments.result import MatchResult
from tournaments.schedule import DealSet, Schedule
from tournaments.scheduling import StopSpec
from tournaments.scores import Compared, Scores
from tournaments.sequential import Wealth, log_likelihood_ratio, sprt_bounds

FIRST_WAVE: Final = 4
"""So many deal sets a meeting is given at first."""
GROWTH: Final = 8
"""Later it is given one for so many that it has had, and never fewer than at first."""

Pair = tuple[str, str]


class Judge:
    """What is clear, given the deal sets so far.

    Args:
        stop: when it is clear.
        names: the entrants, in the tournament file's order.
        pairs: those who meet, each in that order.
        steps: a deal set's value for one of a pair is a multiple of 1 / steps.
    """

    def __init__(self, stop: StopSpec, names: Sequence[str], pairs: Sequence[Pair], steps: int) -> None:
        self._stop = stop
        self._names = names
        self._steps = steps
        self._wealth = {pair: Wealth() for pair in pairs}
        self._values: Counter[float] = Counter()
        self._compared = {pair: Compared() for pair in pairs}
        self._met: dict[str, list[Pair]] = {name: [] for name in names}
        for pair in pairs:
            for name in pair:
                self._met[name].append(pair)
        self.decided: dict[Pair, int] = {}

    def add(self, pair: Pair, had: Compared) -> None:
        """Count what two had against one another in a deal set."""
        so_far = self._compared[pair]
        so_far.matches += had.matches
        so_far.halves += had.halves
        value = float(had.mean)
        if self._stop.sprt is not None:
            self._values[value] += 1
        else:
            self._wealth[pair].add(value)

    def look(self) -> None:
        """Decide what is clear now; what was clear once stays so."""
        if self._stop.sprt is not None:
            low, high = sprt_bounds(self._stop.sprt)
            (pair,) = self._compared
            if not low < self.ratio() < high:
                self.decided.setdefault(pair, 1 if self.ratio() >= high else -1)
            return
        alpha = (1 - self._stop.confidence) / len(self._wealth)
        for pair, wealth in self._wealth.items():
            if pair not in self.decided and (decision := wealth.decision(alpha)):
                self.decided[pair] = decision

    def ratio(self) -> float:
        """The logarithm of the likelihood ratio of the sequential probability ratio test."""
        assert self._stop.sprt is not None
        return log_likelihood_ratio(self._values, self._steps, self._stop.sprt.elo0, self._stop.sprt.elo1)

    def in_doubt(self) -> set[Pair]:
        """The pairs that have to become clear and are not."""
        top: set[str] | None = None
        if self._stop.settle == "top":
            means = self.means()
            top = set(sorted(self._names, key=lambda name: -means[name])[: self._stop.k])
        return {
            pair
            for pair in self._compared
            if pair not in self.decided and (top is None or (pair[0] in top) != (pair[1] in top))
        }

    def means(self) -> dict[str, Fraction]:
        """The mean of each entrant against its opponents, each of whom counts as much; 1/2 without any."""
        found = {}
        for name, pairs in self._met.items():
            means = [
                self._compared[pair].mean if pair[0] == name else 1 - self._compared[pair].mean for pair in pairs
            ]  # fmt: skip
            found[name] = sum(means, Fraction(0)) / len(means) if means else Fraction(1, 2)
        return found


class Stopping:
    """A scheduled tournament that stops when it is clear.

    Args:
        schedule: all that may be played.
        stop: when it is clear.
    """

    def __init__(self, schedule: Schedule, stop: StopSpec) -> None:
        self._schedule = schedule
        self._stop = stop
        self._over = False
        self._scores = Scores()
        self._sets = {
            tuple(schedule.entrants[entrant] for entrant in sorted(met)): ranges
            for met, ranges in schedule.layers.by_meeting().items()
        }
        self._begin()

    def _begin(self) -> None:
        self._over = False
        self._given = dict.fromkeys(self._sets, 0)
        pairs = sorted({pair for met in self._sets for pair in combinations(met, 2)}, key=self._place)
        self._judge = Judge(self._stop, self._schedule.entrants, pairs, 2 * self._schedule.rotations)

    def _place(self, pair: Pair) -> tuple[int, int]:
        return self._schedule.entrants.index(pair[0]), self._schedule.entrants.index(pair[1])

    def total(self) -> int:
        """How many matches there will be at most; once it is over, how many there were."""
        sets = sum(self._given.values()) if self._over else self._schedule.deal_sets
        return sets * self._schedule.rotations

    def add(self, result: MatchResult) -> None:
        """Take note of a result."""
        self._scores.add(result)

    def waves(self) -> Iterator[Iterable[DealSet]]:
        """Deal sets of the meetings that are in doubt; at first of all."""
        self._begin()
        while wave := self._next():
            yield map(self._schedule.deal_set, sorted(number for numbers in wave.values() for number in numbers))
            for met, numbers in wave.items():
                for number in numbers:
                    for pair in combinations(met, 2):
                        self._judge.add(pair, self._scores.of(number, *pair))
                    self._scores.drop(number)
            self._judge.look()
        self._over = True

    def _next(self) -> dict[tuple[str, ...], list[int]]:
        doubt = self._judge.in_doubt()
        wave = {}
        for met, ranges in self._sets.items():
            had = self._given[met]
            if not had or (had < sum(map(len, ranges)) and not doubt.isdisjoint(combinations(met, 2))):
                wave[met] = list(islice(chain(*ranges), had, had + max(FIRST_WAVE, had // GROWTH)))
                self._given[met] += len(wave[met])
        return wave

    def ranking(self) -> Mapping[str, Fraction]:
        """The mean over opponents, each of whom counts as much."""
        return self._judge.means()

    def verdict(self) -> str:
        """What is clear, and how."""
        if not self._over:
            return ""
        played = f"after {self.total()} of at most {self._schedule.total()} matches"
        if self._stop.sprt is not None:
            low, high = sprt_bounds(self._stop.sprt)
            one, other = self._schedule.entrants
            decision = next(iter(self._judge.decided.values()), 0)
            elo = self._stop.sprt.elo1 if decision > 0 else self._stop.sprt.elo0
            said = f"{one!r} is better than {other!r} by {elo:g} Elo" if decision else "not clear"
            return f"{said} {played}: LLR {self._judge.ratio():.2f} ({low:.2f}, {high:.2f})"
        doubt = sorted(self._judge.in_doubt(), key=self._place)
        what = "the order" if self._stop.settle == "order" else f"who is among the first {self._stop.k}"
        sure = f"at {100 * self._stop.confidence:g} %"
        if not doubt:
            return f"{what} is clear {sure} {played}"
        some = ", ".join(f"{one!r} and {other!r}" for one, other in doubt[:3]) + (" …" if len(doubt) > 3 else "")
        return f"{what} is not clear {sure} {played}: {len(doubt)} pairs are in doubt: {some}"

    def outlook(self) -> Outlook:
        """What the standings need to know."""
        return Outlook(self.total(), self.ranking(), verdict=self.verdict())
