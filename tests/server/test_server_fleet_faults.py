"""Several server processes behind one address, where one of them does not start or ends, and clients ask too much."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import asynccontextmanager

import grpc
import pytest
from server_kit import DUEL, PATIENT, Bot, error_info, run

from referee.cli.policy import DEFAULTS, policy_of
from referee.rules.registry import SettingError
from referee.server.app import ListenError, Policy
from referee.server.fleet import Fleet
from referee.server.limits import Limits
from referee.v1 import match_pb2, match_pb2_grpc, play_pb2


@asynccontextmanager
async def fleet(data, **policy):
    """A front of two processes in this process's event loop, and a stub."""
    front = Fleet(data, "127.0.0.1:0", 2, Policy(**policy))
    await front.start()
    try:
        async with grpc.aio.insecure_channel(front.address) as channel:
            yield front, match_pb2_grpc.MatchServiceStub(channel)
    finally:
        await front.stop()


async def create(stub):
    """A match between a bot that dials in and a built-in one."""
    seats = [match_pb2.SeatRequest(remote=match_pb2.Remote()), match_pb2.SeatRequest(builtin="beginner")]
    return await stub.CreateMatch(match_pb2.CreateMatchRequest(game=DUEL, seats=seats, clock=play_pb2.Clock(**PATIENT)))


async def failed(call):
    """How a call ends: its code and the stable reason."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return caught.value.code().name, error_info(caught.value).reason


def health(address):
    """The status that /healthz has."""
    try:
        with urllib.request.urlopen(f"http://{address}/healthz", timeout=20) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def serve(tmp_path, *words):
    """How ``referee serve`` of two processes ends that cannot start."""
    command = [sys.executable, "-m", "referee.cli.main", "serve", "--listen", "127.0.0.1:0", "--data", str(tmp_path)]
    return subprocess.run(
        [*command, "--processes", "2", *words], capture_output=True, text=True, timeout=60, check=False
    )


def test_a_front_whose_process_cannot_start_says_which_and_why_and_ends(tmp_path):
    """Status 2 and a line; the processes that have started end with it."""
    (tmp_path / ".lock-2").mkdir()
    ended = serve(tmp_path)
    assert ended.returncode == 2
    assert re.search(r"server process 2: .*\.lock-2: Is a directory\n$", ended.stderr), ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_process_that_does_not_listen_in_time_is_ended(tmp_path, monkeypatch):
    """With all others, before the error is raised."""
    monkeypatch.setattr("referee.server.worker.START_WITHIN_S", 0.0)

    async def promise():
        front = Fleet(tmp_path, "127.0.0.1:0", 2)
        with pytest.raises(ListenError, match="server process 1: does not listen"):
            await front.start()
        for worker in front.workers:
            with pytest.raises(ProcessLookupError):
                os.kill(worker.pid, 0)

    run(promise)


def test_ports_of_metrics_that_there_are_not_are_refused_before_anything_starts():
    """Process n has the port of `--http` plus n."""
    with pytest.raises(SettingError, match="up to 65536; 65535 is the last"):
        policy_of(DEFAULTS | {"http": "127.0.0.1:65534", "processes": 2})
    assert policy_of(DEFAULTS | {"http": "127.0.0.1:65533", "processes": 2})
    assert policy_of(DEFAULTS | {"http": "127.0.0.1:65535", "processes": 1})


def test_a_process_that_ends_is_started_again_and_its_matches_go_on(tmp_path, monkeypatch):
    """Meanwhile matches are created in the others, what needs it is UNAVAILABLE, and /healthz is 503."""
    monkeypatch.setattr("referee.server.worker.PAUSE_S", 0.0)

    async def promise():
        async with fleet(tmp_path, http="127.0.0.1:0") as (front, stub):
            made = {one.info.match_id[:2]: one for one in [await create(stub) for _ in range(2)]}
            mine, first = made["1-"], front.workers[0]
            assert await asyncio.to_thread(health, front.http_address) == 200
            down, go, up = asyncio.Event(), asyncio.Event(), asyncio.Event()
            start = first.start

            async def held_up():
                down.set()
                await go.wait()
                await start()
                up.set()

            monkeypatch.setattr(first, "start", held_up)
            os.kill(first.pid, signal.SIGKILL)
            await asyncio.wait_for(down.wait(), 20)
            assert await asyncio.to_thread(health, front.http_address) == 503
            assert [(await create(stub)).info.match_id[:2] for _ in range(3)] == ["2-"] * 3
            for call, request in (
                (stub.GetMatch, match_pb2.GetMatchRequest(match_id=mine.info.match_id)),
                (stub.ListMatches, match_pb2.ListMatchesRequest()),
            ):
                assert await failed(call(request)) == ("UNAVAILABLE", "PROCESS_DOWN")
            go.set()
            await asyncio.wait_for(up.wait(), 30)
            assert await asyncio.to_thread(health, front.http_address) == 200
            assert len((await stub.ListMatches(match_pb2.ListMatchesRequest())).matches) == 5
            assert first.address == mine.address
            bot = Bot(mine.address)
            await bot.join(mine.tokens[0].token)
            assert (await bot.until("joined")).match_id == mine.info.match_id
            await bot.ready()
            assert (await bot.play()).reason == play_pb2.CLOSE_REASON_MATCH_OVER
            await bot.crash()

    run(promise)


def test_the_matches_of_all_processes_are_one_list(tmp_path):
    """The newest first, in pages, also while matches are added; what is no page's token is refused."""

    async def promise():
        async with fleet(tmp_path) as (_, stub):
            made = [(await create(stub)).info.match_id for _ in range(7)]
            listed, token = [], ""
            while not listed or token:
                request = match_pb2.ListMatchesRequest(page_size=2, page_token=token)
                page = await stub.ListMatches(request)
                assert len(page.matches) <= 2
                listed += [match.match_id for match in page.matches]
                token = page.next_page_token
                if len(listed) < 6:
                    await create(stub)
            assert listed == made[::-1]
            for bad in ("9-", "9-1", "1-", "1", "nonsense-", "2026-01-01T00:00:00.000Z"):
                call = stub.ListMatches(match_pb2.ListMatchesRequest(page_token=bad))
                assert await failed(call) == ("INVALID_ARGUMENT", "BAD_PAGE_TOKEN")

    run(promise)


def test_streams_at_the_front_have_the_limits_of_those_at_a_match(tmp_path, monkeypatch):
    """So many of an address may be open that have said nothing, and each for so long."""

    async def promise():
        async with fleet(tmp_path, limits=Limits(unjoined_per_peer=2)) as (front, stub):
            made = await create(stub)
            bots = [Bot(front.address) for _ in range(3)]
            codes = {asyncio.create_task(bot.call.code()): bot for bot in bots}
            one, others = await asyncio.wait(codes, timeout=20, return_when=asyncio.FIRST_COMPLETED)
            assert [code.result() for code in one] == [grpc.StatusCode.RESOURCE_EXHAUSTED]
            for code in others:
                await codes[code].join(made.tokens[0].token)
                assert made.address in (await codes[code].end()).message
                assert await code is grpc.StatusCode.OK
            monkeypatch.setattr("referee.server.front.JOIN_WITHIN_S", 0.05)
            late = Bot(front.address)
            closed = await late.end()
            assert closed.reason == play_pb2.CLOSE_REASON_REFUSED
            assert "no `join`" in closed.message
            for bot in (*bots, late):
                await bot.crash()

    run(promise)
