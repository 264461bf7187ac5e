"""The course of a tournament: which deal sets are to be played next, given the results so far.

A course is a function of the results and of nothing else: of no clock, no worker and no chance. So a run that goes on
where another stopped comes to the same deal sets, and plays those that have no log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Protocol

from tournaments.knockout import Knockout
from tournaments.result import MatchResult
from tournaments.schedule import DealSet, Schedule
from tournaments.spec import TournamentSpec
from tournaments.stopping import Stopping
from tournaments.swiss import Swiss


class Course(Protocol):
    """Which deal sets are to be played."""

    def total(self) -> int:
        """How many matches there will be, as far as is known: at most, until it is over."""
        ...

    def add(self, result: MatchResult) -> None:
        """Take note of a result."""
        ...

    def waves(self) -> Iterator[Iterable[DealSet]]:
        """Deal sets that can be played side by side; the next wave is asked for when all results of one are there."""
        ...

    def ranking(self) -> Mapping[str, Fraction] | None:
        """What the places go by, the more, the better; None: the mean score."""
        ...

    def verdict(self) -> str:
        """What has come of it, in a line; empty where the standings say it all."""
        ...


class Everything:
    """All that is scheduled, in one wave."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule

    def total(self) -> int:
        """How many matches are scheduled."""
        return self._schedule.total()

    def add(self, result: MatchResult) -> None:
        """Nothing depends on results."""

    def waves(self) -> Iterator[Iterable[DealSet]]:
        """One wave."""
        yield map(self._schedule.deal_set, range(self._schedule.deal_sets))

    def ranking(self) -> Mapping[str, Fraction] | None:
        """The mean score."""
        return None

    def verdict(self) -> str:
        """Nothing more."""
        return ""


def course_of(spec: TournamentSpec, schedule: Schedule) -> Course:
    """The course of a tournament."""
    if spec.schedule == "swiss":
        return Swiss(schedule, spec.rounds)
    if spec.schedule == "knockout":
        return Knockout(schedule)
    if spec.stop is not None:
        return Stopping(schedule, spec.stop)
    return Everything(schedule)
