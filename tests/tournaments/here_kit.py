"""Tournaments of built-in bots in the process of the test: no server, no workers, nothing to wait for."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from tournaments.folder import State, begin
from tournaments.player import Player, Setting
from tournaments.result import MatchResult
from tournaments.runner import Runner
from tournaments.spec import parse
from tournaments.worker import Played, Work, play_sets

SEED = "5e" * 32


class Here:
    """An executor that plays in this process.

    Args:
        setting: the tournament.
    """

    size = 1

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._player = Player(setting)

    async def play(self, sets: list[Work]) -> Played:
        """Play."""
        results: list[MatchResult] = []
        await play_sets(self._player, self._setting, sets, results.append)
        return Played(results, 1.0)

    async def close(self, at_once: bool) -> None:
        """Nothing is kept."""


def file_of(bots: dict[str, str], rest: str = "", entrant: str = "") -> str:
    """A tournament file: the built-in bot of each entrant by its name, and what else it and each entrant has."""
    lines = ['name = "cup"', 'game = "domino-classico"', "table = 2", 'format = { kind = "single" }']
    lines += [f'seed = "{SEED}"', rest]
    lines += [f'[[entrants]]\nname = "{name}"\nbuiltin = "{bot}"\n{entrant}' for name, bot in bots.items()]
    return "\n".join(lines) + "\n"


def begun(folder: Path, file: str) -> State:
    """A tournament in a folder, begun or gone on with."""
    for part in ("matches", "bots"):
        (folder / part).mkdir(exist_ok=True)
    return begin(folder, parse(file), folder, "cup.toml")


def run_here(folder: Path, file: str, **more: Any) -> Runner:
    """Run a tournament to its end."""
    state = begun(folder, file)
    runner = Runner(state, folder, executor=Here(state.setting(folder)), **more)
    asyncio.run(runner.run())
    return runner
