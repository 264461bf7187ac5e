"""The course of a tournament: which deal sets are to be played next, given the results so far.

A course is a function of the results and of nothing else: of no clock, no worker and no chance. So a run that goes on
where another stopped comes to the same deal sets, and plays those that have no log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Protocol

from tournaments.disqualification import Arbiter, verdict_on
from tournaments.knockout import Knockout
from tournaments.outlook import Outlook
from tournaments.result import MatchResult
from tournaments.schedule import DealSet, PlannedMatch, Schedule
from tournaments.scheduling import DisqualifySpec
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

    def outlook(self) -> Outlook:
        """What the standings need to know."""
        ...


class Everything:
    """All that is scheduled, in one wave.

    Args:
        schedule: what is scheduled.
        disqualify: when an entrant is out, what it would still have to play is left out.
    """

    def __init__(self, schedule: Schedule, disqualify: DisqualifySpec | None = None) -> None:
        self._schedule = schedule
        self._arbiter = Arbiter(disqualify, schedule) if disqualify is not None else None

    def total(self) -> int:
        """How many matches are scheduled, and count."""
        return self._schedule.total() if self._arbiter is None else self._arbiter.counted

    def add(self, result: MatchResult) -> None:
        """Take note of a result; nothing but disqualification depends on it."""
        if self._arbiter is not None:
            self._arbiter.add(result)

    def waves(self) -> Iterator[Iterable[DealSet]]:
        """One wave."""
        arbiter = self._arbiter
        numbers = range(self._schedule.deal_sets)
        # Asked for each deal set when it is its turn: by then somebody may be out.
        left = numbers if arbiter is None else (number for number in numbers if not arbiter.excludes(number))
        yield map(self._schedule.deal_set, left)

    def ranking(self) -> Mapping[str, Fraction] | None:
        """The mean score."""
        return None

    def verdict(self) -> str:
        """Who is disqualified."""
        return "" if self._arbiter is None else verdict_on(self._arbiter.out)

    def outlook(self) -> Outlook:
        """Who is disqualified, besides how many matches count."""
        out = {} if self._arbiter is None else dict(self._arbiter.out)
        return Outlook(self.total(), out=out, verdict=self.verdict())


def depends_on_results(spec: TournamentSpec) -> bool:
    """Whether what is played, and not only what counts, depends on the results."""
    return spec.stop is not None or spec.schedule in ("swiss", "knockout")


def asked_for(course: Course, result_of: Callable[[PlannedMatch], MatchResult | None]) -> Iterator[DealSet]:
    """The deal sets that a course asks for, given the results that there are: up to the first wave with one missing."""
    for wave in course.waves():
        complete = True
        for matches in wave:
            yield matches
            for result in map(result_of, matches):
                if result is None:
                    complete = False
                else:
                    course.add(result)
        if not complete:
            return


def course_of(spec: TournamentSpec, schedule: Schedule) -> Course:
    """The course of a tournament."""
    if spec.schedule == "swiss":
        return Swiss(schedule, spec.rounds)
    if spec.schedule == "knockout":
        return Knockout(schedule)
    if spec.stop is not None:
        return Stopping(schedule, spec.stop)
    return Everything(schedule, spec.disqualify)
