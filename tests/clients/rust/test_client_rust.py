"""The Rust client builds with Cargo alone and plays against the real server."""

import asyncio
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

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
CLIENT = ROOT / "clients" / "rust"
TARGET = CLIENT / "target"
PYTHON_BOT = ROOT / "clients" / "python" / "examples" / "random_bot.py"
SEED = bytes.fromhex("5e" * 32)
MOST_START_S = 1.0
PROXY = "http://127.0.0.1:9"  # must not matter within one machine
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("REFEREE_")}
BUILD = {"CARGO_BUILD_JOBS": "2"} | CLEAN | {"CARGO_TARGET_DIR": str(TARGET), "CARGO_TERM_COLOR": "never"}
ENVIRONMENT = {
    **CLEAN,
    **dict.fromkeys(("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), PROXY),
    "PYTHONPATH": os.pathsep.join(sys.path),
}
MISSING = next((tool for tool in ("cargo", "rustc") if shutil.which(tool) is None), None)

pytestmark = [
    pytest.mark.skipif(
        MISSING is not None and not os.environ.get("CI"),
        reason=f"the Rust toolchain is not installed: no `{MISSING}` on the PATH",
    ),
    pytest.mark.timeout(900),  # the first build compiles gRPC
]


@contextmanager
def alone():
    """Only one test process at a time."""
    TARGET.mkdir(exist_ok=True)
    with (TARGET / ".lock-of-tests").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def cargo(*arguments, folder=CLIENT, **environment):
    """Run Cargo; what it prints is what the failure says."""
    ended = subprocess.run(
        ["cargo", *arguments], cwd=folder, env=BUILD | environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.fixture(scope="session")
def bots():
    """The folder with the bots, built as the README says."""
    assert MISSING is None, f"CI must have the Rust toolchain: no `{MISSING}` on the PATH"
    with alone():
        cargo("build", "--locked", "--manifest-path", "clients/rust/Cargo.toml", "--examples", folder=ROOT)
    return TARGET / "debug" / "examples"


@pytest.fixture(scope="session")
def own(bots, tmp_path_factory):
    """The folder with bots of a crate of one's own: the README's, and the test's."""
    crate = tmp_path_factory.mktemp("own") / "own_bot"
    cargo("new", "--vcs", "none", crate)
    cargo("add", "--offline", "domino-referee-bot", "--path", CLIENT, folder=crate)
    shutil.copy(CLIENT / "Cargo.lock", crate)  # what is there already will do
    readme = (CLIENT / "README.md").read_text()
    (crate / "src" / "main.rs").write_text(re.search(r"```rust\n(.*?)```", readme, re.DOTALL)[1])
    (crate / "src" / "bin").mkdir()
    shutil.copy(Path(__file__).with_name("probe_bot.rs"), crate / "src" / "bin")
    with alone():
        cargo("build", "--offline", folder=crate)
        for bot in ("own_bot", "probe_bot"):
            shutil.copy(TARGET / "debug" / bot, crate)
    return crate


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
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(30)

    def call(self, function, *args):
        """Call something on the server's loop."""

        async def called():
            return function(*args)

        return self.do(called())

    def create(self, game, name):
        """A match of remote seats with an id that is known beforehand: the seats' tokens."""
        game = GAMES[game]
        names = tuple(f"bot {seat}" for seat in range(game.players[0]))
        options, format = resolve_options(game, {}), resolve_format(game, None)
        spec = MatchSpec(name, game, options, format, names, ClockSpec(), commitment(SEED))
        issued = [self.call(self.referee.admission.issue, seat) for seat in names]
        tickets = [ticket for _, ticket in issued]
        self.call(self.referee.host.create, spec, SEED, tickets, self.data / f"{name}.jsonl")
        return [token for token, _ in issued]

    def events(self, name):
        """What is in a match's log so far."""
        return list(read_log(self.data / f"{name}.jsonl"))

    def cut(self, name, seat=0):
        """Break the stream of a seat."""
        self.call(self.referee.host.matches[name].remote[seat][1].connection.ended.set)

    def close(self):
        """Stop."""
        self.do(self.referee.stop())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        self.loop.close()


@contextmanager
def serving(data, listen="127.0.0.1:0"):
    """A server."""
    data.mkdir(exist_ok=True)
    server = Server(data, listen)
    try:
        yield server
    finally:
        server.close()


def by_chance(turn):
    """What every random bot does."""
    digest = hashlib.sha256(f"{turn.match.id}/{turn.turn_id}".encode()).digest()
    return turn.legal[int.from_bytes(digest[:8], "big") % len(turn.legal)]


def match(server, game, sit, choose=by_chance, name="m-1"):
    """What `sit(address, token)` plays in seat 0 against Python bots: the verified log, and what `sit` gives."""
    tokens = server.create(game, name)
    with ThreadPoolExecutor() as pool:
        others = [pool.submit(run, choose, address=server.address, token=token) for token in tokens[1:]]
        ended = sit(server.address, tokens[0])
        for other in others:
            other.result(30)
    deadline = time.monotonic() + 10
    while (log := server.events(name))[-1]["event"] != "match_ended":
        assert time.monotonic() < deadline, log[-1]
        time.sleep(0.01)
    verify(server.data / f"{name}.jsonl")
    return log, ended


def play(server, game, command, choose=by_chance):
    """A bot process in seat 0 against Python bots: the verified log, and how the process ended."""

    def sit(address, token):
        environment = ENVIRONMENT | {"REFEREE_ADDRESS": address, "REFEREE_TOKEN": token, "REFEREE_NAME": "rust"}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)

    return match(server, game, sit, choose)


def actions(log):
    """The actions of a match, without what depends on time."""
    fields = ("hand", "turn", "seat", "action", "by")
    return [{field: event.get(field) for field in fields} for event in log if event["event"] == "action"]


def joins(log):
    """How seat 0 joined."""
    return [event for event in log if event["event"] == "seat_joined" and event["seat"] == 0]


def faultless(log):
    """Nobody did anything wrong, and seat 0 chose for itself."""
    assert {event["event"] for event in log} & {"fault", "rejected"} == set()
    assert {event["by"] for event in log if event["event"] == "action"} <= {"bot", "forced"}
    return any(event["event"] == "action" and (event["seat"], event["by"]) == (0, "bot") for event in log)


@pytest.mark.parametrize("game", GAMES)
def test_a_match_from_the_command_line(bots, tmp_path, game):
    """Beside bots in Python, without a fault."""
    log = tmp_path / "match.jsonl"
    others = [f"cmd:{sys.executable} {PYTHON_BOT}"] * (GAMES[game].players[0] - 1)
    seats = ",".join([f"cmd:{bots}/random_bot", *others])
    referee = [sys.executable, "-m", "referee.cli.main"]
    for command in (["play", game, "--seats", seats, "--log", log], ["verify", log]):
        ended = subprocess.run([*referee, *command], env=ENVIRONMENT, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stdout + ended.stderr
    assert faultless(list(read_log(log)))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("example", ["random_bot", "first_legal_bot"])
def test_the_same_choices_as_in_python(bots, tmp_path, game, example):
    """With the same match id and the same deals, the match is the same, action by action."""
    with serving(tmp_path / "rust") as server:
        log, ended = play(server, game, [bots / example])
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    with serving(tmp_path / "python") as server:
        other, _ = play(server, game, [sys.executable, PYTHON_BOT.with_name(f"{example}.py")])
    assert faultless(log)
    assert actions(log) == actions(other)
    assert [event["client"] for event in joins(log)] == ["referee-bot-rust 0.1.0"]


def test_the_bot_of_the_readme(own, tmp_path):
    """It builds as a crate of its own, and plays."""
    with serving(tmp_path / "data") as server:
        log, ended = play(server, "domino-classico", [own / "own_bot"])
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert faultless(log)


def parts(action):
    """An action as the probe says it."""
    return f"{action}/{action.kind}/{action.piece or '-'}/{action.arm or '-'}"


def facts(turn):
    """All that the Python SDK's turn tells, as the probe says it."""
    about, match = turn.view, turn.match
    values = {name: str(value).lower() if isinstance(value, bool) else value for name, value in match.options.items()}
    told = [
        (turn.turn_id, turn.seat, turn.players, turn.dealer, turn.starter, match.seat, match.side),
        (turn.stock, turn.hand_number, about.turn),
        (turn.game, match.id, match.game, match.format.kind),
        turn.hand,
        turn.table,
        turn.counts,
        turn.seats_in,
        [f"{arm}:{end}" for arm, end in turn.ends.items()],
        [f"{suit}:{low}..{high}" for suit, (low, high) in sorted(turn.rows.items())],
        [f"{seat}:{parts(action)}" for seat, action in turn.history],
        (turn.spinner or "-", turn.drawn or "-"),
        turn.points,
        turn.totals,
        turn.passes_used,
        (turn.move_ms is not None, turn.bank_ms is not None),
        [parts(action) for action in turn.legal],
        (turn.refusal or "-",),
        [f"{name}={value}" for name, value in sorted(values.items())],
        match.names,
        match.sides,
    ]
    return "|".join(json.dumps(each, ensure_ascii=False) for each in told)


@pytest.mark.parametrize("game", GAMES)
def test_a_turn_tells_what_it_tells_in_python(own, tmp_path, game):
    """Every fact of every turn of a match, and every event."""
    told = []

    def watch(turn):
        told.append(facts(turn))
        return turn.legal[len(turn.legal) // 2]

    def happened(event):
        told.append(f"event {event.WhichOneof('event').title().replace('_', '')}")

    def sit(address, token):
        run(watch, address=address, token=token, on_event=happened)

    with serving(tmp_path / "python") as server:
        match(server, game, sit)
    with serving(tmp_path / "rust") as server:
        log, ended = play(server, game, [own / "probe_bot"])
    assert (ended.returncode, ended.stderr) == (0, "")
    assert faultless(log)
    assert ended.stdout.splitlines() == told
    assert [event["version"] for event in joins(log)] == ["7"]


def test_a_refused_choice_is_asked_again(own, tmp_path):
    """The referee's own words are told to the bot and on standard error."""
    with serving(tmp_path / "data") as server:
        log, ended = play(server, "domino-classico", [own / "probe_bot", "foreign"])
    words = [event["message"] for event in log if event["event"] == "rejected"]
    assert words
    assert (ended.returncode, ended.stderr) == (0, "".join(f"bot 0: refused: {word}\n" for word in words))
    assert all(f"|{json.dumps([word], ensure_ascii=False)}|" in ended.stdout for word in words)


def test_a_broken_stream_is_mended(bots, tmp_path):
    """The bot joins again and plays to the end; nothing is held against it."""
    asked = []

    def choose(turn):
        asked.append(turn.turn_id)
        if len(asked) in {2, 4}:
            server.cut("m-1")
        return by_chance(turn)

    with serving(tmp_path / "data") as server:
        log, ended = play(server, "domino-belga", [bots / "random_bot"], choose)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert len(joins(log)) == 3
    assert faultless(log)


def test_an_unknown_token(bots, tmp_path):
    """The bot ends with the referee's words."""
    with serving(tmp_path / "data") as server:
        environment = ENVIRONMENT | {"REFEREE_ADDRESS": server.address, "REFEREE_TOKEN": "nobody's"}
        ended = subprocess.run(
            [bots / "random_bot"], env=environment, capture_output=True, text=True, check=False, timeout=30
        )
    assert ended.returncode == 1
    assert "refused by the referee: unknown token" in ended.stderr


def test_a_bot_that_was_started_before_the_server(bots, tmp_path):
    """It keeps knocking for a while. That a host's name is used makes no difference."""
    with serving(tmp_path / "data") as server:
        address = server.address
    environment = ENVIRONMENT | {
        "REFEREE_ADDRESS": address.replace("127.0.0.1", "localhost"),
        "REFEREE_TOKEN": "nobody's",
    }
    with subprocess.Popen([bots / "random_bot"], env=environment, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(1)
        assert process.poll() is None
        with serving(tmp_path / "data", address):
            assert "unknown token" in process.communicate(timeout=10)[1]
    assert process.returncode == 1


@pytest.mark.parametrize("missing", ["REFEREE_ADDRESS", "REFEREE_TOKEN"])
def test_a_missing_setting_is_named(bots, missing):
    """The first thing that most people see of a bot."""
    environment = ENVIRONMENT | {"REFEREE_ADDRESS": "127.0.0.1:1", "REFEREE_TOKEN": "x"}
    del environment[missing]
    ended = subprocess.run([bots / "random_bot"], env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert missing in ended.stderr


def test_it_starts_fast(bots, tmp_path):
    """From the start of the process to its seat: the best of three."""
    took = []
    with serving(tmp_path / "data") as server:
        for name in ("m-1", "m-2", "m-3"):
            tokens = server.create("domino-classico", name)
            environment = ENVIRONMENT | {"REFEREE_ADDRESS": server.address, "REFEREE_TOKEN": tokens[0]}
            begun = time.monotonic()
            with subprocess.Popen([bots / "random_bot"], env=environment) as process:
                while all(event["event"] != "seat_joined" for event in server.events(name)):
                    assert time.monotonic() < begun + 30
                    time.sleep(0.001)
                took.append(time.monotonic() - begun)
                process.kill()
    print(f"from start to join: {', '.join(f'{1000 * seconds:.0f} ms' for seconds in took)}")
    assert min(took) < MOST_START_S


def test_its_own_tests(bots):
    """They play against a referee that does what the real one rarely does."""
    with alone():
        cargo("test", "--locked")


@pytest.mark.skipif(
    any(shutil.which(tool) is None for tool in ("rustfmt", "cargo-fmt", "cargo-clippy")) and not os.environ.get("CI"),
    reason="no rustfmt or Clippy on the PATH",
)
def test_formatted_linted_and_documented(bots):
    """What Rust's own tools say, by rustfmt.toml and Cargo.toml."""
    with alone():
        cargo("fmt", "--check")
        cargo("clippy", "--locked", "--all-targets", "--", "-D", "warnings")
        cargo("doc", "--locked", "--no-deps", RUSTDOCFLAGS="-D warnings")


@pytest.mark.skipif(not os.environ.get("CI"), reason="compiles all once more: only where CI is set")
def test_what_the_registry_would_get(bots):
    """It builds from nothing but the package."""
    with alone():
        cargo("package", "--locked", "--allow-dirty")
