"""The server: its services, its options, its start and its end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import grpc
from grpc_channelz.v1 import channelz
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from referee.server.access import Access
from referee.server.address import problem_with, told, told_here
from referee.server.admission import Admission
from referee.server.host import MatchHost
from referee.server.http import HttpServer
from referee.server.lateness import Lateness
from referee.server.limits import Limits
from referee.server.match_service import MatchService
from referee.server.meters import Meters
from referee.server.operations import Operations
from referee.server.play_service import PlayService
from referee.server.resume import Resumer
from referee.server.sync import Syncer
from referee.server.tokens import new_token, token_hash
from referee.server.transport import Transport, TransportError, is_loopback
from referee.server.unknown_path import sturdy_server
from referee.v1 import match_pb2, match_pb2_grpc, play_pb2

LISTENING_OPTIONS: Final = (
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


@dataclass(frozen=True, slots=True)
class Policy:
    """How a server deals with strangers.

    Attributes:
        access: who may call what.
        limits: how much one client may have.
        transport: TLS, and where it may listen without.
        telling: whether what happens is logged as JSON lines.
        http: ``host:port`` for metrics and health; empty: none.
        power: whether nothing is told to anybody before it would outlast a loss of power; else, a kill of the process.
        near: a socket in the file system at which the front of several processes calls, in a folder that nobody else
            can enter; empty: none.
        local: whether processes of our own dial in at an address of loopback without TLS, where there is TLS.
    """

    access: Access = field(default_factory=Access)
    limits: Limits = field(default_factory=Limits)
    transport: Transport = field(default_factory=Transport)
    telling: bool = False
    http: str = ""
    power: bool = False
    near: str = ""
    local: bool = False


def embedded(transport: Transport) -> Policy:
    """The policy of a server that plays what its own process creates: nobody creates matches over the network."""
    nobody = Access(organisers=frozenset([token_hash(new_token())]))
    return Policy(access=nobody, transport=transport, local=True)


DEFAULT_POLICY: Final = Policy()
"""Everybody may do everything, on loopback, within the default limits."""


class ListenError(Exception):
    """An address that cannot be listened on."""


def listening_server(limits: Limits) -> grpc.aio.Server:
    """A server that does not listen yet."""
    return sturdy_server((*LISTENING_OPTIONS, ("grpc.max_receive_message_length", limits.message_bytes)))


def bind(server: grpc.aio.Server, listen: str, transport: Transport | None = None) -> str:
    """Let a server listen on ``host:port``; the address with the port that it got. Raises `ListenError`."""
    transport = transport or Transport()
    try:
        transport.check(listen)
    except TransportError as error:
        raise ListenError(str(error)) from None
    if problem := problem_with(listen):
        raise ListenError(f"cannot listen on {listen}: {problem}")
    try:
        secure = transport.tls
        port = server.add_secure_port(listen, transport.credentials()) if secure else server.add_insecure_port(listen)
    except RuntimeError:
        port = 0
    if not port:
        raise ListenError(f"cannot listen on {listen}: the port is taken, or the address is not this machine's")
    return f"{listen.rpartition(':')[0]}:{port}"


def listening_http(listen: str, meters: Meters, healthy: Callable[[], bool]) -> HttpServer | None:
    """The HTTP server at ``host:port``, if one is wanted. Raises `ListenError`."""
    if not listen:
        return None
    try:
        return HttpServer(listen, meters, healthy)
    except OSError as error:
        raise ListenError(f"cannot listen on {listen}: {error.strerror or error}") from None


def public_services(server: grpc.aio.Server, listen: str = "127.0.0.1:0") -> None:
    """Add what every server of ours has besides its own services: reflection and, on loopback, channelz.

    Channelz tells everyone each peer's address and traffic, which is nothing for strangers.
    """
    if is_loopback(listen):
        channelz.add_channelz_servicer(server)
    reflection.enable_server_reflection((*SERVICES, health.SERVICE_NAME, reflection.SERVICE_NAME), server)


class RefereeServer:
    """A referee that listens.

    Args:
        data: the folder for the logs of matches that are created over the network.
        listen: ``host:port``; port 0 takes a free one.
        prefix: what the ids and tokens of matches created over the network begin with.
        policy: who may do what, over which transport and how much; and whether operations are logged.
        claims: take up the matches of the folder whose ids these are; None: none, and none will be.

    Attributes:
        admission: the tokens.
        operations: told of what happens.
        host: the matches.
        address: where clients are told to dial in, once it has started.
        local_address: where processes of our own do.
        http_address: where metrics and health are, if anywhere.
    """

    def __init__(
        self,
        data: Path,
        listen: str = "127.0.0.1:0",
        prefix: str = "",
        policy: Policy = DEFAULT_POLICY,
        claims: Callable[[str], bool] | None = None,
    ) -> None:
        self.admission = Admission()
        self.lateness = Lateness()
        self.operations = Operations(policy.telling, counting=bool(policy.http))
        self.operations.meters.watch("late_seconds", "How late this process is now.", lambda: self.lateness.ms() / 1000)
        self._syncer = Syncer() if policy.power else None
        self.host = MatchHost(self.lateness, self.operations, self._syncer)
        self.operations.watch_matches(self.host.matches.values())
        self.address = ""
        self.local_address = ""
        self.http_address = ""
        self._listen = listen
        self._policy = policy
        self._http: HttpServer | None = None
        self._server = listening_server(policy.limits)
        self._health = health.aio.HealthServicer()
        play = PlayService(self.admission, policy.limits, self.operations)
        self._server.add_registered_method_handlers(*play.handlers())
        self._matches = MatchService(self.admission, self.host, data, prefix, policy.access, policy.limits)
        self._resumer = None
        if claims is not None:
            self._resumer = Resumer(self.admission, self.host, data, claims, self._matches.owned)
        match_pb2_grpc.add_MatchServiceServicer_to_server(self._matches, self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        public_services(self._server, listen)

    async def start(self) -> None:
        """Listen.

        Raises:
            ListenError: the address cannot be listened on.
        """
        transport = self._policy.transport
        bound = bind(self._server, self._listen, transport)
        self.address, self.local_address = told(bound, transport.public), told_here(bound)
        if self._policy.local and transport.tls:
            self.local_address = bind(self._server, "127.0.0.1:0")
        if self._policy.near:
            self._server.add_insecure_port(f"unix:{self._policy.near}")
        self._http = listening_http(self._policy.http, self.operations.meters, lambda: not self.host.draining)
        if self._http is not None:
            self.http_address = self._http.address
        self._matches.address = self.address
        if self._resumer is not None:
            self._resumer.restore()
            self._resumer.start()
        await self._server.start()
        self.operations.say("listening", address=self.address, http=self.http_address)
        for name in ("", *SERVICES):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)

    def drain_streams(self) -> None:
        """Tell the bots that wait for a match that there will be none."""
        self.admission.close(play_pb2.CLOSE_REASON_MATCH_OVER, "there is nothing more to play")

    async def stop(self, grace_s: float = 0.0) -> None:
        """Take no more matches, let running ones end for so long (seconds), abort the rest, and stop."""
        self.operations.say("draining", grace_s=grace_s)
        self.host.draining = True
        if self._resumer is not None:
            self._resumer.stop()
        self.admission.close(play_pb2.CLOSE_REASON_SERVER_DRAINING, "the server is shutting down")
        await self._health.enter_graceful_shutdown()
        await self.host.drain(grace_s)
        await self._server.stop(1.0)
        self.lateness.stop()
        if self._syncer is not None:
            self._syncer.close()
        if self._http is not None:
            self._http.stop()

    def hurry(self) -> None:
        """End running matches now."""
        self.host.hurry()

    async def wait(self) -> None:
        """Wait until the server has stopped."""
        await self._server.wait_for_termination()
