"""One server process of several: see `referee.server.fleet`."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
from contextlib import suppress
from multiprocessing.connection import Connection as Pipe
from pathlib import Path

from referee.server.app import ListenError, Policy, RefereeServer
from referee.server.operations import configure_logging
from referee.server.resume import claims_of


def serve(pipe: Pipe, data: Path, host: str, number: int, processes: int, policy: Policy) -> None:
    """Serve until the front says how long to drain, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if policy.telling:
        configure_logging()
    try:
        # The process of this number that an earlier front has left behind must have ended.
        lock = (data / f".lock-{number}").open("w")
        fcntl.flock(lock, fcntl.LOCK_EX)
    except OSError as error:
        pipe.send(ListenError(f"{data / f'.lock-{number}'}: {error.strerror}"))
        return
    with lock:
        asyncio.run(_serve(pipe, data, host, number, processes, policy))


async def _serve(pipe: Pipe, data: Path, host: str, number: int, processes: int, policy: Policy) -> None:
    try:
        server = await _started(data, host, number, processes, policy)
    except ListenError as error:
        pipe.send(error)
        return
    except Exception as error:
        # Whoever started it says why it did not start; where in it is told by this process.
        pipe.send(ListenError(f"{type(error).__name__}: {error}"))
        raise
    pipe.send(server.address)

    loop = asyncio.get_running_loop()
    told: asyncio.Queue[float] = asyncio.Queue()

    def read() -> None:
        try:
            told.put_nowait(pipe.recv())
        except EOFError:
            # The front was killed. To be killed, too, loses nothing: the next front's processes go on.
            os._exit(1)

    loop.add_reader(pipe.fileno(), read)
    stopping = loop.create_task(server.stop(await told.get()))
    again = loop.create_task(told.get())
    await asyncio.wait([stopping, again], return_when=asyncio.FIRST_COMPLETED)
    again.cancel()
    server.hurry()
    await stopping


async def _started(data: Path, host: str, number: int, processes: int, policy: Policy) -> RefereeServer:
    """The server, at the port where it was the last time, if that is free: bots look for it there."""
    kept = data / f".port-{number}"
    ports = ["0"]
    with suppress(OSError):
        ports.insert(0, kept.read_text().strip())
    for port in ports:
        server = RefereeServer(data, f"{host}:{port}", f"{number}-", policy, claims_of(number, processes))
        try:
            await server.start()
        except ListenError:
            if port == ports[-1]:
                raise
            continue
        with suppress(OSError):
            kept.write_text(server.address.rpartition(":")[2])
        return server
    raise AssertionError("there is a port to try")
