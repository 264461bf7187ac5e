"""One tournament of two built-in bots in a process of its own, as the command runs it, or its matches alone.

The arguments are the game, its format as JSON, how many matches, and perhaps one more. With a share of them, such as
``0/2``, for every line of the input that share is played here, without a tournament about it, and a line says how long
that took (s). Else two workers play all, and a line says how long that took (s), how long from the first result to the
last (s), and the largest memory (KiB); with ``report``, also how long the report takes (s) and the largest memory then.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

from tests.bench.harness import answer
from tournaments.executors import Processes
from tournaments.folder import State, begin, locked
from tournaments.player import Player
from tournaments.report import write_report
from tournaments.runner import Runner
from tournaments.schedule import PlannedMatch, Schedule
from tournaments.spec import TournamentSpec, load

WORKERS = 2


def tournament(folder: Path, game: str, form: str, matches: int) -> TournamentSpec:
    """A tournament of so many matches: each of its deal sets is two, with the seats swapped."""
    pairs = ", ".join(f"{key} = {json.dumps(value)}" for key, value in json.loads(form).items())
    file = folder / "bench.toml"
    file.write_text(
        f'name = "bench"\ngame = "{game}"\ntable = 2\nformat = {{ {pairs} }}\ndeals = {matches // 2}\n'
        '[[entrants]]\nname = "first"\nbuiltin = "beginner"\n[[entrants]]\nname = "second"\nbuiltin = "beginner"\n'
    )
    return load(file)


def share(folder: Path, state: State, part: int, parts: int) -> float:
    """Play a share of the matches here; how long it took."""
    schedule = Schedule.of(state.spec, state.layers)
    mine = list(islice(schedule, part * schedule.total() // parts, (part + 1) * schedule.total() // parts))
    player = Player(state.setting(folder))

    async def play(planned: list[PlannedMatch]) -> None:
        for one in planned:
            await player.play(one)

    begun = time.perf_counter()
    asyncio.run(play(mine))
    return time.perf_counter() - begun


def peak_kib() -> int:
    """The largest memory that this process has had."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


def main() -> None:
    """Play."""
    game, form, matches, *more = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        spec = tournament(folder, game, form, int(matches))
        out = folder / "out"
        with locked(out):
            state = begin(out, spec, folder, "bench.toml")
            if more and more != ["report"]:
                part, _, of = more[0].partition("/")
                answer(lambda _: [share(out, state, int(part), int(of))])
                return
            came: list[float] = []
            executor = Processes(state.setting(out), WORKERS)
            runner = Runner(state, out, executor=executor, on_result=lambda _: came.append(time.perf_counter()))
            begun = time.perf_counter()
            asyncio.run(runner.run())
            found = [time.perf_counter() - begun, came[-1] - came[0], peak_kib()]
            if more:
                begun = time.perf_counter()
                write_report(out, state)
                found += [time.perf_counter() - begun, peak_kib()]
            print(*found, flush=True)


if __name__ == "__main__":
    main()
