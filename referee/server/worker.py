"""One server process of several, as the front of them sees it: started, called, and started again if it ends."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import AsyncIterator
from contextlib import suppress
from multiprocessing.connection import Connection as Pipe
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, Final

import grpc
import structlog

from referee.server.access import PASSED_ON
from referee.server.app import ListenError, Policy
from referee.server.child import serve
from referee.server.limits import peer_of

MATCH_SERVICE: Final = "referee.v1.MatchService"

START_WITHIN_S: Final = 30.0
"""A process that does not listen by then has not started."""

PAUSE_S: Final = 0.5
"""So long after its end a process is started again; doubled each time that it does not start, up to `MOST_PAUSE_S`."""

MOST_PAUSE_S: Final = 30.0

_SOON_BACK: Final = (("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 1_000))
"""The options of a channel to a process that may end and be back a second later."""

Context = grpc.aio.ServicerContext[bytes, bytes]

_log = structlog.get_logger(__name__)


class Worker:
    """A server process and the front's channel to it.

    Args:
        number: which of the processes it is, from 1.
        processes: how many there are.
        data: the folder for the logs.
        host: where it listens, at a port of its own.
        policy: who may do what, and the socket at which it takes the front's calls.

    Attributes:
        prefix: what the ids and tokens of its matches begin with.
        address: where the bots of its matches are told to dial in, once it has started.
        up: whether it runs and listens.
    """

    def __init__(self, number: int, processes: int, data: Path, host: str, policy: Policy) -> None:
        self.prefix = f"{number}-"
        self.address = ""
        self.up = False
        self._number = number
        self._args = (data, host, number, processes, policy)
        self._channel = grpc.aio.insecure_channel(f"unix:{policy.near}", _SOON_BACK)
        self._pipe: Pipe | None = None
        self._process: SpawnProcess | None = None
        self._watch: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int:
        """The number of the process that runs now or, if it has ended, ran last; 0 if none ever has."""
        return (self._process and self._process.pid) or 0

    async def start(self) -> None:
        """Start it, and wait until it listens. Raises `ListenError`: then it has ended."""
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        # A daemon: whatever becomes of the front, it does not wait for it at its end.
        self._process = context.Process(
            target=serve, args=(theirs, *self._args), name=f"referee {self._number}", daemon=True
        )
        try:
            try:
                self._process.start()
            finally:
                theirs.close()
            self.address = await asyncio.to_thread(_answer, self._pipe)
            self.up = True
        except OSError as error:
            raise self._problem(f"cannot be started: {error.strerror}") from None
        except ListenError as error:
            raise self._problem(str(error)) from None
        finally:
            if not self.up:
                self.kill()

    def watch(self) -> None:
        """From now on start it again whenever it has ended; its logs then go on."""
        self._watch = asyncio.create_task(self._keep_up(), name=f"watch {self._number}")

    async def _keep_up(self) -> None:
        while True:
            status = await self._ended()
            self.up = False
            _log.error("server process ended", process=self._number, status=status)
            pause = PAUSE_S
            while not self.up:
                await asyncio.sleep(pause)
                pause = min(2 * pause, MOST_PAUSE_S)
                try:
                    await self.start()
                except ListenError as error:
                    _log.error("server process not started", process=self._number, problem=str(error))
            _log.info("server process started again", process=self._number, address=self.address)

    async def _ended(self) -> int | None:
        """Wait until the process has ended; its exit status, or the negative number of the signal that ended it."""
        assert self._process is not None
        loop = asyncio.get_running_loop()
        ended, sentinel = asyncio.Event(), self._process.sentinel
        loop.add_reader(sentinel, ended.set)
        try:
            await ended.wait()
        finally:
            loop.remove_reader(sentinel)
        self._process.join()
        return self._process.exitcode

    async def call(self, name: str, request: bytes, context: Context) -> bytes:
        """Pass a call on, encoded as it is. Raises `grpc.aio.AioRpcError`."""
        call: Any = self._channel.unary_unary(f"/{MATCH_SERVICE}/{name}")
        answer: bytes = await call(request, metadata=_passed_on(context))
        return answer

    def stream(self, name: str, request: bytes, context: Context) -> AsyncIterator[bytes]:
        """Pass on a call with a stream of answers. Raises `grpc.aio.AioRpcError`."""
        call: Any = self._channel.unary_stream(f"/{MATCH_SERVICE}/{name}")
        answers: AsyncIterator[bytes] = call(request, metadata=_passed_on(context))
        return answers

    async def stop(self, grace_s: float) -> None:
        """Drain it, and wait until it has ended."""
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.wait([self._watch])
        self._tell(grace_s)
        if self._process is not None:
            await asyncio.to_thread(self._process.join)
        await self._channel.close()

    def hurry(self) -> None:
        """End its matches now."""
        self._tell(0.0)

    def kill(self) -> None:
        """End it at once, which loses nothing of its matches: whoever starts with its logs goes on with them."""
        self.up = False
        if self._process is not None and self._process.pid is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()

    def _tell(self, grace_s: float) -> None:
        """Tell it how long it may take to end (seconds), if it is there."""
        if self.up and self._pipe is not None:
            with suppress(OSError):
                self._pipe.send(grace_s)

    def _problem(self, text: str) -> ListenError:
        return ListenError(f"server process {self._number}: {text}")


def _answer(pipe: Pipe) -> str:
    """Wait for what a process says first: where it listens. Raises `ListenError` with what it says instead."""
    if not pipe.poll(START_WITHIN_S):
        raise ListenError(f"does not listen after {START_WITHIN_S:g} s")
    try:
        answer: str | ListenError = pipe.recv()
    except EOFError:
        raise ListenError("has ended before it listened") from None
    if isinstance(answer, ListenError):
        raise answer
    return answer


def _passed_on(context: Context) -> list[tuple[str, str]]:
    """What is passed on of a caller: its token, and where it comes from."""
    given = context.invocation_metadata() or ()
    token = [(key, value) for key, value in given if key == "authorization" and isinstance(value, str)]
    return [*token, (PASSED_ON, peer_of(context.peer()))]
