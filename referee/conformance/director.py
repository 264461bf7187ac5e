"""Leads a client through a script, step by step, and watches that it keeps the rules that hold in every scenario."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Mapping
from typing import Any, Final

import grpc

from referee.conformance.client import Client
from referee.conformance.endpoint import Endpoint, Received, Stream
from referee.conformance.lines import ASK_AGAIN, line
from referee.conformance.scenario import Scenario, Step
from referee.conformance.story import Story
from referee.conformance.strange import sprinkled
from referee.v1 import play_pb2

FIRST_JOIN_MS: Final = 40_000
"""So long a client may take from its start to its first Join: a virtual machine on a busy computer."""

MOST_CHARACTERS: Final = 200  # of `Join.client` and `Join.version`, as the protocol says

_WITHIN_MS: Final = {"join": 20_000, "ready": 10_000, "answer": 10_000, "exit": 10_000}
_NOTHING_MS: Final = 400
_STATUSES: Final = {"unavailable": grpc.StatusCode.UNAVAILABLE, "unimplemented": grpc.StatusCode.UNIMPLEMENTED}


class DepartureError(Exception):
    """The client did something else than it promised.

    Attributes:
        expected: what it should have done.
        came: what it did.
    """

    def __init__(self, expected: str, came: str) -> None:
        super().__init__(f"expected {expected}; came {came}")
        self.expected = expected
        self.came = came


class Director:
    """Leads one client through one scenario.

    Args:
        scenario: the script.
        endpoint: the server.
        token: the client's token.
        patience: how long to wait for the client, as a multiple of what is fair.

    Attributes:
        client_says: what the client said of itself in its first Join: the SDK, and the bot's version.
        streams: how many streams it has opened.
        answers: how many turns it has answered.
    """

    def __init__(self, scenario: Scenario, endpoint: Endpoint, token: str, patience: float = 1.0) -> None:
        self.client_says = ("", "")
        self.streams = 0
        self.answers = 0
        self._scenario = scenario
        self._endpoint = endpoint
        self._token = token
        self._patience = patience
        self._matches = 0
        self._story = Story(scenario.game, scenario.match, 0)
        self._client: Client
        self._stream: Stream | None = None
        self._ready = self._may_ready = self._was_ready = False
        self._given: play_pb2.Answer | None = None
        self._credit: Counter[int] = Counter()

    @property
    def name(self) -> str:
        """The name that the client plays under."""
        return self._story.name

    async def lead(self, client: Client) -> None:
        """Go through the script.

        Raises:
            DepartureError: the client did something else.
            NoSuchTurnError: the script asks for what the game does not have.
        """
        self._client = client
        for step in self._scenario.steps:
            await self._do(step)
        if not self._endpoint.streams.empty():
            raise DepartureError("no other stream", "one more stream than was asked for")

    async def _do(self, step: Step) -> None:
        if step.verb == "repeat":
            for _ in range(step.value):
                for inner in step.steps:
                    await self._do(inner)
        elif step.verb == "send":
            await self._send(step)
        elif step.verb == "expect":
            await self._expect(step)
        elif step.verb == "drop":
            self._drop(step.value)
        elif step.verb == "server" and step.value == "down":
            self._lose()
            self._endpoint.network.down()
        elif step.verb == "server":
            await self._endpoint.network.up()
        elif step.verb == "wait_ms":
            await asyncio.sleep(step.value / 1000)
        elif step.verb == "next_match":
            self._matches += 1
            self._was_ready = False
            self._story = Story(self._scenario.game, {**self._scenario.match, **step.value}, self._matches)

    # What the referee does ------------------------------------------------------------------------------------

    async def _send(self, step: Step) -> None:
        chunks: list[bytes] = []
        for item in step.value:
            made = self._made({"event": item} if isinstance(item, str) else item)
            chunks += [sprinkled(one) for one in made] if step.more.get("strange") else made
        stream = self._stream
        if stream is None or stream.closed:
            raise ValueError(f"{step}: there is no stream")
        try:
            if step.more.get("apart") or "pause_ms" in step.more:
                for chunk in chunks:
                    await asyncio.sleep(step.more.get("pause_ms", 20) / 1000)
                    await stream.write(chunk)
            else:
                await stream.write(b"".join(chunks))
        except ConnectionError:
            raise DepartureError("the stream stays open", f"the client ended it ({self._client.how()})") from None
        if any((item if isinstance(item, str) else item["event"]) == "closed" for item in step.value):
            stream.end()

    def _made(self, item: Mapping[str, Any]) -> list[bytes]:
        """What one item of a script stands for, and what it allows the client to do."""
        made = line(item, self._story)
        kind, asked = item["event"], self._story.asked
        asks_again = kind == "refusal" and item.get("remedy", ASK_AGAIN) == ASK_AGAIN
        if asked is not None and (kind in {"turn", "turn_again"} or asks_again):
            self._credit[asked.turn_id] += 1
        if kind == "turn":
            self._given = None
        self._may_ready |= kind == "joined"
        return made

    def _drop(self, how: str) -> None:
        if self._stream is not None and how != "connection":
            self._stream.end(_STATUSES.get(how))
        self._lose()
        if how == "connection":
            self._endpoint.network.cut()

    def _lose(self) -> None:
        if self._stream is not None:
            self._stream.closed = True
        self._stream = None

    # What the client does -------------------------------------------------------------------------------------

    async def _expect(self, step: Step) -> None:
        what = step.value
        limit_ms = self._patience * step.more.get("within_ms", _WITHIN_MS.get(what, 0))
        if what == "join":
            await self._expect_join(limit_ms if self.streams else self._patience * FIRST_JOIN_MS)
        elif what == "ready":
            while not self._ready:
                await self._next("Ready", limit_ms)
        elif what == "answer":
            asked = self._story.asked
            assert asked is not None
            while self._given is None:
                await self._next(f"an answer to turn {asked.turn_id}", limit_ms)
            answer, self._given = self._given, None
            self.answers += 1
            if not step.more.get("lost"):
                self._story.play(answer)
        elif what == "nothing":
            await self._expect_nothing(step.more.get("for_ms", _NOTHING_MS))
        elif what == "attempts":
            await self._expect_attempts(step.more["for_ms"], step.more["most"])
        else:
            await self._expect_exit(step, limit_ms if self.streams else self._patience * FIRST_JOIN_MS)

    async def _expect_join(self, limit_ms: float) -> None:
        token = "Join with the token it was given"
        stream = await self._within(self._endpoint.streams.get(), limit_ms, f"a stream, and {token}")
        self.streams += 1
        self._stream = stream
        self._ready = self._may_ready = False
        self._credit.clear()
        request = await self._next(token, limit_ms, first=True)
        join = request.join
        if join.token != self._token:
            raise DepartureError(token, "another token")
        for name in ("client", "version"):
            if len(getattr(join, name)) > MOST_CHARACTERS:
                raise DepartureError(f"at most {MOST_CHARACTERS} characters in Join.{name}", "more")
        if self.streams == 1:
            self.client_says = (join.client, join.version)

    async def _expect_nothing(self, for_ms: int) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + for_ms / 1000
        while (left := end - loop.time()) > 0:
            try:
                request = await self._next("no message", left * 1000, quiet=True)
            except TimeoutError:
                return
            if request.WhichOneof("request") not in {"ready", "answer"}:
                raise DepartureError("no message", str(request.WhichOneof("request")))

    async def _expect_attempts(self, for_ms: int, most: int) -> None:
        """Every stream is broken as soon as it is there."""
        loop = asyncio.get_running_loop()
        end = loop.time() + for_ms / 1000
        expected = f"at most {most} attempts to join within {for_ms / 1000:g} s, with pauses that grow"
        attempts = 0
        while (left := end - loop.time()) > 0:
            try:
                stream = await self._within(self._endpoint.streams.get(), left * 1000, expected, quiet=True)
            except TimeoutError:
                return
            stream.end(grpc.StatusCode.UNAVAILABLE)
            attempts += 1
            if attempts > most:
                raise DepartureError(expected, "more")

    async def _expect_exit(self, step: Step, limit_ms: float) -> None:
        status = step.more.get("status", "zero")
        expected = {"zero": "exit with status 0", "any": "exit"}.get(status, "exit with a status that is not 0")
        stream: asyncio.Future[Stream] = asyncio.ensure_future(self._endpoint.streams.get())
        either: set[asyncio.Future[Any]] = {stream, self._client.ended}
        done, _ = await asyncio.wait(either, timeout=limit_ms / 1000, return_when=asyncio.FIRST_COMPLETED)
        stream.cancel()
        if stream in done:
            raise DepartureError(expected, "it has opened another stream")
        if not done:
            raise DepartureError(expected, f"after {limit_ms / 1000:g} s it still runs")
        code = self._client.status
        if (status == "zero" and code != 0) or (status == "nonzero" and code == 0):
            raise DepartureError(expected, self._client.how())
        says = step.more.get("says", "")
        if says not in self._client.output():
            raise DepartureError(f"it prints {says!r}", f"{self._client.output()!r}")
        while self._stream is not None and not self._stream.received.empty():
            if isinstance(request := self._stream.received.get_nowait(), play_pb2.PlayRequest):
                self._judge(request)

    async def _next(
        self, expected: str, limit_ms: float, first: bool = False, quiet: bool = False
    ) -> play_pb2.PlayRequest:
        """The next message of the stream, if it may come now. With ``quiet`` no message is `TimeoutError`."""
        if self._stream is None:
            raise ValueError(f"{expected}: there is no stream")
        request: Received = await self._within(self._stream.received.get(), limit_ms, expected, quiet)
        if request is None:
            await asyncio.wait({self._client.ended}, timeout=1.0)  # then it can be told how
            raise DepartureError(expected, f"the client ended the stream, or its side of it ({self._client.how()})")
        if isinstance(request, bytes):
            raise DepartureError(expected, "a message that is no PlayRequest")
        if first:
            if request.WhichOneof("request") != "join":
                raise DepartureError(expected, str(request.WhichOneof("request")))
        else:
            self._judge(request)
        return request

    def _judge(self, request: play_pb2.PlayRequest) -> None:
        """What holds in every scenario."""
        kind = request.WhichOneof("request")
        if kind == "join":
            raise DepartureError("one Join on a stream", "a second")
        if kind == "leave":
            raise DepartureError("a bot that plays", "Leave")
        if kind is None:
            raise DepartureError("a message that says something", "one with no request set")
        if kind == "ready":
            if not self._may_ready:
                raise DepartureError("Ready after Joined", "Ready before it")
            if self._ready:
                raise DepartureError("Ready once on a stream", "a second")
            self._ready = self._was_ready = True
            return
        answer = request.answer
        asked = self._story.asked
        if not self._was_ready:
            raise DepartureError("Ready before the first answer", "an answer without it")
        if self._credit[answer.turn_id] <= 0:
            turn = f"the turn sent last has the id {asked.turn_id}" if asked and self._credit else "no turn was sent"
            raise DepartureError("one answer for a turn", f"an answer to {answer.turn_id}, which is not asked; {turn}")
        self._credit[answer.turn_id] -= 1
        if asked is not None and answer.turn_id == asked.turn_id:
            if wrong := self._story.answered(answer):
                raise DepartureError("a legal choice", wrong)
            self._given = answer

    async def _within(self, what: Awaitable[Any], limit_ms: float, expected: str, quiet: bool = False) -> Any:
        """What comes within a time; the client must not end meanwhile."""
        got = asyncio.ensure_future(what)
        try:
            done, _ = await asyncio.wait(
                {got, self._client.ended}, timeout=limit_ms / 1000, return_when=asyncio.FIRST_COMPLETED
            )
            if got not in done and self._client.ended in done:
                # What it sent before it ended may be on its way still.
                done, _ = await asyncio.wait({got}, timeout=0.2)
        finally:
            if not got.done():
                got.cancel()
        if got in done:
            return got.result()
        if self._client.ended.done():
            raise DepartureError(expected, self._client.how())
        if quiet:
            raise TimeoutError
        raise DepartureError(expected, f"nothing within {limit_ms / 1000:g} s")
