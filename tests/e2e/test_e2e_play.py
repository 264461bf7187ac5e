"""`referee play` as users run it, with real bot processes that do well and badly."""

import json
import signal
import socket
import subprocess
import sys

import grpc
import pytest
from e2e_kit import ENVIRONMENT, EXAMPLES, Running, bot, checked, referee, script
from support.processes import ended, line, mouth

from referee.rules.registry import GAMES
from referee.v1 import match_pb2, match_pb2_grpc

SEED = "5e" * 32
TABLES = [(game.id, players) for game in GAMES.values() for players in sorted({game.players[0], game.players[-1]})]
SHORT = {
    "domino-belga": ["--set", "format.target=20"],
    "domino-a-carte": ["--set", "format.kind=single"],
    "domino-duplas": ["--set", "format.kind=single"],
}
CLOCK = ["--set", "clock.move_ms=20000"]


def _short(game):
    kinds = {spec.kind for spec in GAMES[game].formats}
    return ["--set", "format.kind=single"] if "single" in kinds else SHORT.get(game, [])


FAULTY = """
from referee_bot import Action, run
asked = 0
def choose(turn):
    global asked
    asked += 1
    if asked == 1:
        return Action.of("banana")
    if asked == 3:
        raise ValueError("oops \\x1b[2J")
    return turn.legal[0]
run(choose)
"""


def _play(tmp_path, *seats, game="domino-classico", words=()):
    log = tmp_path / "match.jsonl"
    done = referee("play", game, "--seats", ",".join(seats), "--log", str(log), "--json", *words, cwd=tmp_path)
    return done, log


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_built_in_bots_play_every_game(tmp_path, game, players):
    """Every game, at its smallest and its largest table: exit status 0, and a log that verifies."""
    done, log = _play(tmp_path, *["beginner", "medium"] * (players // 2), *["beginner"] * (players % 2), game=game)
    assert done.returncode == 0, done.stderr
    events = checked(log)
    assert len(events[0]["seats"]) == players
    assert json.loads(done.stdout)["places"] == events[-1]["places"]


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_bot_processes_play_every_game(tmp_path, game, players):
    """The SDK's example bots play every game over the wire without a fault."""
    examples = ["random_bot", "first_legal_bot", "follow_up_bot"]
    seats = [bot(examples[seat % 3]) for seat in range(players)]
    done, log = _play(tmp_path, *seats, game=game, words=[*_short(game), *CLOCK, "--seed", SEED])
    assert done.returncode == 0, done.stderr
    events = checked(log)
    assert events[-1]["reason"] == "completed"
    assert events[-1]["seed"] == SEED
    assert not [event for event in events if event["event"] in {"fault", "rejected"}]
    assert {event["by"] for event in events if event["event"] == "action"} <= {"bot", "forced"}


def test_nobody_else_creates_matches_where_one_is_played(tmp_path):
    """Who can reach the address of `play` may dial in with a token, and nothing more."""
    running = Running("play", "domino-classico", "--seats", "remote,medium", cwd=tmp_path)
    try:
        address = running.line(r"REFEREE_ADDRESS=(\S+)")[1]
        seats = [match_pb2.SeatRequest(builtin="beginner")] * 2
        request = match_pb2.CreateMatchRequest(game="domino-classico", seats=seats)
        with grpc.insecure_channel(address) as channel, pytest.raises(grpc.RpcError) as refused:
            match_pb2_grpc.MatchServiceStub(channel).CreateMatch(request, timeout=20)
        assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED
    finally:
        running.close()


def test_remote_seats_wait_for_bots_that_dial_in(tmp_path):
    """The address and the token of a remote seat are printed, and are all that a bot needs."""
    log = tmp_path / "match.jsonl"
    words = ["--seats", "remote,remote", "--log", str(log), *_short("domino-classico"), *CLOCK]
    running = Running("play", "domino-classico", *words, cwd=tmp_path)
    bots = []
    try:
        for _ in range(2):
            address, token = running.line(r"REFEREE_ADDRESS=(\S+) REFEREE_TOKEN=(\S+)").groups()
            environment = {**ENVIRONMENT, "REFEREE_ADDRESS": address, "REFEREE_TOKEN": token}
            command = [sys.executable, str(EXAMPLES / "first_legal_bot.py")]
            bots.append(subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True))
        status, out, err = running.end()
        assert status == 0, err
        assert "completed" in out
        assert [one.wait(20) for one in bots] == [0, 0]
        assert token not in log.read_text()
        checked(log)
    finally:
        running.close()
        for one in bots:
            one.kill()
            one.communicate()


@pytest.mark.parametrize(
    ("seat", "word"),
    [
        ("cmd:/nowhere/no-such-bot", "'/nowhere/no-such-bot' is no program that can be executed"),
        ("cmd:/etc/hostname", "cannot be started"),
        ("cmd:sh bots/none.py", "'bots/none.py' is not there; files are looked for from"),
        ("cmd:", "its command is empty"),
        ("cmd:python 'x", "quot"),
        ("beginer", "did you mean 'beginner'"),
    ],
)
def test_a_bot_that_cannot_be_started_is_said_in_one_line(tmp_path, seat, word):
    """Exit status 2, one line that names the bot and why, no traceback, nothing left running."""
    done = referee("play", "domino-classico", "--seats", f"{seat},beginner", cwd=tmp_path)
    assert done.returncode == 2
    assert word in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.stdout + done.stderr


ENDS = ["pass", "raise SystemExit(3)", "import os; os.kill(os.getpid(), 9)", "import os; os.kill(os.getpid(), 35)"]


@pytest.mark.parametrize("code", ENDS)
def test_a_bot_that_ends_at_once_forfeits_at_once(tmp_path, code):
    """A process that ends before it has joined has crashed; nobody waits for its time to run out."""
    done, log = _play(tmp_path, script(tmp_path, code), "beginner", words=["--set", "clock.join_ms=25000"])
    assert done.returncode == 0, done.stderr
    events = checked(log)
    assert [event["kind"] for event in events if event["event"] == "fault"] == ["crashed"]
    assert events[-1]["reason"] == "forfeit"
    assert events[-1]["places"] == [2, 1]
    assert "Traceback" not in done.stderr


NOISY = """
import sys
from referee_bot import run
print("x" * 5_000_000)
print("\\x1b[2J" * 1000, file=sys.stderr)
def choose(turn):
    print("thinking " * 10_000)
    return turn.legal[0]
run(choose)
"""


def test_what_a_bot_prints_goes_to_its_own_file(tmp_path):
    """A bot may print as much as it likes; nothing of it reaches the referee's output."""
    seat = script(tmp_path, NOISY)
    done, log = _play(tmp_path, seat, "beginner", words=[*_short("domino-classico"), *CLOCK])
    assert done.returncode == 0, done.stderr
    assert checked(log)[-1]["reason"] == "completed"
    assert "thinking" not in done.stdout + done.stderr
    (output,) = tmp_path.glob("*.out")
    assert output.stat().st_size > 5_000_000


SUICIDAL = """
import os, signal
from referee_bot import run
def choose(turn):
    if turn.turn_id > 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return turn.legal[0]
run(choose)
"""


@pytest.mark.parametrize("others", [1, 2])
def test_a_bot_that_is_killed_in_the_middle_forfeits(tmp_path, others):
    """Killed in its turn: crashed. A duel is over; a match of three is played on by the stand-in."""
    seats = [script(tmp_path, SUICIDAL), *["beginner"] * others]
    done, log = _play(tmp_path, *seats, game="domino-classico", words=CLOCK)
    assert done.returncode == 0, done.stderr
    events = checked(log)
    (fault,) = [event for event in events if event["event"] == "fault"]
    assert fault["kind"] == "crashed"
    assert "SIGKILL" in fault["detail"]
    assert events[-1]["reason"] == ("forfeit" if others == 1 else "completed")
    by = {event["by"] for event in events if event["event"] == "action" and event["seat"] == 0}
    assert ("forfeit" in by) == (others == 2)


STUBBORN = """
import os, pathlib, signal, subprocess, sys, time
from referee_bot import run
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
def choose(turn):
    pathlib.Path("pids").write_text(f"{os.getpid()} {child.pid}\\n")
    time.sleep(600)
run(choose)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_no_bot_outlives_play(tmp_path, number):
    """However `play` ends, SIGKILL included, its bots and what they started end with it."""
    log = tmp_path / "match.jsonl"
    seats = f"{script(tmp_path, STUBBORN)},beginner"
    with mouth(tmp_path / "pids") as said:
        running = Running("play", "domino-classico", "--seats", seats, "--log", str(log), *CLOCK, cwd=tmp_path)
        try:
            pids = [int(pid) for pid in line(said).split()]
            running.process.send_signal(number)
            _, _, err = running.end()
            assert all(ended(pid) for pid in pids)
            assert "Traceback" not in err
            if number == signal.SIGINT:
                assert running.process.returncode == 130
                assert checked(log)[-1]["reason"] == "aborted"
        finally:
            running.close()


def test_bots_end_with_a_match_that_ends_well(tmp_path):
    """A bot that does not end by itself when its match is over is ended, with what it started."""
    text = STUBBORN.replace(
        "    time.sleep(600)\nrun(choose)", "    return turn.legal[0]\nrun(choose)\ntime.sleep(600)"
    )
    done, log = _play(tmp_path, script(tmp_path, text), "beginner", words=[*_short("domino-classico"), *CLOCK])
    assert done.returncode == 0, done.stderr
    checked(log)
    assert all(ended(int(pid), 2.0) for pid in (tmp_path / "pids").read_text().split())


def test_a_log_that_cannot_be_written_is_said_in_one_line(tmp_path):
    """A folder that is not there, a disk that is full: exit status 2 and no traceback."""
    for path in (tmp_path / "no" / "match.jsonl", "/dev/full"):
        done = referee("play", "domino-classico", "--seats", "beginner,beginner", "--log", str(path))
        assert done.returncode == 2
        assert "Traceback" not in done.stdout + done.stderr
        assert f"--log {path}: " in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1


def test_a_port_that_is_taken_is_said_in_one_line(tmp_path):
    """`play --listen` on a port in use: exit status 2 and one line."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = f"127.0.0.1:{taken.getsockname()[1]}"
        done = referee("play", "domino-classico", "--seats", "beginner,beginner", "--listen", listen)
    assert done.returncode == 2
    assert done.stderr.startswith(f"referee: --listen: cannot listen on {listen}")
    assert len(done.stderr.strip().splitlines()) == 1


def test_what_went_wrong_is_said_at_the_end(tmp_path):
    """Who did what and who forfeited, where the bot's output is, and its end; a seat without a fault has no line."""
    words = ("--seats", f"{script(tmp_path, FAULTY)},beginner", *CLOCK)
    kept = referee("play", "domino-classico", *words, "--log", "crash.jsonl", cwd=tmp_path)
    assert kept.returncode == 0, kept.stderr
    assert "bot.py: 1 unreadable answer, crashed (its process ended with status 1); forfeited (" in kept.stdout
    lines = len((tmp_path / "crash-seat0.out").read_text().splitlines())
    assert f"seat 0 printed {lines} lines: crash-seat0.out\n" in kept.stdout
    assert "  | ValueError: oops \\x1b[2J\n" in kept.stdout
    assert kept.stdout.count("  | ") == 10
    assert "seat 1" not in kept.stdout
    assert "--log FILE" not in kept.stdout
    lost = referee("play", "domino-classico", *words, cwd=tmp_path)
    assert "--log FILE keeps" in lost.stdout
    told = json.loads(referee("play", "domino-classico", *words, "--json", cwd=tmp_path).stdout)
    assert told["names"] == ["bot.py", "beginner"]
    assert told["faults"] == [{"seat": 0, "counts": {"malformed": 1, "crashed": 1}, "forfeited": "crashed"}]
    assert told["log"] is None


def test_who_never_came_is_said(tmp_path):
    """A remote seat that stays empty."""
    words = ("--seats", "remote,beginner", "--set", "clock.join_ms=100")
    done = referee("play", "domino-classico", *words, cwd=tmp_path)
    assert "seat 0, remote 0: never came; forfeited\n" in done.stdout


def test_a_log_that_exists_is_not_lost(tmp_path):
    """Refused with one line, before anything is played; replaced where that was asked for."""
    done, log = _play(tmp_path, "beginner", "beginner")
    before = log.read_bytes()
    for wrong in ("beginer", "cmd:sh none.sh", "cmd:none"):
        done, _ = _play(tmp_path, wrong, "beginner", words=["--overwrite"])
        assert done.returncode == 2
    done, _ = _play(tmp_path, "beginner", "beginner")
    assert done.returncode == 2
    assert done.stderr == f"referee: --log {log}: {log} exists; give another name, or --overwrite\n"
    assert log.read_bytes() == before
    done, _ = _play(tmp_path, "beginner", "beginner", words=["--overwrite"])
    assert done.returncode == 0
    assert len(checked(log)) > 1
    assert log.read_bytes() != before


def test_a_bot_that_cannot_be_started_leaves_no_files(tmp_path):
    """The next try needs no other name."""
    done, _ = _play(tmp_path, "cmd:/nowhere/no-such-bot", "beginner")
    assert done.returncode == 2
    assert not list(tmp_path.iterdir())
