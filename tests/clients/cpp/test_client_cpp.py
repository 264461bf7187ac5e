"""The C++ client plays against the real server, and against one that says what no server says yet."""

import asyncio
import contextlib
import fcntl
import os
import queue
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
import referee_bot

from referee.bots.registry import find_bot
from referee.match.clock import ClockSpec
from referee.match.deal import commitment
from referee.match.events import MatchSpec
from referee.match.log import read_log
from referee.match.verify import verify
from referee.rules.registry import GAMES, resolve_format, resolve_options
from referee.server.app import RefereeServer
from referee.v1 import fault_pb2, play_pb2, play_pb2_grpc, table_pb2

pytestmark = pytest.mark.timeout(900)  # the first to need the build waits for it

ROOT = Path(__file__).parents[3]
CLIENT = ROOT / "clients" / "cpp"
PYTHON_EXAMPLES = ROOT / "clients" / "python" / "examples"
SEED = bytes.fromhex("5e" * 32)
DUEL = "domino-classico"
MOST_START_S = 1.0
PROXY = "http://127.0.0.1:9"  # must not matter within one machine
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "grpc_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("REFEREE_")},
    **dict.fromkeys(PROXIES, PROXY),
    "PYTHONPATH": os.pathsep.join(sys.path),
}


def tool(*command, folder=ROOT):
    """Run a tool; what it prints is what the failure says."""
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def missing():
    """What the build needs and the machine has not, if anything."""
    compiler = os.environ.get("CXX", "c++")
    tools = {"cmake": "cmake", compiler: "build-essential", "protoc": "protobuf-compiler"}
    tools |= {"grpc_cpp_plugin": "protobuf-compiler-grpc"}
    for name, package in tools.items():
        if shutil.which(name) is None:
            return f"no `{name}` on the PATH (Debian: {package})"
    for header, package in {"grpcpp/grpcpp.h": "libgrpc++-dev", "google/protobuf/message.h": "libprotobuf-dev"}.items():
        code = f"#if !__has_include(<{header}>)\n#error missing\n#endif\n"
        looked = subprocess.run(
            [compiler, "-E", "-x", "c++", "-"], input=code, capture_output=True, text=True, check=False
        )
        if looked.returncode != 0:
            return f"no <{header}> (Debian: {package})"
    return None


@pytest.fixture(scope="session")
def client():
    """The folder with the examples: built as the README says, and installed into `prefix`."""
    if lacking := missing():
        reason = f"the C++ toolchain is not installed: {lacking}"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    build = CLIENT / "build"
    build.mkdir(exist_ok=True)
    with (build / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        tool("cmake", "-S", "clients/cpp", "-B", "clients/cpp/build")
        tool("cmake", "--build", "clients/cpp/build")
        tool("cmake", "--install", "clients/cpp/build", "--prefix", "clients/cpp/build/prefix")
    return build


@pytest.fixture(scope="session")
def own_bot(client):
    """Builds a bot from its source in a project of its own, the one in the README: its path."""
    [project] = re.findall(r"```cmake\n(.*?)```", (CLIENT / "README.md").read_text(), re.S)

    def make(name, source):
        folder = client / "own" / name
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for path, text in ((folder / "my_bot.cpp", source), (folder / "CMakeLists.txt", project)):
                if not path.exists() or path.read_text() != text:
                    path.write_text(text)
            flags = "-DCMAKE_CXX_FLAGS=-std=c++17 -Wall -Wextra -Wpedantic -Werror"
            tool("cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={client / 'prefix'}", flags, folder=folder)
            tool("cmake", "--build", "build", folder=folder)
        return folder / "build" / "my_bot"

    return make


@pytest.fixture(scope="session")
def probe(own_bot):
    """The test's own bot; it wants to know what it is to do."""
    return own_bot("probe", Path(__file__).with_name("probe_bot.cpp").read_text())


class Server:
    """The server, on an event loop in a thread of its own."""

    def __init__(self, data):
        self.data = data
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.referee = self.do(self._start())
        self.address = self.referee.address

    async def _start(self):
        referee = RefereeServer(self.data, "127.0.0.1:0")
        await referee.start()
        return referee

    def do(self, coroutine):
        """Run something on the server's loop."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(60)

    def play(self, game, sit):
        """A match whose id, seed and other players are always the same; `sit(address, token)` plays seat 0."""
        rules = GAMES[game]
        names = ("one", *["beginner"] * (rules.players[0] - 1))
        options, format = resolve_options(rules, {}), resolve_format(rules, None)
        spec = MatchSpec("the-match", rules, options, format, names, ClockSpec(), commitment(SEED))
        path = self.data / "the-match.jsonl"

        async def start():
            token, ticket = self.referee.admission.issue("one")
            others = [find_bot("beginner").make(f"{seat}") for seat in range(1, len(names))]
            return token, self.referee.host.create(spec, SEED, [ticket, *others], path)

        token, hosted = self.do(start())
        ended = sit(self.address, token)

        async def end():
            await asyncio.wait_for(asyncio.shield(hosted.task), 60)

        self.do(end())
        verify(path)
        return ended, list(read_log(path))

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

    def make():
        folder = tmp_path / str(len(made))
        folder.mkdir()
        made.append(Server(folder))
        return made[-1]

    yield make
    for server in made:
        server.close()


def bot(command, address, token, name="one"):
    """A bot's process, to its end."""
    environment = ENVIRONMENT | {"REFEREE_ADDRESS": address, "REFEREE_TOKEN": token, "REFEREE_NAME": name}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)


def actions(log):
    """What was done, by whom, and who chose it."""
    return [(event["seat"], event["action"], event["by"]) for event in log if event["event"] == "action"]


def flawless(log):
    """Nothing was held against anyone."""
    assert not {"fault", "rejected"} & {event["event"] for event in log}
    assert {event["by"] for event in log if event["event"] == "action"} <= {"bot", "forced"}


@pytest.mark.parametrize("game", GAMES)
def test_a_match_on_the_command_line(client, game, tmp_path):
    """One seat the C++ bot's, the others Python's: verified, and nobody at fault."""
    log = tmp_path / "match.jsonl"
    python = f"cmd:{sys.executable} {PYTHON_EXAMPLES / 'random_bot.py'}"
    seats = [f"cmd:{client / 'random_bot'}", *[python] * (GAMES[game].players[0] - 1)]
    referee = [sys.executable, "-m", "referee.cli.main"]
    for command in (["play", game, "--seats", ",".join(seats), "--log", log], ["verify", log]):
        ended = subprocess.run([*referee, *command], env=ENVIRONMENT, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stdout + ended.stderr
    events = list(read_log(log))
    flawless(events)
    assert "referee-bot-cpp 0.1.0" in {event.get("client") for event in events}
    assert [path.read_text() for path in tmp_path.glob("match-seat*.out")] == [""] * len(seats)


@pytest.mark.parametrize("example", ["random_bot", "first_legal_bot"])
@pytest.mark.parametrize("game", GAMES)
def test_an_example_chooses_as_its_twin_in_python(client, servers, game, example):
    """The same match, once with the one and once with the other: the same actions. It says nothing and ends well."""
    logs = []
    for command in ([client / example], [sys.executable, PYTHON_EXAMPLES / f"{example}.py"]):
        ended, log = servers().play(game, lambda address, token, command=command: bot(command, address, token))
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
        flawless(log)
        logs.append(log)
    assert actions(logs[0]) == actions(logs[1])
    assert any(seat == 0 and by == "bot" for seat, _, by in actions(logs[0]))


def parts(action):
    """An action as the probe says it."""
    return f"{action.notation}/{action.kind}/{action.piece or '-'}/{action.arm or '-'}"


def said(value):
    """A value as the probe says it."""
    if isinstance(value, dict):
        value = [f"{key}:{each}" for key, each in sorted(value.items())]
    if isinstance(value, list | tuple):
        return f"[{' '.join(map(str, value))}]"
    return str(value)


def facts(turn):
    """All that the Python SDK's turn tells, as the probe says it."""
    match = turn.match
    told = [turn.turn_id, turn.game, turn.seat, turn.players, turn.hand, turn.table, turn.counts, turn.seats_in]
    told += [turn.stock, turn.hand_number, turn.dealer, turn.starter, turn.ends, turn.spinner or "-"]
    told += [{suit: f"{low}..{high}" for suit, (low, high) in turn.rows.items()}]
    told += [[f"{seat}:{parts(action)}" for seat, action in turn.history], turn.drawn or "-", turn.points, turn.totals]
    told += [turn.passes_used, int(turn.move_ms is not None), int(turn.bank_ms is not None)]
    told += [[parts(action) for action in turn.legal], turn.refusal or "-", match.id, match.options, match.format.kind]
    told += [match.names, match.sides, match.seat, match.side, turn.view.turn]
    return "".join(f"{said(each)}|" for each in told)


@pytest.mark.parametrize("game", GAMES)
def test_a_turn_tells_what_it_tells_in_python(probe, servers, game):
    """Every fact of every turn of a match."""
    told = []

    def watch(turn):
        told.append(facts(turn))
        return turn.legal[-1]

    servers().play(game, lambda address, token: referee_bot.run(watch, address=address, token=token))
    ended, log = servers().play(game, lambda address, token: bot([probe, "last"], address, token))
    flawless(log)
    lines = ended.stdout.splitlines()
    assert [line for line in lines if not line.startswith("event")] == told
    assert [line for line in lines if line.startswith("event")][:2] == ["event joined", "event match_started"]
    assert lines[-2:] == ["event match_ended", "event closed"]
    assert [event["version"] for event in log if event["event"] == "seat_joined"] == ["7"]


def test_pieces_are_written_as_the_protocol_says(probe):
    """All of them, and those that nobody knows."""
    proto = (ROOT / "proto/referee/v1/table.proto").read_text()
    names = {int(number): name for name, number in re.findall(r"// `(\S+)`\s+PIECE_\w+ = (\d+);", proto)}
    assert len(names) == 28 + 40 + 52
    lines = tool(probe, "pieces").splitlines()
    for number, line in zip(range(-1, 125), lines, strict=True):
        name = names.get(number, f"#{number}")
        action = f"{name}/play/{name}/-" if number in names else f"{name}/other/-/-"
        assert line == f"{number}|{name}|{action}|"


def test_a_refused_choice_is_asked_again(probe, servers):
    """The referee's own words are told to the bot and on standard error."""
    ended, log = servers().play(DUEL, lambda address, token: bot([probe, "foreign"], address, token))
    words = [event["message"] for event in log if event["event"] == "rejected"]
    assert words
    assert [f"one: refused: {word}" for word in words] == [
        line for line in ended.stderr.splitlines() if "refused" in line
    ]
    assert all(f"|{word}|" in ended.stdout for word in words)


def test_a_broken_connection_is_mended(client, servers):
    """Whatever broke it: the bot joins again, gets its turn again and finishes."""
    server = servers()
    with Relay(server.address, cut_after=6) as relay:
        ended, log = server.play(DUEL, lambda _, token: bot([client / "random_bot"], relay.address, token))
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert relay.count == 2
    assert [event["resumed"] for event in log if event["event"] == "seat_joined"] == [False, True]
    assert {by for seat, _, by in actions(log) if seat == 0} <= {"bot", "forced"}


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


def test_an_unknown_token(client, servers):
    """The referee's message is on standard error."""
    ended = bot([client / "random_bot"], servers().address, "nobody's")
    assert ended.returncode == 1
    assert "one: refused by the referee: unknown token" in ended.stderr


@pytest.mark.parametrize("missing", ["REFEREE_ADDRESS", "REFEREE_TOKEN"])
def test_a_missing_setting_is_named(client, missing):
    """The first thing that most people see of a bot."""
    ended = bot(
        [client / "random_bot"],
        "" if missing == "REFEREE_ADDRESS" else "x:1",
        "" if missing == "REFEREE_TOKEN" else "x",
    )
    assert ended.returncode == 1
    assert missing in ended.stderr


def test_a_mistake_in_the_bot_ends_it(probe, stage):
    """With its words; nothing hangs."""
    stage.acts = [lambda requests: iter([opening(turn("6-6"))])]
    ended = bot([probe, "crash"], stage.address, "x")
    assert ended.returncode != 0
    assert "a mistake" in ended.stderr


class Stage(play_pb2_grpc.PlayServiceServicer):
    """A server that says what it is told to: one act a stream."""

    def __init__(self):
        self.acts = []
        self.heard = queue.Queue()
        self.server = grpc.server(ThreadPoolExecutor(4))
        play_pb2_grpc.add_PlayServiceServicer_to_server(self, self.server)
        self.address = f"127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"
        self.server.start()

    def Play(self, request_iterator, context):
        """The next act; one that gives an exception breaks the stream."""
        join = next(request_iterator).join
        self.heard.put((time.time(), join))
        try:
            yield from self.acts.pop(0)(request_iterator)
        except ConnectionError:
            context.abort(grpc.StatusCode.UNAVAILABLE, "broken")


@pytest.fixture
def stage():
    """A server that says what it is told to."""
    one = Stage()
    yield one
    one.server.stop(None)


def events(*each, **fields):
    """A response: the events as they stand, then those made of the fields."""
    response = play_pb2.PlayResponse(events=each)
    for name, value in fields.items():
        response.events.append(play_pb2.PlayEvent(**{name: value}))
    return response


def unknown(message, number=101):
    """The message with a field that nobody knows."""
    tag = number << 3 | 2
    raw = bytes([tag & 0x7F | 0x80, tag >> 7, 2, 8, 1])
    return type(message).FromString(message.SerializeToString() + raw)


def turn(*legal, turn_id=1, **view):
    """A turn of seat 0."""
    actions = [
        action if isinstance(action, table_pb2.Action) else table_pb2.Action(notation=action) for action in legal
    ]
    return play_pb2.Turn(turn_id=turn_id, legal=actions, view=table_pb2.View(seat=0, hand=0, dealer=0, **view))


def opening(*turns, resumed=False):
    """The first response of a stream."""
    started = play_pb2.MatchStarted(match_id="m", game=DUEL, seats=[play_pb2.Seat(seat=0, name="one", side=0)], seat=0)
    joined = play_pb2.Joined(match_id="m", seat=0, name="one", resumed=resumed)
    more = [play_pb2.PlayEvent(turn=each) for each in turns]
    return events(play_pb2.PlayEvent(joined=joined), play_pb2.PlayEvent(match_started=started), *more)


def closing(join_again=False, reason=play_pb2.CLOSE_REASON_MATCH_OVER, message="over"):
    """The last response of a stream."""
    ended = play_pb2.MatchEnded(reason=play_pb2.MATCH_END_REASON_COMPLETED)
    closed = play_pb2.Closed(reason=reason, join_again=join_again, message=message)
    return events(match_ended=ended, closed=closed)


def answers(requests):
    """What the bot sends, less Ready."""
    for request in requests:
        if request.WhichOneof("request") == "answer":
            yield request.answer


def test_what_is_not_known_is_skipped(probe, stage):
    """Events, action kinds, enum values, fields; and an unknown action can be chosen by its place."""
    heard = []
    history = table_pb2.History(seats=[0, 0], kinds=[1, 9], pieces=[1, 200], arms=[0, 9])
    odd = turn("0-0", "9-9 inward", "swap 6-5", unknown(table_pb2.Action()), history=history, pieces=[1, 200])
    odd.view.line.CopyFrom(table_pb2.Line(left_end=0, spinner=200))
    fault = fault_pb2.Fault(seat=0, kind=77, remedy=88, message="who knows")
    refusal = fault_pb2.Refusal(turn_id=1, code="new", message="hm", remedy=99)

    def act(requests):
        yield unknown(opening())
        yield events(unknown(play_pb2.PlayEvent()), unknown(play_pb2.PlayEvent(turn=odd)))
        heard.append(next(answers(requests)))
        yield events(fault=fault, refusal=refusal)
        yield events(play_pb2.PlayEvent(turn=turn("draw", "pass", turn_id=2)))
        heard.append(next(answers(requests)))
        yield closing()

    stage.acts = [act]
    ended = bot([probe, "last"], stage.address, "x")
    assert ended.returncode == 0, ended.stderr
    assert [(answer.turn_id, answer.WhichOneof("choice"), answer.index) for answer in heard] == [
        (1, "index", 3),
        (2, "index", 1),
    ]
    assert ended.stderr.splitlines() == ["one: fault: who knows", "one: refused: hm"]
    told = next(line for line in ended.stdout.splitlines() if line.startswith("1|")).split("|")
    assert told[2:5] == ["0", "0", "[0-0 #200]"]
    assert told[12:14] == ["[left:0]", "-"]
    assert told[15] == "[0:0-0/play/0-0/- 0:#9/other/-/-]"
    assert told[22] == "[0-0/play/0-0/- 9-9 inward/other/-/- swap 6-5/other/-/- #3/other/-/-]"


def test_a_refusal_asks_again_only_for_the_open_turn(probe, stage):
    """With the remedy that says so; the second answer is by the action's text or place as the choice is."""
    heard = []

    def refusal(turn_id, remedy):
        return events(refusal=fault_pb2.Refusal(turn_id=turn_id, message="no", remedy=remedy))

    def act(requests):
        yield opening(turn("0-0", turn_id=4))
        mine = answers(requests)
        heard.append(next(mine))
        yield refusal(3, fault_pb2.REMEDY_ASK_AGAIN)
        yield refusal(4, fault_pb2.REMEDY_STAND_IN_TURN)
        yield refusal(4, fault_pb2.REMEDY_ASK_AGAIN)
        heard.append(next(mine))
        yield closing()

    stage.acts = [act]
    ended = bot([probe, "foreign"], stage.address, "x")
    assert ended.returncode == 0, ended.stderr
    assert [(answer.turn_id, answer.WhichOneof("choice")) for answer in heard] == [(4, "action"), (4, "index")]
    assert heard[0].action.notation == "6-6 left"
    assert ended.stdout.count("\n4|") == 2


def test_stream_after_stream(probe, stage):
    """Broken, drained, over: the bot joins again each time with the same token, until there is no more."""

    def broken(requests):
        yield opening(turn("0-0"))
        next(answers(requests))
        raise ConnectionError

    def drained(requests):
        yield opening(turn("0-0"), resumed=True)
        closed = play_pb2.Closed(reason=play_pb2.CLOSE_REASON_SERVER_DRAINING, join_again=True, message="later")
        yield events(closed=closed)

    def over(requests):
        yield opening(turn("0-0"), resumed=True)
        next(answers(requests))
        yield closing(join_again=True)

    def refused(requests):
        closed = play_pb2.Closed(reason=play_pb2.CLOSE_REASON_REFUSED, message="that was all")
        yield events(closed=closed)

    stage.acts = [broken, drained, over, refused]
    ended = bot([probe, "first"], stage.address, "the token")
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.splitlines() == ["one: later", "one: that was all"]
    joins = [stage.heard.get_nowait() for _ in range(4)]
    assert {(join.token, join.client, join.version) for _, join in joins} == {
        ("the token", "referee-bot-cpp 0.1.0", "7")
    }
    assert joins[3][0] - joins[2][0] < joins[1][0] - joins[0][0] + 0.5  # a next match is joined at once


def test_how_long_a_bot_waits(client, stage):
    """20 seconds for a referee that cannot be reached, any time for its seat; no error once the match is over."""

    def ended(requests):
        yield opening(turn("0-0"))
        next(answers(requests))
        yield events(match_ended=play_pb2.MatchEnded())
        stage.server.stop(None)
        raise ConnectionError

    def silent(requests):
        time.sleep(21)
        raise ConnectionError

    def finished(requests):
        yield opening(turn("0-0"))
        next(answers(requests))
        yield closing()

    stage.acts = [ended]
    slow = Stage()
    slow.acts = [silent, finished]
    with socket.socket() as nobody, ThreadPoolExecutor() as pool:
        nobody.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{nobody.getsockname()[1]}"
        began = time.monotonic()
        addresses = [address, stage.address, slow.address]
        lost, over, patient = pool.map(lambda where: bot([client / "first_legal_bot"], where, "x"), addresses)
    slow.server.stop(None)
    assert 19 < time.monotonic() - began < 40
    assert lost.returncode == 1
    assert f"no referee at {address}: " in lost.stderr
    assert "refused" in lost.stderr  # by the machine: the reason that gRPC gives
    assert (over.returncode, over.stderr) == (0, "")
    assert (patient.returncode, patient.stderr) == (0, "")
    assert slow.heard.qsize() == 2


def test_what_can_never_succeed_is_not_tried_again(client):
    """A server without the service."""
    server = grpc.server(ThreadPoolExecutor(1))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    ended = bot([client / "first_legal_bot"], f"localhost:{port}", "x")
    server.stop(None)
    assert ended.returncode != 0
    assert "gRPC status 12" in ended.stderr


def test_a_bot_starts_fast(client, stage):
    """From the start of the process to its Join: the best of three."""
    took = []
    for _ in range(3):
        stage.acts = [lambda requests: iter([closing()])]
        began = time.time()
        assert bot([client / "random_bot"], stage.address, "x").returncode == 0
        took.append(stage.heard.get_nowait()[0] - began)
    print(f"{min(took):.3f} s from the start of the process to Join")  # pytest -s
    assert min(took) < MOST_START_S


def test_the_bot_of_the_readme(own_bot, servers):
    """Its ten lines, in a project of its own."""
    [code] = re.findall(r"```cpp\n(.*?)```", (CLIENT / "README.md").read_text(), re.S)
    built = own_bot("readme", code)
    ended, log = servers().play(DUEL, lambda address, token: bot([built], address, token))
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    flawless(log)


def sources():
    """The C++ files."""
    found = [path for folder in ("include", "src", "examples") for path in (CLIENT / folder).rglob("*.*")]
    assert len(found) >= 5
    return found


@pytest.mark.skipif(
    shutil.which("clang-format") is None and not os.environ.get("CI"), reason="no `clang-format` on the PATH"
)
def test_formatted():
    """As .clang-format wants it."""
    style = f"--style=file:{CLIENT / '.clang-format'}"
    tool("clang-format", "--dry-run", "--Werror", style, *sources(), Path(__file__).with_name("probe_bot.cpp"))


@pytest.mark.skipif(not os.environ.get("CI"), reason="takes a minute: only where CI is set")
def test_linted(client):
    """By the rules in .clang-tidy."""
    tool("clang-tidy", "--quiet", "-p", client, *(path for path in sources() if path.suffix == ".cpp"))
