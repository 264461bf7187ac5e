"""Refereeing a tournament again, from its folder alone: its deals, its schedule, every log, and its standings.

What bots printed (`bots`) and the logs that others have superseded (`superseded`) prove nothing and are not looked at;
nor is `report.html`, which can be made anew from the logs at any time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

from referee.match.deal import commitment, parse_seed, set_seed
from referee.match.events import Event, MatchSpec, same
from referee.match.log import LogError, read_log, written_line
from referee.match.verify import verify_events
from tournaments.course import course_of
from tournaments.folder import STATE, FolderError, State, at_work, digest_of, read_state, text_of
from tournaments.outcome import WrongLog, log_path, read_result
from tournaments.player import Setting, match_spec
from tournaments.publish import files_of
from tournaments.result import MatchResult
from tournaments.resume import SUPERSEDED
from tournaments.schedule import DealSet, PlannedMatch, Schedule
from tournaments.standings import Standings

_WRITTEN: Final = frozenset({"seq", "ts", "prev", "hash"})
"""What the log adds to an event."""
_OTHERS: Final = frozenset({STATE, ".lock", "matches", "bots", SUPERSEDED})
"""What stands in a tournament's folder besides its standings and its report."""
_REPORT: Final = "report.html"
_TO_COME: Final = {False: "to be played again", True: "being played, or to be played again"}


@dataclass(slots=True)
class Proof:
    """What was found in a tournament's folder.

    Attributes:
        folder: the folder.
        name: the tournament's name.
        planned: how many matches there will be.
        played: how many have been played to an end that counts.
        finished: whether nothing is left to play.
        faults: what is wrong, each with its file and, in a log, its line.
        notes: what is no fault, but still to come: matches to be played again, seeds and standings.
        at_work: whether a run was at work while the folder was looked at.
        behind: whether the standings count fewer matches than there are, and so were not compared.
    """

    folder: Path
    name: str = ""
    planned: int = 0
    played: int = 0
    finished: bool = False
    faults: list[LogError] = field(default_factory=list)
    notes: list[LogError] = field(default_factory=list)
    at_work: bool = False
    behind: bool = False

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults

    def fault(self, path: Path, problem: str, line: int = 0) -> None:
        """Note what is wrong."""
        self.faults.append(LogError(str(path), line, problem))

    def note(self, path: Path, text: str, line: int = 0) -> None:
        """Note what is still to come."""
        self.notes.append(LogError(str(path), line, text))


def prove(folder: Path, published: str | None = None, on_log: Callable[[], None] = lambda: None) -> Proof:
    """Referee a tournament again.

    Args:
        folder: its folder.
        published: the commitment to its deals as somebody has noted it before the first match.
        on_log: called after every log.
    """
    proof = Proof(folder)
    try:
        state = read_state(folder)
    except FolderError as error:
        proof.fault(folder / STATE, str(error).removeprefix(f"{folder / STATE}: "))
        return proof
    proof.name = state.spec.name
    proof.at_work = at_work(folder)
    _check_state(proof, state, published)
    _Walk(proof, state, on_log).go()
    return proof


def _check_state(proof: Proof, state: State, published: str | None) -> None:
    path = proof.folder / STATE
    if digest_of(state) != state.digest or path.read_text(encoding="utf-8") != text_of(state):
        proof.fault(path, "digest: it is not what the runner has written")
    if commitment(parse_seed(state.seed)) != state.commitment:
        proof.fault(path, "commitment: it is not the SHA-256 of the seed")
    if published is not None and state.commitment != published.lower():
        proof.fault(path, f"commitment: it is {state.commitment}, not {published}, which was published")


class _Walk:
    """The tournament's course once more, with logs in the place of bots."""

    def __init__(self, proof: Proof, state: State, on_log: Callable[[], None]) -> None:
        self._proof = proof
        self._state = state
        self._on_log = on_log
        self._setting: Setting = state.setting(proof.folder)
        self._schedule = schedule = Schedule.of(state.spec, state.layers)
        self._course = course_of(state.spec, schedule)
        self._standings = Standings.of(state.spec, schedule, state.identities)
        self._seen: set[str] = set()
        self._unrevealed: list[tuple[Path, int]] = []

    def go(self) -> None:
        """Walk it to its end, or to the first wave that is not complete."""
        proof = self._proof
        proof.finished = all(self._wave(wave) for wave in self._course.waves())
        for path in sorted((proof.folder / "matches").glob("*")):
            if path.name in self._seen:
                continue
            if self._in_vain(path):
                proof.note(path, "not counted: an entrant was disqualified before this match")
            else:
                proof.fault(path, "schedule: no match of this name is planned")
        self._standings.look(self._course.outlook())
        proof.planned, proof.played = self._course.total(), self._standings.matches_played
        self._say_unrevealed()
        if proof.played or proof.finished or (proof.folder / "standings.json").exists():
            self._check_standings()
        self._say_strays()

    def _in_vain(self, path: Path) -> bool:
        """Whether a log is of a planned match that was played though one of its entrants was out by then."""
        try:
            number = int(path.stem.partition("-")[0])
            planned = self._schedule.deal_set(number)
        except (ValueError, IndexError):
            return False
        out = self._course.outlook().out
        return path.name in {log_path(path, one.id).name for one in planned} and not out.keys().isdisjoint(
            self._schedule.names_in(number)
        )

    def _wave(self, sets: Iterable[DealSet]) -> bool:
        """Count a wave's matches; whether all of them have been played."""
        done = [self._set(matches) for matches in sets]
        return all(done)

    def _set(self, matches: DealSet) -> bool:
        """Count a deal set's matches; whether all of them have been played."""
        seed = set_seed(self._setting.seed, matches[0].deal_set)
        played = [self._match(planned, seed) for planned in matches]
        if all(played) and self._state.spec.duplicate:
            for planned, last in zip(matches, played, strict=True):
                if last is not None and "seed" not in last:
                    self._unrevealed.append((log_path(self._proof.folder, planned.id), last["seq"] + 1))
        return all(one is not None for one in played)

    def _say_unrevealed(self) -> None:
        """Say which seeds of complete deal sets are missing: a run that goes on, or is at work, tells them."""
        for path, line in self._unrevealed:
            if self._proof.finished and not self._proof.at_work:
                self._proof.fault(
                    path, "seed: its deal set is done, but the seed is not revealed; run the tournament again", line
                )
            else:
                self._proof.note(path, "seed: not revealed yet")

    def _say_strays(self) -> None:
        """Say what stands in the folder that no tournament has, and that its report is missing."""
        proof = self._proof
        ours = {*_OTHERS, _REPORT, *files_of(self._standings)}
        for path in sorted(proof.folder.iterdir()):
            # A file that is being replaced has such a name for a moment.
            if path.name not in ours and path.name.removeprefix(".").removesuffix(".new") not in ours:
                proof.note(path, "not the tournament's; it was not looked at")
        if proof.finished and not proof.at_work and not (proof.folder / _REPORT).is_file():
            proof.note(proof.folder / _REPORT, "missing; `referee tournament report` makes it from the logs")

    def _match(self, planned: PlannedMatch, seed: bytes) -> Event | None:
        """Referee and count a match; the last event of its log if it has been played to an end that counts."""
        path = log_path(self._proof.folder, planned.id)
        self._seen.add(path.name)
        if not path.exists():
            return None
        self._on_log()
        try:
            events = self._refereed(path, planned, seed)
            if all(event["event"] != "match_ended" for event in events[-2:]):
                self._proof.note(path, f"unfinished, {_TO_COME[self._proof.at_work]}")
                return None
            result = read_result(self._proof.folder, planned, self._setting.sides, self._setting.seed)
        except LogError as fault:
            self._proof.faults.append(fault)
            return None
        except WrongLog as wrong:
            self._proof.fault(path, f"schedule: {wrong}", 1)
            return None
        if result is None:
            return None
        self._count(result, path)
        return events[-1]

    def _refereed(self, path: Path, planned: PlannedMatch, seed: bytes) -> Sequence[Event]:
        """The events of a log that verifies, and is that of the planned match.

        A line that is torn at its end is left out. There may be none. Raises `LogError`.
        """
        events = _whole_lines(path)
        if not events:
            return events
        verify_events(str(path), events, seed, partial=True)
        with path.open("rb") as file:
            for number, (line, event) in enumerate(zip(file, events, strict=False), start=1):
                if line != written_line(event):
                    raise LogError(str(path), number, "the line is not written as the referee writes it")
        started = {key: value for key, value in events[0].items() if key not in _WRITTEN}
        wanted: MatchSpec = match_spec(self._setting, planned)
        for key, value in wanted.started().items():
            if not same(started.get(key), value):
                raise LogError(str(path), 1, f"schedule: {key} is {started.get(key)!r}; planned: {value!r}")
        if events[0]["ts"] < self._state.committed_at:
            raise LogError(str(path), 1, f"commitment: it was made at {self._state.committed_at}, after this match")
        return events

    def _count(self, result: MatchResult, path: Path) -> None:
        try:
            self._standings.add(result)
            self._course.add(result)
        except ValueError as error:
            self._proof.fault(path, f"result: {error}")

    def _check_standings(self) -> None:
        """See that the standings are those of the logs, to the last byte; of a run that goes on, or not yet."""
        proof = self._proof
        path = proof.folder / "standings.json"
        counted = _counted_in(path)
        if not proof.finished and not proof.at_work and counted is not None and counted < proof.played:
            proof.behind = True
            proof.note(path, f"standings count {counted} of {proof.played} matches; run again or report to refresh")
            return
        if proof.at_work and counted is not None and counted != proof.played:
            proof.behind = True
            proof.note(path, f"standings count {counted} matches, the logs {proof.played}: a run is at work")
            return
        for name, text in files_of(self._standings).items():
            path = proof.folder / name
            try:
                there = path.read_bytes()
            except OSError as error:
                proof.fault(path, f"cannot be read: {error.strerror}")
                continue
            if there != text.encode():
                lines = zip(there.split(b"\n"), text.encode().split(b"\n"), strict=False)
                line = next((number for number, (one, other) in enumerate(lines, start=1) if one != other), 0)
                proof.fault(path, "standings: not what the logs come to", line)


def _whole_lines(path: Path) -> list[Event]:
    """The events of a log, without a line that is torn at its end. Raises `LogError`."""
    events: list[Event] = []
    try:
        events.extend(read_log(path))
    except LogError as error:
        events = _but_torn(path, error)
    return events


def _but_torn(path: Path, error: LogError) -> list[Event]:
    try:
        data = path.read_bytes()
    except OSError:
        raise error from None
    if data and (data.endswith(b"\n") or error.line != data.count(b"\n") + 1):
        raise error
    return list(islice(read_log(path), data.count(b"\n")))


def _counted_in(path: Path) -> int | None:
    """How many matches standings count; 0 if there are none, None if that cannot be told."""
    try:
        counted = json.loads(path.read_bytes())["matches_played"]
    except FileNotFoundError:
        return 0
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return counted if isinstance(counted, int) and counted >= 0 else None
