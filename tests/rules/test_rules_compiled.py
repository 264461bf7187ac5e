"""The compiled rules and their source are the same rules."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PLAY = """
import hashlib, random, sys
from referee.rules import line
from referee.rules.game import Deal
from referee.rules.playout import playout
from referee.rules.registry import GAMES, resolve_options

rng = random.Random(20261130)
digest = hashlib.sha256()
for game in GAMES.values():
    for option in [*game.options, None]:
        for value in option.accepted if option else [None]:
            options = resolve_options(game, {option.name: value} if option else {})
            for players in game.players:
                for leader in (None, 0):
                    for _ in range(40):
                        order = rng.sample(range(len(game.deck)), len(game.deck))
                        seats = tuple(range(players))
                        hand = game.deal(Deal(order, players, seats, players - 1, options, leader))
                        if hand is not None:
                            playout(game, hand, rng.random)
                            digest.update(repr((hand.history, hand.hands, hand.stock, hand.result)).encode())
print("compiled" if line.__file__.endswith(".so") else "source", digest.hexdigest())
"""


@pytest.mark.skipif("CI" not in os.environ, reason="compiling takes a C compiler and half a minute; CI does it")
@pytest.mark.timeout(600)
def test_the_compiled_rules_play_every_hand_as_their_source_does(tmp_path: Path) -> None:
    """Thousands of random hands of every game, option and player count end in the same histories and results."""
    # The compiler leaves what it makes beside the source, so it works on a copy.
    copy = tmp_path / "source"
    for part in ("referee", "tournaments", "clients/python", "tests/conformance/scenarios"):
        shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / part, copy)
    environment = {**os.environ, "HATCH_BUILD_HOOK_ENABLE_MYPYC": "1"}
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", tmp_path, copy], check=True, env=environment)
    wheel = next(tmp_path.glob("*.whl"))
    target = tmp_path / "site"
    subprocess.run([*pip, "install", "--no-deps", "--target", target, wheel], check=True)

    def played(path: Path) -> list[str]:
        run = subprocess.run(
            [sys.executable, "-c", PLAY],
            check=True,
            env={**os.environ, "PYTHONPATH": str(path)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        return run.stdout.split()

    kind, digest = played(target)
    assert kind == "compiled"
    assert played(ROOT) == ["source", digest]
    assert digest != hashlib.sha256().hexdigest()
