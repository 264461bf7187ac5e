"""A match that a server plays or has played: where it stands, who plays it, and its log as it grows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec

from referee.match.events import Event, MatchSpec
from referee.match.fold import Match
from referee.match.policy import FaultKind
from referee.match.seat import Bot
from referee.server.admission import Ticket
from referee.server.codec.events import EventCodec
from referee.server.codec.turns import TurnCodec
from referee.server.paging import Place
from referee.server.remote import RemoteSeat
from referee.server.sync import Syncer


class MatchStage(StrEnum):
    """How far a hosted match is."""

    WAITING = "waiting"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    SUSPENDED = "suspended"  # its log cannot be written now; it goes on from there when it can


class Standing(NamedTuple):
    """How far a match is, as anybody may know.

    Attributes:
        hand: the number of the last hand that has begun; -1 before the first.
        turn: the number of the last turn that was played, through the match.
        totals: what the format counts, by side.
        ended: the `match_ended` event, once there is one.
    """

    hand: int
    turn: int
    totals: list[int]
    ended: Event | None

    @classmethod
    def of(cls, match: Match) -> Standing:
        """How far a match is now."""
        # Between hands `match.hand` is the number of the next one.
        hand = match.hand if match.state is not None else match.hand - 1
        return cls(hand, match.turn, list(match.tally.totals), match.ended)


class HostedMatch:
    """A match that this server plays, or has played.

    Attributes:
        spec: what the match is.
        match: its state.
        path: its log.
        created_at: when it was created (seconds since 1970, UTC).
        created: the same as it is told: ISO 8601, to the millisecond.
        stage: how far it is.
        problem: why it failed, if it did.
        unwritable: True if it failed since its log could not be written, which is the machine's fault and not ours.
        events: encodes its events.
        turns: encodes its turns.
        players: who plays, by seat: a built-in bot, or the ticket of a bot that dials in.
        resumable: True if all that is needed to go on after a crash is kept beside its log.
        sealed: True if the log must not be given out, though nothing is added to it.
        synced: how many bytes of its log are safe and may be told of; None: all that are written.
        on_over: called once it is over.
        listener: told of every event after it is written; must not wait.
    """

    def __init__(self, spec: MatchSpec, match: Match, path: Path, now: float) -> None:
        self.spec = spec
        self.match = match
        self.path = path
        self.created_at = now
        self.created = datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self.stage = MatchStage.WAITING
        self.problem = ""
        self.unwritable = False
        self.events = EventCodec(spec)
        self.turns = TurnCodec(spec)
        self.remote: dict[int, tuple[Ticket, RemoteSeat]] = {}
        self.task: asyncio.Task[None] | None = None
        self.players: list[Bot | Ticket] = []
        self.resumable = False
        self.sealed = False
        self.synced: int | None = None
        self.on_over: Callable[[], None] = lambda: None
        self.listener: Callable[[Event], None] = lambda _: None
        self._standing: Standing | None = None
        self._stopped = False
        self._grown = asyncio.Event()

    @property
    def over(self) -> bool:
        """Whether nothing will be added to the log."""
        return self.stage in {MatchStage.FINISHED, MatchStage.FAILED}

    @property
    def place(self) -> Place:
        """Where it stands in the list of matches."""
        return self.created, self.spec.id

    @property
    def standing(self) -> Standing:
        """How far it is, as far as that may be told."""
        return self._standing or Standing.of(self.match)

    def stands(self, standing: Standing | None = None) -> None:
        """Tell from now on that it is so far (by default: as far as it is now), until told otherwise."""
        self._standing = standing or Standing.of(self.match)

    def offer(self) -> None:
        """Let the bots that dial in have their seats."""
        for ticket, seat in self.remote.values():
            ticket.suspended = False
            ticket.offer(seat)

    def begin(self, task: asyncio.Task[None]) -> None:
        """It is played by a task."""
        self.task, self._stopped = task, False

    async def sync(self, syncer: Syncer, log: BinaryIO) -> None:
        """Wait until what its log holds is safe; so far it may be told of. Raises `OSError`."""
        size, standing = log.tell(), Standing.of(self.match)
        await syncer.sync(log)
        self.synced = size
        self.stands(standing)
        self.pulse()

    async def announced(self) -> None:
        """Wait until the match may be told of: its first event is safe, or it has failed."""
        while self.synced == 0 and not self.problem:
            await self._grown.wait()

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
                if data.endswith(b"\n") and (self.synced is None or file.tell() <= self.synced):
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
        if self.task is not None and not self.task.done() and not self._stopped:
            self._stopped = True
            # Not at once: a task that has not begun would never come to its end.
            asyncio.get_running_loop().call_soon(self.task.cancel)
