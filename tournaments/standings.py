"""Standings: what the results say, and how sure it is. Fed match by match; what is kept does not grow with them."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from referee.rules.formats import rank
from referee.rules.registry import RULES_VERSION, unknown
from tournaments import tables
from tournaments.faults import FAULTS
from tournaments.intervals import interval, probability_above_half
from tournaments.passing import judged
from tournaments.places import place_ranges
from tournaments.ratings import Rating, ratings, results_of
from tournaments.result import MatchResult, check_result, score_units
from tournaments.schedule import Schedule
from tournaments.spec import TournamentSpec
from tournaments.tables import CSV_COLUMNS
from tournaments.tally import Line, Meetings, Sums, Totals
from tournaments.worth import deals_worth

__all__ = ["CSV_COLUMNS", "FAULTS", "MatchResult", "Standings"]


@dataclass(slots=True)
class _Record:
    """An entrant's matches, counted one by one."""

    played: int = 0
    won: int = 0
    drawn: int = 0
    units: int = 0
    faults: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FAULTS, 0))


class Standings:
    """The standings of a tournament, in which any match may be the next to be added.

    Every interval is one over deal sets, not matches: the matches of a set share their deals. It treats a tournament's
    deal sets as a sample of equal ones, so that the differences between opponents count as spread too, which makes it
    wider rather than narrower. The interval of an entrant's mean is Student's t (`tournaments.intervals.interval`) and
    the middle 95 % of resampled tournaments (`tournaments.resampling`), whichever reaches further.

    Args:
        name: the tournament's name.
        game: the game's id.
        identities: each entrant's identity by its name, in the order of the tournament file.
        table: seats a match.
        sides: how many entrants meet in a match.
        rotations: matches a deal set.
        matches_planned: how many matches there will be.
        rules_version: which rules were played.
        pass_if: what an entrant needs to pass, if there is something to pass.
    """

    def __init__(
        self,
        *,
        name: str,
        game: str,
        identities: Mapping[str, str],
        table: int,
        sides: int,
        rotations: int,
        matches_planned: int,
        rules_version: int = RULES_VERSION,
        pass_if: str = "",
    ) -> None:
        self._pass_if = pass_if
        self.name = name
        self.game = game
        self.rules_version = rules_version
        self.matches_planned = matches_planned
        self.matches_played = 0
        self._identities = dict(identities)
        self._names = list(identities)
        self._numbers = {name: number for number, name in enumerate(self._names)}
        self._sides = sides
        self._rotations = rotations
        self._scale = 2 * (sides - 1)
        self._most = self._scale * rotations
        self._records = [_Record() for _ in self._names]
        self._seats = [0] * table
        self._totals = Totals(len(self._names), table, rotations)
        self._open: dict[int, list[Line]] = {}
        self._ranking: Mapping[str, Fraction] | None = None
        self._figures: dict[str, Any] | None = None

    @classmethod
    def of(cls, spec: TournamentSpec, schedule: Schedule, identities: Mapping[str, str]) -> Standings:
        """The standings of a tournament before its first match.

        Args:
            spec: the tournament.
            schedule: its schedule.
            identities: each entrant's identity by its name, in any order.
        """
        return cls(
            name=spec.name,
            game=spec.game,
            identities={entrant.name: identities[entrant.name] for entrant in spec.entrants},
            table=spec.table,
            sides=schedule.block,
            rotations=schedule.rotations,
            matches_planned=schedule.total(),
            pass_if=spec.pass_if,
        )

    def plan(self, matches_planned: int, ranking: Mapping[str, Fraction] | None = None) -> None:
        """Say anew how many matches there will be, and what places go by if not by the mean: the more, the better."""
        self.matches_planned = matches_planned
        self._ranking = ranking
        self._figures = None

    def add(self, result: MatchResult) -> None:
        """Count a match, once: one of a complete deal set cannot be recognised as counted already.

        Raises:
            ValueError: the result contradicts itself or the tournament; nothing was counted.
        """
        line = self._line(result)
        self._figures = None
        self.matches_played += 1
        for seat, units in enumerate(line.units):
            self._seats[seat] += units
        shared = result.places.count(1) > 1
        units_of = dict(zip(line.seats, line.units, strict=True))
        for number, side in dict(zip(line.seats, result.sides, strict=True)).items():
            record = self._records[number]
            record.played += 1
            record.units += units_of[number]
            if result.places[side] == 1:
                record.won += not shared
                record.drawn += shared
        for name, faults in result.faults.items():
            for fault, times in faults.items():
                self._records[self._numbers[name]].faults[fault] += times
        lines = self._open.setdefault(result.deal_set, [])
        lines.append(line)
        if len(lines) == self._rotations:
            self._totals.add(result.deal_set, self._open.pop(result.deal_set))

    def _line(self, result: MatchResult) -> Line:
        """The result in numbers, checked."""
        check_result(result, len(self._seats), self._sides)
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

    def to_json(self) -> dict[str, Any]:
        """The standings as they are in ``standings.json``; entrants by place, then as in the tournament file.

        A mean is null where nothing was played, and its interval 0 to 1. Pairs are those that have met. What duplicate
        deals are worth is null where there are few or none.
        """
        if self._figures is None:
            self._figures = judged(self._made(), self._pass_if)
        return self._figures

    def to_csv(self) -> str:
        """The entrants of the standings as a table with a head line."""
        return tables.to_csv(self.to_json())

    def to_markdown(self) -> str:
        """The standings as Markdown."""
        return tables.to_markdown(self.to_json())

    def ratings(self) -> dict[str, Rating]:
        """The rating of each entrant, by name."""
        totals = self._everything()
        return dict(zip(self._names, ratings(results_of(totals, self._rotations)), strict=True))

    def place_chances(self) -> dict[str, list[float]]:
        """How probable each place is, by the entrant's name; see `tournaments.resampling.Replicates.places`."""
        totals = self._everything()
        return dict(zip(self._names, totals.replicates.places(self._most * totals.unit), strict=True))

    def _made(self) -> dict[str, Any]:
        totals = self._everything()
        ranges = place_ranges(self._means(), totals, self._most)
        rated = ratings(results_of(totals, self._rotations))
        chances = totals.replicates.places(self._most * totals.unit)
        places = self._places()
        order = sorted(range(len(self._names)), key=lambda number: (places[number], number))
        return {
            "name": self.name,
            "game": self.game,
            "rules_version": self.rules_version,
            "matches_planned": self.matches_planned,
            "matches_played": self.matches_played,
            "entrants": [
                self._entrant(number, totals)
                | {
                    "place": places[number],
                    "places": [min(ranges[number][0], places[number]), max(ranges[number][1], places[number])],
                    "p_first": chances[number][0],
                    "rating": rated[number].value,
                    "rating_ci95": [rated[number].low, rated[number].high],
                }
                for number in order
            ],
            "pairs": [self._pair(one, other, met) for (one, other), met in sorted(totals.pairs.items())],
            "seats": [
                {"seat": seat, "played": self.matches_played}
                | self._mean(units, self.matches_played, totals.seats[seat], self._scale)
                for seat, units in enumerate(self._seats)
            ],
            "deals_worth": deals_worth(self._totals.pairs.values(), self._rotations, self._sides),
        }

    def _everything(self) -> Totals:
        """The totals with the deal sets in progress, as far as they have been played."""
        if not self._open:
            return self._totals
        totals = copy.deepcopy(self._totals)
        for deal_set, lines in sorted(self._open.items()):
            totals.add(deal_set, lines)
        return totals

    def _means(self) -> list[float]:
        return [record.units / (self._scale * max(1, record.played)) for record in self._records]

    def _places(self) -> tuple[int, ...]:
        """The place of each entrant, by mean score; those that have not played come last."""
        if self._ranking is not None:
            return rank([-self._ranking[name] for name in self._names])
        played = [record for record in self._records if record.played]
        lowest = min((Fraction(record.units, record.played) for record in played), default=Fraction(0)) - 1
        means = [Fraction(record.units, record.played) if record.played else lowest for record in self._records]
        return rank([-mean for mean in means])

    def _entrant(self, number: int, totals: Totals) -> dict[str, Any]:
        record = self._records[number]
        mean = self._mean(record.units, record.played, totals.scores[number], self._scale)
        resampled = totals.replicates.interval(number, self._most * totals.unit)
        if record.played and resampled is not None:
            low, high = mean["ci95"]
            mean["ci95"] = [min(low, resampled[0]), max(high, resampled[1])]
        return {
            "name": self._names[number],
            "identity": self._identities[self._names[number]],
            "place": 0,
            "places": [],
            "p_first": 0.0,
            "played": record.played,
            "won": record.won,
            "drawn": record.drawn,
            "lost": record.played - record.won - record.drawn,
            "score": record.units / self._scale,
            **mean,
            "rating": 0.0,
            "rating_ci95": [],
            "faults": dict(record.faults),
        }

    def _pair(self, one: int, other: int, met: Meetings) -> dict[str, Any]:
        values, scale = met.compared, 2 * self._rotations
        mean = self._mean(met.units, met.matches, values, 2)
        return {
            "a": self._names[one],
            "b": self._names[other],
            "deals": values.count,
            "a_score": met.units / 2,
            "a_mean": mean["mean"],
            "ci95": mean["ci95"],
            "p_a_better": probability_above_half(
                float(values.total) / scale, float(values.squares) / scale**2, values.count
            ),
        }

    def _mean(self, units: int, played: int, values: Sums, scale: int) -> dict[str, Any]:
        """A mean over matches, with its interval over deal sets."""
        if not played:
            return {"mean": None, "ci95": [0.0, 1.0]}
        mean = units / (scale * played)
        return {
            "mean": mean,
            "ci95": list(interval(mean, values.variance_of_mean(scale * self._rotations), values.count)),
        }
