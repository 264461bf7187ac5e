"""A server that is killed: what is lost, and how long the next one takes to serve. ``python -m tests.bench.crashes``.

``REFEREE_KILLS`` (200) is how often it is killed, ``REFEREE_OPEN`` (1000) how many matches are open when it starts.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from itertools import count, cycle
from pathlib import Path

from referee.bots.registry import BOTS
from referee.match.clock import ClockSpec
from referee.match.deal import commitment, new_seed
from referee.match.events import MatchSpec
from referee.match.fold import Match
from referee.match.log import MatchLog
from referee.match.loop import Table, play_local
from referee.match.seat import LocalSeat
from referee.rules.registry import find_game, resolve_format, resolve_options
from referee.server.private import Player, Private, write_private
from referee.server.tokens import new_token, token_hash

sys.path.insert(0, str(Path(__file__).parents[1] / "e2e"))
from crash_kit import Server, drill

GAMES = (("domino-belga", 2), ("domino-cartas", 3), ("domino-duplas", 4), ("domino-classico", 2), ("domino-a-carte", 4))
"""What is open: game and seats."""

GOAL_S = 5.0


def open_match(data: Path, number: int, name: str, players: int) -> int:
    """Leave the log of a match of bots that dial in, cut in its middle, and what is kept beside it; its lines."""
    game, _ = find_game(name)
    seed = new_seed()
    names = tuple(f"bot {seat}" for seat in range(players))
    options, format = resolve_options(game, {}), resolve_format(game, None)
    spec = MatchSpec(f"{number:016x}", game, options, format, names, ClockSpec(), commitment(seed))
    path = data / f"{spec.id}.jsonl"
    with path.open("wb", buffering=0) as file:
        seats = [LocalSeat(BOTS["beginner"].make(f"{spec.id}/{seat}")) for seat in range(players)]
        play_local(Table(Match(spec, seed), MatchLog(file), seats))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: len(lines) // 2]))
    tokens = [Player(token=token_hash(new_token()).hex()) for _ in names]
    write_private(path, Private(spec.started(), seed.hex(), tokens, time.time()))
    return len(lines) // 2


def start_with_open_matches(matches: int) -> tuple[float, float, float, int]:
    """Start a server in a folder with so many open matches.

    Seconds until it listens, the processor's seconds of that, seconds with no match, and the lines of the logs.
    """
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "none").mkdir()
        empty = Server(Path(folder) / "none")
        none_s = empty.start()
        empty.close()
        data = Path(folder) / "data"
        data.mkdir()
        numbers, games = count(1), cycle(GAMES)
        lines = sum(open_match(data, next(numbers), *next(games)) for _ in range(matches))
        server = Server(data)
        try:
            took_s = server.start()
            assert server.process is not None
            fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
            return took_s, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), none_s, lines
        finally:
            server.close()


def main() -> None:
    """Print the figures."""
    matches = int(os.environ.get("REFEREE_OPEN", "1000"))
    took_s, cpu_s, none_s, lines = start_with_open_matches(matches)
    reached = "reached" if took_s < GOAL_S else "not reached"
    start = f"start to serving with {matches} open matches ({lines} lines): {took_s:.2f} s"
    print(f"{start} ({cpu_s:.2f} s of processor), {none_s:.2f} s with none; goal < {GOAL_S:g} s: {reached}", flush=True)
    kills = int(os.environ.get("REFEREE_KILLS", "200"))
    for words, share in ((["--durability", "process"], 1), (["--durability", "power"], 4), (["--processes", "2"], 10)):
        with tempfile.TemporaryDirectory() as folder:
            drill(
                Path(folder) / "data", kills // share, 8, 6, *words, say=lambda line, words=words: print(*words, line)
            )


if __name__ == "__main__":
    main()
