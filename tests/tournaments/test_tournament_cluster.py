"""A tournament on a dask cluster: a real scheduler and real workers, one of which is killed in the middle."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.match.verify import verify

pytest.importorskip("distributed")

REFEREE = [sys.executable, "-m", "referee.cli.main"]
QUIET = {**os.environ, "DASK_DISTRIBUTED__DASHBOARD__LINK": ""}

FILE = """
name = "on a cluster"
game = "domino-classico"
table = 2
deals = 12
seed = "00000000000000000000000000000000000000000000000000000000000c1u57"
format = { kind = "single" }

[[entrants]]
name = "beginner"
builtin = "beginner"

[[entrants]]
name = "medium"
builtin = "medium"

[[entrants]]
name = "own process"
command = ["{python}", "bot.py"]
""".replace("c1u57", "c1057")

BOT = """
from referee_bot import run
print("hello from a bot", flush=True)
run(lambda turn: turn.legal[0])
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a tournament file and a bot."""
    (tmp_path / "cup.toml").write_text(FILE)
    (tmp_path / "bot.py").write_text(BOT)
    return tmp_path


def dask(*words: str) -> subprocess.Popen[str]:
    """A part of a cluster, in a process group of its own; its log is its standard error."""
    command = [sys.executable, "-m", "distributed.cli." + words[0], *words[1:]]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True, env=QUIET)


def said(process: subprocess.Popen[str], pattern: str) -> str:
    """Read a process's log up to a line that matches, and give what matched."""
    assert process.stderr is not None
    for line in process.stderr:
        if found := re.search(pattern, line):
            return found[1]
    raise AssertionError(f"no {pattern!r}: it ended with {process.wait()}")


@pytest.fixture
def cluster() -> Iterator[tuple[str, list[subprocess.Popen[str]]]]:
    """The address of a scheduler, and its parts: the scheduler and two workers."""
    parts = [dask("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")]
    try:
        address = said(parts[0], r"(tcp://127\.0\.0\.1:\d+)")
        worker = ("dask_worker", address, "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1")
        parts += [dask(*worker), dask(*worker)]
        for worker in parts[1:]:
            said(worker, r"Registered to: +(tcp\S+)")
        yield address, parts
    finally:
        for part in parts:
            os.killpg(part.pid, signal.SIGKILL)
            part.communicate()


def run(folder: Path, out: str, *words: str) -> subprocess.Popen[str]:
    """A run of the tournament."""
    command = [*REFEREE, "tournament", "run", str(folder / "cup.toml"), "--out", str(folder / out), *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.timeout(180)
def test_a_cluster_plays_the_same_tournament_also_when_a_worker_is_lost(
    folder: Path, cluster: tuple[str, list[subprocess.Popen[str]]]
) -> None:
    """Logs and outputs come home, a lost worker's matches are played again, and the standings are one machine's."""
    address, (_, worker, _) = cluster
    away = run(folder, "away", "--executor", "dask", "--scheduler", address)
    matches = folder / "away" / "matches"
    while not (matches.is_dir() and any(matches.iterdir())):
        assert away.poll() is None, away.communicate()[1]
    os.killpg(worker.pid, signal.SIGKILL)
    _, errors = away.communicate(timeout=120)
    assert away.returncode == 0, errors
    home = run(folder, "home", "--workers", "2")
    _, errors = home.communicate(timeout=120)
    assert home.returncode == 0, errors
    assert len(list(matches.iterdir())) == 3 * 12 * 2
    assert all(verify(log).deals_checked for log in matches.iterdir())
    assert "hello from a bot" in (folder / "away" / "bots" / "own process.log").read_text()
    standings = [(folder / out / "standings.json").read_text() for out in ("away", "home")]
    assert standings[0] == standings[1]


@pytest.mark.timeout(180)
def test_a_run_whose_scheduler_is_lost_ends_and_can_be_gone_on_with(
    folder: Path, cluster: tuple[str, list[subprocess.Popen[str]]]
) -> None:
    """Status 1 and no traceback; what came home is kept, and the run after it plays the rest."""
    address, (scheduler, *_) = cluster
    away = run(folder, "away", "--executor", "dask", "--scheduler", address)
    matches = folder / "away" / "matches"
    while not (matches.is_dir() and any(matches.iterdir())):
        assert away.poll() is None, away.communicate()[1]
    os.killpg(scheduler.pid, signal.SIGKILL)
    _, errors = away.communicate(timeout=120)
    assert away.returncode == 1, errors
    assert "Traceback" not in errors
    assert f"the dask scheduler at {address} is lost" in errors
    assert "run it again to go on" in errors
    home = run(folder, "away", "--workers", "2")
    _, errors = home.communicate(timeout=120)
    assert home.returncode == 0, errors
    assert len(list(matches.iterdir())) == 3 * 12 * 2


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--executor", "dask"], "--scheduler"),
        (["--scheduler", "tcp://127.0.0.1:1"], "--scheduler"),
        (["--executor", "dusk"], "did you mean 'dask'"),
    ],
)
def test_an_executor_that_cannot_be_is_refused(folder: Path, words: list[str], problem: str) -> None:
    """One line says what is wrong with the flags, and nothing is played."""
    refused = run(folder, "out", *words)
    _, errors = refused.communicate(timeout=60)
    assert refused.returncode == 2
    assert problem in errors
    assert errors.count("\n") == 1
