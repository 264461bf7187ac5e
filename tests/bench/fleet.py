"""Several server processes: 64 matches of bots that dial in on two of them, against a bare echo in one process.

The clients are the same on both sides, in two processes of their own, each at one server process. They need processors
too: on a machine of two they leave half of it to the servers.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from subprocess import Popen

import grpc

from referee.v1 import match_pb2, match_pb2_grpc, play_pb2
from tests.bench.clients import clients
from tests.bench.harness import Row, at_least, cpu_of, hear, paired, say, serving
from tests.bench.turns import recorded

MATCHES = 64
PROCESSES = 2
SECONDS = 1.0
PATIENT = play_pb2.Clock(join_ms=600_000, ready_ms=600_000, move_ms=600_000)
LONG = play_pb2.Format(kind="points", target=1_000_000, max_hands=10_000)


@contextmanager
def fleet() -> Iterator[tuple[Popen[str], dict[str, list[str]]]]:
    """A fleet with matches of two bots that dial in; its front, and the tokens by the address of each process."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--listen", "127.0.0.1:0", "--data", folder, "--processes", str(PROCESSES), "--drain-s", "0"]
        with serving("referee.cli.main", "serve", *options, quiet=True) as (front, line):
            address = line.removeprefix("listening on ").partition(",")[0]
            seats = [match_pb2.SeatRequest(remote=match_pb2.Remote())] * 2
            request = match_pb2.CreateMatchRequest(game="domino-belga", seats=seats, format=LONG, clock=PATIENT)
            tokens: dict[str, list[str]] = {}
            with grpc.insecure_channel(address) as channel:
                create = match_pb2_grpc.MatchServiceStub(channel).CreateMatch
                for _ in range(MATCHES):
                    made = create(request)
                    tokens.setdefault(made.address, []).extend(one.token for one in made.tokens)
            yield front, tokens
            front.terminate()
            front.wait(30)


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


class Load:
    """Clients in processes of their own, and the servers that they are at."""

    def __init__(self, stack: ExitStack, servers: list[int], *where: tuple[str, list[str]]) -> None:
        self._servers = servers
        self._clients = [stack.enter_context(clients(one)) for one in where]
        self._turns = 0.0
        self._served_s = self._client_s = 0.0

    def rate(self) -> float:
        """Turns a second of all, for a moment."""
        served_s, client_s = self._used(self._servers), self._used([one.pid for one in self._clients])
        for one in self._clients:
            say(one, str(SECONDS))
        found = [hear(one) for one in self._clients]
        self._served_s += self._used(self._servers) - served_s
        self._client_s += self._used([one.pid for one in self._clients]) - client_s
        self._turns += sum(turns for turns, _ in found)
        return sum(turns / seconds for turns, seconds in found)

    @staticmethod
    def _used(pids: list[int]) -> float:
        return sum(map(cpu_of, pids))

    @property
    def served_us(self) -> float:
        """The servers' processor time a turn (us)."""
        return 1e6 * self._served_s / self._turns

    def __str__(self) -> str:
        return f"{self.served_us:.0f} + {1e6 * self._client_s / self._turns:.0f} us CPU"


def rows() -> list[Row]:
    """The rows of this benchmark; the processor time a turn is that of the servers and that of the clients."""
    with ExitStack() as stack:
        front, tokens = stack.enter_context(fleet())
        ours = Load(stack, children(front.pid), *tokens.items())
        echo, address = stack.enter_context(serving("tests.bench.echo_server", recorded().hex()))
        # Half as many: of the two bots of a match one is asked at a time.
        each = [""] * (MATCHES // PROCESSES)
        theirs = Load(stack, [echo.pid], *[(address, each)] * PROCESSES)
        rate, base, ratio = paired(ours.rate, theirs.rate, 7)
    name = f"{MATCHES} matches on {PROCESSES} processes"
    could, base_could = PROCESSES * 1e6 / ours.served_us, 1e6 / theirs.served_us
    return [
        at_least(name, f"{rate:,.0f} turns/s ({ours})", f"bare echo {base:,.0f} turns/s ({theirs})", ratio, 1.4),
        at_least(
            f"{name}, by server CPU",
            f"{could:,.0f} turns/s if clients took none",
            f"bare echo {base_could:,.0f} turns/s",
            could / base_could,
            1.4,
        ),
    ]
