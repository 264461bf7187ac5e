"""The TypeScript SDK and its examples, built by npm, against the real server and against a scripted one."""

import asyncio
import fcntl
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
from referee_bot import MatchInfo, Turn, run

from referee.match.clock import ClockSpec
from referee.match.deal import commitment
from referee.match.events import MatchSpec
from referee.match.log import read_log
from referee.match.verify import verify
from referee.rules.registry import GAMES, resolve_format, resolve_options
from referee.server.app import RefereeServer
from referee.v1 import fault_pb2, play_pb2, table_pb2

ROOT = Path(__file__).parents[3]
CLIENT = ROOT / "clients" / "typescript"
SDK = CLIENT / "dist" / "src" / "index.js"
RANDOM_BOT = CLIENT / "dist" / "examples" / "random_bot.js"
FIRST_LEGAL_BOT = CLIENT / "dist" / "examples" / "first_legal_bot.js"
PYTHON_RANDOM_BOT = ROOT / "clients" / "python" / "examples" / "random_bot.py"
DUEL = "domino-classico"
SEED = bytes.fromhex("5e" * 32)
FAULTS = {"fault", "rejected"}
WAIT_S = 60

pytestmark = pytest.mark.timeout(600)


def missing():
    """What of the toolchain is not installed; None if nothing is."""
    if not (shutil.which("node") and shutil.which("npm")):
        return "Node.js 20 or newer with npm is not installed (no `node` and `npm` on the PATH)"
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return None if int(version[1:].split(".")[0]) >= 20 else f"Node.js 20 or newer is not installed (found {version})"


@pytest.fixture(scope="session", autouse=True)
def built(tmp_path_factory):
    """The client, built once for all of a test run's processes."""
    reason = missing()
    if reason and not os.environ.get("CI"):
        pytest.skip(reason)
    assert not reason, reason
    base = tmp_path_factory.getbasetemp()
    done = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "typescript-client-built"
    with (CLIENT / "package.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if done.exists():
            return
        installed, wanted = CLIENT / "node_modules" / ".package-lock.json", CLIENT / "package-lock.json"
        if not installed.exists() or installed.stat().st_mtime < wanted.stat().st_mtime:
            npm("ci", "--ignore-scripts")
        npm("run", "build")
        done.touch()


def npm(*words):
    """Run npm in the client's folder."""
    ended = subprocess.run(["npm", *words], cwd=CLIENT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def start(script, address, token):
    """A bot as a process, as the referee starts it."""
    environment = os.environ | {
        "REFEREE_ADDRESS": address,
        "REFEREE_TOKEN": token,
        "REFEREE_NAME": "bot",
        "http_proxy": "http://127.0.0.1:9",  # must not matter within one machine
    }
    return subprocess.Popen(
        ["node", script], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def end(process):
    """What the process ended with: exit status, output, errors."""
    try:
        out, err = process.communicate(timeout=WAIT_S)
    finally:
        process.kill()
    return process.returncode, out, err


@pytest.fixture
def bot(tmp_path):
    """Writes a bot from JavaScript that has `run` and `pieceName`."""

    def write(code):
        path = tmp_path / "bot.mjs"
        path.write_text(f"import {{ run, pieceName, RefusedError }} from {json.dumps(SDK.as_uri())};\n{code}\n")
        return path

    return write


class Server:
    """The real server, on an event loop in a thread of its own."""

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

    def create(self, game, match_id):
        """A match of remote seats, its id and its deals known beforehand: the seats' tokens."""
        return self.do(self._create(GAMES[game], match_id))

    async def _create(self, game, match_id):
        names = tuple(f"bot {seat}" for seat in range(game.players[0]))
        issued = [self.referee.admission.issue(name) for name in names]
        options, format = resolve_options(game, {}), resolve_format(game, None)
        spec = MatchSpec(match_id, game, options, format, names, ClockSpec(), commitment(SEED))
        self.referee.host.create(spec, SEED, [ticket for _, ticket in issued], self.data / f"{match_id}.jsonl")
        return [token for token, _ in issued]

    def log(self, match_id):
        """The events of a match that has ended; they stand up to verification."""
        path = self.data / f"{match_id}.jsonl"
        give_up = time.monotonic() + WAIT_S
        while True:
            events = list(read_log(path))
            if events[-1]["event"] == "match_ended":
                verify(path)
                return events
            assert time.monotonic() < give_up, events[-1]
            time.sleep(0.05)

    def cut(self, match_id, seat=0):
        """Break the stream of a seat."""
        self.loop.call_soon_threadsafe(self.referee.host.matches[match_id].remote[seat][1].connection.ended.set)

    def close(self):
        """Stop."""
        self.do(self.referee.stop())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        self.loop.close()


@pytest.fixture
def serve(tmp_path):
    """Starts servers."""
    servers = []

    def one(*args):
        data = tmp_path / f"data-{len(servers)}"
        data.mkdir()
        servers.append(Server(data, *args))
        return servers[-1]

    yield one
    for server in servers:
        server.close()


class Scripted:
    """A server that does what a test says: one function from requests to responses a stream, one after another."""

    def __init__(self, *streams):
        self.heard = []
        self.times = []
        self._streams = iter(streams)
        play = grpc.stream_stream_rpc_method_handler(
            self._play, play_pb2.PlayRequest.FromString, lambda one: one if isinstance(one, bytes) else encode(one)
        )
        self._server = grpc.server(ThreadPoolExecutor())
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("referee.v1.PlayService", {"Play": play}),)
        )
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self._server.start()

    def _play(self, requests, context):
        def heard():
            for request in requests:
                self.times.append(time.monotonic())
                self.heard.append(request)
                yield request

        yield from next(self._streams)(heard(), context)

    def answers(self):
        """The answers that came."""
        return [request.answer for request in self.heard if request.HasField("answer")]

    def close(self):
        """Stop."""
        self._server.stop(0).wait()


@pytest.fixture
def script():
    """Starts scripted servers."""
    servers = []

    def one(*streams):
        servers.append(Scripted(*streams))
        return servers[-1]

    yield one
    for server in servers:
        server.close()


def encode(events):
    """A response with these events, each a message that an event can be."""
    response = play_pb2.PlayResponse()
    for event in events:
        field = re.sub("(?<!^)(?=[A-Z])", "_", type(event).__name__).lower()
        getattr(response.events.add(), field).CopyFrom(event)
    return response.SerializeToString()


def turn_of(number, *notations):
    """A turn with these legal actions."""
    legal = [table_pb2.Action(notation=notation) for notation in notations]
    return play_pb2.Turn(turn_id=number, view=table_pb2.View(seat=0), legal=legal)


JOINED = play_pb2.Joined(match_id="m", seat=0, name="bot")
STARTED = play_pb2.MatchStarted(match_id="m", game=DUEL, seat=0)
OVER = play_pb2.Closed(reason=play_pb2.CLOSE_REASON_MATCH_OVER)
AGAIN = play_pb2.Closed(reason=play_pb2.CLOSE_REASON_MATCH_OVER, join_again=True)
ENDED = play_pb2.MatchEnded()


def seated(requests):
    """Let a bot take its seat: the responses up to its Ready, which is taken too."""
    assert next(requests).HasField("join")
    yield [JOINED, STARTED]
    assert next(requests).HasField("ready")


@pytest.mark.parametrize("game", GAMES)
def test_the_command_line_plays_the_example(game, tmp_path):
    """With Python's bots at the same table, and the log stands up to `referee verify`."""
    log = tmp_path / "log.jsonl"
    bots = [["node", str(RANDOM_BOT)]] + [[sys.executable, str(PYTHON_RANDOM_BOT)]] * (GAMES[game].players[0] - 1)
    seats = ",".join(f"cmd:{shlex.join(words)}" for words in bots)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "clients" / "python")])}
    referee = [sys.executable, "-m", "referee.cli.main"]
    for words in (["play", game, "--seats", seats, "--log", str(log)], ["verify", str(log)]):
        subprocess.run([*referee, *words], env=environment, check=True, capture_output=True, timeout=300)
    events = list(read_log(log))
    assert FAULTS.isdisjoint(event["event"] for event in events)
    assert {event["by"] for event in events if event["event"] == "action"} <= {"bot", "forced"}


@pytest.mark.parametrize("game", GAMES)
def test_the_random_bot_chooses_as_pythons_does(serve, game):
    """The same match twice, and only in the first this client sits in one of the seats."""
    python = runpy.run_path(str(PYTHON_RANDOM_BOT))["choose"]
    actions = []
    for seat in (1, None):
        server = serve()
        tokens = server.create(game, "the-match")
        own = None if seat is None else start(RANDOM_BOT, server.address, tokens.pop(seat))
        with ThreadPoolExecutor() as pool:
            others = [pool.submit(run, python, address=server.address, token=token) for token in tokens]
            if own is not None:
                assert end(own) == (0, "", "")
            for other in others:
                other.result(WAIT_S)
        events = server.log("the-match")
        assert FAULTS.isdisjoint(event["event"] for event in events)
        played = [event for event in events if event["event"] == "action"]
        actions.append([(event["turn"], event["seat"], event["action"], event["by"]) for event in played])
    assert actions[0] == actions[1]
    assert any(seat == 1 and by == "bot" for _, seat, _, by in actions[0])


def test_the_bot_of_the_readme(serve, tmp_path):
    """It is as short as promised, passes the compiler, and plays."""
    [code] = re.findall(r"examples/heavy_bot.ts`:\n\n```ts\n(.*?)```", (CLIENT / "README.md").read_text(), re.DOTALL)
    assert code.count("\n") <= 10
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "domino-referee-bot").symlink_to(CLIENT)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "heavy_bot.ts").write_text(code)
    compiler = [CLIENT / "node_modules" / ".bin" / "tsc", "--strict", "--module", "nodenext", "heavy_bot.ts"]
    subprocess.run([*compiler, "--skipLibCheck", "--target", "es2022"], cwd=tmp_path, check=True, timeout=WAIT_S)
    server = serve()
    tokens = server.create(DUEL, "m")
    bots = [start(tmp_path / "heavy_bot.js", server.address, token) for token in tokens]
    assert [end(bot) for bot in bots] == [(0, "", "")] * 2
    assert FAULTS.isdisjoint(event["event"] for event in server.log("m"))


# Every part of a turn but the protocol's own messages, as JSON; undefined is left out.
TELL = """
await run((turn) => {
  const { view, match, ...rest } = turn;
  const { message, format, ...info } = match;
  console.log(JSON.stringify({ ...rest, match: info, kind: format?.kind, viewed: view === turn.view }));
  return turn.legal.at(-1);
});
"""


@pytest.mark.parametrize("game", GAMES)
def test_a_turn_tells_what_pythons_tells(serve, script, bot, game):
    """The same messages, read by both."""
    server, messages = serve(), []

    def keep(event):
        if event.HasField("match_started") or event.HasField("turn"):
            messages.append(event)

    *tokens, last = server.create(game, "m")
    with ThreadPoolExecutor() as pool:
        others = [pool.submit(run, lambda turn: turn.legal[-1], address=server.address, token=one) for one in tokens]
        run(lambda turn: turn.legal[-1], address=server.address, token=last, on_event=keep)
        for other in others:
            other.result(WAIT_S)
    match = MatchInfo(messages[0].match_started)
    turns = [Turn(event.turn, match) for event in messages[1:]]

    def stream(requests, context):
        next(requests)
        yield [JOINED, messages[0].match_started]
        next(requests)
        for event in messages[1:]:
            yield [event.turn]
            next(requests)
        yield [ENDED, OVER]

    scripted = script(stream)
    status, out, err = end(start(bot(TELL), scripted.address, "t"))
    assert (status, err) == (0, "")
    assert [json.loads(line) for line in out.splitlines()] == [told(turn) for turn in turns]
    assert [answer.index for answer in scripted.answers()] == [len(turn.legal) - 1 for turn in turns]


def told(turn):
    """A turn as `TELL` prints it."""

    def act(action):
        parts = {"notation": action.notation, "kind": action.kind, "piece": action.piece, "arm": action.arm}
        return {key: value for key, value in parts.items() if value is not None}

    match = turn.match
    lists = ("hand", "table", "counts", "points", "totals")
    all_of_it = {
        "turnId": turn.turn_id,
        "legal": [act(action) for action in turn.legal],
        **{name: list(getattr(turn, name)) for name in lists},
        "ends": turn.ends,
        "spinner": turn.spinner,
        "rows": {suit: list(row) for suit, row in turn.rows.items()},
        "stock": turn.stock,
        "history": [{"seat": seat, "action": act(action)} for seat, action in turn.history],
        "drawn": turn.drawn,
        "passesUsed": list(turn.passes_used),
        "game": turn.game,
        "players": turn.players,
        "seat": turn.seat,
        "handNumber": turn.hand_number,
        "dealer": turn.dealer,
        "starter": turn.starter,
        "seatsIn": list(turn.seats_in),
        "moveMs": turn.move_ms,
        "bankMs": turn.bank_ms,
        "match": {
            "id": match.id,
            "game": match.game,
            "options": match.options,
            "names": list(match.names),
            "sides": list(match.sides),
            "seat": match.seat,
            "side": match.side,
        },
        "kind": match.format.kind,
        "viewed": True,
    }
    return {key: value for key, value in all_of_it.items() if value is not None}


def test_every_piece_has_its_notation(bot):
    """The one that the protocol's comments give it."""
    proto = (ROOT / "proto" / "referee" / "v1" / "table.proto").read_text()
    pieces = {int(number): name for name, number in re.findall(r"// `(.+)`\n  PIECE_\w+ = (\d+);", proto)}
    code = f"console.log(JSON.stringify({json.dumps(list(pieces))}.concat(999).map(pieceName)))"
    out = subprocess.run(["node", bot(code)], capture_output=True, text=True, check=True).stdout
    assert json.loads(out) == [*pieces.values(), "#999"]
    assert len(pieces) == 28 + 40 + 52


def test_a_broken_stream_is_mended_and_the_open_turn_asked_again(serve, bot):
    """By the real server, which holds nothing against the bot."""
    server = serve()
    first, second = server.create(DUEL, "m")
    mended = start(bot("await run((turn) => (console.log(turn.turnId), turn.legal[0]));"), server.address, first)
    count = 0

    def choose(turn):
        nonlocal count
        count += 1
        if count in {1, 2, 5}:
            server.cut("m")
        return turn.legal[0]

    run(choose, address=server.address, token=second)
    status, out, err = end(mended)
    assert (status, err) == (0, "")
    assert out
    events = server.log("m")
    assert {event["by"] for event in events if event["event"] == "action"} <= {"bot", "forced"}
    assert sum(event["event"] == "seat_joined" for event in events) > 2


def test_a_broken_stream_in_a_turn(script):
    """Joined again with the same token; the turn is answered on the new stream; growing pauses lie between."""

    def broken(requests, context):
        yield from seated(requests)
        yield [turn_of(3, "6-6")]
        next(requests)
        context.abort(grpc.StatusCode.UNAVAILABLE, "going away")

    def hopeless(requests, context):
        next(requests)
        context.abort(grpc.StatusCode.UNAVAILABLE, "still away")

    def whole(requests, context):
        yield from seated(requests)
        yield [turn_of(3, "6-6")]
        next(requests)
        yield [ENDED, OVER]

    server = script(broken, hopeless, hopeless, whole)
    assert end(start(FIRST_LEGAL_BOT, server.address, "secret")) == (0, "", "")
    joins = [request.join for request in server.heard if request.HasField("join")]
    assert [join.token for join in joins] == ["secret"] * 4
    assert {join.client for join in joins} == {"referee-bot-typescript 0.1.0"}
    assert [(answer.turn_id, answer.index) for answer in server.answers()] == [(3, 0), (3, 0)]


def test_match_after_match(script):
    """As long as the referee says to join again."""

    def match(last):
        def stream(requests, context):
            yield from seated(requests)
            yield [ENDED, OVER if last else AGAIN]

        return stream

    server = script(match(False), match(False), match(True))
    assert end(start(FIRST_LEGAL_BOT, server.address, "t")) == (0, "", "")
    assert [request.WhichOneof("request") for request in server.heard] == ["join", "ready"] * 3


def test_what_is_unknown_is_skipped(script):
    """Events, action kinds, numbers of enums and fields of a later protocol; and zeros are values."""
    unknown_field = b"\xfa\x7f\x03new"  # field 2047
    unknown_event = b"\x0a" + bytes([len(unknown_field)]) + unknown_field
    unknown_kind = table_pb2.Action.FromString(unknown_field)
    turn = play_pb2.Turn(
        turn_id=1,
        legal=[unknown_kind, unknown_kind, unknown_kind],
        view=table_pb2.View(
            seat=0,
            pieces=[table_pb2.PIECE_TILE_0_0, 500],
            drawn=500,
            line=table_pb2.Line(left_end=0, spinner=500),
            history=table_pb2.History(seats=[0, 0], kinds=[1, 9], pieces=[500, 0], arms=[7, 0]),
        ),
    )

    def stream(requests, context):
        next(requests)
        yield unknown_event
        yield encode([JOINED, STARTED]) + unknown_event + unknown_field
        next(requests)
        yield [turn]
        next(requests)
        yield [turn_of(2, "0-0 left")]
        next(requests)
        yield [
            play_pb2.HandEnded(reason=99),
            fault_pb2.Refusal(turn_id=2, code="new_code", message="new", remedy=99),
            play_pb2.Closed(reason=99, message="bye"),
        ]

    server = script(stream)
    assert end(start(FIRST_LEGAL_BOT, server.address, "t")) == (0, "", "bot: refused: new\nbot: bye\n")
    assert [answer.index for answer in server.answers()] == [0, 0]
    assert all(answer.HasField("index") for answer in server.answers())


def test_an_unknown_action_is_chosen_by_its_place(script, bot):
    """Even where its text says nothing."""

    def stream(requests, context):
        yield from seated(requests)
        yield [turn_of(1, "", "", "")]
        next(requests)
        yield [ENDED, OVER]

    server = script(stream)
    code = "await run((turn) => (console.log(turn.legal[2].kind), turn.legal[2]));"
    assert end(start(bot(code), server.address, "t")) == (0, "other\n", "")
    assert [answer.index for answer in server.answers()] == [2]


def test_a_refused_choice_is_asked_again(script, bot):
    """With the reason, if the referee waits for another answer; an action that is not in the list goes as text."""

    def stream(requests, context):
        yield from seated(requests)
        yield [turn_of(1, "6-6", "pass")]
        next(requests)
        yield [fault_pb2.Refusal(turn_id=1, message="not yours", remedy=fault_pb2.REMEDY_ASK_AGAIN)]
        next(requests)
        yield [fault_pb2.Refusal(turn_id=1, message="too late", remedy=fault_pb2.REMEDY_IGNORE)]
        yield [fault_pb2.Refusal(turn_id=7, message="which", remedy=fault_pb2.REMEDY_ASK_AGAIN)]
        yield [fault_pb2.Fault(seat=0, message="yours"), fault_pb2.Fault(seat=1, message="not yours"), ENDED, OVER]

    server = script(stream)
    code = """await run(async (turn) => ({ notation: turn.refusal === "not yours" ? "pass" : "5-5 left" }));"""
    told = "bot: refused: not yours\nbot: refused: too late\nbot: refused: which\nbot: fault: yours\n"
    assert end(start(bot(code), server.address, "t")) == (0, "", told)
    first, second = server.answers()
    assert first.action.notation == "5-5 left"
    assert second.index == 1


def test_an_unknown_token(serve):
    """The referee's message, on standard error."""
    status, _, err = end(start(FIRST_LEGAL_BOT, serve().address, "nobody's"))
    assert status == 1
    assert "RefusedError: unknown token" in err


def test_a_call_that_can_never_succeed(script):
    """It is not tried again."""

    def stream(requests, context):
        yield from ()
        context.abort(grpc.StatusCode.UNIMPLEMENTED, "no such thing")

    status, _, err = end(start(FIRST_LEGAL_BOT, script(stream).address, "t"))
    assert status == 1
    assert "RefusedError: UNIMPLEMENTED: no such thing" in err


def test_no_address_and_no_token():
    """The error names the variable."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("REFEREE_")}
    for known, wanted in (({}, "REFEREE_ADDRESS"), ({"REFEREE_ADDRESS": "x:1"}, "REFEREE_TOKEN")):
        ended = subprocess.run(
            ["node", FIRST_LEGAL_BOT], env=environment | known, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 1
        assert f"set the environment variable {wanted}" in ended.stderr


def test_an_error_in_the_bot_ends_it(script, bot):
    """Its own error, and a forgotten `return`."""

    def stream(requests, context):
        yield from seated(requests)
        yield [turn_of(1, "6-6")]
        yield from (next(requests) for _ in ())
        threading.Event().wait(0.5)

    server = script(stream, stream)
    status, _, err = end(start(bot('await run(() => { throw new Error("my own"); });'), server.address, "t"))
    assert (status, "Error: my own" in err) == (1, True)
    status, _, err = end(start(bot("await run(() => {});"), server.address, "t"))
    assert (status, "must give an action: one of turn.legal" in err) == (1, True)


def test_events_are_told_before_the_bot_is_ready(script, bot):
    """So that it may load what its match needs, and take its time."""
    loaded = []

    def stream(requests, context):
        next(requests)
        begun = time.monotonic()
        yield [JOINED, STARTED]
        next(requests)
        loaded.append(time.monotonic() - begun)
        yield [ENDED, OVER]

    code = """
    const onEvent = async (event) => {
      console.log(event.case);
      if (event.case === "matchStarted") await new Promise((done) => setTimeout(done, 300));
    };
    await run((turn) => turn.legal[0], { version: "7", onEvent });
    """
    server = script(stream)
    assert end(start(bot(code), server.address, "t")) == (0, "joined\nmatchStarted\nmatchEnded\nclosed\n", "")
    assert loaded[0] >= 0.29
    assert server.heard[0].join.version == "7"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_bot_that_was_started_before_the_server(serve, host):
    """It keeps knocking for a while."""
    server = serve()
    address = server.address
    port = address.rpartition(":")[2]
    server.do(server.referee.stop())
    bot = start(FIRST_LEGAL_BOT, f"{host}:{port}", "x")
    time.sleep(2)
    assert bot.poll() is None
    serve(address)
    begun = time.monotonic()
    status, _, err = end(bot)
    assert (status, "RefusedError: unknown token" in err) == (1, True)
    assert time.monotonic() - begun < 5


@pytest.mark.slow
def test_a_server_that_does_not_come_back(script):
    """After 20 seconds: an error, but none if the match had ended."""

    def stream(ended):
        def play(requests, context):
            yield from seated(requests)
            if ended:
                yield [ENDED]
            context.abort(grpc.StatusCode.UNAVAILABLE, "going away")

        return play

    begun = time.monotonic()
    bots = []
    for ended in (False, True):
        server = script(stream(ended))
        bots.append(start(FIRST_LEGAL_BOT, server.address, "t"))
        while len(server.heard) < 2:
            time.sleep(0.01)
        server.close()
    status, _, err = end(bots[0])
    assert (status, "LostError: no referee at 127.0.0.1:" in err) == (1, True)
    assert end(bots[1]) == (0, "", "")
    assert 19 < time.monotonic() - begun < 30


def test_it_starts_fast(script, record_property):
    """From nothing to Join in less than a second."""

    def stream(requests, context):
        next(requests)
        yield [OVER]

    took = []
    for _ in range(5):
        server = script(stream)
        begun = time.monotonic()
        end(start(FIRST_LEGAL_BOT, server.address, "t"))
        took.append(server.times[0] - begun)
    record_property("seconds to join", min(took))
    print(f"from start to Join: {min(took):.3f} s")
    assert min(took) < 1
