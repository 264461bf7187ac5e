"""Many matches at once: each in a task of its own, so that what goes wrong in one stays there."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

import structlog

from referee.match.events import Event, MatchSpec
from referee.match.fold import Match
from referee.match.log import LogError, MatchLog
from referee.match.loop import Table
from referee.match.resume import resume
from referee.match.seat import Bot, LocalSeat, Seat
from referee.server.admission import Ticket
from referee.server.ending import Leftovers, farewell
from referee.server.hosted import HostedMatch, MatchStage
from referee.server.lateness import Lateness
from referee.server.operations import CountedLog, Operations
from referee.server.private import open_private
from referee.server.remote import RemoteSeat
from referee.server.sync import Syncer
from referee.v1 import play_pb2

MOST_KEPT: Final = 10_000
"""So many matches can be asked for; the logs of older ones stay where they are."""

CUT_CHARACTERS: Final = 400
"""So much of a torn line that was cut is kept in the log."""

__all__ = ["HostedMatch", "MatchHost", "MatchStage"]

_log = structlog.get_logger(__name__)


class MatchHost:
    """Creates matches and plays them.

    Attributes:
        matches: the matches by id, the oldest first; those that are over are forgotten when they are many.
        draining: True once no match is to be created any more.
        operations: told of what happens.
        suspended: the matches that wait until their logs can be written again.
    """

    def __init__(self, lateness: Lateness, operations: Operations | None = None, syncer: Syncer | None = None) -> None:
        self.operations = operations or Operations()
        self.matches: dict[str, HostedMatch] = {}
        self.draining = False
        self.suspended: list[HostedMatch] = []
        self._newest = 0.0
        self._lateness = lateness
        self._syncer = syncer
        self._leftovers = Leftovers()

    @property
    def safe(self) -> bool:
        """Whether nothing is told before it would outlast a loss of power."""
        return self._syncer is not None

    def withdraw(self, hosted: HostedMatch) -> None:
        """Forget a match that nobody was told of."""
        self.matches.pop(hosted.spec.id, None)
        if hosted in self.suspended:
            self.suspended.remove(hosted)

    def create(
        self,
        spec: MatchSpec,
        seed: bytes,
        players: Sequence[Bot | Ticket],
        path: Path,
        withheld: bool = False,
        replayed: bool = False,
        listener: Callable[[Event], None] | None = None,
        on_over: Callable[[], None] | None = None,
        resumable: bool = False,
    ) -> HostedMatch:
        """Open a match's log and play the match in the background.

        Args:
            spec: what the match is.
            seed: what its deals come from.
            players: by seat, a built-in bot or the ticket of a bot that dials in.
            path: the log to be written.
            withheld: do not reveal the seed at the end, since other matches use it.
            replayed: nor if the match is aborted, since it is then played again.
            listener: told of every event after it is written; must not wait.
            on_over: called once the match is over.
            resumable: True if what is needed to go on after a crash is kept beside the log. Both are then for the
                server's user alone: while the match runs they hold every hand.

        Raises:
            OSError: the log cannot be written; there is no such match.
        """
        # Each a millisecond after the one before it at least, which is the order that they are listed in.
        now = round(max(time.time(), self._newest + 0.001), 3)
        hosted = HostedMatch(spec, Match(spec, seed, withheld, replayed), path, now)
        hosted.players = list(players)
        hosted.resumable = resumable
        hosted.listener = listener or hosted.listener
        hosted.on_over = on_over or hosted.on_over
        log = CountedLog(open_private(path) if resumable else path.open("wb", buffering=0), self.operations)
        table = self._table(hosted, log)
        try:
            table.open()
        except Exception:
            log.close()
            raise
        self.add(hosted)
        self.operations.created(hosted)
        self._begin(hosted, table, log)
        return hosted

    def add(self, hosted: HostedMatch) -> None:
        """Let a match be known."""
        self._newest = max(self._newest, hosted.created_at)
        self.matches[hosted.spec.id] = hosted
        self._forget()

    def resume(self, hosted: HostedMatch) -> None:
        """Take a match up again where its log ends.

        Raises:
            LogError: the log is damaged; it is as it was.
            OSError: the log cannot be read or written.
        """
        assert hosted.match.seed is not None
        found = resume(hosted.path, hosted.match.seed, hosted.match.withheld)
        if found is None:
            raise LogError(str(hosted.path), 1, "not even the first line is whole")
        hosted.match = found.match
        log = CountedLog(hosted.path.open("r+b", buffering=0), self.operations)
        try:
            log.go_on_after(found.events[-1], found.end)
            table = self._table(hosted, log)
            table.restore(found.events)
            if found.match.ended is None:
                cut = found.torn.decode(errors="replace")[:CUT_CHARACTERS]
                table.note({"event": "resumed", "cut_bytes": len(found.torn), "cut": cut})
        except Exception:
            log.close()
            raise
        if found.torn:
            _log.warning("torn line cut", match=hosted.spec.id, line=len(found.events) + 1, bytes=len(found.torn))
        for _, seat in hosted.remote.values():
            seat.restore(found.events)
        begun = any(event["event"] == "hand_started" for event in found.events)
        over = found.match.ended is not None
        hosted.stage = MatchStage.FINISHED if over else MatchStage.RUNNING if begun else MatchStage.WAITING
        hosted.problem = ""
        self._begin(hosted, table, log)

    def suspend(self, hosted: HostedMatch, error: OSError) -> None:
        """Let a match wait until its log can be read and written again."""
        hosted.stage = MatchStage.SUSPENDED
        hosted.problem = f"the log cannot be written: {error.strerror}; the match goes on when it can"
        self.suspended.append(hosted)
        _log.warning("match suspended", match=hosted.spec.id, problem=hosted.problem)

    def _table(self, hosted: HostedMatch, log: MatchLog) -> Table:
        """The table of a match, with its seats."""
        seats: list[Seat] = []

        def heard(event: Event) -> None:
            if event["event"] == "hand_started":
                hosted.stage = MatchStage.RUNNING
            hosted.pulse()
            hosted.listener(event)

        def noted(event: Event) -> None:
            # A stream may have something to note at any time; if it cannot be written, that is the match's failure.
            try:
                table.note(event)
            except OSError:
                hosted.stop()
            hosted.pulse()

        if self._syncer is not None and hosted.synced is None:
            hosted.synced = 0
            hosted.stands()
        sync = None if self._syncer is None or log.file is None else partial(hosted.sync, self._syncer, log.file)
        table = Table(hosted.match, log, seats, heard, breathe=_let_others_run, sync=sync)
        for number, player in enumerate(hosted.players):
            if isinstance(player, Ticket):
                seat = RemoteSeat(number, hosted.spec, hosted.events, hosted.turns, noted, self._lateness)
                hosted.remote[number] = (player, seat)
                seats.append(seat)
            else:
                seats.append(LocalSeat(player))
        return table

    def _begin(self, hosted: HostedMatch, table: Table, log: MatchLog) -> None:
        """Play a match in the background."""
        play = self._play(hosted, table, log)
        hosted.begin(asyncio.get_running_loop().create_task(play, name=f"match {hosted.spec.id}"))
        if self._syncer is None:
            hosted.offer()

    def _forget(self) -> None:
        """Forget matches that are over, the oldest first, so that a server that runs for years does not fill up."""
        if len(self.matches) > MOST_KEPT:
            over = (hosted.spec.id for hosted in self.matches.values() if hosted.over)
            for match_id in list(islice(over, len(self.matches) - MOST_KEPT)):
                del self.matches[match_id]

    async def finished(self, hosted: HostedMatch) -> str:
        """Wait until a match is over; the problem, if it failed."""
        if hosted.task is not None:
            await asyncio.wait([hosted.task])
        return hosted.problem

    async def _play(self, hosted: HostedMatch, table: Table, log: MatchLog) -> None:
        """Play one match; whatever happens, its seats are let go and its log is closed."""
        reason, message = play_pb2.CLOSE_REASON_MATCH_OVER, "the match is over"
        try:
            if self._syncer is not None:
                await table.settled()
                hosted.offer()
            await table.run()
            hosted.stage = MatchStage.FINISHED
            if not self.draining:
                await farewell(hosted)
        except asyncio.CancelledError:
            try:
                table.abort()
                await table.settled()
                hosted.stage = MatchStage.FINISHED
                reason, message = play_pb2.CLOSE_REASON_SERVER_DRAINING, "the server is shutting down"
            except OSError as error:
                message = self._failed(hosted, error)
        except Exception as error:
            message = self._failed(hosted, error)
        finally:
            try:
                log.close()
            except OSError as error:
                # Every line was written before; that the seats are let go matters more.
                _log.warning("match log not closed", match=hosted.spec.id, problem=error.strerror)
            paused = hosted.stage is MatchStage.SUSPENDED
            for number, (ticket, seat) in hosted.remote.items():
                ticket.suspended = paused
                ticket.done(seat)
                lost = hosted.stage is MatchStage.FINISHED and number in hosted.match.forfeited
                why = (play_pb2.CLOSE_REASON_FORFEITED, "the seat lost the match by its faults")
                again = (ticket.open or paused) and not self.draining
                seat.dismiss(*(why if lost else (reason, message)), again)
            hosted.remote.clear()
            if not paused:
                self._over(hosted)
            hosted.pulse()

    def _over(self, hosted: HostedMatch) -> None:
        """A match is over: nothing of it will be needed again but its log."""
        hosted.synced = None
        hosted.stands()
        hosted.on_over()
        self.operations.over(hosted)
        if hosted.resumable:
            self._leftovers.add(hosted.path)

    def _failed(self, hosted: HostedMatch, error: Exception) -> str:
        """Note that a match has failed; what its bots are told."""
        hosted.unwritable = isinstance(error, OSError)
        if isinstance(error, OSError) and hosted.resumable:
            self.suspend(hosted, error)
            return "the match is suspended: its log cannot be written"
        hosted.stage = MatchStage.FAILED
        if isinstance(error, OSError):
            # A disk that is full is no defect of the referee's: where in it is of no interest.
            hosted.problem = f"the log cannot be written: {error.strerror}"
            _log.warning("match failed", match=hosted.spec.id, problem=hosted.problem)
        else:
            hosted.problem = f"{type(error).__name__}: {error}"
            _log.error("match failed", match=hosted.spec.id, problem=hosted.problem, exc_info=error)
        return "the referee has failed; the match does not count"

    async def drain(self, grace_s: float) -> None:
        """Let running matches end for so long (seconds), then abort those that have not."""
        self.draining = True
        running = self._running()
        if running and grace_s > 0:
            await asyncio.wait(running, timeout=grace_s)
        self.hurry()
        if running:
            await asyncio.wait(running)
        self._leftovers.clear()

    def hurry(self) -> None:
        """Abort the matches that still run."""
        for hosted in self.matches.values():
            hosted.stop()

    def _running(self) -> list[asyncio.Task[None]]:
        return [hosted.task for hosted in self.matches.values() if hosted.task and not hosted.task.done()]


async def _let_others_run() -> None:
    await asyncio.sleep(0)
