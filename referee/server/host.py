"""Many matches at once: each in a task of its own, so that what goes wrong in one stays there."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec
import structlog

from referee.match.events import Event, MatchSpec
from referee.match.fold import Match
from referee.match.log import MatchLog
from referee.match.loop import Table
from referee.match.policy import FaultKind
from referee.match.seat import Bot, LocalSeat, Seat
from referee.server.admission import Ticket
from referee.server.codec.events import EventCodec
from referee.server.codec.turns import TurnCodec
from referee.server.lateness import Lateness
from referee.server.operations import CountedLog, Operations
from referee.server.remote import RemoteSeat
from referee.v1 import play_pb2

MOST_KEPT: Final = 10_000
"""So many matches can be asked for; the logs of older ones stay where they are."""

_log = structlog.get_logger(__name__)


class MatchStage(StrEnum):
    """How far a hosted match is."""

    WAITING = "waiting"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"


class HostedMatch:
    """A match that this server plays, or has played.

    Attributes:
        spec: what the match is.
        match: its state.
        path: its log.
        number: the number of the match on this server, from 1.
        created_at: when it was created (seconds since 1970, UTC).
        stage: how far it is.
        problem: why it failed, if it did.
        events: encodes its events.
        turns: encodes its turns.
    """

    def __init__(self, spec: MatchSpec, match: Match, path: Path, number: int, now: float) -> None:
        self.spec = spec
        self.number = number
        self.match = match
        self.path = path
        self.created_at = now
        self.stage = MatchStage.WAITING
        self.problem = ""
        self.events = EventCodec(spec)
        self.turns = TurnCodec(spec)
        self.remote: dict[int, tuple[Ticket, RemoteSeat]] = {}
        self.task: asyncio.Task[None] | None = None
        self._grown = asyncio.Event()

    @property
    def over(self) -> bool:
        """Whether nothing will be added to the log."""
        return self.stage in {MatchStage.FINISHED, MatchStage.FAILED}

    def pulse(self) -> None:
        """Wake those who follow the match."""
        self._grown.set()
        self._grown = asyncio.Event()

    async def follow(self, from_seq: int = 0) -> AsyncGenerator[Event, None]:
        """The events of the log from a sequence number on, until the match is over."""
        with self.path.open("rb") as file:
            while True:
                grown, over, start = self._grown, self.over, file.tell()
                data = file.readline()
                if data.endswith(b"\n"):
                    event = msgspec.json.decode(data)
                    if event["seq"] >= from_seq:
                        yield event
                    continue
                if over:
                    return
                file.seek(start)
                await grown.wait()

    def crashed(self, seat: int, detail: str) -> None:
        """The process that plays a seat, started by the referee, has ended."""
        if seat in self.remote:
            self.remote[seat][1].leaves(FaultKind.CRASHED, detail)

    def stop(self) -> None:
        """Abort the match if it still runs."""
        if self.task is not None and not self.task.done():
            # Not at once: a task that has not begun would never come to its end.
            asyncio.get_running_loop().call_soon(self.task.cancel)


class MatchHost:
    """Creates matches and plays them.

    Attributes:
        matches: the matches by id, the oldest first; those that are over are forgotten when they are many.
        created: how many matches have been created.
        draining: True once no match is to be created any more.
        operations: told of what happens.
    """

    def __init__(self, lateness: Lateness, operations: Operations | None = None) -> None:
        self.operations = operations or Operations()
        self.matches: dict[str, HostedMatch] = {}
        self.created = 0
        self.draining = False
        self._lateness = lateness

    def create(
        self,
        spec: MatchSpec,
        seed: bytes,
        players: Sequence[Bot | Ticket],
        path: Path,
        withheld: bool = False,
        listener: Callable[[Event], None] | None = None,
    ) -> HostedMatch:
        """Open a match's log and play the match in the background.

        Args:
            spec: what the match is.
            seed: what its deals come from.
            players: by seat, a built-in bot or the ticket of a bot that dials in.
            path: the log to be written.
            withheld: do not reveal the seed at the end, since other matches use it.
            listener: told of every event after it is written; must not wait.

        Raises:
            OSError: the log cannot be written; there is no such match.
        """
        hosted = HostedMatch(spec, Match(spec, seed, withheld), path, self.created + 1, time.time())
        log = CountedLog(path.open("wb", buffering=0), self.operations)
        seats: list[Seat] = []

        def heard(event: Event) -> None:
            if event["event"] == "hand_started":
                hosted.stage = MatchStage.RUNNING
            hosted.pulse()
            if listener is not None:
                listener(event)

        def noted(event: Event) -> None:
            # A stream may have something to note at any time; if it cannot be written, that is the match's failure.
            try:
                table.note(event)
            except OSError:
                hosted.stop()
            hosted.pulse()

        table = Table(hosted.match, log, seats, heard, breathe=_let_others_run)
        for number, player in enumerate(players):
            if isinstance(player, Ticket):
                seat = RemoteSeat(number, spec, hosted.events, hosted.turns, noted, self._lateness)
                hosted.remote[number] = (player, seat)
                seats.append(seat)
            else:
                seats.append(LocalSeat(player))
        try:
            table.open()
        except OSError:
            log.close()
            raise
        self.created += 1
        self.matches[spec.id] = hosted
        self._forget()
        self.operations.created(hosted)
        hosted.task = asyncio.get_running_loop().create_task(self._play(hosted, table, log), name=f"match {spec.id}")
        for ticket, seat in hosted.remote.values():
            ticket.offer(seat)
        return hosted

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
            await table.run()
            hosted.stage = MatchStage.FINISHED
        except asyncio.CancelledError:
            try:
                table.abort()
                hosted.stage = MatchStage.FINISHED
                reason, message = play_pb2.CLOSE_REASON_SERVER_DRAINING, "the server is shutting down"
            except OSError as error:
                message = self._failed(hosted, error)
        except Exception as error:
            message = self._failed(hosted, error)
        finally:
            log.close()
            for number, (ticket, seat) in hosted.remote.items():
                ticket.done(seat)
                lost = hosted.stage is MatchStage.FINISHED and number in hosted.match.forfeited
                why = (play_pb2.CLOSE_REASON_FORFEITED, "the seat lost the match by its faults")
                seat.dismiss(*(why if lost else (reason, message)), ticket.open and not self.draining)
            hosted.remote.clear()
            self.operations.over(hosted)
            hosted.pulse()

    def _failed(self, hosted: HostedMatch, error: Exception) -> str:
        """Note that a match has failed; what its bots are told."""
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

    def hurry(self) -> None:
        """Abort the matches that still run."""
        for hosted in self.matches.values():
            hosted.stop()

    def _running(self) -> list[asyncio.Task[None]]:
        return [hosted.task for hosted in self.matches.values() if hosted.task and not hosted.task.done()]


async def _let_others_run() -> None:
    await asyncio.sleep(0)
