"""Who may join: tokens, and the seats that wait for whoever holds one."""

from __future__ import annotations

import asyncio
from collections import deque

from referee.server.codec import notices
from referee.server.connection import Connection
from referee.server.remote import RemoteSeat
from referee.server.tokens import new_token, token_hash
from referee.v1 import play_pb2


class Ticket:
    """What a token admits to.

    Attributes:
        key: the hash of its token.
        name: the player's name.
        open: True while more matches may come: a bot that has played one is asked to join again.
        suspended: True while its match waits to go on: a bot that joins waits with it.
        certificate: the hash of the client certificate that it was first used with since the server's start (empty: it
            was used without one); None: it was not used yet.
    """

    def __init__(self, key: bytes, name: str, open: bool) -> None:
        self.key = key
        self.name = name
        self.open = open
        self.suspended = False
        self.certificate: bytes | None = None
        self._offered: deque[RemoteSeat] = deque()
        self._taken: list[RemoteSeat] = []
        self._idle: deque[Connection] = deque()
        self._came = asyncio.Event()
        self._over = notices.closed(play_pb2.CLOSE_REASON_REFUSED, "the match of this token is over")

    def offer(self, seat: RemoteSeat) -> None:
        """Let the next stream with this ticket have a seat; of those that wait the newest has it at once."""
        if self._idle:
            self._give(seat, self._idle.pop())
        else:
            self._offered.append(seat)

    def done(self, seat: RemoteSeat) -> None:
        """The seat's match is over."""
        for seats in (self._offered, self._taken):
            if seat in seats:
                seats.remove(seat)
        if not self._idle:
            self._came.clear()

    def admit(self, connection: Connection) -> None:
        """Give a stream that has joined its seat: one that lost its stream, a new one, or that of an older stream.

        A bot that comes back may not know, nor may we, that its old stream is dead: the newest has the seat. Where
        several seats of the ticket have streams, nothing tells which of them it comes for: it waits for one to be lost.
        """
        self._came.set()
        playable = [seat for seat in self._taken if not seat.given_up]
        lost = next((seat for seat in playable if seat.connection is None), None)
        if lost is not None:
            lost.attach(connection)
        elif self._offered:
            self._give(self._offered.popleft(), connection)
        elif playable and (len(playable) == 1 or not self.open):
            playable[0].attach(connection)
        elif self.open or self.suspended:
            if self.suspended:
                self._replace_idle()
            connection.receiver = self
            self._idle.append(connection)
        elif self._taken:
            connection.end(notices.closed(play_pb2.CLOSE_REASON_FORFEITED, "the seat of this token was given up"))
        else:
            connection.end(self._over)

    async def came(self) -> None:
        """Wait until a stream with this ticket has joined, since its last match if there was one."""
        await self._came.wait()

    def lost(self, connection: Connection) -> None:
        """A stream that waited for a match has ended."""
        if connection in self._idle:
            self._idle.remove(connection)

    def close(self, reason: play_pb2.CloseReason.ValueType, message: str) -> None:
        """No more matches will come: the streams that wait, or come with no seat to go on with, are ended."""
        self.open = False
        self._over = notices.closed(reason, message)
        while self._idle:
            connection = self._idle.popleft()
            connection.receiver = None
            connection.end(self._over)

    def _replace_idle(self) -> None:
        """Let the newest stream alone wait for the match that goes on."""
        while self._idle:
            old = self._idle.popleft()
            old.receiver = None
            old.end(notices.closed(play_pb2.CLOSE_REASON_REPLACED, "another stream has joined with this token"))

    def _give(self, seat: RemoteSeat, connection: Connection) -> None:
        self._taken.append(seat)
        seat.on_lost = self._replace
        seat.attach(connection)

    def _replace(self, seat: RemoteSeat) -> None:
        """A seat has lost its stream: the newest that has waited since takes it."""
        if self._idle and not seat.given_up:
            seat.attach(self._idle.pop())


class Admission:
    """All tickets, by token. Only hashes of tokens are kept."""

    def __init__(self) -> None:
        self._tickets: dict[bytes, Ticket] = {}

    def issue(self, name: str, open: bool = False, token: str | None = None) -> tuple[str, Ticket]:
        """A new ticket and its token (256 random bits, unless one is given), which is told once and not kept."""
        token = token or new_token()
        ticket = Ticket(token_hash(token), name, open)
        self._tickets[ticket.key] = ticket
        return token, ticket

    def restore(self, name: str, key: bytes) -> Ticket:
        """The ticket of a token that was given out before the server was started again, by its hash."""
        ticket = self._tickets[key] = Ticket(key, name, open=False)
        ticket.suspended = True
        return ticket

    def find(self, token: str) -> Ticket | None:
        """The ticket of a token. The look-up is by hash, so its time tells nothing of how near a guess came."""
        return self._tickets.get(token_hash(token))

    def revoke(self, ticket: Ticket) -> None:
        """Forget a ticket."""
        self._tickets.pop(ticket.key, None)

    def close(self, reason: play_pb2.CloseReason.ValueType, message: str) -> None:
        """End every stream that waits for a match."""
        for ticket in self._tickets.values():
            ticket.close(reason, message)
