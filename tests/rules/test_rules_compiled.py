"""The compiled rules and their source are the same rules."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.compiled import ROOT, install_compiled

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
    target = install_compiled(tmp_path)

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
