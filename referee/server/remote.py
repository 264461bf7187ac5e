"""A seat whose bot is somewhere else: it joins over a Play stream, may lose it, and may come back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from referee.match.events import Event, MatchSpec
from referee.match.policy import NOT_IN_TIME, FaultKind, Remedy
from referee.match.seat import Reply
from referee.rules.actions import format_actions
from referee.rules.game import IllegalAction
from referee.rules.pieces import NotationError
from referee.rules.view import View
from referee.server.codec import notices
from referee.server.codec.events import EventCodec
from referee.server.codec.turns import TurnCodec
from referee.server.connection import Connection
from referee.server.lateness import Lateness
from referee.server.memory import remembered
from referee.v1 import play_pb2

MOST_UNASKED: Final = 200
"""So many messages that answer nothing, joining again included, may come from a seat in one match; more is flooding."""

_NOT_LATE_MS: Final = 5
"""A timer that fires no more than this late leaves no doubt that the answer had not come."""


class RemoteSeat:
    """A seat at a table, played by a bot that dials in.

    Args:
        number: the seat.
        spec: what the match is.
        events: encodes the match's events.
        turns: encodes its turns and decodes answers.
        note: logs something that is no part of the game.
        lateness: how late this process is.

    Attributes:
        connection: the stream that has the seat now.
        on_lost: told when the seat has lost its stream.
    """

    def __init__(
        self,
        number: int,
        spec: MatchSpec,
        events: EventCodec,
        turns: TurnCodec,
        note: Callable[[Event], None],
        lateness: Lateness,
    ) -> None:
        self.number = number
        self.name = spec.names[number]
        self.connection: Connection | None = None
        self._match_id = spec.id
        self._clock = spec.clock
        self._deck = spec.game.deck
        self._events = events
        self._turns = turns
        self._note = note
        self._lateness = lateness
        self._loop = asyncio.get_running_loop()
        self._join_by = self._loop.time() + spec.clock.join_ms / 1000
        self._ready_by = 0.0
        self._came = False
        self._ready = False
        self._returning = False
        self._known = False
        self._gone_for_good: Reply | None = None
        self._catch_up: list[bytes] = []
        self._held: list[bytes] = []
        self._view: View | None = None
        self._asked = 0.0
        self._taken_up = 0.0
        self._own_s = 0.0
        self._move_ms = 0
        self._bank_ms = 0
        self._waiter: asyncio.Future[Reply] | None = None
        self._unasked = 0
        self.on_lost: Callable[[RemoteSeat], None] = lambda _: None

    @property
    def given_up(self) -> bool:
        """Whether the bot will not play on, and no stream can take the seat any more."""
        return self._gone_for_good is not None

    @property
    def missed(self) -> bool:
        """Whether the bot knew of the match before the server was started again, and has not come back."""
        return self._known and not self._came and not self.given_up

    # The table's side: see `referee.match.seat.Seat` -----------------------------------------------------------

    async def prepare(self) -> Reply | None:
        """Wait until the bot has joined and said that it is ready, each for its own time.

        One that was ready before the server was started again and does not come in time still has its next turn's.
        """
        if self._returning and not self._came:
            self._join_by = self._loop.time() + self._clock.join_ms / 1000
        while not self._came:
            reply = await self._until(self._join_by, FaultKind.NEVER_CAME)
            if reply.fault is FaultKind.NEVER_CAME and self._ready:
                return None
            if reply.fault is not None:
                return reply
        while not self._ready:
            reply = await self._until(self._ready_by, FaultKind.NOT_READY)
            if reply.fault is not None:
                return reply
        return None

    def tell(self, event: Event) -> None:
        """Send an event now or, if the bot does not want each as it happens, with what it is sent next."""
        data = self._events.encode(event, self.number)
        if not data:
            return
        if event["event"] == "hand_started":
            del self._catch_up[1:]
        self._catch_up.append(data)
        connection = self.connection
        if connection is None:
            return
        self._held.append(data)
        if connection.immediate or event["event"] in {"hand_ended", "match_ended"}:
            self._flush(connection)

    async def ask(self, view: View, move_ms: int, bank_ms: int) -> Reply:
        """Send the turn and wait for an answer until its allowance and its bank are used up."""
        self._view = view
        self._move_ms = move_ms
        self._bank_ms = bank_ms
        self._asked = self._loop.time()
        self._own_s = 0.0
        if self.connection is not None:
            self._held.append(self._turns.turn(view, move_ms, bank_ms))
            self._flush(self.connection)
        return await self.wait()

    async def wait(self) -> Reply:
        """Wait for an answer to the open turn."""
        return await self._until(self._asked + (self._move_ms + self._bank_ms) / 1000, None)

    def refuse(self, illegal: IllegalAction | Reply, remedy: Remedy) -> None:
        """Tell the bot why its answer does not count. What the referee took to refuse it is not the bot's time."""
        own_s = self._loop.time() - self._taken_up
        self._asked += own_s
        self._own_s += own_s
        if self.connection is not None and self._view is not None:
            self._held.append(self._turns.refusal(illegal, remedy, self._view))
            self._flush(self.connection)

    def restore(self, events: Sequence[Event]) -> None:
        """Take up what a log says: whether the bot had joined and was ready, and what it has been told."""
        self._returning = True
        self._known, self._ready, self._gone_for_good, told = remembered(events, self.number)
        for event in told:
            self.tell(event)

    # The bot's side -------------------------------------------------------------------------------------------

    def attach(self, connection: Connection) -> None:
        """Give the seat to a stream: the newest one has it, and is told all that it needs to play on."""
        old, self.connection = self.connection, connection
        if old is not None:
            old.receiver = None
            old.end(notices.closed(play_pb2.CLOSE_REASON_REPLACED, "another stream has joined with this token"))
        connection.receiver = self
        resumed = self._came or self._known
        if self._came and self._floods():
            return
        self._note(
            {
                "event": "seat_joined",
                "seat": self.number,
                "resumed": resumed,
                "client": connection.client,
                "version": connection.version,
            }
        )
        greeting = notices.joined(self._match_id, self.number, self.name, resumed)
        self._held = [greeting, *self._catch_up]
        if self._view is not None and self._waiting_for_answer():
            used_ms = int((self._loop.time() - self._asked) * 1000)
            over_ms = max(0, used_ms - self._move_ms)
            left_ms = max(0, self._move_ms - used_ms), max(0, self._bank_ms - over_ms)
            self._held.append(self._turns.turn(self._view, *left_ms))
        self._flush(connection)
        if not self._came:
            self._came = True
            self._ready_by = self._loop.time() + self._clock.ready_ms / 1000
            self._resolve(Reply())

    def lost(self, connection: Connection) -> None:
        """The stream has ended; the bot may come back on another."""
        if self.connection is connection:
            self.connection = None
            self._note({"event": "seat_left", "seat": self.number})
            self.on_lost(self)

    def ready(self) -> None:
        """The bot has loaded."""
        if not self._ready:
            self._ready = True
            self._note({"event": "seat_ready", "seat": self.number})
            self._resolve(Reply())

    def leaves(self, kind: FaultKind, detail: str) -> None:
        """The bot will not play on."""
        if self._gone_for_good is None:
            self._note({"event": "seat_gave_up", "seat": self.number, "kind": kind, "detail": detail})
        self._gone_for_good = Reply(fault=kind, detail=detail, for_good=True)
        self._resolve(self._gone_for_good)

    def answer(self, answer: play_pb2.Answer, arrived: float) -> None:
        """An answer, stamped (event loop seconds) where the stream was read."""
        view = self._view
        if view is None or not self._waiting_for_answer() or answer.turn_id != view.turn:
            open_turn = f"the open turn is {view.turn}" if view and self._waiting_for_answer() else "no turn is open"
            asked = view is not None and (answer.turn_id <= view.turn or self._waiting_for_answer())
            code = "stale_turn" if asked else "not_your_turn"
            self.unasked(code, f"an answer to turn {answer.turn_id}, but {open_turn}", answer.turn_id)
            return
        given = self._turns.given(answer)
        try:
            self._answered(Reply(self._turns.answered(answer, view), given=given), arrived)
        except NotationError as error:
            code = "unknown_action" if answer.HasField("index") else "malformed"
            detail = self._with_legal(str(error))
            self._answered(Reply(fault=FaultKind.MALFORMED, detail=detail, given=given, code=code), arrived)

    def malformed(self, detail: str, arrived: float) -> None:
        """A message that cannot be read."""
        if self._waiting_for_answer():
            self._answered(Reply(fault=FaultKind.MALFORMED, detail=self._with_legal(detail)), arrived)
        else:
            self.unasked("malformed", detail)

    def _with_legal(self, reason: str) -> str:
        """Why an answer cannot be read, and what would be legal, as for an answer that the rules refuse."""
        if self._view is None:
            return reason
        return f"{reason}; legal: {format_actions(self._view.legal, self._deck)}"

    def unasked(self, code: str, message: str, turn_id: int | None = None) -> None:
        """Say that a message is ignored; too many of them are a fault."""
        if not self._floods() and self.connection is not None:
            self.connection.send(notices.ignored(code, message, turn_id))

    def _floods(self) -> bool:
        """Count a message that answers nothing; whether it is one too many, and the seat lost by it."""
        self._unasked += 1
        if self._unasked <= MOST_UNASKED:
            return False
        message = f"more than {MOST_UNASKED} messages that answer nothing"
        self.leaves(FaultKind.FLOODING, message)
        if self.connection is not None:
            self.connection.end(notices.closed(play_pb2.CLOSE_REASON_FORFEITED, message))
        return True

    def dismiss(self, reason: play_pb2.CloseReason.ValueType, message: str, join_again: bool) -> None:
        """Take the seat from its stream and end it."""
        connection, self.connection = self.connection, None
        if connection is not None:
            connection.receiver = None
            connection.end(b"".join([*self._held, notices.closed(reason, message, join_again)]))
        if self._waiter is not None:
            self._waiter.cancel()

    # Waiting ----------------------------------------------------------------------------------------------------

    def _waiting_for_answer(self) -> bool:
        return self._ready and self._waiter is not None and not self._waiter.done()

    async def _until(self, deadline: float, fault: FaultKind | None) -> Reply:
        """Wait until something resolves the seat, at most until the deadline (event loop seconds)."""
        if self._gone_for_good is not None:
            return self._gone_for_good
        waiter: asyncio.Future[Reply] = self._loop.create_future()
        self._waiter = waiter
        due = max(deadline, self._loop.time())
        timer = self._loop.call_at(due, self._expired, waiter, due, fault)
        try:
            return await waiter
        finally:
            timer.cancel()

    def _expired(self, waiter: asyncio.Future[Reply], due: float, fault: FaultKind | None, lag_ms: int = 0) -> None:
        if waiter.done():
            return
        late = self._loop.time() - due
        if late * 1000 > _NOT_LATE_MS:
            # The referee was busy: what came in meanwhile must be read before anybody is called late.
            again, lag_ms = self._loop.time() + late, lag_ms + int(2000 * late)
            self._loop.call_at(again, self._expired, waiter, again, fault, lag_ms)
            return
        if fault is None:
            fault = FaultKind.LATE if self.connection is not None else FaultKind.GONE
        took_ms = self._move_ms + self._bank_ms
        waiter.set_result(Reply(fault=fault, detail=NOT_IN_TIME[fault], took_ms=took_ms, lag_ms=lag_ms))

    def _answered(self, reply: Reply, arrived: float) -> None:
        late_ms = self._lateness.ms()
        took_ms = max(0, int((arrived - self._asked) * 1000) - late_ms)
        lag_ms = late_ms + int(self._own_s * 1000)
        self._taken_up = self._loop.time()
        self._resolve(
            Reply(reply.action, reply.fault, reply.detail, reply.given, reply.code, took_ms, lag_ms, reply.for_good)
        )

    def _resolve(self, reply: Reply) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(reply)

    def _flush(self, connection: Connection) -> None:
        connection.send(b"".join(self._held))
        self._held.clear()
