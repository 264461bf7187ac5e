"""What a report is made from: the standings as the logs say them, and what else is in the logs.

The logs alone say what was played: a report does not need to know how a tournament finds its pairings.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import msgspec

from tournaments.course import Everything, asked_for, course_of, depends_on_results
from tournaments.disqualification import Disqualified
from tournaments.folder import State
from tournaments.incidents import IncidentReader, Incidents
from tournaments.outcome import WrongLog, log_path, read_result
from tournaments.ratings import Rating
from tournaments.report.details import Details, full, note_faults, note_play
from tournaments.result import MatchResult
from tournaments.schedule import PlannedMatch, Schedule
from tournaments.standings import Standings

CHECKPOINTS: Final = 24
"""At so many moments of a tournament its ratings are shown."""
TIMED: Final = 2_000
"""Of so many matches, spread evenly, the thinking times are read."""
LISTED: Final = 20_000
"""So many matches are listed, the first ones."""

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
        deal_sets: how many deal sets have been begun, and count.
        played: how many matches have been played, those included that do not count since an entrant is disqualified.
        details: what is told of each entrant, by name.
        timed: from how many matches thinking times and lost hands are.
        out: who is disqualified, by name.
        incidents: what happened besides the results.
    """

    state: State
    rotations: int
    standings: Standings
    figures: Mapping[str, Any] = field(default_factory=dict)
    trail: list[tuple[int, dict[str, Rating]]] = field(default_factory=list)
    matches: list[MatchResult] = field(default_factory=list)
    deal_sets: int = 0
    played: int = 0
    details: dict[str, Details] = field(default_factory=dict)
    timed: int = 0
    out: Mapping[str, Disqualified] = field(default_factory=dict)
    incidents: Incidents = field(default_factory=Incidents)


def gather(folder: Path, state: State) -> Gathered:
    """Read a tournament's folder, which may still be played in."""
    schedule = Schedule.of(state.spec, state.layers)
    standings = Standings.of(state.spec, schedule, state.identities)
    found = Gathered(state, schedule.rotations, standings)
    found.details = {name: Details() for name in schedule.entrants}
    found.incidents = IncidentReader(folder).read()
    ids = sorted(path.stem for path in (folder / "matches").glob("*.jsonl") if _ID.fullmatch(path.stem))
    if depends_on_results(state.spec):
        planned = _planned(folder, state, schedule)
        ids = [match for match in ids if match in planned]
    if state.spec.disqualify is not None:
        course = Everything(schedule, state.spec.disqualify)
        for result in _results(folder, ids, found):
            course.add(result)
        outlook = course.outlook()
        standings.look(outlook)
        found.out = outlook.out
    sets = [list(one) for _, one in groupby(ids, key=_deal_set)]
    few = CHECKPOINTS if len(schedule.entrants) <= 64 else CHECKPOINTS // 4
    moments = {max(1, len(sets) * one // few) for one in range(1, few + 1)}
    stride = max(1, -(-len(ids) // TIMED))
    for number, those in enumerate(sets, start=1):
        results, counted = [], standings.matches_played
        for result in _results(folder, those, found):
            with contextlib.suppress(ValueError):
                standings.add(result)
                results.append(result)
        found.played += len(results)
        found.deal_sets += standings.matches_played > counted
        if len(results) == found.rotations:
            found.matches += results[: LISTED - len(found.matches)]
            _look_into(found, folder, results, number % stride == 0)
        if number in moments and standings.matches_played:
            found.trail.append((number, standings.ratings()))
    found.figures = _figures(folder, standings)
    return found


def _planned(folder: Path, state: State, schedule: Schedule) -> set[str]:
    """The matches that the course asks for and that have a result: logs of others may wait to be set aside."""
    setting = state.setting(folder)
    found = set()

    def result_of(planned: PlannedMatch) -> MatchResult | None:
        try:
            result = read_result(folder, planned, setting.sides, setting.seed)
        except (WrongLog, OSError, ValueError, LookupError, TypeError):
            return None
        if result is not None:
            found.add(planned.id)
        return result

    for _ in asked_for(course_of(state.spec, schedule), result_of):
        pass
    return found


def _look_into(found: Gathered, folder: Path, results: list[MatchResult], timed: bool) -> None:
    """Note what the logs of a complete deal set tell of its entrants; faults always, the rest if it is ``timed``."""
    found.timed += len(results) * timed
    for result in results:
        faulty = not full(found.details, result.faults)
        if timed or faulty:
            log = log_path(folder, result.id).read_bytes()
            if timed:
                note_play(found.details, result, log)
            if faulty:
                note_faults(found.details, result, log)


def _deal_set(match: str) -> int:
    return int(match.split("-", maxsplit=1)[0])


def _results(folder: Path, ids: list[str], found: Gathered) -> Iterator[MatchResult]:
    """The results of some matches; a log that says none, or nothing of this tournament, is passed over.

    So is what an entrant has played when it was already disqualified.
    """
    for match in ids:
        deal_set, rotation = map(int, match.split("-"))
        try:
            with log_path(folder, match).open("rb") as log:
                opening = msgspec.json.decode(log.readline(), type=dict[str, Any])
            seats = tuple(seat["name"] for seat in opening["seats"])
            sides = tuple(seat["side"] for seat in opening["seats"])
            result = read_result(folder, PlannedMatch(match, deal_set, rotation, seats), sides)
            if result is None or not found.details.keys() >= set(seats):
                continue
            if not any(deal_set > found.out[name].deal_set for name in seats if name in found.out):
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
        said = {"verdict": str(written["verdict"])} if "verdict" in written else {}
        return {**figures, "matches_planned": int(written["matches_planned"]), "entrants": entrants, **said}
    except (LookupError, TypeError, ValueError):
        return figures
