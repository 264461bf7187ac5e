"""The Play stream: reads a bot's messages, stamps them, and hands them to its seat."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import grpc
from google.protobuf.message import DecodeError

from referee.match.policy import FaultKind
from referee.server.access import certificate_of
from referee.server.admission import Admission
from referee.server.codec import notices
from referee.server.connection import Connection
from referee.server.errors import abort
from referee.server.limits import Holders, Limits, Rate
from referee.server.operations import Operations
from referee.server.remote import MOST_UNASKED, RemoteSeat
from referee.v1 import play_pb2

MOST_CHARACTERS: Final = 200
"""The most characters of `Join.client` and `Join.version`."""

JOIN_WITHIN_S: Final = 30.0
"""A stream that has not joined by then is ended."""


class PlayService:
    """The service `referee.v1.PlayService`."""

    def __init__(
        self, admission: Admission, limits: Limits | None = None, operations: Operations | None = None
    ) -> None:
        self._admission = admission
        self._limits = limits = limits or Limits()
        self._operations = operations or Operations()
        self._unjoined = Holders(limits.unjoined_per_peer)
        self._joins = Rate(limits.joins_per_second)
        self._streams: dict[bytes, set[Connection]] = {}

    def handlers(self) -> tuple[str, dict[str, grpc.RpcMethodHandler[bytes, bytes]]]:
        """The service for a server. It takes and gives encoded messages: see `referee.server.codec`."""
        return "referee.v1.PlayService", {"Play": grpc.stream_stream_rpc_method_handler(self._play)}

    async def _play(self, _requests: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        connection = Connection(context, self._limits.buffered_bytes)
        connection.certificate = certificate_of(context)
        if not self._unjoined.take(connection.peer):
            self._operations.refused("TOO_MANY_STREAMS", connection.peer)
            message = f"{self._limits.unjoined_per_peer} streams from this address have not joined yet"
            await abort(context, grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_STREAMS", message)
        self._operations.streams += 1
        loop = asyncio.get_running_loop()
        # The handler only waits: cancelling it from outside would not end the call, returning does.
        reader = loop.create_task(self._read(context, connection))
        too_late = loop.call_later(JOIN_WITHIN_S, self._check_joined, connection)
        try:
            await connection.ended.wait()
            if connection.refusal is None:
                await connection.flushed()
        finally:
            too_late.cancel()
            reader.cancel()
            connection.lost()
            self._let_go(connection)
        if connection.refusal is not None:
            reason, message = connection.refusal
            self._operations.refused(reason, connection.peer)
            await abort(context, grpc.StatusCode.RESOURCE_EXHAUSTED, reason, message)

    def _let_go(self, connection: Connection) -> None:
        """A stream has ended: whoever had it may have another."""
        self._operations.streams -= 1
        if not connection.joined:
            self._unjoined.give_back(connection.peer)
        elif streams := self._streams.get(connection.key):
            streams.discard(connection)
            if not streams:
                del self._streams[connection.key]

    async def _read(self, context: grpc.aio.ServicerContext[bytes, bytes], connection: Connection) -> None:
        loop = asyncio.get_running_loop()
        try:
            while not connection.ended.is_set():
                data: Any = await context.read()
                arrived = loop.time()
                if data is grpc.aio.EOF:
                    message = "your side of the stream has ended, so you can answer nothing; join again to play on"
                    connection.end(notices.closed(play_pb2.CLOSE_REASON_LEFT, message, join_again=connection.joined))
                    break
                self._handle(connection, data, arrived)
        finally:
            connection.ended.set()

    def _handle(self, connection: Connection, data: bytes, arrived: float) -> None:
        seat = connection.receiver if isinstance(connection.receiver, RemoteSeat) else None
        try:
            request = play_pb2.PlayRequest.FromString(data)
        except DecodeError:
            if seat is not None:
                seat.malformed("the message is no PlayRequest", arrived)
            else:
                self._refuse(connection, "malformed", "the message is no PlayRequest")
            return
        kind = request.WhichOneof("request")
        if kind == "answer" and seat is not None:
            seat.answer(request.answer, arrived)
        elif kind == "join":
            self._join(connection, request.join)
        elif not connection.joined:
            self._refuse(connection, "not_joined", "a stream begins with `join`")
        elif kind == "leave":
            if seat is not None:
                reason = request.leave.reason[:MOST_CHARACTERS]
                seat.leaves(FaultKind.GONE, f"left: {reason}" if reason else "left")
            connection.end(notices.closed(play_pb2.CLOSE_REASON_LEFT, "you left"))
        elif seat is None:
            self._ignore(connection, "not_your_turn", "no match has begun for you yet")
        elif kind == "ready":
            seat.ready()
        else:
            seat.malformed("the message holds no request that this server knows", arrived)

    def _join(self, connection: Connection, join: play_pb2.Join) -> None:
        if connection.joined:
            seat = connection.receiver
            message = "this stream has joined already; another match needs another stream"
            if isinstance(seat, RemoteSeat):
                seat.unasked("already_joined", message)
            else:
                self._ignore(connection, "already_joined", message)
            return
        for name in ("client", "version"):
            if len(getattr(join, name)) > MOST_CHARACTERS:
                message = f"`{name}` has more than {MOST_CHARACTERS} characters"
                self._refuse(connection, "message_too_large", message)
                return
        if not self._joins.take(connection.peer):
            message = f"more than {self._limits.joins_per_second} joins a second from this address; join again later"
            connection.refusal = ("JOINS_TOO_FAST", message)
            connection.ended.set()
            return
        ticket = self._admission.find(join.token)
        if ticket is None:
            self._operations.refused("UNKNOWN_TOKEN", connection.peer)
            message = "unknown token: it was never given out, or its match is over"
            connection.end(notices.closed(play_pb2.CLOSE_REASON_REFUSED, message))
            return
        if ticket.certificate not in {None, connection.certificate}:
            self._operations.refused("ANOTHER_CERTIFICATE", connection.peer)
            message = "this token was first used with another certificate; show that one"
            connection.end(notices.closed(play_pb2.CLOSE_REASON_REFUSED, message))
            return
        streams = self._streams.setdefault(ticket.key, set())
        if sum(not stream.ended.is_set() for stream in streams) >= self._limits.streams_per_token:
            self._operations.refused("TOO_MANY_STREAMS_OF_A_TOKEN", connection.peer)
            message = f"this token has {self._limits.streams_per_token} streams already; one is enough"
            connection.end(notices.closed(play_pb2.CLOSE_REASON_REFUSED, message))
            return
        ticket.certificate = connection.certificate
        streams.add(connection)
        self._unjoined.give_back(connection.peer)
        self._operations.joined()
        connection.key = ticket.key
        connection.joined = True
        connection.client = join.client
        connection.version = join.version
        connection.immediate = join.delivery == play_pb2.EVENT_DELIVERY_IMMEDIATE
        ticket.admit(connection)

    def _ignore(self, connection: Connection, code: str, message: str) -> None:
        """Say that a message of a stream without a seat is ignored; too many of them end it."""
        connection.ignored += 1
        if connection.ignored <= MOST_UNASKED:
            connection.send(notices.ignored(code, message))
            return
        self._operations.refused("FLOODING", connection.peer)
        message = f"more than {MOST_UNASKED} messages that answer nothing"
        connection.end(notices.closed(play_pb2.CLOSE_REASON_REFUSED, message))

    def _check_joined(self, connection: Connection) -> None:
        if not connection.joined:
            self._refuse(connection, "not_joined", f"no `join` within {JOIN_WITHIN_S:.0f} s")

    @staticmethod
    def _refuse(connection: Connection, code: str, message: str) -> None:
        """Say why a stream cannot go on that has not joined, and end it."""
        closed = notices.closed(play_pb2.CLOSE_REASON_REFUSED, message)
        connection.end(notices.ignored(code, message) + closed)
