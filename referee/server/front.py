"""The services of the front of several processes: calls are passed on to the process that they are for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from itertools import cycle
from typing import Any, Final, NoReturn

import grpc
from google.protobuf.message import DecodeError

from referee.server.codec import notices
from referee.server.errors import abort
from referee.server.limits import Holders, Limits, peer_of
from referee.server.operations import Operations
from referee.server.paging import merged, page_size
from referee.server.play_service import JOIN_WITHIN_S
from referee.server.worker import MATCH_SERVICE, Context, Worker
from referee.v1 import match_pb2, play_pb2

_NOT_UP: Final = "a server process has ended and is being started again; its matches go on then: try again"


class Front:
    """What the front answers.

    Args:
        workers: the processes.
        limits: how many streams of an address may be open that have not said whose they are.
        operations: told of what is refused.
    """

    def __init__(self, workers: Sequence[Worker], limits: Limits, operations: Operations) -> None:
        self._workers = workers
        self._turns = cycle(workers)
        self._limits = limits
        self._operations = operations
        self._unjoined = Holders(limits.unjoined_per_peer)

    def add_to(self, server: grpc.aio.Server) -> None:
        """Add the services to a server. They take and give encoded messages."""
        unary = {name: self._unary(name) for name in ("ListGames", "CreateMatch", "GetMatch")}
        streams = {name: self._stream(name) for name in ("WatchMatch", "FetchMatchLog")}
        handlers: dict[str, Any] = {name: grpc.unary_unary_rpc_method_handler(call) for name, call in unary.items()}
        handlers["ListMatches"] = grpc.unary_unary_rpc_method_handler(self._list)
        handlers |= {name: grpc.unary_stream_rpc_method_handler(call) for name, call in streams.items()}
        server.add_registered_method_handlers(MATCH_SERVICE, handlers)
        play: Any = grpc.stream_stream_rpc_method_handler(self._play)
        server.add_registered_method_handlers("referee.v1.PlayService", {"Play": play})

    def _unary(self, name: str) -> Callable[[bytes, Context], Any]:
        async def call(request: bytes, context: Context) -> bytes:
            worker = await self._owner(name, request, context)
            try:
                return await worker.call(name, request, context)
            except grpc.aio.AioRpcError as error:
                await _pass_on(error, context)

        return call

    def _stream(self, name: str) -> Callable[[bytes, Context], AsyncIterator[bytes]]:
        async def call(request: bytes, context: Context) -> AsyncIterator[bytes]:
            worker = await self._owner(name, request, context)
            try:
                async for answer in worker.stream(name, request, context):
                    yield answer
            except grpc.aio.AioRpcError as error:
                await _pass_on(error, context)

        return call

    async def _list(self, request: bytes, context: Context) -> bytes:
        """The matches of all processes, the newest first."""
        if not all(worker.up for worker in self._workers):
            await _abort_not_up(context)
        calls = [worker.call("ListMatches", request, context) for worker in self._workers]
        try:
            answers = await asyncio.gather(*calls)
        except grpc.aio.AioRpcError as error:
            await _pass_on(error, context)
        pages = [match_pb2.ListMatchesResponse.FromString(answer) for answer in answers]
        return merged(pages, page_size(match_pb2.ListMatchesRequest.FromString(request))).SerializeToString()

    async def _owner(self, name: str, request: bytes, context: Context) -> Worker:
        """The process that a call is for: the one that owns the match, else the next one. Else the call ends."""
        if name in {"CreateMatch", "ListGames"}:
            worker = next((one for _, one in zip(self._workers, self._turns, strict=False) if one.up), None)
        else:
            worker = self._of(match_pb2.GetMatchRequest.FromString(request).match_id)
        if worker is None or not worker.up:
            await _abort_not_up(context)
        return worker

    def _of(self, text: str) -> Worker:
        """The process whose prefix an id or a token begins with; the first one refuses what is nobody's."""
        return next((one for one in self._workers if text.startswith(one.prefix)), self._workers[0])

    async def _play(self, _requests: object, context: Context) -> None:
        """Send a bot that dialled in at the front on to its match."""
        peer = peer_of(context.peer())
        if not self._unjoined.take(peer):
            self._operations.refused("TOO_MANY_STREAMS", peer)
            message = f"{self._limits.unjoined_per_peer} streams from this address have not joined yet"
            await abort(context, grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_STREAMS", message)
        try:
            message = await self._referral(context)
        finally:
            self._unjoined.give_back(peer)
        await context.write(notices.closed(play_pb2.CLOSE_REASON_REFUSED, message))

    async def _referral(self, context: Context) -> str:
        """Where a bot finds its match, once it has said which."""
        try:
            async with asyncio.timeout(JOIN_WITHIN_S):
                data: Any = await context.read()
        except TimeoutError:
            return f"no `join` within {JOIN_WITHIN_S:.0f} s"
        try:
            join = play_pb2.PlayRequest.FromString(data).join if isinstance(data, bytes) else play_pb2.Join()
        except DecodeError:
            return "the message is no PlayRequest"
        address = self._of(join.token).address
        return f"this is the front of several processes; the match of this token is at {address}"


async def _pass_on(error: grpc.aio.AioRpcError, context: Context) -> NoReturn:
    """End a call as the process that it was passed on to has ended it."""
    await context.abort(error.code(), error.details() or "", tuple(error.trailing_metadata() or ()))
    raise AssertionError("abort does not return")


async def _abort_not_up(context: Context) -> NoReturn:
    await abort(context, grpc.StatusCode.UNAVAILABLE, "PROCESS_DOWN", _NOT_UP)
