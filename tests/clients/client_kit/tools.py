"""Real servers, bots as processes, and what logs must say: for the tests of the clients in other languages."""

import asyncio
import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from referee_bot import run

from referee.match.clock import ClockSpec
from referee.match.deal import commitment
from referee.match.events import MatchSpec
from referee.match.log import read_log
from referee.match.verify import verify
from referee.rules.registry import GAMES, resolve_format, resolve_options
from referee.server.app import RefereeServer

ROOT = Path(__file__).parents[3]
PYTHON_EXAMPLES = ROOT / "clients" / "python" / "examples"
SEED = bytes.fromhex("5e" * 32)
DUEL = "domino-classico"
WAIT_S = 120
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("REFEREE_")}
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "grpc_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
ENVIRONMENT = {
    **CLEAN,
    **dict.fromkeys(PROXIES, "http://127.0.0.1:9"),  # must not matter within one machine
    "GRPC_PROXY_EXP": "127.0.0.1:9",
    "PYTHONPATH": os.pathsep.join(sys.path),
}


def tool(*command, folder=ROOT, environment=None):
    """Run a tool; what it prints is what the failure says."""
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def absent(*tools):
    """The first of the tools that is not on the PATH, as a reason; None if all are."""
    return next((f"no `{tool}` on the PATH" for tool in tools if shutil.which(tool) is None), None)


def need(toolchain, lacking):
    """Without what a build needs there is nothing to test; but CI must have it."""
    if lacking:
        reason = f"the {toolchain} toolchain is not installed: {lacking}"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)


@contextlib.contextmanager
def alone(path):
    """Only one test process at a time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@dataclass(frozen=True)
class Client:
    """A client's commands, and how it words what all of them say."""

    name: str
    examples: dict[str, Sequence[Any]]
    """The commands of the bots `random_bot` and `first_legal_bot`."""
    probe: Sequence[Any] = ()
    """The command of the test's own bot, less what it is to do."""
    chooses: tuple[Sequence[str], Callable] = (("last",), lambda turn: turn.legal[-1])
    """What the probe is to do while it tells of its turns, and the same in Python."""
    facts: Callable = str
    """What the probe says of a turn."""
    event: Callable = str
    """What the probe calls an event, by its name in the protocol."""
    refusal: Callable = "|{}|".format
    """How the probe says the words of a refusal."""
    unknown_token: str = "refused by the referee: unknown token"
    unset: Callable = str
    """What is said of a missing environment variable."""
    unimplemented: str = "UNIMPLEMENTED"
    lost: Sequence[str] = ("no referee at {}",)
    """What is said of a server that is not there."""
    distrust: Sequence[str] = ()
    """What is said of a certificate that a stranger has signed, and of one for another host."""
    noise: str = "(?!)"
    """Lines on standard error that are none of the client's."""
    most_start_s: float = 1.0
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def agent(self):
        """What the client calls itself."""
        return f"referee-bot-{self.name} 0.1.0"

    def settings(self, address, token):
        """The environment of a bot."""
        given = {"REFEREE_ADDRESS": address, "REFEREE_TOKEN": token, "REFEREE_NAME": "one"}
        known = {name: value for name, value in given.items() if value is not None}
        return ENVIRONMENT | self.environment | known

    def bot(self, command, address, token):
        """A bot's process, to its end."""
        ended = subprocess.run(
            [*map(str, command)],
            env=self.settings(address, token),
            capture_output=True,
            text=True,
            check=False,
            timeout=WAIT_S,
        )
        ended.stderr = re.sub(self.noise, "", ended.stderr, flags=re.M)
        return ended

    def sits(self, *command):
        """For `Server.play`: a seat that a bot's process plays."""
        return lambda address, token: self.bot(command, address, token)


class Server:
    """The server, on an event loop in a thread of its own."""

    def __init__(self, data, listen="127.0.0.1:0"):
        self.data = data
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.referee = self.do(self._start(listen))
        self.address = self.referee.address

    async def _start(self, listen):
        referee = RefereeServer(self.data, listen)
        await referee.start()
        return referee

    def do(self, coroutine):
        """Run something on the server's loop."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(WAIT_S)

    def play(self, game, sit, choose=None, seat=0):
        """A match whose id and seed are always the same; `sit(address, token)` plays one seat, Python bots the others.

        What `sit` gives, and the log, which is verified.
        """
        rules = GAMES[game]
        names = ("one", "two", "three", "four", "five", "six", "seven", "eight")[: rules.players[0]]
        options, format = resolve_options(rules, {}), resolve_format(rules, None)
        spec = MatchSpec("the-match", rules, options, format, names, ClockSpec(), commitment(SEED))
        path = self.data / "the-match.jsonl"

        async def start():
            issued = [self.referee.admission.issue(name) for name in names]
            hosted = self.referee.host.create(spec, SEED, [ticket for _, ticket in issued], path)
            return [token for token, _ in issued], hosted

        tokens, hosted = self.do(start())
        own = tokens.pop(seat)
        with ThreadPoolExecutor() as pool:
            others = [pool.submit(run, choose or by_chance, address=self.address, token=token) for token in tokens]
            ended = sit(self.address, own)
            for other in others:
                other.result(WAIT_S)

        async def end():
            await asyncio.wait_for(asyncio.shield(hosted.task), WAIT_S)

        self.do(end())
        verify(path)
        return ended, list(read_log(path))

    def cut(self, seat=0):
        """Break the stream of a seat."""

        async def broken():
            self.referee.host.matches["the-match"].remote[seat][1].connection.ended.set()

        self.do(broken())

    def close(self):
        """Stop."""
        self.do(self.referee.stop())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        self.loop.close()


@pytest.fixture
def servers(tmp_path):
    """Makes servers."""
    made = []

    def make(*listen):
        folder = tmp_path / f"server-{len(made)}"
        folder.mkdir()
        made.append(Server(folder, *listen))
        return made[-1]

    yield make
    for server in made:
        server.close()


class Relay:
    """Stands between bot and server, and cuts the first connection after some messages of the bot."""

    def __init__(self, address, cut_after):
        self.target = address.rsplit(":", 1)
        self.cut_after = cut_after
        self.count = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            self.count += 1
            far = socket.create_connection((self.target[0], int(self.target[1])))
            limit = self.cut_after if self.count == 1 else None
            threading.Thread(target=self._pump, args=(near, far, limit), daemon=True).start()
            threading.Thread(target=self._pump, args=(far, near, None), daemon=True).start()

    def _pump(self, source, sink, limit):
        received = 0
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                received += 1
                if received == limit:
                    break
                sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


def by_chance(turn):
    """What every random bot does."""
    digest = hashlib.sha256(f"{turn.match.id}/{turn.turn_id}".encode()).digest()
    return turn.legal[int.from_bytes(digest[:8], "big") % len(turn.legal)]


def actions(log):
    """The actions of a match, without what depends on time."""
    fields = ("hand", "turn", "seat", "action", "by")
    return [{field: event.get(field) for field in fields} for event in log if event["event"] == "action"]


def joins(log, seat=0):
    """How a seat joined."""
    return [event for event in log if event["event"] == "seat_joined" and event["seat"] == seat]


def flawless(log, seat=0):
    """Nothing was held against anyone, and the seat chose for itself."""
    assert not {"fault", "rejected"} & {event["event"] for event in log}
    assert {event["by"] for event in log if event["event"] == "action"} <= {"bot", "forced"}
    assert any((event["seat"], event["by"]) == (seat, "bot") for event in actions(log))


def parts(action):
    """An action as the probes say it."""
    return f"{action.notation}/{action.kind}/{action.piece or '-'}/{action.arm or '-'}"


def facts(turn, order=list):
    """All that the Python SDK's turn tells, in the order in which most probes say it."""
    match = turn.match
    told = [turn.turn_id, turn.game, turn.seat, turn.players, turn.hand, turn.table, turn.counts, turn.seats_in]
    told += [turn.stock, turn.hand_number, turn.dealer, turn.starter, turn.ends, turn.spinner or "-"]
    told += [[f"{suit}:{low}..{high}" for suit, (low, high) in order(turn.rows.items())]]
    told += [[f"{seat}:{parts(action)}" for seat, action in turn.history], turn.drawn or "-", turn.points, turn.totals]
    told += [turn.passes_used, turn.move_ms is not None, turn.bank_ms is not None]
    told += [[parts(action) for action in turn.legal], turn.refusal or "-", match.id, match.options, match.format.kind]
    return [*told, match.names, match.sides, match.seat, match.side, turn.view.turn]
