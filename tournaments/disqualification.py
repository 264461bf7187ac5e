"""Disqualification: an entrant that loses too many of its matches by its faults is out of the tournament.

Who is out, and since when, depends on the results alone, in the order of the deal sets' numbers, and not on the order
in which they come in. After each deal set its entrants are judged: who has forfeited more than `fault_rate` of the
matches that it has played so far, and has played at least `after`, is out. What it would have played later is not
played. What it has played does not count: the standings are those of a tournament without it, so that nobody gains by
having met it, nor loses by not having met it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tournaments.faults import FAULTS
from tournaments.result import MatchResult
from tournaments.schedule import Schedule
from tournaments.scheduling import DisqualifySpec


@dataclass(frozen=True, slots=True)
class Disqualified:
    """Why an entrant is out, and since when.

    Attributes:
        deal_set: the last deal set that it was judged by; what it has played of later ones is of no account.
        match: the last match of that.
        played: how many matches it had played by then.
        forfeited: how many of them it had lost by its faults.
        faults: how often it had committed each fault by then.
    """

    deal_set: int
    match: str
    played: int
    forfeited: int
    faults: Mapping[str, int]

    def to_json(self) -> dict[str, Any]:
        """As in ``standings.json``."""
        return {"match": self.match, "played": self.played, "forfeited": self.forfeited}


class Arbiter:
    """Judges the entrants of a tournament whose whole schedule is known beforehand.

    Args:
        spec: when an entrant is disqualified.
        schedule: all that may be played.

    Attributes:
        out: who is disqualified, by name.
        counted: how many matches count in the end, as far as is known.
    """

    def __init__(self, spec: DisqualifySpec, schedule: Schedule) -> None:
        self.out: dict[str, Disqualified] = {}
        self.counted = schedule.total()
        self._rate = Fraction(str(spec.fault_rate))
        self._after = spec.after
        self._schedule = schedule
        self._next = 0
        self._held: dict[int, dict[str, MatchResult]] = {}
        self._played: Counter[str] = Counter()
        self._forfeited: Counter[str] = Counter()
        self._faults: dict[str, Counter[str]] = {}

    def add(self, result: MatchResult) -> None:
        """Take note of a result, and judge as far as all results before are there."""
        if result.deal_set >= self._next:
            self._held.setdefault(result.deal_set, {})[result.id] = result
        while self._next < self._schedule.deal_sets:
            found = self._held.get(self._next, {})
            if not self.excludes(self._next):
                if len(found) < self._schedule.rotations:
                    return
                self._judge([found[match] for match in sorted(found)])
            self._held.pop(self._next, None)
            self._next += 1

    def excludes(self, deal_set: int) -> bool:
        """Whether a deal set is not to be played, as one of its entrants was out before it."""
        return bool(self.out) and any(
            name in self.out and deal_set > self.out[name].deal_set for name in self._schedule.names_in(deal_set)
        )

    def _count(self) -> int:
        """How many matches no one plays who is out."""
        gone = {number for number, name in enumerate(self._schedule.entrants) if name in self.out}
        sets = sum(
            sum(map(len, ranges))
            for met, ranges in self._schedule.layers.by_meeting().items()
            if gone.isdisjoint(met)
        )  # fmt: skip
        return sets * self._schedule.rotations

    def _judge(self, results: list[MatchResult]) -> None:
        names = list(dict.fromkeys(results[0].seats))
        for result in results:
            self._played.update(names)
            self._forfeited.update(result.forfeited)
            for name, faults in result.faults.items():
                self._faults.setdefault(name, Counter()).update(faults)
        for name in names:
            played, forfeited = self._played[name], self._forfeited[name]
            if played >= self._after and forfeited > self._rate * played:
                had = self._faults.get(name, Counter())
                faults = {fault: had[fault] for fault in FAULTS}
                last = results[-1]
                self.out[name] = Disqualified(last.deal_set, last.id, played, forfeited, faults)
                self.counted = self._count()


def verdict_on(out: Mapping[str, Disqualified]) -> str:
    """Who is disqualified and why, in a line; empty where nobody is."""
    return "; ".join(
        f"{name!r} is disqualified: it lost {one.forfeited} of its first {one.played} matches by its faults; "
        "no match of it counts"
        for name, one in out.items()
    )
