"""The TypeScript SDK and its examples, built by npm, against the real server and against a scripted one."""

import json
import os
import re
import subprocess
import time

import pytest
from client_kit.scripts import Patience, Scripts, answers, closing, events, opening, turn, unknown
from client_kit.suite import Plays, Probes
from client_kit.tls import Tls
from client_kit.tools import DUEL, ROOT, WAIT_S, Client, absent, alone, flawless, need, tool

from referee.v1 import fault_pb2, play_pb2, table_pb2

CLIENT = ROOT / "clients" / "typescript"
SDK = CLIENT / "dist" / "src" / "index.js"

pytestmark = pytest.mark.timeout(600)


def missing():
    """What of the toolchain is not installed; None if nothing is."""
    if lacking := absent("node", "npm"):
        return f"Node.js 20 or newer with npm: {lacking}"
    version = tool("node", "--version").strip()
    return None if int(version[1:].split(".")[0]) >= 20 else f"Node.js 20 or newer (found {version})"


@pytest.fixture(scope="session")
def client(tmp_path_factory):
    """The client, built once for all of a test run's processes."""
    need("TypeScript", missing())
    base = tmp_path_factory.getbasetemp()
    done = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "typescript-client-built"
    with alone(CLIENT / "package.json"):
        if not done.exists():
            installed, wanted = CLIENT / "node_modules" / ".package-lock.json", CLIENT / "package-lock.json"
            if not installed.exists() or installed.stat().st_mtime < wanted.stat().st_mtime:
                tool("npm", "ci", "--ignore-scripts", folder=CLIENT)
            tool("npm", "run", "build", folder=CLIENT)
            done.touch()
    probe = tmp_path_factory.mktemp("probe") / "probe.mjs"
    probe.write_text(IMPORT + PROBE)
    return Client(
        "typescript",
        {name: ["node", CLIENT / "dist" / "examples" / f"{name}.js"] for name in ("random_bot", "first_legal_bot")},
        probe=["node", probe],
        facts=facts,
        event=lambda name: re.sub("_(.)", lambda found: found[1].upper(), name),
        refusal=lambda words: json.dumps(words, ensure_ascii=False),
        unknown_token="RefusedError: unknown token",
        unset="set the environment variable {}".format,
        unimplemented="RefusedError: UNIMPLEMENTED",
        lost=["LostError: no referee at {}"],
        distrust=("unable to verify the first certificate", "Hostname/IP does not match certificate's altnames"),
        noise=r"^\(node:.*\[DEP0123\].*\n\(Use .*\n",  # Node.js does not like how gRPC names an IP address to TLS
    )


@pytest.fixture
def bot(client, tmp_path):
    """Runs a bot from JavaScript that has `run` and `pieceName`: exit status, output, errors."""

    def run(code, address):
        path = tmp_path / "bot.mjs"
        path.write_text(IMPORT + code)
        ended = client.bot(["node", path], address, "t")
        return ended.returncode, ended.stdout, ended.stderr

    return run


IMPORT = f"import {{ run, pieceName, RefusedError }} from {json.dumps(SDK.as_uri())};\n"

# Every part of a turn but the protocol's own messages, as JSON with sorted keys; undefined is left out.
PROBE = """
const how = process.argv[2];
const sorted = (_, value) =>
  value instanceof Object && !Array.isArray(value)
    ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, value[key]]))
    : value;
const choose = (turn) => {
  const { view, match, ...rest } = turn;
  const { message, format, ...info } = match;
  const told = { ...rest, match: info, kind: format?.kind, viewed: view === turn.view };
  console.log(`${turn.turnId}|${JSON.stringify(told, sorted)}`);
  if (how === "crash") throw new Error("a mistake");
  if (how === "foreign" && turn.turnId < 7 && turn.refusal === undefined) return { notation: "6-6 left" };
  return turn.legal.at(how === "last" ? -1 : 0);
};
await run(choose, { version: "7", onEvent: (event) => console.log(`event ${event.case}`) });
"""


def facts(turn):
    """A turn as the probe says it."""

    def known(parts):
        return {key: value for key, value in parts.items() if value is not None}

    def act(action):
        names = ("notation", "kind", "piece", "arm")
        return known({name: getattr(action, name) for name in names})

    match = turn.match
    told = {
        "turnId": turn.turn_id,
        "legal": [act(action) for action in turn.legal],
        **{name: list(getattr(turn, name)) for name in ("hand", "table", "counts", "points", "totals")},
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
        "refusal": turn.refusal,
        "match": {
            **{name: getattr(match, name) for name in ("id", "game", "options", "seat", "side")},
            "names": list(match.names),
            "sides": list(match.sides),
        },
        "kind": match.format.kind,
        "viewed": True,
    }
    return f"{turn.turn_id}|" + json.dumps(known(told), sort_keys=True, ensure_ascii=False, separators=(",", ":"))


class TestTypeScript(Plays, Probes, Scripts, Patience, Tls):
    """What every client must do."""

    def check_what_was_told(self, told):
        """Of a turn with what nobody knows yet."""
        turn = json.loads("|".join(told)[2:])
        assert turn["hand"] == ["0-0", "#200"]
        assert turn["ends"] == {"left": 0}
        assert "spinner" not in turn
        assert [acted["action"]["kind"] for acted in turn["history"]] == ["play", "other"]
        assert [action["notation"] for action in turn["legal"]][:3] == ["0-0", "9-9 inward", "swap 6-5"]
        assert turn["legal"][3]["kind"] == "other"


def test_the_bot_of_the_readme(client, servers, tmp_path):
    """It is as short as promised, passes the compiler, and plays."""
    [code] = re.findall(r"examples/heavy_bot.ts`:\n\n```ts\n(.*?)```", (CLIENT / "README.md").read_text(), re.DOTALL)
    assert code.count("\n") <= 10
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "domino-referee-bot").symlink_to(CLIENT)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "heavy_bot.ts").write_text(code)
    compiler = [CLIENT / "node_modules" / ".bin" / "tsc", "--strict", "--module", "nodenext", "heavy_bot.ts"]
    subprocess.run([*compiler, "--skipLibCheck", "--target", "es2022"], cwd=tmp_path, check=True, timeout=WAIT_S)
    ended, log = servers().play(DUEL, client.sits("node", tmp_path / "heavy_bot.js"))
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    flawless(log)


def test_every_piece_has_its_notation(bot):
    """The one that the protocol's comments give it."""
    proto = (ROOT / "proto" / "referee" / "v1" / "table.proto").read_text()
    pieces = {int(number): name for name, number in re.findall(r"// `(.+)`\n  PIECE_\w+ = (\d+);", proto)}
    status, out, _ = bot(f"console.log(JSON.stringify({json.dumps(list(pieces))}.concat(999).map(pieceName)))", "x:1")
    assert status == 0
    assert json.loads(out) == [*pieces.values(), "#999"]
    assert len(pieces) == 28 + 40 + 52


def test_a_stream_that_cannot_be_mended_at_once(client, stage):
    """The turn is answered on the new stream, with the same token, however often it breaks until then."""
    heard = []

    def broken(requests):
        yield opening(turn("6-6", turn_id=3))
        heard.append(next(answers(requests)))
        raise ConnectionError

    def hopeless(requests):
        yield from ()
        raise ConnectionError

    def whole(requests):
        yield opening(turn("6-6", turn_id=3), resumed=True)
        heard.append(next(answers(requests)))
        yield closing()

    stage.acts = [broken, hopeless, hopeless, whole]
    ended = client.bot(client.examples["first_legal_bot"], stage.address, "secret")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert [stage.heard.get_nowait()[1].token for _ in range(4)] == ["secret"] * 4
    assert [(answer.turn_id, answer.index) for answer in heard] == [(3, 0), (3, 0)]


def test_match_after_match(client, stage):
    """As long as the referee says to join again."""

    def match(last):
        def act(requests):
            yield opening()
            assert next(requests).HasField("ready")
            yield closing(join_again=not last)
            left.append([*requests])

        return act

    left = []
    stage.acts = [match(False), match(False), match(True)]
    ended = client.bot(client.examples["first_legal_bot"], stage.address, "t")
    assert (ended.returncode, ended.stdout) == (0, "")
    assert stage.heard.qsize() == 3
    assert not any(left)


def test_what_is_new_about_the_end(stage, bot):
    """Reasons that nobody knows; an unknown action is chosen by its place, even where its text says nothing."""
    heard = []
    new = unknown(table_pb2.Action())

    def act(requests):
        yield opening(turn(new, new, new))
        heard.append(next(answers(requests)))
        yield events(turn=turn("0-0 left", turn_id=2))
        heard.append(next(answers(requests)))
        refusal = fault_pb2.Refusal(turn_id=2, code="new_code", message="new", remedy=99)
        closed = play_pb2.Closed(reason=99, message="bye")
        yield events(hand_ended=play_pb2.HandEnded(reason=99), refusal=refusal, closed=closed)

    stage.acts = [act]
    code = "await run((turn) => (console.log(turn.legal.at(-1).kind), turn.legal.at(-1)));"
    assert bot(code, stage.address) == (0, "other\nother\n", "one: refused: new\none: bye\n")
    assert [(answer.HasField("index"), answer.index) for answer in heard] == [(True, 2), (True, 0)]


def test_whose_faults_and_refusals_are_told(stage, bot):
    """The bot's own; another answer is given if the referee waits for one."""
    heard = []

    def act(requests):
        mine = answers(requests)
        yield opening(turn("6-6", "pass"))
        heard.append(next(mine))
        yield events(refusal=fault_pb2.Refusal(turn_id=1, message="not yours", remedy=fault_pb2.REMEDY_ASK_AGAIN))
        heard.append(next(mine))
        yield events(refusal=fault_pb2.Refusal(turn_id=1, message="too late", remedy=fault_pb2.REMEDY_IGNORE))
        yield events(refusal=fault_pb2.Refusal(turn_id=7, message="which", remedy=fault_pb2.REMEDY_ASK_AGAIN))
        yield events(fault=fault_pb2.Fault(seat=0, message="yours"))
        yield events(fault=fault_pb2.Fault(seat=1, message="not yours"))
        yield closing(message="")

    stage.acts = [act]
    code = """await run(async (turn) => ({ notation: turn.refusal === "not yours" ? "pass" : "5-5 left" }));"""
    told = "one: refused: not yours\none: refused: too late\none: refused: which\none: fault: yours\n"
    assert bot(code, stage.address) == (0, "", told)
    assert heard[0].action.notation == "5-5 left"
    assert heard[1].index == 1


def test_a_forgotten_return_ends_the_bot(stage, bot):
    """And says what was to be returned."""
    stage.acts = [lambda requests: iter([opening(turn("6-6"))])]
    status, _, err = bot("await run(() => {});", stage.address)
    assert (status, "must give an action: one of turn.legal" in err) == (1, True)


def test_events_are_told_before_the_bot_is_ready(stage, bot):
    """So that it may load what its match needs, and take its time."""
    loaded = []

    def act(requests):
        begun = time.monotonic()
        yield opening()
        next(requests)
        loaded.append(time.monotonic() - begun)
        yield closing(message="")

    code = """
    const onEvent = async (event) => {
      console.log(event.case);
      if (event.case === "matchStarted") await new Promise((done) => setTimeout(done, 300));
    };
    await run((turn) => turn.legal[0], { version: "7", onEvent });
    """
    stage.acts = [act]
    assert bot(code, stage.address) == (0, "joined\nmatchStarted\nmatchEnded\nclosed\n", "")
    assert loaded[0] >= 0.29
    assert stage.heard.get_nowait()[1].version == "7"
