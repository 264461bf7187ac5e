"""The Rust client builds with Cargo alone and plays against the real server."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from client_kit.suite import Plays, Probes
from client_kit.tls import Tls
from client_kit.tools import CLEAN, DUEL, ROOT, Client, absent, alone, flawless, need, parts, tool

CLIENT = ROOT / "clients" / "rust"
TARGET = CLIENT / "target"
LOCK = TARGET / ".lock-of-tests"
BUILD = {"CARGO_BUILD_JOBS": "2"} | CLEAN | {"CARGO_TARGET_DIR": str(TARGET), "CARGO_TERM_COLOR": "never"}

pytestmark = pytest.mark.timeout(900)  # the first build compiles gRPC


def cargo(*arguments, folder=CLIENT, **environment):
    """Run Cargo; what it prints is what the failure says."""
    tool("cargo", *arguments, folder=folder, environment=BUILD | environment)


@pytest.fixture(scope="session")
def examples():
    """The commands of the bots, built as the README says."""
    need("Rust", absent("cargo", "rustc"))
    with alone(LOCK):
        cargo("build", "--locked", "--manifest-path", "clients/rust/Cargo.toml", "--examples", folder=ROOT)
    return {name: [TARGET / "debug" / "examples" / name] for name in ("random_bot", "first_legal_bot")}


@pytest.fixture(scope="session")
def own(examples, tmp_path_factory):
    """The folder with bots of a crate of one's own: the README's, and the test's."""
    crate = tmp_path_factory.mktemp("own") / "own_bot"
    cargo("new", "--vcs", "none", crate)
    cargo("add", "--offline", "domino-referee-bot", "--path", CLIENT, folder=crate)
    shutil.copy(CLIENT / "Cargo.lock", crate)  # what is there already will do
    readme = (CLIENT / "README.md").read_text()
    (crate / "src" / "main.rs").write_text(re.search(r"```rust\n(.*?)```", readme, re.DOTALL)[1])
    (crate / "src" / "bin").mkdir()
    shutil.copy(Path(__file__).with_name("probe_bot.rs"), crate / "src" / "bin")
    with alone(LOCK):
        cargo("build", "--offline", folder=crate)
        for bot in ("own_bot", "probe_bot"):
            shutil.copy(TARGET / "debug" / bot, crate)
    return crate


@pytest.fixture(scope="session")
def client(examples, own):
    """The client, with the test's bot as its probe."""
    return Client(
        "rust",
        examples,
        probe=[own / "probe_bot"],
        chooses=((), lambda turn: turn.legal[len(turn.legal) // 2]),
        facts=facts,
        event=lambda name: name.title().replace("_", ""),
        refusal=lambda words: f"|{json.dumps([words], ensure_ascii=False)}|",
        distrust=("invalid peer certificate: ", 'certificate not valid for name "127.0.0.1"'),
    )


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


class TestRust(Plays, Probes, Tls):
    """What every client must do."""


def test_the_bot_of_the_readme(client, own, servers):
    """It builds as a crate of its own, and plays."""
    ended, log = servers().play(DUEL, client.sits(own / "own_bot"))
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    flawless(log)


def test_its_own_tests(client):
    """They play against a referee that does what the real one rarely does."""
    with alone(LOCK):
        cargo("test", "--locked")


@pytest.mark.skipif(
    absent("rustfmt", "cargo-fmt", "cargo-clippy") is not None and not os.environ.get("CI"),
    reason="no rustfmt or Clippy on the PATH",
)
def test_formatted_linted_and_documented(client):
    """What Rust's own tools say, by rustfmt.toml and Cargo.toml."""
    with alone(LOCK):
        cargo("fmt", "--check")
        cargo("clippy", "--locked", "--all-targets", "--", "-D", "warnings")
        cargo("doc", "--locked", "--no-deps", RUSTDOCFLAGS="-D warnings")


@pytest.mark.skipif(not os.environ.get("CI"), reason="compiles all once more: only where CI is set")
def test_what_the_registry_would_get(client):
    """It builds from nothing but the package."""
    with alone(LOCK):
        cargo("package", "--locked", "--allow-dirty")
