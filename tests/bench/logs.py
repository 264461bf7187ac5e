"""The match log: how fast it is refereed again, by processor time."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from referee.bots.registry import find_bot
from referee.match.clock import ClockSpec
from referee.match.deal import commitment
from referee.match.events import MatchSpec
from referee.match.fold import Match
from referee.match.log import MatchLog
from referee.match.loop import Table, play_local
from referee.match.seat import LocalSeat
from referee.match.verify import verify
from referee.rules.registry import GAMES, resolve_format, resolve_options
from tests.bench.harness import Row


def verified(game_id: str) -> Row:
    """Actions a second of `verify` over one long log."""
    game = GAMES[game_id]
    players = game.players[0]
    seed = bytes(32)
    form = {"hands": 300} if game_id == "domino-a-carte" else {"hands": 301, "kind": "best_of"}
    if game_id in {"domino-belga", "domino-duplas"}:
        form = {"target": 20_000}
    names = ("beginner",) * players
    spec = MatchSpec(
        "bench", game, resolve_options(game, {}), resolve_format(game, form), names, ClockSpec(), commitment(seed)
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "match.jsonl"
        with path.open("wb", buffering=0) as file:
            seats = [LocalSeat(find_bot("beginner").make(str(seat))) for seat in range(players)]
            play_local(Table(Match(spec, seed), MatchLog(file), seats))
        begun = time.process_time()
        verdict = verify(path)
        rate = verdict.actions / (time.process_time() - begun)
    return Row(f"verify {game_id}", f"{rate:,.0f} actions/s", "", None, ">= 50,000 actions/s", rate >= 50_000)


def rows() -> list[Row]:
    """The rows of this benchmark."""
    return [verified(game_id) for game_id in GAMES]
