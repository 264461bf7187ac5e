"""A gRPC server that outlives calls to paths that are no text.

`grpc.aio` decodes the path of a call in the loop that takes calls, and a path that is no UTF-8 ends that loop, and with
it the server, for good: one request of a stranger would be enough (seen with grpcio 1.85.1 and 1.85.3). Calls to
registered methods come by their own way, with a name that is known. So all of ours are registered, and what comes by
the other way is refused without a look at its path.
"""

from __future__ import annotations

import asyncio
from typing import Any, NoReturn

import grpc
from grpc._cython import cygrpc  # type: ignore[attr-defined]  # it has no types


class _Core(cygrpc.AioServer):  # type: ignore[misc]
    """What `grpc.aio.Server` is about, with another way for calls to methods that are not registered."""

    def _make_request_call_future(self, method: bytes | None) -> asyncio.Future[Any]:
        """The next call of a registered method; of all others (None), there is never one to be handled."""
        if method is not None:
            registered: asyncio.Future[Any] = super()._make_request_call_future(method)
            return registered
        return asyncio.get_running_loop().create_task(self._refuse_others())

    async def _refuse_others(self) -> NoReturn:
        """Answer UNIMPLEMENTED to all that is not registered. Raises what ends the taking of calls at a shutdown."""
        loop = asyncio.get_running_loop()
        nothing = cygrpc._MethodResolver([], {})
        answering: set[asyncio.Task[None]] = set()  # the loop itself would let go of them
        while True:
            call = await self._request_call()
            answer = cygrpc._handle_rpc("", nothing, (), call, loop, False)
            task = loop.create_task(cygrpc._schedule_rpc_coro(answer, call, loop, ""))
            answering.add(task)
            task.add_done_callback(answering.discard)


def sturdy_server(options: tuple[tuple[str, Any], ...]) -> grpc.aio.Server:
    """A `grpc.aio` server. Its methods must be registered (`add_registered_method_handlers`): others are not found."""
    plain, cygrpc.AioServer = cygrpc.AioServer, _Core
    try:
        return grpc.aio.server(options=options)
    finally:
        cygrpc.AioServer = plain
