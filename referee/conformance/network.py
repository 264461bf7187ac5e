"""The cable between a client and its server, which a scenario can cut: a TCP relay on loopback."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import Final

_CHUNK: Final = 1 << 16


class Network:
    """An address that leads to a server as long as the cable is whole.

    The port stays ours while nobody listens on it, so that a connection is refused meanwhile and nobody else takes it.

    Attributes:
        address: where clients dial in.
    """

    def __init__(self, server: str) -> None:
        self._server = server.rpartition(":")
        self._held = socket.socket()
        self._held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._held.bind(("127.0.0.1", 0))
        self._port = self._held.getsockname()[1]
        self.address = f"127.0.0.1:{self._port}"
        self._listener: asyncio.Server | None = None
        self._ends: set[asyncio.StreamWriter] = set()
        self._relays: set[asyncio.Task[None]] = set()

    async def up(self) -> None:
        """Let clients in."""
        if self._listener is None:
            self._listener = await asyncio.start_server(self._serve, "127.0.0.1", self._port, reuse_address=True)

    def cut(self) -> None:
        """Break every connection, without a word."""
        for end in self._ends:
            end.transport.abort()

    def down(self) -> None:
        """Break every connection and let nobody in."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        self.cut()

    async def close(self) -> None:
        """End it all."""
        self.down()
        for relay in self._relays:
            relay.cancel()
        await asyncio.gather(*self._relays, return_exceptions=True)
        self._held.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._relays.add(task)
        task.add_done_callback(self._relays.discard)
        host, _, port = self._server
        ends = [writer]
        self._ends.add(writer)
        try:
            far_reader, far_writer = await asyncio.open_connection(host, int(port))
            ends.append(far_writer)
            self._ends.add(far_writer)
            if self._listener is None:
                return
            await asyncio.gather(_relay(reader, far_writer), _relay(far_reader, writer))
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            for end in ends:
                end.transport.abort()
                self._ends.discard(end)


async def _relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()
    writer.transport.abort()
