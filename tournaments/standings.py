"""Standings: what the results say, and how sure it is. Fed match by match; what is kept does not grow with them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from referee.rules.formats import rank
from referee.rules.registry import RULES_VERSION
from tournaments import tables
from tournaments.conditions import conditions
from tournaments.counting import Count
from tournaments.disqualification import Disqualified
from tournaments.faults import FAULTS
from tournaments.intervals import interval, probability_above_half
from tournaments.outlook import Outlook
from tournaments.passing import judged
from tournaments.places import place_ranges
from tournaments.ratings import Rating, ratings, results_of
from tournaments.result import MatchResult
from tournaments.schedule import Schedule
from tournaments.spec import TournamentSpec
from tournaments.tables import CSV_COLUMNS
from tournaments.tally import Meetings, Sums, Totals
from tournaments.worth import deals_worth

__all__ = ["CSV_COLUMNS", "FAULTS", "MatchResult", "Standings"]


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
        disqualifies: whether an entrant may be disqualified: all results are kept then, to be counted anew without it.
        played_under: the conditions that are told with the figures (`tournaments.conditions`).
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
        disqualifies: bool = False,
        played_under: Mapping[str, Any] | None = None,
    ) -> None:
        self._conditions = {} if played_under is None else {"conditions": dict(played_under)}
        self._pass_if = pass_if
        self.name = name
        self.game = game
        self.rules_version = rules_version
        self._identities = dict(identities)
        self._disqualifies = disqualifies
        self._table = table
        self._sides = sides
        self._rotations = rotations
        self._scale = 2 * (sides - 1)
        self._most = self._scale * rotations
        self._outlook = Outlook(matches_planned)
        self._results: list[MatchResult] | None = [] if disqualifies else None
        self._figures: dict[str, Any] | None = None
        self._begin()

    def _begin(self) -> None:
        """Begin to count, without those who are out."""
        self._names = [name for name in self._identities if name not in self._outlook.out]
        self._count = Count(self._names, self._table, self._sides, self._rotations)

    @property
    def matches_planned(self) -> int:
        """How many matches will count."""
        return self._outlook.matches

    @property
    def matches_played(self) -> int:
        """How many matches are counted."""
        return self._count.matches

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
            disqualifies=spec.disqualify is not None,
            played_under=conditions(spec),
        )

    def look(self, outlook: Outlook) -> None:
        """Take note of what the course says by now; the matches of those who are out count no more."""
        again = outlook.out.keys() != self._outlook.out.keys()
        self._outlook = outlook
        self._figures = None
        if again:
            assert self._results is not None, "only where somebody may be disqualified are the results kept"
            self._begin()
            for result in self._results:
                self._add(result)

    def add(self, result: MatchResult) -> None:
        """Count a match, once: one of a complete deal set cannot be recognised as counted already.

        Raises:
            ValueError: the result contradicts itself or the tournament; nothing was counted.
        """
        self._add(result)
        self._figures = None
        if self._results is not None:
            self._results.append(result)

    def _add(self, result: MatchResult) -> None:
        if self._outlook.out.keys().isdisjoint(result.seats):
            self._count.add(result)

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
        totals = self._count.everything()
        return dict(zip(self._names, ratings(results_of(totals, self._rotations)), strict=True))

    def place_chances(self) -> dict[str, list[float]]:
        """How probable each place is, by the entrant's name; see `tournaments.resampling.Replicates.places`."""
        totals = self._count.everything()
        return dict(zip(self._names, totals.replicates.places(self._most * totals.unit), strict=True))

    def _made(self) -> dict[str, Any]:
        count, totals = self._count, self._count.everything()
        figures: dict[str, Any] = {
            "name": self.name,
            "game": self.game,
            "rules_version": self.rules_version,
            "matches_planned": self.matches_planned,
            "matches_played": self.matches_played,
            "entrants": self._entrants(totals) + [self._excluded(name, one) for name, one in self._outlook.out.items()],
            "pairs": [self._pair(one, other, met) for (one, other), met in sorted(totals.pairs.items())],
            "seats": [
                {"seat": seat, "played": count.matches}
                | self._mean(units, count.matches, totals.seats[seat], self._scale)
                for seat, units in enumerate(count.seats)
            ],
            "deals_worth": deals_worth(count.totals.pairs.values(), self._rotations, self._sides),
        }
        verdict = {"verdict": self._outlook.verdict} if self._outlook.verdict else {}
        return figures | verdict | self._conditions

    def _entrants(self, totals: Totals) -> list[dict[str, Any]]:
        """Those who are in the tournament, by place."""
        if not self._names:
            return []
        ranges = place_ranges(self._means(), totals, self._most)
        if self._outlook.places is not None:
            ranges = [self._outlook.places[name] for name in self._names]
        rated = ratings(results_of(totals, self._rotations))
        chances = totals.replicates.places(self._most * totals.unit)
        places = self._places()
        order = sorted(range(len(self._names)), key=lambda number: (places[number], number))
        found = [
            self._entrant(number, totals)
            | {
                "place": places[number],
                "places": [min(ranges[number][0], places[number]), max(ranges[number][1], places[number])],
                "p_first": chances[number][0],
                "rating": rated[number].value,
                "rating_ci95": [rated[number].low, rated[number].high],
            }
            for number in order
        ]
        return [one | {"disqualified": None} for one in found] if self._disqualifies else found

    def _excluded(self, name: str, out: Disqualified) -> dict[str, Any]:
        """One who is disqualified: after all others, with its faults, and nothing that would count."""
        alone = Count([name], self._table, self._sides, self._rotations)
        (unrated,) = ratings(results_of(alone.totals, self._rotations))
        place = len(self._names) + 1
        return {
            "name": name,
            "identity": self._identities[name],
            "place": place,
            "places": [place, place],
            "p_first": 0.0,
            **dict.fromkeys(("played", "won", "drawn", "lost"), 0),
            "score": 0.0,
            "mean": None,
            "ci95": [0.0, 1.0],
            "rating": unrated.value,
            "rating_ci95": [unrated.low, unrated.high],
            "faults": dict(out.faults),
            "disqualified": out.to_json(),
        }

    def _means(self) -> list[float]:
        return [record.units / (self._scale * max(1, record.played)) for record in self._count.records]

    def _places(self) -> tuple[int, ...]:
        """The place of each entrant, by mean score; those that have not played come last."""
        if self._outlook.ranking is not None:
            return rank([-self._outlook.ranking[name] for name in self._names])
        records = self._count.records
        played = [record for record in records if record.played]
        lowest = min((Fraction(record.units, record.played) for record in played), default=Fraction(0)) - 1
        means = [Fraction(record.units, record.played) if record.played else lowest for record in records]
        return rank([-mean for mean in means])

    def _entrant(self, number: int, totals: Totals) -> dict[str, Any]:
        record = self._count.records[number]
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
