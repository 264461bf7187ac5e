"""The turn loop: plays one match between its seats, writing every event before anybody is told of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from referee.match.events import Event
from referee.match.fold import Match, stand_in
from referee.match.log import MatchLog
from referee.match.policy import FaultKind, Remedy, remedy
from referee.match.seat import Reply, Seat
from referee.rules.game import IllegalAction

REFUSED: Final = frozenset({FaultKind.ILLEGAL, FaultKind.MALFORMED})
"""The faults that a seat is told of by the refusal of its answer."""

GIVEN_CHARACTERS: Final = 200
"""So much of a refused answer is kept in the log."""


class Table:
    """A match, its seats and its log.

    Args:
        match: the match, before its first deal.
        log: where its events go.
        seats: who plays, by seat.
        listener: told of every event after it is written; must not wait.
        breathe: awaited after every hand, so that a match of built-in bots does not keep others waiting.
        sync: makes what is written outlast a loss of power; nobody is told of anything before. None: who is told
            relies on the operating system.
    """

    def __init__(
        self,
        match: Match,
        log: MatchLog,
        seats: Sequence[Seat],
        listener: Callable[[Event], None] | None = None,
        breathe: Callable[[], Awaitable[None]] | None = None,
        sync: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.match = match
        self._log = log
        self._seats = seats
        self._listener = listener
        self._breathe = breathe
        self._sync = sync
        self._unsynced = False
        self._untold: list[Callable[[], None]] = []
        self._faults: Counter[tuple[int, FaultKind]] = Counter()
        self._pending: Event | None = None

    def open(self) -> None:
        """Write the match's first event. Raises `OSError` if the log cannot be written."""
        self._publish(self.match.spec.started())

    def note(self, event: Event) -> None:
        """Log something that is no part of the game: a seat that joined, or lost its connection."""
        self._log.append(event)
        self._unsynced = True

    def restore(self, events: Sequence[Event]) -> None:
        """Take up the faults that stand in a log, and the remedy of the last one if it was still to come."""
        for event in events:
            kind = event["event"]
            if kind == "fault":
                self._faults[event["seat"], FaultKind(event["kind"])] = event["count"]
                self._pending = event if event["remedy"] != Remedy.ASK_AGAIN else None
            elif kind in {"action", "forfeited"}:
                self._pending = None

    async def run(self) -> Event:
        """Play the match to its end and return its last event.

        Raises:
            OSError: the log could not be written; nobody was told what is not in it.
        """
        match = self.match
        self._catch_up()
        for seat, player in enumerate(self._seats):
            if seat in match.forfeited or match.ended is not None:
                continue
            await self.settled()
            missing = await player.prepare()
            if missing is not None and missing.fault is not None:
                self._fault(seat, missing.fault, missing)
                self._forfeit(seat, missing.fault)
        while match.ended is None:
            due = match.due()
            if due is None:
                await self._turn()
                continue
            match.take(due)
            self._publish(due)
            if self._breathe is not None and due["event"] == "hand_ended":
                await self.settled()
                await self._breathe()
        await self.settled()
        return match.ended

    def _catch_up(self) -> None:
        """Do what a match that is taken up again was about to do, as far as that needs no seat."""
        match = self.match
        pending, self._pending = self._pending, None
        if pending is not None:
            if pending["remedy"] == Remedy.FORFEIT:
                self._forfeit(pending["seat"], FaultKind(pending["kind"]))
            elif match.state is not None and match.state.result is None:
                limit_ms = match.limit_ms(match.state.seat)
                self._publish(match.act(stand_in(match.state), "timeout", limit_ms))
        while (match.state is not None or match.hand) and (due := match.due()) is not None:
            match.take(due)
            self._publish(due)

    async def settled(self) -> None:
        """Wait until all that is written is safe, then tell it. Raises `OSError` if it cannot be made so."""
        if self._sync is None or not self._unsynced:
            return
        self._unsynced = False
        untold, self._untold = self._untold, []
        await self._sync()
        for tell in untold:
            tell()

    def abort(self) -> None:
        """End the match without a winner, for no fault of a bot."""
        if self.match.ended is None:
            event = self.match.aborted()
            self.match.take(event)
            self._publish(event)

    async def _turn(self) -> None:
        match = self.match
        state = match.state
        assert state is not None
        forced = match.forced()
        if forced is not None:
            event = match.act(forced, "forced")
        elif state.seat in match.forfeited:
            event = match.act(stand_in(state), "forfeit")
        else:
            played = await self._asked(state.seat)
            if played is None:
                return
            event = played
        self._publish(event)

    async def _asked(self, seat: int) -> Event | None:
        """Ask a seat until it has given an action, its time is up, or it is out; None if the seat is out."""
        match = self.match
        player = self._seats[seat]
        if self._sync is not None:
            await self.settled()
        reply = await player.ask(match.view(), match.spec.clock.move_ms, match.banks[seat])
        while True:
            if match.ended is not None:
                return None
            refused: IllegalAction | Reply = reply
            fault = reply.fault
            if reply.action is not None:
                try:
                    return match.act(reply.action, "bot", reply.took_ms, reply.lag_ms)
                except IllegalAction as illegal:
                    refused, fault = illegal, FaultKind.ILLEGAL
            assert fault is not None
            step = self._fault(seat, fault, refused)
            if fault in REFUSED:
                self._reject(seat, refused, reply.given)
                await self.settled()
                player.refuse(refused, step)
            if step is Remedy.ASK_AGAIN:
                reply = await player.wait()
                continue
            assert match.state is not None
            if step is Remedy.STAND_IN:
                return match.act(stand_in(match.state), "timeout", reply.took_ms, reply.lag_ms)
            self._forfeit(seat, fault)
            return None

    def _publish(self, event: Event) -> None:
        line = self._log.append(event)
        if self._sync is None:
            self._tell(event, line)
        else:
            self._unsynced = True
            self._untold.append(partial(self._tell, event, line))

    def _tell(self, event: Event, line: Mapping[str, Any]) -> None:
        for player in self._seats:
            player.tell(event)
        if self._listener is not None:
            self._listener(dict(line))

    def _fault(self, seat: int, kind: FaultKind, what: IllegalAction | Reply) -> Remedy:
        """Count a fault and find its remedy."""
        self._faults[seat, kind] += 1
        count = self._faults[seat, kind]
        for_good = isinstance(what, Reply) and what.for_good
        step = Remedy.FORFEIT if for_good else remedy(self.match.spec.policy, kind, count)
        detail = what.detail if isinstance(what, Reply) else str(what)
        event = {"event": "fault", "seat": seat, "kind": kind, "count": count, "remedy": step, "detail": detail}
        self.note(event)
        if kind not in REFUSED:
            tell = partial(self._seats[seat].tell, event)
            if self._sync is None:
                tell()
            else:
                self._untold.append(tell)
        return step

    def _reject(self, seat: int, what: IllegalAction | Reply, given: str) -> None:
        code, message = (what.code, what.detail) if isinstance(what, Reply) else (what.code, str(what))
        event: dict[str, Any] = {
            "event": "rejected",
            "hand": self.match.hand,
            "turn": self.match.turn + 1,
            "seat": seat,
            "code": code,
            "message": message,
            "given": given[:GIVEN_CHARACTERS],
        }
        self.note(event)

    def _forfeit(self, seat: int, cause: FaultKind) -> None:
        event = {"event": "forfeited", "seat": seat, "cause": cause, "count": self._faults[seat, cause]}
        self.match.take(event)
        self._publish(event)


def play_local(table: Table) -> Event:
    """Play a match whose seats all answer at once (built-in bots), without an event loop."""
    table.open()
    try:
        table.run().send(None)
    except StopIteration as stop:
        ended: Event = stop.value
        return ended
    raise RuntimeError("a seat of a local match waited")
