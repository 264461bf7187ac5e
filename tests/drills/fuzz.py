"""Anything at all, on raw HTTP/2 connections and in Play messages, beside matches that are played well."""

from __future__ import annotations

import asyncio
import random
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import grpc
from abuse_kit import HURRIED, random_message
from server_kit import PLAY, Bot, created, match_request, run

from referee.v1 import match_pb2, match_pb2_grpc, play_pb2
from tests.drills.load import Load, check_all
from tests.drills.raw_http2 import talk
from tests.drills.row import Row
from tests.drills.server import COUNTED, SPARE, Server

EACH = 30
"""Messages on a stream."""

AT_ONCE = 8


def rows(full: bool) -> list[Row]:
    """The rows of this drill."""
    connections, messages = (10_000, 60_000) if full else (200, 3_000)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        server = Server(data, watched=True)
        server.start()
        try:
            load = Load(server.address, 2)
            try:
                raw_s, heard = run(lambda: _raw(server.address, connections), 1800)
                sent, refused, messages_s = _messages(server.address, messages)
            finally:
                load.finish()
            # What is left of the first half must not be more after the second; by now nobody else is connected.
            before = run(server.settled)
            run(lambda: _raw(server.address, connections // 2), 1800)
            _messages(server.address, messages // 2)
            after = run(lambda: server.settled(before))
            server.kill(signal.SIGTERM)
        finally:
            server.close()
        check_all(data, load.played)
        assert not server.complaints(), server.complaints()
        assert "hpack_parser" not in server.errors.read_text(), "strangers' frames have left lines of gRPC's own"
    assert all(after[kind] <= before[kind] + SPARE[kind] for kind in COUNTED), (before, after)
    assert heard, "the server has answered none of the raw connections"
    assert refused, "no message was refused"
    beside = f"{len(load.played)} good matches beside: 0 changed; no growth"
    return [
        Row(
            "fuzzed HTTP/2", f"{connections * 3 // 2} connections", f"{connections / raw_s:.0f} /s; {beside}", "", True
        ),
        Row("fuzzed Play messages", f"{sent * 3 // 2} messages", f"{sent / messages_s:.0f} /s; {beside}", "", True),
    ]


def any_message(chance: random.Random) -> bytes:
    """A valid request of any content, or bytes."""
    if chance.random() < 0.2:
        return chance.randbytes(chance.randrange(80))
    return random_message(chance, play_pb2.PlayRequest()).SerializeToString()


async def _raw(address: str, count: int) -> tuple[float, int]:
    """So many raw connections, each with the token of an open match: the time (s), and the bytes that came back."""
    chances = [random.Random(number) for number in range(AT_ONCE)]

    def some(chance: random.Random, token: str) -> int:
        heard = 0
        for _ in range(count // AT_ONCE):
            join = play_pb2.PlayRequest(join=play_pb2.Join(token=token)).SerializeToString()
            heard += talk(address, chance, [join, *[any_message(chance) for _ in range(chance.randrange(4))]])
        return heard

    async with grpc.aio.insecure_channel(address) as channel:
        service = match_pb2_grpc.MatchServiceStub(channel)
        tokens = [(await created(service, match_request(seats="rb", seed=None)))[1][0] for _ in chances]
        begun = time.monotonic()
        heard = await asyncio.gather(
            *[asyncio.to_thread(some, chance, token) for chance, token in zip(chances, tokens, strict=True)]
        )
        took_s = time.monotonic() - begun
        # The matches end: what they hold is not to be taken for what the connections have left.
        for token in tokens:
            bot = Bot(address)
            await bot.join(token)
            await bot.leave()
            await bot.until("closed")
            await bot.crash()
        return took_s, sum(heard)


def _messages(address: str, count: int) -> tuple[int, int, float]:
    """So many messages of bots in matches of their own: how many went out, how many were refused, the time (s)."""
    numbers = iter(range(count // EACH))
    begun = time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        each = list(pool.map(lambda number: _visit(address, random.Random(number)), numbers))
    return sum(sent for sent, _ in each), sum(refused for _, refused in each), time.monotonic() - begun


def _visit(address: str, chance: random.Random) -> tuple[int, int]:
    """A match whose bot says anything once it is asked, until it is sent away: messages sent, and refused.

    By gRPC's blocking client: that of `grpc.aio` never lets go of a connection whose stream has ended as it wrote.
    """
    asked = threading.Event()
    sent = refused = 0

    def requests(token: str) -> Iterator[bytes]:
        nonlocal sent
        yield play_pb2.PlayRequest(join=play_pb2.Join(token=token)).SerializeToString()
        yield play_pb2.PlayRequest(ready=play_pb2.Ready()).SerializeToString()
        asked.wait(20)
        for _ in range(EACH):
            sent += 1
            yield any_message(chance)

    with grpc.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)]) as channel:
        service = match_pb2_grpc.MatchServiceStub(channel)
        made = service.CreateMatch(match_request(seats="rb", clock=HURRIED, seed=None), timeout=20)
        play = channel.stream_stream(PLAY, response_deserializer=play_pb2.PlayResponse.FromString)
        with suppress(grpc.RpcError):
            for response in play(requests(made.tokens[0].token), timeout=60):
                for event in response.events:
                    refused += event.HasField("refusal")
                    if event.HasField("turn"):
                        asked.set()
        watched = match_pb2.WatchMatchRequest(match_id=made.info.match_id)
        assert list(service.WatchMatch(watched, timeout=60)), "nothing was to be seen of the match"
    return sent, refused
