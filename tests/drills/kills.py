"""The server is killed with SIGKILL at random moments under load, started again, and loses nothing."""

from __future__ import annotations

import random
import signal
import subprocess
import tempfile
from pathlib import Path

from referee.match.log import read_log
from tests.drills.load import Load, check_all
from tests.drills.row import Row
from tests.drills.server import Server

WAYS = ((("--durability", "process"), 1), (("--durability", "power"), 8), (("--processes", "2"), 8))
"""How the server is started, and what part of the kills it gets."""

A_FOLDER = 25
"""So many kills in one folder: with the matches that are over in it grows the time that a start takes."""


def rows(full: bool) -> list[Row]:
    """The rows of this drill."""
    kills = 200 if full else 4
    return [drill(max(1, kills // share), 8 if full else 4, *words) for words, share in WAYS]


def drill(kills: int, matches: int, *words: str) -> Row:
    """Kill servers that were started so, as often as said, while so many matches are played at any time."""
    actions = count = resumed = 0
    slowest_s = 0.0
    for begun in range(0, kills, A_FOLDER):
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "data"
            played, start_s = killed(data, min(A_FOLDER, kills - begun), matches, *words)
            slowest_s = max(slowest_s, start_s)
            actions += check_all(data, played.played)
            logs = [read_log(data / f"{match.id}.jsonl") for match in played.played]
            count += len(logs)
            resumed += sum(event["event"] == "resumed" for log in logs for event in log)
    assert resumed, "no match was under way at any kill"
    done = f"{kills} kills, {count} matches, {resumed} times resumed"
    figure = f"{actions} acknowledged actions, 0 lost; 0 results changed; slowest start {slowest_s:.1f} s"
    return Row(f"kill -9 under load, {' '.join(words)}", done, figure, "0 lost, 0 changed", True)


def killed(data: Path, kills: int, matches: int, *words: str) -> tuple[Load, float]:
    """Let a server run under load, killed so often; the load, all its matches over, and the slowest start (s)."""
    chance = random.Random(kills)
    server = Server(data, *words)
    slowest_s = server.start()
    load = Load(server.address, matches)
    try:
        load.until(1)
        for number in range(kills):
            assert server.process is not None
            if number % 2:
                load.all_back()
            try:
                server.process.wait(chance.uniform(0.02, 0.5))
                raise AssertionError("the server has ended by itself")
            except subprocess.TimeoutExpired:
                server.kill()
                load.killed()
            slowest_s = max(slowest_s, server.start())
        load.finish()
        server.kill(signal.SIGTERM)
    finally:
        load.stop()
        server.close()
    return load, slowest_s
