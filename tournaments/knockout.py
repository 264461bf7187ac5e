"""Knockout tournaments: who loses a tie is out. A tie is the best of so many deal sets.

The draw is the usual one: the first of the tournament file and the second can meet in the final only, the first four
not before the semi-finals, and so on; where entrants are missing to a power of two, the first of the file have a bye,
once, in the first round. A tie ends as soon as the rest of its deal sets cannot turn it. Level after all of them, it
goes on deal set by deal set until one is ahead; after `EXTRA` more the one entered first goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from tournaments.outlook import Outlook
from tournaments.result import MatchResult
from tournaments.schedule import DealSet, Schedule
from tournaments.scores import Scores

EXTRA: Final = 16
"""So many deal sets more a tie has at most where it is level."""


@dataclass(slots=True)
class _Tie:
    """Two entrants, one of whom goes on.

    Attributes:
        number: its number through the tournament.
        turn: its round, from 0.
        entrants: those who are known to play in it; one alone has a bye.
        played: how many deal sets are decided upon.
        lead: by how many deal sets the first is ahead of the second.
        winner: who goes on, once that is known.
    """

    number: int
    turn: int
    entrants: list[str]
    played: int = 0
    lead: Fraction = Fraction(0)
    winner: str | None = None


class Knockout:
    """A knockout tournament.

    Args:
        schedule: who is entered, what a deal set consists of, and how many a tie has.
    """

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self._scores = Scores()
        self._ties: list[_Tie] = []
        self._begin()

    def _begin(self) -> None:
        """Make the draw."""
        names = self._schedule.entrants
        order = seeding(len(names))
        slots = [names[seed] if seed < len(names) else None for seed in order]
        self._ties = [
            _Tie(place // 2, 0, [name for name in slots[place : place + 2] if name is not None])
            for place in range(0, len(slots), 2)
        ]
        first, turn = 0, 0
        while (size := len(self._ties) - first) > 1:
            first, turn = len(self._ties), turn + 1
            self._ties += [_Tie(first + place, turn, []) for place in range(size // 2)]
        for tie in self._ties[: len(order) // 2]:
            if len(tie.entrants) == 1:
                self._won(tie, tie.entrants[0])

    def total(self) -> int:
        """How many matches there will be, if no tie ends before its last deal set or goes on after it."""
        sets = sum(
            (tie.played if tie.winner is not None else max(self._schedule.deals, tie.played))
            for tie in self._ties
            if not (tie.turn == 0 and len(tie.entrants) == 1)
        )
        return sets * self._schedule.rotations

    def add(self, result: MatchResult) -> None:
        """Take note of a result."""
        self._scores.add(result)

    def waves(self) -> Iterator[Iterable[DealSet]]:
        """Of each open tie as many deal sets as it takes at least."""
        self._begin()
        while self._ties[-1].winner is None:
            given = [
                (tie, range(tie.played, tie.played + self._least(tie)))
                for tie in self._ties
                if tie.winner is None and len(tie.entrants) == 2
            ]
            for tie, turns in given:
                tie.played = turns.stop
            yield [
                self._schedule.sitting(self._number(tie, turn), tie.entrants, turn)
                for tie, turns in given
                for turn in turns
            ]
            for tie, turns in given:
                for turn in turns:
                    tie.lead += 2 * self._scores.of(self._number(tie, turn), *tie.entrants).mean - 1
                self._settle(tie)

    def _number(self, tie: _Tie, turn: int) -> int:
        """The number of a deal set: the same whoever plays there."""
        return tie.number * (self._schedule.deals + EXTRA) + turn

    def _least(self, tie: _Tie) -> int:
        """How many deal sets more it takes at least until a tie is decided."""
        left = self._schedule.deals - tie.played
        if left > 0:
            return int((left - abs(tie.lead)) / 2) + 1
        # Without duplicate deals each sits first once.
        return 1 if self._schedule.duplicate else 2

    def _settle(self, tie: _Tie) -> None:
        left = self._schedule.deals - tie.played
        if abs(tie.lead) > max(left, 0):
            self._won(tie, tie.entrants[0 if tie.lead > 0 else 1])
        elif left <= -EXTRA:
            self._won(tie, min(tie.entrants, key=self._schedule.entrants.index))

    def _won(self, tie: _Tie, name: str) -> None:
        tie.winner = name
        round_first = next(one.number for one in self._ties if one.turn == tie.turn)
        following = [one for one in self._ties if one.turn == tie.turn + 1]
        if following:
            next_tie = following[(tie.number - round_first) // 2]
            # In the order of the draw, whichever tie ends first.
            next_tie.entrants.insert(0 if (tie.number - round_first) % 2 == 0 else len(next_tie.entrants), name)

    def ranking(self) -> Mapping[str, Fraction]:
        """How many rounds each entrant has come through; a bye is one."""
        return {
            name: Fraction(sum(tie.winner == name for tie in self._ties)) for name in self._schedule.entrants
        }  # fmt: skip

    def verdict(self) -> str:
        """Who has won."""
        final = self._ties[-1]
        if final.winner is None:
            return ""
        return f"{final.winner!r} has won the final against {next(n for n in final.entrants if n != final.winner)!r}"

    def places(self) -> Mapping[str, tuple[int, int]]:
        """The best and the worst place that the draw leaves open to each entrant.

        Places go by how many rounds an entrant has come through. Who is out has come through no more than it has; who
        is not, may win. So those who lost in the semi-finals share the places 3 to 4.
        """
        won = {name: sum(tie.winner == name for tie in self._ties) for name in self._schedule.entrants}
        lost = {name for tie in self._ties if tie.winner is not None for name in tie.entrants if name != tie.winner}
        rounds = self._ties[-1].turn + 1
        most = {name: least if name in lost else rounds for name, least in won.items()}
        return {
            name: (
                1 + sum(least > most[name] for least in won.values()),
                sum(greatest >= won[name] for greatest in most.values()),
            )
            for name in won
        }

    def outlook(self) -> Outlook:
        """What the standings need to know."""
        return Outlook(self.total(), self.ranking(), places=self.places(), verdict=self.verdict())


def seeding(entrants: int) -> list[int]:
    """The places of a draw for so many entrants, of whom 0 is the first; numbers above the last are byes."""
    order = [0]
    while len(order) < entrants:
        last = 2 * len(order) - 1
        order = [seed for upper in order for seed in (upper, last - upper)]
    return order
