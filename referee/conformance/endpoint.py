"""A Play service whose every word is a script's: the real gRPC stack, and nothing behind it."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import grpc
from google.protobuf.message import DecodeError

from referee.conformance.network import Network
from referee.v1 import play_pb2

Received = play_pb2.PlayRequest | bytes | None
"""A request, bytes that are none, or None: the client has ended its side."""

_OPTIONS: Final = (
    # As lenient with a client's keepalive as the real server.
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 1_000),
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.so_reuseport", 0),
)

_WHY: Final = "the script says so"


class Stream:
    """The server's end of one Play stream.

    Attributes:
        received: what the client has sent, in order.
        closed: True once Closed has been sent on it, or it has been broken.
    """

    def __init__(self, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        self.received: asyncio.Queue[Received] = asyncio.Queue()
        self.closed = False
        self._context = context
        self._over = asyncio.Event()
        self._status: grpc.StatusCode | None = None

    async def write(self, data: bytes) -> None:
        """Send an encoded response. Raises `ConnectionError` if the client has ended the stream."""
        try:
            await self._context.write(data)
        except (grpc.RpcError, grpc.aio.BaseError, asyncio.InvalidStateError):
            raise ConnectionError from None

    def end(self, status: grpc.StatusCode | None = None) -> None:
        """End the stream: well, or with a status that is an error."""
        self.closed = True
        self._status = status
        self._over.set()

    async def serve(self) -> None:
        """Read until the stream is ended by either side."""
        reader = asyncio.get_running_loop().create_task(self._read())
        try:
            await self._over.wait()
        finally:
            reader.cancel()
            self.received.put_nowait(None)
        if self._status is not None:
            await self._context.abort(self._status, _WHY)

    async def _read(self) -> None:
        while (data := await self._read_one()) is not None:
            try:
                self.received.put_nowait(play_pb2.PlayRequest.FromString(data))
            except DecodeError:
                self.received.put_nowait(data)
        self.received.put_nowait(None)

    async def _read_one(self) -> bytes | None:
        data: Any = await self._context.read()
        return None if data is grpc.aio.EOF else bytes(data)


class Endpoint:
    """A server for one scenario, and the cable that leads to it.

    Attributes:
        network: the cable; its address is what the client is told.
        streams: the streams that clients have opened, in order.
    """

    def __init__(self) -> None:
        self.streams: asyncio.Queue[Stream] = asyncio.Queue()
        self._server = grpc.aio.server(options=_OPTIONS)
        play: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(self._play)
        service = grpc.method_handlers_generic_handler("referee.v1.PlayService", {"Play": play})
        self._server.add_generic_rpc_handlers((service,))
        self.network: Network

    async def start(self) -> None:
        """Listen."""
        self.network = Network(f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}")
        await self._server.start()
        await self.network.up()

    async def stop(self) -> None:
        """End it all."""
        await self.network.close()
        await self._server.stop(0)

    async def _play(self, _requests: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        stream = Stream(context)
        self.streams.put_nowait(stream)
        await stream.serve()
