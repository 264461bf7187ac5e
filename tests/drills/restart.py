"""A server starts in a folder with many matches under way: how long until it serves, and whether all go on."""

from __future__ import annotations

import asyncio
import signal
import tempfile
import time
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

import grpc
from oracle.verify import check_log
from server_kit import Bot, run

from referee.bots.registry import BOTS
from referee.match.clock import ClockSpec
from referee.match.deal import commitment, new_seed
from referee.match.events import MatchSpec
from referee.match.fold import Match
from referee.match.log import MatchLog
from referee.match.loop import Table, play_local
from referee.match.seat import LocalSeat
from referee.match.verify import verify
from referee.rules.registry import find_game, resolve_format, resolve_options
from referee.server.private import Player, Private, write_private
from referee.server.tokens import new_token, token_hash
from referee.v1 import match_pb2, match_pb2_grpc, play_pb2
from tests.bench.harness import cpu_of
from tests.drills.row import Row
from tests.drills.server import Server

GAMES = (("domino-belga", 2), ("domino-cartas", 3), ("domino-duplas", 4), ("domino-classico", 2), ("domino-a-carte", 4))
"""What is open: game and seats."""

GOAL_S = 5.0
PLAYED_ON = 5
"""So many of the matches are played to their end afterwards."""


def open_match(data: Path, number: int, name: str, players: int) -> tuple[str, list[str], int]:
    """Leave the log of a match of bots that dial in, cut in its middle, and what is kept beside it.

    The match's id, its tokens, and the lines of its log.
    """
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
    tokens = [new_token() for _ in names]
    kept = [Player(token=token_hash(token).hex()) for token in tokens]
    write_private(path, Private(spec.started(), seed.hex(), kept, time.time()))
    return spec.id, tokens, len(lines) // 2


def rows(full: bool) -> list[Row]:
    """The rows of this drill."""
    count = 1000 if full else 50
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "none").mkdir()
        empty = Server(Path(folder) / "none")
        none_s = empty.start()
        empty.close()
        data = Path(folder) / "data"
        data.mkdir()
        games = cycle(GAMES)
        matches = [open_match(data, number, *next(games)) for number in range(1, count + 1)]
        server = Server(data)
        try:
            took_s = server.start()
            assert server.process is not None
            cpu_s = cpu_of(server.process.pid)
            run(lambda: _go_on(server.address, matches))
            server.kill(signal.SIGTERM)
        finally:
            server.close()
        for match_id, *_ in matches[:PLAYED_ON]:
            events = verify(data / f"{match_id}.jsonl")
            assert events.match.ended is not None
            assert events.match.ended["reason"] == "completed", events.match.ended
            check_log(data / f"{match_id}.jsonl")
        assert not server.complaints(), server.complaints()
    done = f"{count} open matches, {sum(lines for *_, lines in matches)} lines; all there, {PLAYED_ON} played on"
    figure = f"{took_s:.2f} s to serving ({cpu_s:.2f} s of processor), {none_s:.2f} s with none"
    return [Row("restart", done, figure, f"< {GOAL_S:g} s", took_s < GOAL_S)]


async def _go_on(address: str, matches: Sequence[tuple[str, list[str], int]]) -> None:
    """See that every match waits for its bots, and play some of them to their end."""
    async with grpc.aio.insecure_channel(address) as channel:
        service = match_pb2_grpc.MatchServiceStub(channel)
        for match_id, *_ in matches:
            info = await service.GetMatch(match_pb2.GetMatchRequest(match_id=match_id))
            assert info.info.state in {match_pb2.MATCH_STATE_WAITING, match_pb2.MATCH_STATE_RUNNING}, info
    bots = [Bot(address) for _, tokens, _ in matches[:PLAYED_ON] for _ in tokens]
    tokens = [token for _, tokens, _ in matches[:PLAYED_ON] for token in tokens]
    await asyncio.gather(*[bot.join(token) for bot, token in zip(bots, tokens, strict=True)])
    await asyncio.gather(*[bot.ready() for bot in bots])
    closed = await asyncio.gather(*[bot.play() for bot in bots])
    assert {one.reason for one in closed if one is not None} == {play_pb2.CLOSE_REASON_MATCH_OVER}
    for bot in bots:
        await bot.crash()
