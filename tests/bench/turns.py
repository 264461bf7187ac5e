"""A turn over gRPC with everything on (rules, view, deadline, log) against a bare echo of the same bytes.

The client is the same on both sides: it parses every response and answers every turn with the first legal action.
"""

from __future__ import annotations

import asyncio
import statistics
import threading
import time
from collections.abc import Coroutine, Iterator
from queue import SimpleQueue
from typing import Any

import grpc
from referee_bot import Action, Turn, run

from referee.v1 import play_pb2
from tests.bench.harness import Row, at_least, at_most, cpu_of, paired, percentile, serving

METHOD = "/referee.v1.PlayService/Play"


class Client:
    """A blocking client of either server; it counts and times its turns."""

    def __init__(self, address: str, token: str) -> None:
        self.channel = grpc.insecure_channel(address)
        self.requests: SimpleQueue[bytes | None] = SimpleQueue()
        self.requests.put(play_pb2.PlayRequest(join=play_pb2.Join(token=token)).SerializeToString())
        self.responses: Iterator[bytes] = self.channel.stream_stream(METHOD)(iter(self.requests.get, None))
        self.last = b""

    def turns(self, count: int) -> list[float]:
        """Play so many turns; how long each took (s)."""
        took = []
        begun = time.perf_counter()
        while len(took) < count:
            data = next(self.responses)
            response = play_pb2.PlayResponse.FromString(data)
            for event in response.events:
                if event.HasField("turn"):
                    request = play_pb2.PlayRequest(answer=play_pb2.Answer(turn_id=event.turn.turn_id, index=0))
                    self.requests.put(request.SerializeToString())
                    self.last = data
                    now = time.perf_counter()
                    took.append(now - begun)
                    begun = now
                elif event.HasField("match_started"):
                    self.requests.put(play_pb2.PlayRequest(ready=play_pb2.Ready()).SerializeToString())
        return took


async def many(address: str, tokens: list[str], seconds: float) -> list[float]:
    """As many clients as tokens, in one event loop, for so long: how long each turn took (s)."""
    took: list[float] = []
    counting = False

    async def one(channel: grpc.aio.Channel, token: str) -> None:
        call = channel.stream_stream(METHOD)()
        await call.write(play_pb2.PlayRequest(join=play_pb2.Join(token=token)).SerializeToString())
        begun = time.perf_counter()
        while (data := await call.read()) is not grpc.aio.EOF:
            for event in play_pb2.PlayResponse.FromString(data).events:
                if event.HasField("turn"):
                    now = time.perf_counter()
                    if counting:
                        took.append(now - begun)
                    begun = now
                    answer = play_pb2.Answer(turn_id=event.turn.turn_id, index=0)
                    await call.write(play_pb2.PlayRequest(answer=answer).SerializeToString())
                elif event.HasField("match_started"):
                    await call.write(play_pb2.PlayRequest(ready=play_pb2.Ready()).SerializeToString())

    async with grpc.aio.insecure_channel(address) as channel:
        clients = [asyncio.create_task(one(channel, token)) for token in tokens]
        await asyncio.sleep(0.5)
        counting = True
        await asyncio.sleep(seconds)
        counting = False
        for client in clients:
            client.cancel()
        await asyncio.wait(clients)
    return took


def one_bot(turns: int = 2000) -> list[Row]:
    """One bot: wall time a turn, and how even the turns are."""
    with serving("tests.bench.referee_server", "1", "1") as (_, line):
        address, token = line.split()
        ours = Client(address, token)
        ours.turns(200)
        with serving("tests.bench.echo_server", ours.last.hex()) as (_, echo_address):
            theirs = Client(echo_address, "")
            theirs.turns(200)
            times: list[float] = []

            def mine() -> float:
                took = ours.turns(turns)
                times.extend(took)
                return 1e6 * sum(took) / turns

            mine_us, echo_us, ratio = paired(mine, lambda: 1e6 * sum(theirs.turns(turns)) / turns)
    spread = percentile(times, 0.99) / percentile(times, 0.5)
    return [
        at_most("turn, 1 bot", f"{mine_us:.0f} us", f"bare echo {echo_us:.0f} us", ratio, 1.3),
        at_most("turn, 1 bot, p99/p50", f"{1e6 * percentile(times, 0.99):.0f} us", "its own median", spread, 2),
    ]


def cpu_while(pid: int, playing: Coroutine[Any, Any, list[float]]) -> tuple[float, list[float]]:
    """The processor time (us) a turn that a server uses while clients play, and how long the turns took (s)."""
    before = cpu_of(pid)
    took = asyncio.run(playing)
    return 1e6 * (cpu_of(pid) - before) / len(took), took


def many_bots(matches: int = 16, seconds: float = 2.0) -> list[Row]:
    """Many matches at once, every seat a bot that dials in: processor time a turn, and how even the turns are."""
    ours: list[float] = []
    theirs: list[float] = []
    times: list[float] = []
    message = recorded()
    for _ in range(3):
        with serving("tests.bench.referee_server", str(matches), "2") as (referee, line):
            address, *tokens = line.split()
            cpu, took = cpu_while(referee.pid, many(address, tokens, seconds))
            times.extend(took)
            ours.append(cpu)
        with serving("tests.bench.echo_server", message.hex()) as (echo, address):
            # Half as many: of the two bots of a match one is asked at a time.
            cpu, _ = cpu_while(echo.pid, many(address, [""] * matches, seconds))
            theirs.append(cpu)
    ratio = statistics.median(one / other for one, other in zip(ours, theirs, strict=True))
    mine, echo_us = statistics.median(ours), statistics.median(theirs)
    p99, p50 = (1e6 * percentile(times, share) for share in (0.99, 0.5))
    name = f"server CPU a turn, {matches} matches"
    spread = f"turn, {matches} matches, p99/p50"
    return [
        at_most(name, f"{mine:.0f} us", f"bare echo {echo_us:.0f} us", ratio, 1.4),
        at_most(spread, f"{p99:.0f} us", f"its own median {p50:.0f} us", p99 / p50, 3),
    ]


def recorded() -> bytes:
    """A typical message of the referee."""
    with serving("tests.bench.referee_server", "1", "1") as (_, line):
        client = Client(*line.split())
        client.turns(50)
        return client.last


def against_dm_env(turns: int = 1500) -> list[Row]:
    """Steps per second with a Python bot on our SDK, against dm-env-rpc with Python at both ends."""
    from dm_env_rpc.v1 import connection, dm_env_adaptor

    with (
        serving("tests.bench.referee_server", "1", "1") as (_, line),
        serving("tests.bench.dm_env_server") as (_, theirs),
    ):
        address, token = line.split()
        steps = SdkSteps(address, token)
        channel = connection.create_secure_channel_and_connect(theirs, grpc.local_channel_credentials())
        environment, _ = dm_env_adaptor.create_and_join_world(channel, {}, {})
        environment.reset()

        def step() -> float:
            begun = time.perf_counter()
            for _ in range(turns):
                environment.step({"action": 1})
            return turns / (time.perf_counter() - begun)

        ours, dm_env, ratio = paired(lambda: steps.rate(turns), step)
    return [at_least("steps, Python SDK", f"{ours:,.0f} steps/s", f"dm-env-rpc {dm_env:,.0f} steps/s", ratio, 2)]


class SdkSteps:
    """A bot on the SDK in a thread, and how fast it is asked."""

    def __init__(self, address: str, token: str) -> None:
        self._times: SimpleQueue[float] = SimpleQueue()
        thread = threading.Thread(target=run, args=(self._choose,), kwargs={"address": address, "token": token})
        thread.daemon = True
        thread.start()
        self.rate(200)

    def _choose(self, turn: Turn) -> Action:
        self._times.put(time.perf_counter())
        return turn.legal[0]

    def rate(self, turns: int) -> float:
        """Steps per second over the next turns. The bot plays on while nobody counts."""
        while not self._times.empty():
            self._times.get()
        times = [self._times.get() for _ in range(turns)]
        return (turns - 1) / (times[-1] - times[0])


def rows() -> list[Row]:
    """The rows of this benchmark."""
    return one_bot() + many_bots() + against_dm_env()
