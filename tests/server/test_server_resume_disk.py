"""A disk that is full, and a disk that must be waited for."""
# ruff: noqa: D103

import asyncio
import errno
import os
import threading

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from resume_kit import restarted
from server_kit import error_info, of_kind, run

from referee.server import host as hosting
from referee.server import opening, private
from referee.server.app import Policy, RefereeServer
from referee.server.connection import Connection
from referee.server.hosted import MatchStage
from referee.server.sync import Syncer
from referee.v1 import match_pb2, play_pb2

LONG = play_pb2.Format(kind="best_of", hands=5)


class Disk:
    """So much room (bytes) for all logs together."""

    def __init__(self, monkeypatch):
        self.room = 1 << 30
        disk = self

        class Limited(hosting.CountedLog):
            def __init__(self, file, operations):
                super().__init__(LimitedFile(file, disk), operations)

        monkeypatch.setattr(hosting, "CountedLog", Limited)
        write = private.os.open

        def opened(path, *rest, **more):
            if str(path).endswith(".draft") and not disk.room:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return write(path, *rest, **more)

        monkeypatch.setattr(private.os, "open", opened)


class LimitedFile:
    """A file on such a disk: it takes a part of the last line, and no more."""

    def __init__(self, file, disk):
        self._file, self._disk = file, disk
        self.flush, self.close, self.tell = file.flush, file.close, file.tell
        self.seek, self.truncate, self.fileno = file.seek, file.truncate, file.fileno

    def write(self, data):
        """Write what there is room for."""
        if not self._disk.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = self._file.write(data[: self._disk.room])
        self._disk.room -= written
        return written


@pytest.mark.parametrize("power", [False, True])
@pytest.mark.parametrize("room", [0, 150, 900])
def test_a_full_disk_suspends_matches_and_they_go_on_when_there_is_room(tmp_path, monkeypatch, room, power):
    """Nothing that is not written is told; no new match; still serving; the same bots play on to the same result."""
    disk = Disk(monkeypatch)

    async def promise():
        async with restarted(tmp_path / "data", power=power) as kit:
            match_id, tokens = await kit.create(seats="rb", format=LONG)
            hosted = kit.server.host.matches[match_id]
            bot = await kit.joined(tokens[0])
            await bot.play(5)
            disk.room = room
            closed = await bot.play()
            assert closed.join_again
            assert "suspended" in closed.message
            await kit.server.host.finished(hosted)
            assert hosted.stage is MatchStage.SUSPENDED
            log = kit.data / f"{match_id}.jsonl"
            logged = {event["turn"] for event in _whole_lines(log) if event["event"] == "action"}
            assert {event.action_taken.turn for event in bot.seen if event.HasField("action_taken")} <= logged

            disk.room = 0
            with pytest.raises(grpc.aio.AioRpcError) as failed:
                await kit.create()
            assert failed.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert error_info(failed.value).reason == "LOG_UNWRITABLE"
            assert {path.stem for path in kit.data.iterdir()} == {match_id}
            health = health_pb2_grpc.HealthStub(kit.channel)
            status = (await health.Check(health_pb2.HealthCheckRequest())).status
            assert status == health_pb2.HealthCheckResponse.SERVING
            with pytest.raises(grpc.aio.AioRpcError) as failed:
                await kit.matches.FetchMatchLog(match_pb2.FetchMatchLogRequest(match_id=match_id)).read()
            assert error_info(failed.value).reason == "MATCH_RUNNING"

            back = kit.bot()
            await back.join(tokens[0])
            kit.server._resumer.retry()
            assert hosted.stage is MatchStage.SUSPENDED
            disk.room = 1 << 30
            kit.server._resumer.retry()
            assert (await back.until("joined")).resumed
            await back.play()
            events = await kit.ended(match_id)
            assert of_kind(events, "match_ended")[0]["reason"] == "completed"
            assert len(of_kind(events, "resumed")) == 1
            told = {
                event.action_taken.turn for one in (bot, back) for event in one.seen if event.HasField("action_taken")
            }
            assert told <= {event["turn"] for event in of_kind(events, "action")}

    run(promise)


def _whole_lines(path):
    import json

    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


class Slow:
    """A sync that happens only when it is let, and knows what it has made safe."""

    def __init__(self):
        self.safe = {}
        self.calls = 0
        self.go = threading.Semaphore(0)
        self.waits = False

    def let(self):
        """Wait no more."""
        self.waits = False
        self.go.release(100)

    def __call__(self, file):
        """Sync a file."""
        if self.waits:
            self.go.acquire()
        self.calls += 1
        self.safe[file.name] = os.fstat(file.fileno()).st_size


@pytest.fixture
def slow(monkeypatch):
    sync = Slow()
    monkeypatch.setattr(Syncer.__init__, "__defaults__", (sync,))
    return sync


def test_with_durability_power_nothing_is_told_before_it_is_safe(tmp_path, monkeypatch, slow):
    """Every message to a bot or a watcher holds only what a sync has finished with, in the order of the log."""
    told = []
    sent = Connection.send

    def send(connection, data):
        events = play_pb2.PlayResponse.FromString(data).events
        told.extend((one.action_taken.turn, dict(slow.safe)) for one in events if one.HasField("action_taken"))
        sent(connection, data)

    monkeypatch.setattr(Connection, "send", send)

    async def promise():
        async with restarted(tmp_path / "data", power=True) as kit:
            made = [await kit.create("domino-belga", "rr") for _ in range(3)]
            watched = [_watch(kit, match_id, slow) for match_id, _ in made]
            watching = [asyncio.create_task(one) for one in watched]
            bots = [await kit.joined(token, ready=True) for _, tokens in made for token in tokens]
            await asyncio.gather(*[bot.play() for bot in bots])
            for match_id, _ in made:
                await kit.ended(match_id)
            await asyncio.gather(*watching)
            ends = {}
            for match_id, _ in made:
                path = kit.data / f"{match_id}.jsonl"
                end = 0
                for line in path.read_bytes().splitlines(keepends=True):
                    end += len(line)
                    if b'"event":"action"' in line:
                        turn = int(line.split(b'"turn":')[1].split(b",")[0])
                        ends.setdefault(turn, []).append((str(path), end))
            assert told
            for turn, safe in told:
                assert any(safe.get(path, 0) >= end for path, end in ends[turn]), turn
            assert slow.calls > 3

    run(promise)


async def _watch(kit, match_id, slow):
    """Watch a match: every event comes after it is safe."""
    path = kit.data / f"{match_id}.jsonl"
    async for response in kit.matches.WatchMatch(match_pb2.WatchMatchRequest(match_id=match_id)):
        lines = path.read_bytes()[: slow.safe[str(path)]].count(b"\n")
        assert response.seq < lines, (response.seq, lines)


def test_a_refusal_that_waits_for_its_sync_is_the_referee_s_time(tmp_path, slow):
    """A wrong answer is refused once it is safe in the log; the clock of the turn goes on from there."""

    async def promise():
        async with restarted(tmp_path / "data", power=True) as kit:
            match_id, tokens = await kit.create(seats="rb", format=LONG)
            bot = await kit.joined(tokens[0])
            turn = await bot.until("turn")
            slow.waits = True
            await bot.answer(turn.turn_id, index=99)
            await _until_written(kit, match_id, "rejected")
            asyncio.get_running_loop().call_later(0.5, slow.let)
            await bot.until("refusal")
            await bot.answer(turn.turn_id, index=0)
            await bot.until("turn")
            action = of_kind(_whole_lines(kit.data / f"{match_id}.jsonl"), "action", seat=0, by="bot")[0]
            assert action["lag_ms"] >= 400
            assert action["took_ms"] < 400

    run(promise)


def test_one_match_that_waits_for_its_sync_keeps_nobody_else(tmp_path, slow):
    """While the disk is waited for the event loop goes on, nothing is told, and one sync serves all that wait."""

    async def promise():
        async with restarted(tmp_path / "data", power=True) as kit:
            made = [await kit.create(seats="rb", format=LONG) for _ in range(8)]
            bots = [await kit.joined(tokens[0]) for _, tokens in made]
            turns = await asyncio.gather(*[bot.until("turn") for bot in bots])
            slow.waits, before = True, slow.calls
            for bot, turn in zip(bots, turns, strict=True):
                await bot.answer(turn.turn_id, index=0)
            for match_id, _ in made:
                await _until_written(kit, match_id, "action")
            await kit.matches.ListGames(match_pb2.ListGamesRequest())
            for one in (await kit.matches.ListMatches(match_pb2.ListMatchesRequest())).matches:
                turn = next(turn for (match_id, _), turn in zip(made, turns, strict=True) if match_id == one.match_id)
                assert one.turn < turn.turn_id
            assert slow.calls == before
            slow.let()
            await asyncio.gather(*[bot.play() for bot in bots])
            for match_id, _ in made:
                await kit.ended(match_id)

    run(promise)


async def _until_written(kit, match_id, kind):
    """Wait until a match's log holds an event of its remote seat, safe or not."""
    path = kit.data / f"{match_id}.jsonl"
    async with asyncio.timeout(20):
        while not of_kind(_whole_lines(path), kind, seat=0):
            await kit.matches.ListGames(match_pb2.ListGamesRequest())


def test_a_failed_sync_is_not_acknowledged(tmp_path, slow):
    """A match whose log cannot be made safe is suspended; one that is being created does not come to be."""

    async def promise():
        data = tmp_path / "data"
        data.mkdir()
        server = RefereeServer(data, policy=Policy(power=True), claims=lambda _: True)

        def fails(_):
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        server.host._syncer._sync = fails
        await server.start()
        async with grpc.aio.insecure_channel(server.address) as channel:
            from referee.v1 import match_pb2_grpc

            stub = match_pb2_grpc.MatchServiceStub(channel)
            seats = [match_pb2.SeatRequest(remote=match_pb2.Remote())] * 2
            with pytest.raises(grpc.aio.AioRpcError) as failed:
                await stub.CreateMatch(match_pb2.CreateMatchRequest(game="domino-classico", seats=seats))
            assert failed.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert not (await stub.ListMatches(match_pb2.ListMatchesRequest())).matches
        await server.stop()
        assert not list(data.iterdir())

    run(promise)


@pytest.mark.parametrize("seats", ["rb", "bb"])
@pytest.mark.parametrize("where", ["private", "log"])
def test_a_match_whose_creator_does_not_wait_for_it_leaves_nothing(tmp_path, monkeypatch, where, seats):
    """Cancelled while the disk is waited for: no match, no slot, no token, no file."""

    async def promise():
        loop = asyncio.get_running_loop()
        go, waiting, cancelled, gone = threading.Event(), asyncio.Event(), asyncio.Event(), asyncio.Event()
        write, take_back = opening.write_private, opening._take_back

        def waits(*_args, **_options):
            loop.call_soon_threadsafe(waiting.set)
            assert go.wait(20)

        async def watched(*args):
            cancelled.set()
            await take_back(*args)
            gone.set()

        monkeypatch.setattr(opening, "_take_back", watched)
        async with restarted(tmp_path / "data", power=True) as kit:
            if where == "private":
                monkeypatch.setattr(opening, "write_private", lambda *a, **o: (waits(), write(*a, **o)))
            else:
                kit.server.host._syncer._sync = waits
            creating = asyncio.create_task(kit.create(seats=seats))
            await asyncio.wait_for(waiting.wait(), 20)
            creating.cancel()
            await asyncio.wait_for(cancelled.wait(), 20)
            assert kit.server._matches._open.total() == 1
            go.set()
            await asyncio.wait_for(gone.wait(), 20)
            assert not kit.server.host.matches
            assert not kit.server._matches._open.total()
            assert not kit.server.admission._tickets
            assert not list(kit.data.iterdir())

    run(promise)
