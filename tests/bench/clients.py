"""Many clients in a process of their own: they play for as long as they are told, then wait in the middle of a turn.

The arguments are addresses, each followed by its tokens: ``127.0.0.1:1234=token,token``. For every line of the input,
which says for how long (s), a line says how many turns were played and how long it took (s).
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from subprocess import Popen
from typing import Any

import grpc

from referee.v1 import play_pb2
from tests.bench.harness import serving

METHOD = "/referee.v1.PlayService/Play"


class Crowd:
    """Clients that answer every turn with the first legal action, while they may."""

    def __init__(self) -> None:
        self.turns = 0
        self._go = asyncio.Event()

    async def play(self, channel: grpc.aio.Channel, token: str) -> None:
        """Be one of them."""
        call: Any = channel.stream_stream(METHOD)()
        await call.write(play_pb2.PlayRequest(join=play_pb2.Join(token=token)).SerializeToString())
        while (data := await call.read()) is not grpc.aio.EOF:
            for event in play_pb2.PlayResponse.FromString(data).events:
                if event.HasField("turn"):
                    self.turns += 1
                    if not self._go.is_set():
                        await self._go.wait()
                    answer = play_pb2.Answer(turn_id=event.turn.turn_id, index=0)
                    await call.write(play_pb2.PlayRequest(answer=answer).SerializeToString())
                elif event.HasField("match_started"):
                    await call.write(play_pb2.PlayRequest(ready=play_pb2.Ready()).SerializeToString())

    async def during(self, seconds: float) -> tuple[int, float]:
        """Let them play for so long: turns, and how long it took."""
        before, begun = self.turns, time.perf_counter()
        self._go.set()
        await asyncio.sleep(seconds)
        self._go.clear()
        return self.turns - before, time.perf_counter() - begun


async def main() -> None:
    """Play until the input ends."""
    crowd = Crowd()
    playing = []
    for word in sys.argv[1:]:
        address, _, tokens = word.partition("=")
        channel = grpc.aio.insecure_channel(address)
        playing += [asyncio.create_task(crowd.play(channel, token)) for token in tokens.split(",")]
    await crowd.during(0.5)
    print("ready", flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        print(*await crowd.during(float(line)), flush=True)
        assert not any(task.done() for task in playing), "a client has ended"


@contextmanager
def clients(*where: tuple[str, Sequence[str]]) -> Iterator[Popen[str]]:
    """Clients with these tokens at these addresses."""
    with serving("tests.bench.clients", *(f"{address}={','.join(tokens)}" for address, tokens in where)) as (one, _):
        yield one


if __name__ == "__main__":
    asyncio.run(main())
