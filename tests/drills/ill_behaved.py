"""Bots that do their worst on a server where others play well: the others' matches come out as without them."""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import grpc
from abuse_kit import ABUSE, FORMAT, HURRIED, abused, random_message
from e2e_kit import ENVIRONMENT, EXAMPLES
from oracle.verify import check_log
from server_kit import Bot, created, match_request, run

from referee.match.log import read_log
from referee.match.verify import verify
from referee.v1 import match_pb2, match_pb2_grpc, play_pb2
from tests.bench.harness import percentile
from tests.drills.load import Load, check_all
from tests.drills.row import Row
from tests.drills.server import Server

LONG = play_pb2.Format(kind="best_of", hands=301)
"""Not over before its bot is stopped."""


def rows(full: bool) -> list[Row]:
    """The rows of this drill."""
    times = 20 if full else 1
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        server = Server(data)
        server.start()
        load = Load(server.address, 4)
        lost: list[str] = []
        try:
            load.until(1)
            for number in range(times):
                lost += run(lambda: _all_at_once(server.address, data, number))  # noqa: B023
            load.finish()
            server.kill(signal.SIGTERM)
        finally:
            load.stop()
            server.close()
        check_all(data, load.played)
        for match_id in lost:
            ended = next(event for event in read_log(data / f"{match_id}.jsonl") if event["event"] == "match_ended")
            assert (ended["reason"], ended["places"]) == ("forfeit", [2, 1]), (match_id, ended)
        took = [
            event["took_ms"]
            for match in load.played
            for event in read_log(data / f"{match.id}.jsonl")
            if event["event"] == "action" and event["by"] == "bot"
        ]
        assert not server.complaints(), server.complaints()
    done = f"{times * (len(ABUSE) + 2)} bots of {len(ABUSE) + 2} kinds beside {len(load.played)} good matches"
    figure = f"0 good matches changed, 0 faults in them; p99 of {percentile(took, 0.99)} ms charged"
    return [Row("ill-behaved bots", done, figure, "0 changed, 0 faults", True)]


async def _all_at_once(address: str, data: Path, number: int) -> list[str]:
    """One bot of each kind, each in a match of its own; the matches that must have been lost by it."""
    async with grpc.aio.insecure_channel(address) as channel:
        service = match_pb2_grpc.MatchServiceStub(channel)
        ruined = asyncio.gather(*[_ruined(service, address, abuse) for abuse in ABUSE])
        matches = await asyncio.gather(ruined, _any_messages(service, address, number), _stopped(service, address))
        for match_id in (*matches[0], *matches[1:]):
            async for _ in service.WatchMatch(match_pb2.WatchMatchRequest(match_id=match_id), timeout=60):
                pass
            verify(data / f"{match_id}.jsonl")
            check_log(data / f"{match_id}.jsonl")
        return [*matches[0], matches[2]]


async def _ruined(service: match_pb2_grpc.MatchServiceAsyncStub, address: str, abuse: str) -> str:
    """A match against a built-in bot, lost by some abuse."""
    match_id, (token,) = await created(service, match_request(seats="rb", clock=HURRIED, format=FORMAT, seed=None))
    bot = Bot(address)
    await abused(abuse, bot, token)
    async for _ in service.WatchMatch(match_pb2.WatchMatchRequest(match_id=match_id), timeout=60):
        pass
    await bot.crash()
    return match_id


async def _any_messages(service: match_pb2_grpc.MatchServiceAsyncStub, address: str, number: int) -> str:
    """A match whose bot sends valid messages of any content: some may be legal answers."""
    chance = random.Random(number)
    match_id, (token,) = await created(service, match_request(seats="rb", clock=HURRIED, format=FORMAT, seed=None))
    bot = Bot(address)
    await bot.join(token)
    await bot.ready()
    with suppress(asyncio.InvalidStateError, grpc.RpcError, grpc.aio.BaseError):
        for _ in range(300):
            await bot.send(random_message(chance, play_pb2.PlayRequest()).SerializeToString())
    await bot.crash()
    return match_id


async def _stopped(service: match_pb2_grpc.MatchServiceAsyncStub, address: str) -> str:
    """A match whose bot is a process that is stopped (SIGSTOP) in the middle: its connection stays open."""
    clock = {"move_ms": HURRIED["move_ms"]}
    match_id, (token,) = await created(service, match_request(seats="rb", clock=clock, format=LONG, seed=None))
    environment = {**ENVIRONMENT, "REFEREE_ADDRESS": address, "REFEREE_TOKEN": token}
    process = subprocess.Popen([sys.executable, str(EXAMPLES / "first_legal_bot.py")], env=environment)
    try:
        acted = False
        async for response in service.WatchMatch(match_pb2.WatchMatchRequest(match_id=match_id), timeout=60):
            taken = [event.action_taken for event in response.events if event.HasField("action_taken")]
            if not acted and any(one.seat == 0 and one.taken_by == play_pb2.TAKEN_BY_BOT for one in taken):
                acted = True
                process.send_signal(signal.SIGSTOP)
        assert acted, "the bot has not acted"
    finally:
        process.kill()
        process.wait()
    return match_id
