"""Several server processes behind one address: each owns whole matches, and all bots of a match meet in one of them.

The front process listens where it is told, creates matches in one process after the other, and passes calls about a
match on to the process that owns it: a match's id and tokens begin with that process's prefix. Bots dial in at their
match's own process, at the address that comes with its tokens; so a turn never passes through the front.
"""

from __future__ import annotations

import asyncio
import atexit
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from referee.server.address import told
from referee.server.app import (
    DEFAULT_POLICY,
    SERVICES,
    Policy,
    bind,
    listening_http,
    listening_server,
    public_services,
)
from referee.server.front import Front
from referee.server.http import HttpServer
from referee.server.operations import Operations
from referee.server.worker import Worker


class Fleet:
    """The front and its server processes. It starts and stops like a `RefereeServer`.

    Args:
        data: the folder for the logs.
        listen: ``host:port`` of the front.
        processes: how many server processes there are.
        policy: who may do what; each process counts its limits for itself, and has its metrics at a port of its own:
            process n at the front's plus n.

    Attributes:
        address: where clients are told to dial in, once it has started.
        http_address: where the front's health is, if anywhere.
        workers: the processes, once it has started.
    """

    def __init__(self, data: Path, listen: str, processes: int, policy: Policy = DEFAULT_POLICY) -> None:
        self.address = ""
        self.http_address = ""
        self.workers: list[Worker] = []
        self._policy = policy
        self._operations = Operations(policy.telling, counting=bool(policy.http))
        self._draining = False
        self._sockets = TemporaryDirectory(prefix="referee-")
        self._listen = listen
        self._data = data
        self._count = processes
        self._http: HttpServer | None = None
        self._server = listening_server(policy.limits)
        self._health = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        public_services(self._server, listen)

    async def start(self) -> None:
        """Start the processes and listen. Raises `ListenError`: then none of them runs."""
        transport = self._policy.transport
        self.address = told(bind(self._server, self._listen, transport), transport.public)
        host = self._listen.rpartition(":")[0]
        self._http = listening_http(self._policy.http, self._operations.meters, self._healthy)
        if self._http is not None:
            self.http_address = self._http.address
        self.workers = [
            Worker(number, self._count, self._data, host, self._policy_of(number))
            for number in range(1, self._count + 1)
        ]
        # However the front ends: it would wait for them, who heed no signal but its word.
        atexit.register(self._kill)
        try:
            problems = await asyncio.gather(*[worker.start() for worker in self.workers], return_exceptions=True)
            for problem in problems:
                if problem is not None:
                    raise problem
        except BaseException:
            self._kill()
            self._close()
            raise
        for worker in self.workers:
            worker.watch()
        Front(self.workers, self._policy.limits, self._operations).add_to(self._server)
        await self._server.start()
        for name in ("", *SERVICES):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)

    async def stop(self, grace_s: float = 0.0) -> None:
        """Take no more matches, drain every process, and stop."""
        self._draining = True
        await self._health.enter_graceful_shutdown()
        await asyncio.gather(*[worker.stop(grace_s) for worker in self.workers])
        await self._server.stop(1.0)
        self._close()

    def hurry(self) -> None:
        """End running matches now."""
        for worker in self.workers:
            worker.hurry()

    def _kill(self) -> None:
        for worker in self.workers:
            worker.kill()

    def _close(self) -> None:
        if self._http is not None:
            self._http.stop()
        atexit.unregister(self._kill)
        self._sockets.cleanup()

    def _healthy(self) -> bool:
        return not self._draining and bool(self.workers) and all(worker.up for worker in self.workers)

    def _policy_of(self, number: int) -> Policy:
        http, _, port = self.http_address.rpartition(":")
        free = self._policy.http.endswith(":0")
        own = f"{http}:{0 if free else int(port) + number}" if http else ""
        return replace(self._policy, http=own, near=str(Path(self._sockets.name) / str(number)))
