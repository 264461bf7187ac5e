"""What a report is made from: the standings as the logs say them, and what else is in the logs.

The logs alone say what was played: a report does not need to know how a tournament finds its pairings.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import msgspec

from tournaments.folder import State
from tournaments.outcome import log_path, read_result
from tournaments.ratings import Rating
from tournaments.result import MatchResult
from tournaments.schedule import PlannedMatch, Schedule
from tournaments.standings import Standings

CHECKPOINTS: Final = 24
"""At so many moments of a tournament its ratings are shown."""
TIMED: Final = 2_000
"""Of so many matches, spread evenly, the thinking times are read."""
LISTED: Final = 20_000
"""So many matches are listed, the first ones."""

_TOOK: Final = re.compile(rb'"by":"(?:bot|timeout)",[^\n]*"seat":(\d+),[^\n]*"took_ms":(\d+)')
"""A turn that a seat answered, or let pass, itself; its fields stand in the order of their names. Text from outside
cannot look so: its quotes are escaped."""


_ID: Final = re.compile(r"(\d+)-(\d+)")


@dataclass(slots=True)
class Gathered:
    """What is known of a tournament.

    Attributes:
        state: the tournament.
        rotations: matches a deal set.
        standings: as they are.
        figures: the same as in ``standings.json``.
        trail: the ratings of each entrant after so many deal sets, in the order of their numbers.
        matches: the results that are listed; all of complete deal sets, whose deals are no secret any more.
        deal_sets: how many deal sets have been begun.
        times: by entrant, how many turns took so many milliseconds.
        timed: from how many matches those are.
    """

    state: State
    rotations: int
    standings: Standings
    figures: Mapping[str, Any] = field(default_factory=dict)
    trail: list[tuple[int, dict[str, Rating]]] = field(default_factory=list)
    matches: list[MatchResult] = field(default_factory=list)
    deal_sets: int = 0
    times: dict[str, Counter[int]] = field(default_factory=dict)
    timed: int = 0


def gather(folder: Path, state: State) -> Gathered:
    """Read a tournament's folder, which may still be played in."""
    schedule = Schedule.of(state.spec)
    standings = Standings.of(state.spec, schedule, state.identities)
    found = Gathered(state, schedule.rotations, standings)
    found.times = {name: Counter() for name in schedule.entrants}
    ids = sorted(path.stem for path in (folder / "matches").glob("*.jsonl") if _ID.fullmatch(path.stem))
    sets = [list(one) for _, one in groupby(ids, key=_deal_set)]
    few = CHECKPOINTS if len(schedule.entrants) <= 64 else CHECKPOINTS // 4
    moments = {max(1, len(sets) * one // few) for one in range(1, few + 1)}
    stride = max(1, -(-len(ids) // TIMED))
    for number, those in enumerate(sets, start=1):
        results = list(_results(folder, those, standings))
        found.deal_sets += bool(results)
        if len(results) == found.rotations:
            found.matches += results[: LISTED - len(found.matches)]
        if number % stride == 0:
            for result in results:
                _time(found, folder, result)
        if number in moments and standings.matches_played:
            found.trail.append((number, standings.ratings()))
    found.figures = _figures(folder, standings)
    return found


def _deal_set(match: str) -> int:
    return int(match.split("-", maxsplit=1)[0])


def _results(folder: Path, ids: list[str], standings: Standings) -> Iterator[MatchResult]:
    """The results of a deal set, counted; a log that says none, or nothing of this tournament, is passed over."""
    for match in ids:
        deal_set, rotation = map(int, match.split("-"))
        try:
            with log_path(folder, match).open("rb") as log:
                opening = msgspec.json.decode(log.readline(), type=dict[str, Any])
            seats = tuple(seat["name"] for seat in opening["seats"])
            sides = tuple(seat["side"] for seat in opening["seats"])
            result = read_result(folder, PlannedMatch(match, deal_set, rotation, seats), sides)
            if result is not None:
                standings.add(result)
                yield result
        except (OSError, ValueError, LookupError, TypeError):
            continue


def _figures(folder: Path, standings: Standings) -> Mapping[str, Any]:
    """The figures that the logs give; with the places that the run has written, which may go by more than the mean."""
    figures: Mapping[str, Any] = standings.to_json()
    try:
        written = msgspec.json.decode((folder / "standings.json").read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.MsgspecError):
        return figures
    try:
        ranked = {one["name"]: {key: one[key] for key in ("place", "places")} for one in written["entrants"]}
        if written["matches_played"] != figures["matches_played"]:
            return figures
        entrants = sorted((one | ranked[one["name"]] for one in figures["entrants"]), key=lambda one: int(one["place"]))
        return {**figures, "matches_planned": int(written["matches_planned"]), "entrants": entrants}
    except (LookupError, TypeError, ValueError):
        return figures


def _time(found: Gathered, folder: Path, result: MatchResult) -> None:
    """Count the thinking times in a match."""
    found.timed += 1
    for seat, took in _TOOK.findall(log_path(folder, result.id).read_bytes()):
        found.times[result.seats[int(seat)]][int(took)] += 1
