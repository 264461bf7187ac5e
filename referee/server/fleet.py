"""Several server processes behind one address: each owns whole matches, and all bots of a match meet in one of them.

The front process listens where it is told, creates matches in one process after the other, and passes calls about a
match on to the process that owns it: a match's id and tokens begin with that process's prefix. Bots dial in at their
match's own process, at the address that comes with its tokens; so a turn never passes through the front.
"""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NoReturn

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from referee.server.access import PASSED_ON
from referee.server.app import (
    DEFAULT_POLICY,
    SERVICES,
    ListenError,
    Policy,
    bind,
    listening_http,
    listening_server,
    public_services,
)
from referee.server.child import serve
from referee.server.codec import notices
from referee.server.http import HttpServer
from referee.server.limits import peer_of
from referee.server.operations import Operations
from referee.v1 import match_pb2, play_pb2

_SERVICE: Final = "referee.v1.MatchService"
_START_WITHIN_S: Final = 30.0

_Context = grpc.aio.ServicerContext[bytes, bytes]


class _Process:
    """A server process and the front's channel to it."""

    def __init__(self, number: int, processes: int, data: Path, host: str, policy: Policy) -> None:
        self.prefix = f"{number}-"
        self._pipe, theirs = multiprocessing.Pipe()
        context = multiprocessing.get_context("spawn")
        self._process = context.Process(
            target=serve, args=(theirs, data, host, number, processes, policy), name=f"referee {number}"
        )
        self._near = policy.near
        self._process.start()
        theirs.close()
        self.address = ""

    async def started(self) -> None:
        """Wait until it listens. Raises `ListenError`."""
        try:
            async with asyncio.timeout(_START_WITHIN_S):
                answer = await asyncio.to_thread(self._pipe.recv)
        except (EOFError, TimeoutError):
            raise ListenError("a server process could not be started") from None
        if isinstance(answer, ListenError):
            raise answer
        self.address = answer
        self._channel = grpc.aio.insecure_channel(f"unix:{self._near}")

    async def call(self, name: str, request: bytes, context: _Context) -> bytes:
        """Pass a call on, encoded as it is. Raises `grpc.aio.AioRpcError`."""
        call: Any = self._channel.unary_unary(f"/{_SERVICE}/{name}")
        answer: bytes = await call(request, metadata=_passed_on(context))
        return answer

    def stream(self, name: str, request: bytes, context: _Context) -> AsyncIterator[bytes]:
        """Pass on a call with a stream of answers. Raises `grpc.aio.AioRpcError`."""
        call: Any = self._channel.unary_stream(f"/{_SERVICE}/{name}")
        answers: AsyncIterator[bytes] = call(request, metadata=_passed_on(context))
        return answers

    async def stop(self, grace_s: float) -> None:
        """Drain it, and wait until it has ended."""
        with suppress(BrokenPipeError):
            self._pipe.send(grace_s)
        await asyncio.to_thread(self._process.join)
        if self.address:
            await self._channel.close()

    def hurry(self) -> None:
        """End its matches now."""
        with suppress(BrokenPipeError):
            self._pipe.send(0.0)


def _passed_on(context: _Context) -> list[tuple[str, str]]:
    """What is passed on of a caller: its token, and where it comes from."""
    given = context.invocation_metadata() or ()
    token = [(key, value) for key, value in given if key == "authorization" and isinstance(value, str)]
    return [*token, (PASSED_ON, peer_of(context.peer()))]


class Fleet:
    """The front and its server processes. It starts and stops like a `RefereeServer`.

    Args:
        data: the folder for the logs.
        listen: ``host:port`` of the front.
        processes: how many server processes there are.
        policy: who may do what; each process counts its limits for itself, and has its metrics at a port of its own:
            process n at the front's plus n.
    """

    def __init__(self, data: Path, listen: str, processes: int, policy: Policy = DEFAULT_POLICY) -> None:
        self.address = ""
        self.http_address = ""
        self._policy = policy
        self._operations = Operations(policy.telling, counting=bool(policy.http))
        self._draining = False
        self._sockets = TemporaryDirectory(prefix="referee-")
        self._listen = listen
        self._data = data
        self._count = processes
        self._processes: list[_Process] = []
        self._http: HttpServer | None = None
        self._server = listening_server(policy.limits)
        self._health = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        public_services(self._server, listen)
        self._server.add_registered_method_handlers(_SERVICE, self._match_handlers())
        self._server.add_registered_method_handlers("referee.v1.PlayService", {"Play": self._play_handler()})

    async def start(self) -> None:
        """Start the processes and listen. Raises `ListenError`."""
        self.address = bind(self._server, self._listen, self._policy.transport)
        host = self._listen.rpartition(":")[0]
        self._http = listening_http(self._policy.http, self._operations.meters, lambda: not self._draining)
        if self._http is not None:
            self.http_address = self._http.address
        self._processes = [
            _Process(number, self._count, self._data, host, self._policy_of(number))
            for number in range(1, self._count + 1)
        ]
        for process in self._processes:
            await process.started()
        self._next = cycle(self._processes)
        await self._server.start()
        for name in ("", *SERVICES):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)

    async def stop(self, grace_s: float = 0.0) -> None:
        """Take no more matches, drain every process, and stop."""
        self._draining = True
        await self._health.enter_graceful_shutdown()
        await asyncio.gather(*[process.stop(grace_s) for process in self._processes])
        await self._server.stop(1.0)
        if self._http is not None:
            self._http.stop()
        self._sockets.cleanup()

    def _policy_of(self, number: int) -> Policy:
        http, _, port = self.http_address.rpartition(":")
        free = self._policy.http.endswith(":0")
        own = f"{http}:{0 if free else int(port) + number}" if http else ""
        return replace(self._policy, http=own, near=str(Path(self._sockets.name) / str(number)))

    def hurry(self) -> None:
        """End running matches now."""
        for process in self._processes:
            process.hurry()

    def _match_handlers(self) -> dict[str, Any]:
        unary = {name: self._unary(name) for name in ("ListGames", "CreateMatch", "GetMatch")}
        streams = {name: self._stream(name) for name in ("WatchMatch", "FetchMatchLog")}
        handlers: dict[str, Any] = {name: grpc.unary_unary_rpc_method_handler(call) for name, call in unary.items()}
        handlers["ListMatches"] = grpc.unary_unary_rpc_method_handler(self._list)
        handlers |= {name: grpc.unary_stream_rpc_method_handler(call) for name, call in streams.items()}
        return handlers

    def _unary(self, name: str) -> Callable[[bytes, _Context], Any]:
        async def call(request: bytes, context: _Context) -> bytes:
            try:
                return await self._owner(name, request).call(name, request, context)
            except grpc.aio.AioRpcError as error:
                await _pass_on(error, context)

        return call

    def _stream(self, name: str) -> Callable[[bytes, _Context], AsyncIterator[bytes]]:
        async def call(request: bytes, context: _Context) -> AsyncIterator[bytes]:
            try:
                async for answer in self._owner(name, request).stream(name, request, context):
                    yield answer
            except grpc.aio.AioRpcError as error:
                await _pass_on(error, context)

        return call

    async def _list(self, request: bytes, context: _Context) -> bytes:
        """The matches of one process after the other; the page token begins with the process's prefix."""
        asked = match_pb2.ListMatchesRequest.FromString(request)
        prefix, dash, rest = asked.page_token.partition("-")
        number = next((n for n, process in enumerate(self._processes) if dash and process.prefix == f"{prefix}-"), 0)
        asked.page_token = rest if dash else asked.page_token
        try:
            data = await self._processes[number].call("ListMatches", asked.SerializeToString(), context)
        except grpc.aio.AioRpcError as error:
            await _pass_on(error, context)
        page = match_pb2.ListMatchesResponse.FromString(data)
        if page.next_page_token:
            page.next_page_token = self._processes[number].prefix + page.next_page_token
        elif number + 1 < len(self._processes):
            page.next_page_token = self._processes[number + 1].prefix
        return page.SerializeToString()

    def _owner(self, name: str, request: bytes) -> _Process:
        """The process that a call is for: the next one for a new match, else the one that owns the match."""
        if name == "CreateMatch":
            return next(self._next)
        match_id = match_pb2.GetMatchRequest.FromString(request).match_id if name != "ListGames" else ""
        return self._of(match_id)

    def _of(self, text: str) -> _Process:
        """The process whose prefix an id or a token begins with; the first one refuses what is nobody's."""
        return next((one for one in self._processes if text.startswith(one.prefix)), self._processes[0])

    def _play_handler(self) -> Any:
        async def play(_requests: object, context: _Context) -> None:
            """Send a bot that dialled in at the front on to its match."""
            data: Any = await context.read()
            join = play_pb2.PlayRequest.FromString(data).join if isinstance(data, bytes) else play_pb2.Join()
            address = self._of(join.token).address
            message = f"this is the front of several processes; the match of this token is at {address}"
            await context.write(notices.closed(play_pb2.CLOSE_REASON_REFUSED, message))

        return grpc.stream_stream_rpc_method_handler(play)


async def _pass_on(error: grpc.aio.AioRpcError, context: _Context) -> NoReturn:
    """End a call as the process that it was passed on to has ended it."""
    await context.abort(error.code(), error.details() or "", tuple(error.trailing_metadata() or ()))
    raise AssertionError("abort does not return")
