"""What a live match costs the server in memory: matches whose remote seats wait in a turn, and then their end.

Run as ``python tests/bench/match_memory.py [MATCHES]``. The server has a process of its own; its clients have another.
The figures are of the server's resident memory, and of what Python itself has allocated.
"""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import resource
import sys
import tempfile
import tracemalloc
from multiprocessing.connection import Connection
from pathlib import Path

import grpc

from referee.server.app import RefereeServer
from referee.v1 import match_pb2, match_pb2_grpc, play_pb2

PLAY = "/referee.v1.PlayService/Play"
PATIENT = play_pb2.Clock(join_ms=600_000, ready_ms=600_000, move_ms=600_000)
SEATS_BY_GAME = {"domino-classico": 2, "domino-cartas": 4}


def _resident_kib() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() // 1024


def serve(pipe: Connection) -> None:
    """The server's process: says how much memory it has whenever it is asked."""

    async def served() -> None:
        with tempfile.TemporaryDirectory() as folder:
            server = RefereeServer(Path(folder))
            await server.start()
            loop = asyncio.get_running_loop()
            pipe.send(server.address)
            while (asked := await loop.run_in_executor(None, pipe.recv)) != "stop":
                if asked == "trace":
                    tracemalloc.start()
                gc.collect()
                traced = tracemalloc.get_traced_memory()[0] // 1024 if tracemalloc.is_tracing() else 0
                pipe.send((_resident_kib(), traced))
            await server.stop()

    asyncio.run(served())


class Clients:
    """Matches and streams on a server in another process."""

    def __init__(self, address: str) -> None:
        self.channel = grpc.aio.insecure_channel(address)
        self.matches = match_pb2_grpc.MatchServiceStub(self.channel)
        self.calls: list[grpc.aio.StreamStreamCall[bytes, bytes]] = []

    async def stream(self, *requests: play_pb2.PlayRequest) -> None:
        """Open a stream and send these."""
        call = self.channel.stream_stream(PLAY)()
        for request in requests:
            await call.write(request.SerializeToString())
        await call.read()
        self.calls.append(call)

    async def match(self, game: str, joins: bool = True) -> None:
        """A match whose seats have all joined and are ready, so that one of them is asked."""
        seats = [match_pb2.SeatRequest(remote=match_pb2.Remote())] * SEATS_BY_GAME[game]
        made = await self.matches.CreateMatch(match_pb2.CreateMatchRequest(game=game, seats=seats, clock=PATIENT))
        join, ready = play_pb2.Join, play_pb2.PlayRequest(ready=play_pb2.Ready())
        for one in made.tokens if joins else ():
            await self.stream(play_pb2.PlayRequest(join=join(token=one.token)), ready)

    async def played(self, game: str) -> None:
        """A match of built-in bots, to its end."""
        seats = [match_pb2.SeatRequest(builtin="beginner")] * SEATS_BY_GAME[game]
        made = await self.matches.CreateMatch(match_pb2.CreateMatchRequest(game=game, seats=seats))
        async for _ in self.matches.WatchMatch(match_pb2.WatchMatchRequest(match_id=made.info.match_id)):
            pass

    def drop(self) -> None:
        """Break all streams."""
        for call in self.calls:
            call.cancel()
        self.calls.clear()


async def measure(count: int, pipe: Connection) -> None:
    """Print the cost of a match, of a stream, and of a match that is over."""
    clients = Clients(pipe.recv())

    def memory(word: str = "") -> tuple[int, int]:
        pipe.send(word)
        return pipe.recv()  # type: ignore[no-any-return]

    for game in SEATS_BY_GAME:  # what is loaded once
        await clients.match(game)
    memory("trace")
    for game, seats in SEATS_BY_GAME.items():
        before = memory()
        for _ in range(count):
            await clients.match(game, joins=False)
        waiting = memory()
        for _ in range(count):
            await clients.match(game)
        playing = memory()
        whole, traced = (playing[0] - waiting[0]) / count, (playing[1] - waiting[1]) / count
        bare = (waiting[0] - before[0]) / count
        print(f"{game}: {bare:.0f} KiB a match that waits for its bots (resident)")
        print(f"{game}: {whole:.0f} KiB a live match with its {seats} streams; Python's own: {traced:.0f} KiB")
    before = memory()
    for _ in range(count):
        await clients.played("domino-classico")
    over = memory()
    print(f"{(over[1] - before[1]) / count:.1f} KiB a match that is over (Python's own)")
    clients.drop()
    await clients.channel.close()
    pipe.send("stop")


def main() -> None:
    """Measure."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    asyncio.run(measure(count, ours))
    server.join(30)


if __name__ == "__main__":
    main()
