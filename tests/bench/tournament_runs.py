"""Tournaments as a whole: 1,000 matches between bots in processes of their own, and the memory of 100,000 planned.

Run as ``python -m tests.bench.tournament_runs``.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.harness import ROOT, Row, serving
from tests.bench.turns import Client, recorded
from tournaments.course import course_of
from tournaments.result import MatchResult
from tournaments.schedule import Schedule
from tournaments.spec import parse
from tournaments.standings import Standings

MATCHES = 1_000
PLANNED = 100_000
GOAL_S = 180
GOAL_MB = 300

_HEAD = 'name = "bench"\ngame = "domino-classico"\ntable = 2\n'
_BOT = "from referee_bot import run\nrun(lambda turn: turn.legal[0])\n"


def run_matches(matches: int = MATCHES, workers: int = 2) -> tuple[float, int]:
    """Play a tournament between two kept Python bots.

    Returns:
        How long it took (s), and how many turns the bots answered.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bot.py").write_text(_BOT)
        entrants = "".join(f'[[entrants]]\nname = "{bot}"\ncommand = ["{{python}}", "bot.py"]\n' for bot in "ab")
        (folder / "cup.toml").write_text(f"{_HEAD}deals = {matches // 2}\n{entrants}")
        command = [sys.executable, "-m", "referee.cli.main", "tournament", "run", str(folder / "cup.toml")]
        paths = os.pathsep.join([str(ROOT), str(ROOT / "clients" / "python")])
        begun = time.perf_counter()
        subprocess.run(
            [*command, "--out", str(folder / "out"), "--workers", str(workers)],
            check=True, env=os.environ | {"PYTHONPATH": paths}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        took = time.perf_counter() - begun
        logs = list((folder / "out" / "matches").iterdir())
        assert len(logs) == matches
        return took, sum(log.read_bytes().count(b'"by":"bot"') for log in logs)


def echoed(turns: int) -> float:
    """How long a bare echo takes for so many turns of one client (s); measured over 2,000."""
    with serving("tests.bench.echo_server", recorded().hex()) as (_, address):
        client = Client(address, "")
        client.turns(200)
        return sum(client.turns(2_000)) / 2_000 * turns


def memory_mb(keys: str, matches: int = PLANNED) -> float:
    """The peak of resident memory (MiB) of what a runner keeps of a tournament whose matches are all played."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_keep, (keys, matches))


def _keep(keys: str, matches: int) -> float:
    entrants = "".join(f'[[entrants]]\nname = "e{bot}"\nbuiltin = "medium"\n' for bot in range(11))
    spec = parse(f"{_HEAD}deals = {matches // 110}\n{keys}\n{entrants}")
    schedule = Schedule.of(spec)
    course = course_of(spec, schedule)
    standings = Standings.of(spec, schedule, {entrant.name: "id" for entrant in spec.entrants})
    for wave in course.waves():
        for number, sitting in enumerate(wave):
            for planned in sitting:
                result = MatchResult(planned.id, number, planned.seats, (0, 1), (1, 2) if number % 3 else (2, 1))
                standings.add(result)
                course.add(result)
    standings.look(course.outlook())
    assert standings.to_json()["matches_played"] == schedule.total() >= matches - 110
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def rows() -> list[Row]:
    """The rows of this benchmark."""
    took, turns = run_matches()
    echo = echoed(turns) / 2
    found = [
        Row(
            f"{MATCHES:,} matches of two kept Python bots, 2 workers",
            f"{took:.0f} s",
            f"its {turns:,} turns over a bare echo, by two {echo:.0f} s",
            took / echo,
            f"< {GOAL_S} s",
            took < GOAL_S,
        )
    ]
    for name, keys in {"": "", ", disqualify": "disqualify = { fault_rate = 0.2 }"}.items():
        used = memory_mb(keys)
        figure = f"runner's memory, {PLANNED:,} matches{name}"
        found.append(Row(figure, f"{used:.0f} MiB", "", None, f"< {GOAL_MB} MB", used < GOAL_MB))
    return found


def main() -> None:
    """Print the rows."""
    for row in rows():
        print(f"{row.figure}: {row.value} (goal {row.goal}: {'reached' if row.reached else 'missed'}) {row.yardstick}")


if __name__ == "__main__":
    main()
