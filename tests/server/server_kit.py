"""A server in the test's own event loop, and a scripted client that can do anything a client can."""

from __future__ import annotations

import asyncio
import gc
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from oracle.verify import check_log

from referee.match.log import read_log
from referee.match.verify import verify
from referee.server.app import Policy, RefereeServer
from referee.v1 import match_pb2, match_pb2_grpc, play_pb2

T = TypeVar("T")
SEED = "5e" * 32
DUEL = "domino-classico"
SHORT = {"domino-belga": play_pb2.Format(kind="points", target=20)}
"""A short format, where it is not a single hand."""
PLAY = "/referee.v1.PlayService/Play"
PATIENT = {"join_ms": 20_000, "ready_ms": 20_000, "move_ms": 20_000, "bank_ms": 0}
TIMEOUT_S = 20.0


_RUNNER = asyncio.Runner()
"""One event loop for all tests: gRPC's completion queue is one for the whole process, and calls into closed loops."""


def run(promise: Callable[[], Awaitable[T]], within_s: float = 100) -> T:
    """Run a test's coroutine; whatever its event loop had to complain of fails the test. What it returns."""
    complaints: list[str] = []

    def complain(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        text = f"{context['message']}: {context.get('exception')!r}"
        if "PollerCompletionQueue" not in text:  # gRPC's own, where other tests have loops of their own
            complaints.append(text)

    async def heard() -> T:
        asyncio.get_running_loop().set_exception_handler(complain)
        result = await asyncio.wait_for(promise(), within_s)
        gc.collect()  # so that exceptions that nobody took are complained of
        return result

    result = _RUNNER.run(heard())
    assert not complaints, complaints
    return result


@asynccontextmanager
async def serving(
    data: Path, policy: Policy | None = None, claims: Callable[[str], bool] | None = None
) -> AsyncIterator[Kit]:
    """A server that listens on loopback, with its logs in ``data``."""
    server = RefereeServer(data, policy=policy or Policy(), claims=claims)
    await server.start()
    kit = Kit(server, data)
    try:
        yield kit
    finally:
        for bot in kit.bots:
            await bot.crash()
        await kit.channel.close()
        await server.stop()


BUILTIN = {"b": "beginner", "m": "medium", "e": "expert"}
"""The letters of built-in bots."""


def match_request(
    game: str = DUEL,
    seats: str = "rr",
    clock: dict[str, int] | None = None,
    format: play_pb2.Format | None = None,
    **fields: Any,
) -> match_pb2.CreateMatchRequest:
    """A match with a remote seat for each ``r``, and the built-in bot of each other letter."""
    players = [
        match_pb2.SeatRequest(remote=match_pb2.Remote()) if one == "r" else match_pb2.SeatRequest(builtin=BUILTIN[one])
        for one in seats
    ]
    return match_pb2.CreateMatchRequest(
        game=game,
        seats=players,
        clock=play_pb2.Clock(**(PATIENT | (clock or {}))),
        format=format or SHORT.get(game) or play_pb2.Format(kind="single"),
        **({"seed": SEED} | fields),
    )


async def created(
    matches: match_pb2_grpc.MatchServiceAsyncStub, request: match_pb2.CreateMatchRequest
) -> tuple[str, list[str]]:
    """A new match: its id, and the tokens."""
    made = await matches.CreateMatch(request)
    return made.info.match_id, [token.token for token in made.tokens]


class Kit:
    """A running server and what a test does with it."""

    def __init__(self, server: RefereeServer, data: Path) -> None:
        self.server = server
        self.data = data
        self.channel = grpc.aio.insecure_channel(server.address)
        self.matches = match_pb2_grpc.MatchServiceStub(self.channel)
        self.bots: list[Bot] = []

    async def create(
        self,
        game: str = DUEL,
        seats: str = "rr",
        clock: dict[str, int] | None = None,
        format: play_pb2.Format | None = None,
        **fields: Any,
    ) -> tuple[str, list[str]]:
        """A match of `match_request`: its id, and the tokens."""
        return await created(self.matches, match_request(game, seats, clock, format, **fields))

    def bot(self, **options: Any) -> Bot:
        """A client that has said nothing yet, on a connection of its own."""
        bot = Bot(self.server.address, **options)
        self.bots.append(bot)
        return bot

    async def joined(self, token: str, ready: bool = True, **options: Any) -> Bot:
        """A client that has joined and, if told so, is ready."""
        bot = self.bot(**options)
        await bot.join(token)
        await bot.until("joined")
        if ready:
            await bot.ready()
        return bot

    async def ended(self, match_id: str) -> list[dict[str, Any]]:
        """The events of a match, once it is over; its log verifies and agrees with the oracle."""
        hosted = self.server.host.matches[match_id]
        await asyncio.wait_for(self.server.host.finished(hosted), TIMEOUT_S)
        assert not hosted.problem
        verify(hosted.path)
        check_log(hosted.path)
        return list(read_log(hosted.path))

    async def until_logged(self, match_id: str, event: str, count: int = 1) -> dict[str, Any]:
        """The ``count``-th event of a kind in a match's log, once it is there."""

        async def found() -> dict[str, Any]:
            left = count
            async for line in self.server.host.matches[match_id].follow():
                left -= line["event"] == event
                if not left:
                    return line
            raise AssertionError(f"the log ended without {event}")

        return await asyncio.wait_for(found(), TIMEOUT_S)


class Bot:
    """A scripted client of the Play stream: it sends what it is told to, requests or bare bytes.

    It has a connection of its own, unless it is given the channel of another.
    """

    def __init__(
        self, address: str, options: tuple[tuple[str, Any], ...] = (), channel: grpc.aio.Channel | None = None
    ) -> None:
        own = [("grpc.use_local_subchannel_pool", 1), *options]
        self.channel = channel or grpc.aio.insecure_channel(address, own)
        play = self.channel.stream_stream(PLAY, response_deserializer=play_pb2.PlayResponse.FromString)
        self.call = play()
        self.seen: list[play_pb2.PlayEvent] = []
        self.responses: list[list[play_pb2.PlayEvent]] = []
        self._at = 0

    async def send(self, request: play_pb2.PlayRequest | bytes) -> None:
        """Send a request, or bytes that are none."""
        data = request if isinstance(request, bytes) else request.SerializeToString()
        await asyncio.wait_for(self.call.write(data), TIMEOUT_S)

    async def join(self, token: str, **fields: Any) -> None:
        """Send Join."""
        await self.send(play_pb2.PlayRequest(join=play_pb2.Join(token=token, **fields)))

    async def ready(self) -> None:
        """Send Ready."""
        await self.send(play_pb2.PlayRequest(ready=play_pb2.Ready()))

    async def answer(self, turn_id: int, **choice: Any) -> None:
        """Send an Answer."""
        await self.send(play_pb2.PlayRequest(answer=play_pb2.Answer(turn_id=turn_id, **choice)))

    async def leave(self, reason: str = "") -> None:
        """Send Leave."""
        await self.send(play_pb2.PlayRequest(leave=play_pb2.Leave(reason=reason)))

    async def event(self, timeout_s: float = TIMEOUT_S) -> play_pb2.PlayEvent | None:
        """The next event; None at the end of the stream. A status that is an error is raised."""
        while self._at == len(self.seen):
            response: Any = await asyncio.wait_for(self.call.read(), timeout_s)
            if response is grpc.aio.EOF:
                return None
            self.responses.append(list(response.events))
            self.seen.extend(response.events)
        self._at += 1
        return self.seen[self._at - 1]

    async def until(self, *kinds: str) -> Any:
        """The next event of these kinds, without its wrapping; what comes before it is passed over."""
        while (event := await self.event()) is not None:
            kind = event.WhichOneof("event")
            if kind in kinds:
                return getattr(event, kind)
        raise AssertionError(f"the stream ended without {kinds}")

    async def play(self, turns: int = 1_000_000) -> play_pb2.Closed | None:
        """Answer turns, each by a place that depends on nothing but its number; None after so many."""
        for _ in range(turns):
            asked = await self.until("turn", "closed")
            if isinstance(asked, play_pb2.Closed):
                return asked
            await self.answer(asked.turn_id, index=asked.turn_id % len(asked.legal))
        return None

    async def end(self) -> play_pb2.Closed:
        """The last event, to which nothing may follow but the stream's end with status OK."""
        closed = await self.until("closed")
        assert await self.event() is None
        assert await self.call.code() is grpc.StatusCode.OK
        return closed  # type: ignore[no-any-return]

    async def status(self) -> grpc.StatusCode:
        """The status that the stream ends with, whatever comes before it."""
        try:
            while await self.event() is not None:
                pass
        except grpc.aio.AioRpcError as error:
            return error.code()
        return await self.call.code()  # type: ignore[no-any-return]

    async def crash(self) -> None:
        """Drop the connection."""
        await self.channel.close()


async def opening(kit: Kit, **options: Any) -> tuple[str, Bot, Bot, Any]:
    """A duel at its first turn: the match, the bot that is asked, the other, the turn."""
    match_id, tokens = await kit.create(**options)
    bots = [await kit.joined(token) for token in tokens]
    asked = {asyncio.create_task(bot.until("turn")): bot for bot in bots}
    done, waiting = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()
    first = done.pop()
    other = next(bot for bot in bots if bot is not asked[first])
    await other.crash()
    other = await kit.joined(tokens[bots.index(other)])
    return match_id, asked[first], other, first.result()


def told(events: list[dict[str, Any]]) -> list[Any]:
    """What a log says of the game itself, without times and hashes."""
    kinds = {"hand_started", "action", "hand_ended", "match_ended"}
    times = {"seq", "ts", "prev", "hash", "took_ms", "lag_ms"}
    return [
        {key: value for key, value in event.items() if key not in times} for event in events if event["event"] in kinds
    ]


def of_kind(events: list[dict[str, Any]], kind: str, /, **fields: Any) -> list[dict[str, Any]]:
    """The events of a kind whose fields are these."""
    return [event for event in events if event["event"] == kind and fields.items() <= event.items()]


def error_info(error: grpc.RpcError) -> error_details_pb2.ErrorInfo:
    """What stands in the details of a failed call's status."""
    status = rpc_status.from_call(error)
    assert status is not None
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    assert info.domain == "domino-referee"
    return info


def commitment_of(seed: str) -> str:
    """What the server must have committed to."""
    return hashlib.sha256(bytes.fromhex(seed)).hexdigest()
