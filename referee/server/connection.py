"""One open Play stream: what is owed to it goes out in order, and nobody waits for it."""

from __future__ import annotations

import asyncio
from typing import Any, Final, Protocol

import grpc

from referee.server.limits import peer_of

MOST_BUFFERED: Final = 1 << 20
"""A bot that has so many bytes waiting does not read; its stream is ended."""

LINGER_S: Final = 2.0
"""So long an ended stream may take to deliver its last message."""


class Receiver(Protocol):
    """Whoever a stream speaks to once it has joined."""

    def lost(self, connection: Connection) -> None:
        """The stream has ended."""


class Connection:
    """The server's end of one Play stream.

    Attributes:
        peer: whom it comes from.
        key: the hash of the token that it has joined with.
        certificate: the hash of the certificate that its client has shown; empty without one.
        client: the SDK's name and version, as it said.
        version: the bot's own version, as it said.
        immediate: True if the bot wants every event as it happens.
        receiver: whose stream it is, once it has joined.
        joined: True once a `Join` has been accepted.
        ended: set when the stream is to end.
        ignored: how many of its messages have answered nothing while it had no seat.
        refusal: why it ends with RESOURCE_EXHAUSTED, as a stable reason and in words, if it does.
    """

    def __init__(self, context: grpc.aio.ServicerContext[Any, Any], most_buffered: int = MOST_BUFFERED) -> None:
        self.client = ""
        self.version = ""
        self.immediate = False
        self.joined = False
        self.receiver: Receiver | None = None
        self.ended = asyncio.Event()
        self.peer = peer_of(context.peer())
        self.key = b""
        self.ignored = 0
        self.certificate = b""
        self.refusal: tuple[str, str] | None = None
        self._context = context
        self._most_buffered = most_buffered
        self._outbox: list[bytes] = []
        self._buffered = 0
        self._writer: asyncio.Task[None] | None = None

    def send(self, data: bytes) -> None:
        """Send encoded responses as soon as the stream takes them. Never waits."""
        if self.ended.is_set():
            return
        self._buffered += len(data)
        if self._buffered > self._most_buffered:
            self.refusal = ("BOT_TOO_SLOW", f"more than {self._most_buffered} bytes wait for you, and you do not read")
            self.ended.set()
            return
        self._outbox.append(data)
        if self._writer is None:
            self._writer = asyncio.get_running_loop().create_task(self._write())

    def end(self, data: bytes) -> None:
        """Send the last responses, then end the stream."""
        self.send(data)
        self.ended.set()

    async def _write(self) -> None:
        try:
            while self._outbox:
                data = b"".join(self._outbox)
                self._outbox.clear()
                await self._context.write(data)
                self._buffered -= len(data)
        except (grpc.RpcError, grpc.aio.BaseError, asyncio.InvalidStateError):
            self.ended.set()
        finally:
            self._writer = None

    async def flushed(self) -> None:
        """Wait until all has been sent, for as long as an ended stream may linger."""
        if self._writer is not None:
            await asyncio.wait([self._writer], timeout=LINGER_S)

    def lost(self) -> None:
        """Tell the receiver that the stream is gone."""
        self.ended.set()
        if self._writer is not None:
            self._writer.cancel()
        if self.receiver is not None:
            self.receiver.lost(self)
            self.receiver = None
