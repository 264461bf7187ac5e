"""Counting results, match by match, for standings; what is kept does not grow with the matches."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field

from referee.rules.registry import unknown
from tournaments.faults import FAULTS
from tournaments.result import MatchResult, check_result, score_units
from tournaments.tally import Line, Totals


@dataclass(slots=True)
class Record:
    """An entrant's matches, counted one by one.

    Attributes:
        played: how many it has played.
        won: those in which it had the best place alone.
        drawn: those in which it shared the best place.
        units: its scores, summed, in units (`tournaments.result.score_units`).
        faults: how often it committed each fault.
    """

    played: int = 0
    won: int = 0
    drawn: int = 0
    units: int = 0
    faults: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FAULTS, 0))


class Count:
    """The sums over the results of some entrants, of which any match may be the next.

    Args:
        names: the entrants' names; they are numbered in this order.
        table: seats a match.
        sides: how many entrants meet in a match.
        rotations: matches a deal set.

    Attributes:
        matches: how many matches are counted.
        records: the matches of each entrant.
        seats: the scores in units, summed by seat.
        totals: the sums over the deal sets that are complete.
    """

    def __init__(self, names: Sequence[str], table: int, sides: int, rotations: int) -> None:
        self.matches = 0
        self.records = [Record() for _ in names]
        self.seats = [0] * table
        self.totals = Totals(len(names), table, rotations)
        self._names = list(names)
        self._numbers = {name: number for number, name in enumerate(names)}
        self._sides = sides
        self._rotations = rotations
        self._open: dict[int, list[Line]] = {}

    def add(self, result: MatchResult) -> None:
        """Count a match, once: one of a complete deal set cannot be recognised as counted already.

        Raises:
            ValueError: the result contradicts itself or the tournament; nothing was counted.
        """
        line = self._line(result)
        self.matches += 1
        for seat, units in enumerate(line.units):
            self.seats[seat] += units
        shared = result.places.count(1) > 1
        units_of = dict(zip(line.seats, line.units, strict=True))
        for number, side in dict(zip(line.seats, result.sides, strict=True)).items():
            record = self.records[number]
            record.played += 1
            record.units += units_of[number]
            if result.places[side] == 1:
                record.won += not shared
                record.drawn += shared
        for name, faults in result.faults.items():
            for fault, times in faults.items():
                self.records[self._numbers[name]].faults[fault] += times
        lines = self._open.setdefault(result.deal_set, [])
        lines.append(line)
        if len(lines) == self._rotations:
            self.totals.add(result.deal_set, self._open.pop(result.deal_set))

    def _line(self, result: MatchResult) -> Line:
        """The result in numbers, checked."""
        check_result(result, len(self.seats), self._sides)
        for name in (*result.seats, *result.faults):
            if name not in self._numbers:
                raise ValueError(f"match {result.id}: {unknown('entrant', name, self._names)}")
        seats = tuple(self._numbers[name] for name in result.seats)
        for line in self._open.get(result.deal_set, []):
            if line.id == result.id:
                raise ValueError(f"match {result.id}: it was counted already")
            if set(line.seats) != set(seats):
                raise ValueError(f"match {result.id}: others play the deal set {result.deal_set}")
        return Line(result.id, seats, tuple(score_units(result.places, side) for side in result.sides))

    def everything(self) -> Totals:
        """The totals with the deal sets in progress, as far as they have been played."""
        if not self._open:
            return self.totals
        totals = copy.deepcopy(self.totals)
        for deal_set, lines in sorted(self._open.items()):
            totals.add(deal_set, lines)
        return totals
