"""The server: its services, its options, its start and its end."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import grpc
from grpc_channelz.v1 import channelz
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from referee.server.address import problem_with
from referee.server.admission import Admission
from referee.server.host import MatchHost
from referee.server.lateness import Lateness
from referee.server.match_service import MatchService
from referee.server.play_service import PlayService
from referee.v1 import match_pb2, match_pb2_grpc, play_pb2

MOST_MESSAGE_BYTES: Final = 64 * 1024
"""The largest message that a client may send; the largest honest one has a few hundred bytes."""

LISTENING_OPTIONS: Final = (
    ("grpc.max_receive_message_length", MOST_MESSAGE_BYTES),
    # A bot may wait minutes for a slow opponent: any client's keepalive is welcome, with or without calls, and ours
    # finds dead peers.
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 1_000),
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.so_reuseport", 0),
)

SERVICES: Final = (
    play_pb2.DESCRIPTOR.services_by_name["PlayService"].full_name,
    match_pb2.DESCRIPTOR.services_by_name["MatchService"].full_name,
)


class ListenError(Exception):
    """An address that cannot be listened on."""


def bind(server: grpc.aio.Server, listen: str) -> str:
    """Let a server listen on ``host:port``; the address with the port that it got. Raises `ListenError`."""
    if problem := problem_with(listen):
        raise ListenError(f"cannot listen on {listen}: {problem}")
    try:
        port = server.add_insecure_port(listen)
    except RuntimeError:
        port = 0
    if not port:
        raise ListenError(f"cannot listen on {listen}: the port is taken, or the address is not this machine's")
    return f"{listen.rpartition(':')[0]}:{port}"


def public_services(server: grpc.aio.Server) -> None:
    """Add what every server of ours has besides its own services: channelz and reflection."""
    channelz.add_channelz_servicer(server)
    reflection.enable_server_reflection((*SERVICES, health.SERVICE_NAME, reflection.SERVICE_NAME), server)


class RefereeServer:
    """A referee that listens.

    Args:
        data: the folder for the logs of matches that are created over the network.
        listen: ``host:port``; port 0 takes a free one.
        prefix: what the ids and tokens of matches created over the network begin with.

    Attributes:
        admission: the tokens.
        host: the matches.
        address: where clients dial in, once it has started.
    """

    def __init__(self, data: Path, listen: str = "127.0.0.1:0", prefix: str = "") -> None:
        self.admission = Admission()
        self.lateness = Lateness()
        self.host = MatchHost(self.lateness)
        self.address = ""
        self._listen = listen
        self._server = grpc.aio.server(options=LISTENING_OPTIONS)
        self._health = health.aio.HealthServicer()
        self._server.add_generic_rpc_handlers((PlayService(self.admission).handler(),))
        self._matches = MatchService(self.admission, self.host, data, prefix)
        match_pb2_grpc.add_MatchServiceServicer_to_server(self._matches, self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        public_services(self._server)

    async def start(self) -> None:
        """Listen.

        Raises:
            ListenError: the address cannot be listened on.
        """
        self.address = bind(self._server, self._listen)
        self._matches.address = self.address
        await self._server.start()
        for name in ("", *SERVICES):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)

    def drain_streams(self) -> None:
        """Tell the bots that wait for a match that there will be none."""
        self.admission.close(play_pb2.CLOSE_REASON_MATCH_OVER, "there is nothing more to play")

    async def stop(self, grace_s: float = 0.0) -> None:
        """Take no more matches, let running ones end for so long (seconds), abort the rest, and stop."""
        self.host.draining = True
        self.admission.close(play_pb2.CLOSE_REASON_SERVER_DRAINING, "the server is shutting down")
        await self._health.enter_graceful_shutdown()
        await self.host.drain(grace_s)
        await self._server.stop(1.0)
        self.lateness.stop()

    def hurry(self) -> None:
        """End running matches now."""
        self.host.hurry()

    async def wait(self) -> None:
        """Wait until the server has stopped."""
        await self._server.wait_for_termination()
