"""Runs a tournament: hands out deal sets to worker processes, gathers results, writes standings.

What is done is read from the logs; what is left is the difference to what its course asks for. Matches of
remote entrants are played in this process, whose one address they dial in at.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from referee.processes.bot_process import StartError
from referee.server.app import ListenError
from referee.server.transport import LOOPBACK, Transport
from tournaments import worker
from tournaments.course import course_of, depends_on_results
from tournaments.executors import Executor, ExecutorLost, Losses, WorkersLost
from tournaments.faults import Breakdown
from tournaments.folder import State
from tournaments.incidents import IncidentReader, Incidents, note_again
from tournaments.outcome import WrongLog, log_path, read_result
from tournaments.player import LISTEN, MatchFailed, Player
from tournaments.publish import Pace, write_standings
from tournaments.result import MatchResult
from tournaments.resume import set_aside, set_aside_unplanned
from tournaments.schedule import DealSet, PlannedMatch, Schedule
from tournaments.standings import Standings
from tournaments.tasks import some, to_its_end
from tournaments.versions import Versions, WrongVersion
from tournaments.worker import Work

SETS_A_TASK: Final = 64
"""The most deal sets that are handed to a worker at once."""

TASK_S: Final = 0.5
"""A task is made to take about so long (seconds): handing it out then costs nothing."""


class RunFailed(Exception):
    """A tournament that could not be finished; what was played is kept, and another run goes on from there."""


class Runner:
    """One run of a tournament.

    Args:
        state: the tournament.
        folder: its folder.
        executor: plays the tasks; it is closed at the end.
        listen: where remote entrants dial in.
        transport: whether they do so with TLS.
        on_result: told of every result, those of earlier runs included.
        on_standings: told the standings whenever they are written, and what has happened besides.
        on_waiting: told the address and the tokens of the remote entrants that are waited for, by name.

    Attributes:
        schedule: all that is scheduled, or what a meeting consists of where the course depends on results.
        course: what is to be played.
        standings: the standings so far.
        incidents: what has happened besides the results, in this run and those before.
        set_aside: the logs that were of other matches than those planned now, and were moved out of the way.
    """

    def __init__(
        self,
        state: State,
        folder: Path,
        *,
        executor: Executor,
        listen: str = LISTEN,
        transport: Transport = LOOPBACK,
        on_result: Callable[[MatchResult], None] = lambda result: None,
        on_standings: Callable[[Mapping[str, Any], Incidents], None] = lambda figures, incidents: None,
        on_waiting: Callable[[str, Mapping[str, str]], None] = lambda address, tokens: None,
    ) -> None:
        self.schedule = Schedule.of(state.spec, state.layers)
        self.course = course_of(state.spec, self.schedule)
        self.set_aside: list[str] = []
        self.standings = Standings.of(state.spec, self.schedule, state.identities)
        self._state = state
        self._folder = folder
        self._setting = state.setting(folder)
        self._executor = executor
        self._on_result = on_result
        self._on_standings = on_standings
        self._on_waiting = on_waiting
        self.incidents = IncidentReader(folder)
        self._remote = {entrant.name: asyncio.Lock() for entrant in state.spec.entrants if entrant.remote}
        self._here = Player(self._setting, listen, state.tokens, transport)
        self._losses = Losses()
        self._waited = False
        self._versions = Versions.of(state.spec)
        self._out: dict[str, PlannedMatch] = {}
        self._open_sets: dict[int, DealSet] = {}
        self._asked: set[int] | None = set() if depends_on_results(state.spec) else None
        self._waves = self.course.waves()
        self._sets: Iterator[DealSet] = iter(())
        self._over = False
        self._sets_a_task = 1
        self._pace = Pace()

    async def run(self) -> None:
        """Play what is left.

        Raises:
            RunFailed: it could not be finished.
        """
        try:
            await self._play()
            await self._here.part()
        except (MatchFailed, StartError, ListenError, ExecutorLost, WrongVersion) as error:
            raise RunFailed(str(error)) from error
        finally:
            await to_its_end(self._close())
            if not self._over:
                self._count_the_rest()
            self._write()

    def refresh(self) -> None:
        """Write the standings of what has been played, without a run."""
        self._count_the_rest()
        self._write()

    def _count_the_rest(self) -> None:
        """Count what has a log and was not counted, once nobody plays any more: the standings are then of all logs.

        A match may have ended just before its worker was stopped; and a run that was stopped early has not come to the
        logs of earlier runs that lie further on.
        """
        logs = {entry.name for entry in os.scandir(self._folder / "matches")}

        def counted(planned: PlannedMatch) -> bool:
            return log_path(self._folder, planned.id).name in logs and self._counted(planned)

        for planned in list(self._out.values()):
            counted(planned)
        for matches in self._open_sets.values():
            if all(planned.id not in self._out for planned in matches):
                self._reveal(matches)
        complete = not self._out
        while True:
            for matches in self._sets:
                if sum(map(counted, matches)) == len(matches):
                    self._reveal(matches)
                else:
                    complete = False
            wave = next(self._waves, None) if complete else None
            if wave is None:
                return
            self._sets = iter(wave)

    def _reveal(self, matches: DealSet) -> None:
        if self._state.spec.duplicate:
            with contextlib.suppress(OSError):
                # On a disk that is full: the next run tries again.
                worker.reveal_set(self._setting, matches)

    def _left(self, sets: Iterable[DealSet]) -> Iterator[Work]:
        """What is left of each deal set; what is done is counted on the way."""
        for matches in sets:
            if self._asked is not None:
                self._asked.add(matches[0].deal_set)
            left = tuple(planned for planned in matches if not self._counted(planned))
            if left:
                self._open_sets[matches[0].deal_set] = matches
                self._out.update((planned.id, planned) for planned in left)
                yield Work(matches, left)
            elif self._state.spec.duplicate:
                # The run before may have ended between the last match and this.
                worker.reveal_set(self._setting, matches)

    def _counted(self, planned: PlannedMatch) -> bool:
        try:
            result = read_result(self._folder, planned, self._setting.sides, self._setting.seed)
            if result is not None:
                self._count(result)
        except (WrongLog, WrongVersion) as error:
            set_aside(self._folder, log_path(self._folder, planned.id))
            self.set_aside.append(str(error))
            return False
        return result is not None

    def _batches(self, sets: Iterable[DealSet]) -> Iterator[list[Work]]:
        """Tasks: deal sets together, as many as keep a worker busy for a while; those of remote entrants alone."""
        batch: list[Work] = []
        for work in self._left(sets):
            if not self._remote.keys().isdisjoint(work.matches[0].seats):
                yield [work]
                continue
            batch.append(work)
            if len(batch) >= min(self._sets_a_task, self._fair_share()):
                yield batch
                batch = []
        if batch:
            yield batch

    def _fair_share(self) -> int:
        """The most deal sets that a task may have now: small ones at the end, so that all workers end together."""
        left = self.course.total() - self.standings.matches_played - len(self._out)
        return max(1, left // self.schedule.rotations // (2 * self._executor.size))

    async def _play(self) -> None:
        for wave in self._waves:
            self._plan()
            self._sets = iter(wave)
            await self._play_wave(self._sets)
        self._over = True
        if self._asked is not None:
            # With other results, which were set aside, the course had asked for more.
            unplanned = set_aside_unplanned(self._folder, self._asked)
            self.set_aside += [f"{match}: no match of this name is planned any more" for match in unplanned]

    def _plan(self) -> None:
        """Let the standings know what is planned by now."""
        self.standings.look(self.course.outlook())

    async def _play_wave(self, sets: Iterable[DealSet]) -> None:
        """Keep every worker busy, with one task waiting for each."""
        pending: set[asyncio.Task[None]] = set()
        try:
            for batch in self._batches(sets):
                if self._remote and not self._waited:
                    # Not before it is known that there is something left to play.
                    self._waited = True
                    await self._wait_for_remotes()
                pending.add(asyncio.create_task(self._play_batch(batch)))
                if len(pending) >= 2 * self._executor.size:
                    pending = await some(pending)
            while pending:
                pending = await some(pending)
        finally:
            for task in pending:
                task.cancel()

    async def _play_batch(self, batch: list[Work]) -> None:
        remote = sorted(self._remote.keys() & set(batch[0].matches[0].seats))
        if remote:
            # A remote bot has one stream, so it plays one match at a time; sorted, so that nobody waits in a circle.
            async with contextlib.AsyncExitStack() as stack:
                for name in remote:
                    await stack.enter_async_context(self._remote[name])
                await worker.play_sets(self._here, self._setting, batch, self._count)
            self._done(batch)
            return
        handed_out = batch
        while batch:
            try:
                played = await self._executor.play(batch)
            except WorkersLost as error:
                left = self._left_of(batch)
                if left != batch:
                    self._losses.played()
                self._losses.add(error)
                batch = left
                continue
            self._losses.played()
            for result in played.results:
                self._count(result)
            self._sets_a_task = max(1, min(SETS_A_TASK, int(len(batch) * TASK_S / max(played.seconds, 1e-9))))
            break
        self._done(handed_out)

    def _done(self, batch: list[Work]) -> None:
        """Take note that some deal sets are done, their seeds revealed."""
        for work in batch:
            del self._open_sets[work.matches[0].deal_set]

    def _left_of(self, batch: list[Work]) -> list[Work]:
        """What a worker that died has left of its task; what it has done is counted, what it was at is noted."""
        left = []
        for work in batch:
            rest = tuple(planned for planned in work.left if not self._counted(planned))
            for planned in rest:
                if log_path(self._folder, planned.id).exists():
                    note_again(self._folder, planned.id, Breakdown.HOST, "the worker process that played it died")
            if rest:
                left.append(Work(work.matches, rest))
            elif self._state.spec.duplicate:
                worker.reveal_set(self._setting, work.matches)
        return left

    async def _wait_for_remotes(self) -> None:
        """Let remote entrants dial in before the first match, for as long as they have for any."""
        server, _ = await self._here.start()
        self._on_waiting(server.address, self._state.tokens)
        waits = [asyncio.create_task(ticket.came()) for ticket in self._here.tickets.values()]
        _, late = await asyncio.wait(waits, timeout=self._state.spec.clock.join_ms / 1000)
        for task in late:
            task.cancel()

    async def _close(self) -> None:
        """Stop the workers, at once if the run ended before they did, and with them their bots."""
        await self._here.close()
        await self._executor.close(at_once=not self._over)

    def _count(self, result: MatchResult) -> None:
        """Count a result. Raises `WrongVersion`: it may not be counted."""
        self._versions.check(result.id, result.versions)
        self._out.pop(result.id, None)
        self.standings.add(result)
        self.course.add(result)
        self._on_result(result)
        if self._pace.due():
            self._write()

    def _write(self) -> None:
        """Write the standings as they are."""
        with self._pace.writing():
            self._plan()
            write_standings(self._folder, self.standings)
            self._on_standings(self.standings.to_json(), self.incidents.read())
