"""Logs of matches that random bots played."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from referee.cli.main import main
from referee.match.clock import ClockSpec
from referee.match.deal import commitment
from referee.match.events import MatchSpec
from referee.match.fold import Match
from referee.match.log import MatchLog
from referee.rules.registry import find_game, resolve_format, resolve_options

NAMES = ("ana", "béa", "carlos", "dona", "emil", "fay", "gil", "hana")


def write_log(
    path: Path,
    game_name: str,
    players: int,
    seed: int = 1,
    *,
    format: dict[str, Any] | None = None,
    names: tuple[str, ...] = NAMES,
    withheld: bool = False,
    turns: int = 100_000,
    notes: dict[int, dict[str, Any]] | None = None,
    match_id: str = "",
) -> Match:
    """Write the log of a match of random bots; it ends after ``turns``. ``notes``: events before a turn."""
    rng = random.Random(seed)
    secret = rng.randbytes(32)
    game, preset = find_game(game_name)
    options = resolve_options(game, preset)
    spec = MatchSpec(
        match_id or f"m{seed}",
        game,
        options,
        resolve_format(game, format),
        names[:players],
        ClockSpec(),
        commitment(secret),
    )
    match = Match(spec, secret, withheld)
    with path.open("wb") as file:
        log = MatchLog(file)
        log.append(spec.started())
        while match.turn < turns:
            while (due := match.due()) is not None:
                log.append(due)
                match.take(due)
                if match.ended:
                    return match
            assert match.state is not None
            if notes and match.turn + 1 in notes:
                seat = {"hand": match.hand, "turn": match.turn + 1, "seat": match.state.seat}
                log.append({**seat, **notes[match.turn + 1]})
            forced = match.forced()
            action = forced if forced is not None else rng.choice(match.state.legal)
            log.append(match.act(action, "bot" if forced is None else "forced", rng.randrange(3000)))
    return match


@pytest.fixture
def referee() -> Callable[..., Result]:
    """Run the command line."""

    def run(*args: object) -> Result:
        return CliRunner().invoke(main, [str(arg) for arg in args], env={"COLUMNS": "100"})

    return run


@pytest.fixture(name="write_log")
def write_log_fixture() -> Callable[..., Match]:
    """`write_log`, for test modules."""
    return write_log
