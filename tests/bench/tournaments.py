"""Matches of built-in bots in process, log written and all, by processor time.

One yardstick is the same bots stepping the bare rules; the other is the connectx runner of kaggle-environments, if
`KAGGLE_PYTHON` in the environment names an interpreter that has it (see `tests.bench.connectx`).
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from referee.bots.registry import find_bot
from referee.match.clock import ClockSpec
from referee.match.deal import commitment, deck_order
from referee.match.events import MatchSpec
from referee.match.fold import Match
from referee.match.log import MatchLog
from referee.match.loop import Table, play_local
from referee.match.seat import LocalSeat
from referee.rules.game import Deal
from referee.rules.registry import GAMES, resolve_format, resolve_options
from referee.rules.view import View
from tests.bench.harness import Row, asked, at_least, not_measured, paired, serving

MATCHES = 60


def matches(bot: str) -> float:
    """Actions a second of whole matches of `domino-classico`, each with its log."""
    game = GAMES["domino-classico"]
    options, form = resolve_options(game, {}), resolve_format(game, None)
    turns = 0
    with tempfile.TemporaryDirectory() as folder:
        begun = time.process_time()
        for number in range(MATCHES):
            seed = number.to_bytes(32, "big")
            spec = MatchSpec(str(number), game, options, form, (bot, bot), ClockSpec(), commitment(seed))
            seats = [LocalSeat(find_bot(bot).make(f"{number}/{seat}")) for seat in range(2)]
            with (Path(folder) / f"{number}.jsonl").open("wb") as file:
                match = Match(spec, seed)
                play_local(Table(match, MatchLog(file, hold_back=True), seats))
            turns += match.turn
        return turns / (time.process_time() - begun)


def bare(bot: str) -> float:
    """Actions a second of the same bots over the rules alone."""
    game = GAMES["domino-classico"]
    options = resolve_options(game, {})
    sides = game.sides(2)
    turns = 0
    begun = time.process_time()
    for number in range(3 * MATCHES):
        players = [find_bot(bot).make(f"{number}/{seat}") for seat in range(2)]
        order = deck_order(number.to_bytes(32, "big"), 0, 0, len(game.deck))
        hand = game.deal(Deal(order, 2, (0, 1), 1, options, 0))
        assert hand is not None
        while hand.legal:
            game.act(hand, players[hand.seat](View(hand, sides, [0, 0], 0, len(hand.history) + 1)))
        turns += len(hand.history)
    return turns / (time.process_time() - begun)


def against_connectx() -> Row:
    """Steps a second of random players."""
    name = "matches of beginner, steps"
    python = os.environ.get("KAGGLE_PYTHON")
    if not python:
        return not_measured(name, "kaggle-environments is not installed", ">= 300")
    with serving("tests.bench.connectx", python=[python], quiet=True) as (process, line):
        if not line:
            return not_measured(name, f"{python} has no kaggle-environments", ">= 300")
        ours, theirs, ratio = paired(lambda: matches("beginner"), lambda: asked(process)[0], 3)
    return at_least(name, f"{ours:,.0f} steps/s", f"connectx {theirs:,.0f} steps/s", ratio, 300)


def rows() -> list[Row]:
    """The rows of this benchmark."""
    found = []
    for bot in ("beginner", "medium", "expert"):
        ours, theirs, ratio = paired(lambda: matches(bot), lambda: bare(bot), 3)  # noqa: B023
        name = f"matches of {bot} with log"
        found.append(at_least(name, f"{ours:,.0f} actions/s", f"bare playout {theirs:,.0f} actions/s", ratio, 0.5))
    return [*found, against_connectx()]
