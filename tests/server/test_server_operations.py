"""Running the server: health, reflection, draining, keepalive, and disks that are full."""

import asyncio
import errno
import json
from dataclasses import replace

import grpc
import pytest
from grpc_channelz.v1 import channelz_pb2, channelz_pb2_grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from server_kit import error_info, of_kind, run, serving

from referee.match.verify import verify
from referee.server.app import ListenError, Policy, RefereeServer
from referee.server.host import MatchStage
from referee.server.transport import Transport
from referee.v1 import match_pb2, play_pb2

PLAY_SERVICE = "referee.v1.PlayService"


def test_health_is_serving_until_the_server_drains(tmp_path):
    """SERVING for the server and each service; NOT_SERVING as soon as it drains."""

    async def promise():
        async with serving(tmp_path) as kit:
            health = health_pb2_grpc.HealthStub(kit.channel)
            _, tokens = await kit.create(seats="rb")
            bot = await kit.joined(tokens[0])
            turn = await bot.until("turn")

            async def status(name):
                return (await health.Check(health_pb2.HealthCheckRequest(service=name))).status

            names = ("", PLAY_SERVICE, "referee.v1.MatchService")
            serves, serves_not = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING
            assert [await status(name) for name in names] == [serves] * 3
            watch = health.Watch(health_pb2.HealthCheckRequest(service=PLAY_SERVICE))
            assert (await watch.read()).status == serves
            stopping = asyncio.create_task(kit.server.stop(20))
            assert (await watch.read()).status == serves_not
            assert [await status(name) for name in names] == [serves_not] * 3
            await bot.answer(turn.turn_id, index=0)
            await bot.play()
            await stopping

    run(promise)


def test_draining_takes_nothing_new_and_lets_running_matches_end(tmp_path):
    """No new match; a bot of a running match may still lose its stream, come back, and play to the end."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create(seats="rb")
            bot = await kit.joined(tokens[0])
            await bot.until("turn")
            health = health_pb2_grpc.HealthStub(kit.channel)
            watch = health.Watch(health_pb2.HealthCheckRequest(service=""))
            await watch.read()
            stopping = asyncio.create_task(kit.server.stop(20))
            await watch.read()
            with pytest.raises(grpc.aio.AioRpcError) as failed:
                await kit.create()
            assert failed.value.code() is grpc.StatusCode.UNAVAILABLE
            assert error_info(failed.value).reason == "DRAINING"
            await bot.crash()
            await kit.until_logged(match_id, "seat_left")
            again = await kit.joined(tokens[0])
            assert (await again.play()).reason == play_pb2.CLOSE_REASON_MATCH_OVER
            await stopping
            assert (await kit.ended(match_id))[-1]["reason"] == "completed"

    run(promise)


@pytest.mark.parametrize("ready", [True, False])
def test_a_match_that_does_not_end_in_time_is_aborted(tmp_path, ready):
    """After the grace the match ends without a winner, its log is whole, and its bots are told why."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create()
            bots = [await kit.joined(token, ready=ready) for token in tokens]
            if ready:
                await kit.until_logged(match_id, "hand_started")
            await kit.server.stop(0.05)
            for bot in bots:
                assert (await bot.until("match_ended")).reason == play_pb2.MATCH_END_REASON_ABORTED
                closed = await bot.end()
                assert closed.reason == play_pb2.CLOSE_REASON_SERVER_DRAINING
                assert not closed.join_again
            events = await kit.ended(match_id)
            assert events[-1]["reason"] == "aborted"
            assert kit.server.host.matches[match_id].stage is MatchStage.FINISHED

    run(promise)


def test_a_match_that_has_not_begun_when_the_server_stops_is_aborted_too(tmp_path):
    """Created and stopped in one breath: the log is whole."""

    async def promise():
        async with serving(tmp_path) as kit:
            _, tokens = await kit.create()
            spec = next(iter(kit.server.host.matches.values())).spec
            players = [lambda view: view.legal[0]] * 2
            hosted = kit.server.host.create(spec, bytes.fromhex("5e" * 32), players, tmp_path / "late.jsonl")
            await kit.server.stop(0)
            assert len(tokens) == 2
            assert hosted.over
            verify(hosted.path)

    run(promise)


def test_streams_that_wait_for_a_match_are_told_that_the_server_stops(tmp_path):
    """An entrant that waits for its next match is closed as draining, and so is one that comes now."""

    async def promise():
        async with serving(tmp_path) as kit:
            token, ticket = kit.server.admission.issue("ana", open=True)
            bot = kit.bot()
            await bot.join(token)
            await ticket.came()
            await bot.answer(1, index=0)
            assert (await bot.until("refusal")).code == "not_your_turn"
            kit.server.admission.close(play_pb2.CLOSE_REASON_SERVER_DRAINING, "stopping")
            assert (await bot.end()).reason == play_pb2.CLOSE_REASON_SERVER_DRAINING
            late = kit.bot()
            await late.join(token)
            assert (await late.end()).reason == play_pb2.CLOSE_REASON_SERVER_DRAINING

    run(promise)


def test_reflection_and_channelz_answer(tmp_path):
    """Tools find the services by reflection, and the server's sockets by channelz."""

    async def promise():
        async with serving(tmp_path) as kit:
            reflection = reflection_pb2_grpc.ServerReflectionStub(kit.channel)
            ask = reflection_pb2.ServerReflectionRequest
            answers = reflection.ServerReflectionInfo(
                iter([ask(list_services=""), ask(file_containing_symbol="referee.v1.MatchService")])
            )
            listed = await answers.read()
            names = {service.name for service in listed.list_services_response.service}
            assert {PLAY_SERVICE, "referee.v1.MatchService", "grpc.health.v1.Health"} <= names
            assert (await answers.read()).file_descriptor_response.file_descriptor_proto
            channelz = channelz_pb2_grpc.ChannelzStub(kit.channel)
            servers = await channelz.GetServers(channelz_pb2.GetServersRequest(start_server_id=0))
            assert servers.server

    run(promise)


def test_channelz_is_nothing_for_strangers(tmp_path):
    """It tells every peer's address: a server that listens to the world has none, by whatever way one calls."""

    async def promise():
        policy = Policy(transport=Transport(insecure=True))
        server = RefereeServer(tmp_path, "0.0.0.0:0", policy=policy)
        await server.start()
        async with grpc.aio.insecure_channel(server.address.replace("0.0.0.0", "127.0.0.1")) as channel:
            with pytest.raises(grpc.RpcError) as refused:
                await channelz_pb2_grpc.ChannelzStub(channel).GetServers(channelz_pb2.GetServersRequest())
            assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED
        await server.stop()

    run(promise)


def test_a_client_may_ping_every_second_while_it_waits(tmp_path):
    """Keepalive pings of a client that waits long are welcome: the stream is not cut off for too many pings."""

    async def promise():
        async with serving(tmp_path) as kit:
            pings = (
                ("grpc.keepalive_time_ms", 1_000),
                ("grpc.keepalive_timeout_ms", 1_000),
                ("grpc.keepalive_permit_without_calls", 1),
                ("grpc.http2.max_pings_without_data", 0),
                ("grpc.http2.min_sent_ping_interval_without_data_ms", 1_000),
            )
            match_id, tokens = await kit.create()
            bot = await kit.joined(tokens[0], options=pings)
            silent = asyncio.create_task(bot.until("turn", "closed"))
            await asyncio.wait([silent], timeout=4.5)
            assert not silent.done()
            other = await kit.joined(tokens[1])
            playing = asyncio.create_task(other.play())
            turn = await silent
            await bot.answer(turn.turn_id, index=0)
            await bot.play()
            await playing
            assert not of_kind(await kit.ended(match_id), "seat_left")

    run(promise)


def test_a_port_that_is_taken_is_an_error_in_words(tmp_path):
    """Two servers cannot listen on one port, and the second says so."""

    async def promise():
        async with serving(tmp_path) as kit:
            second = RefereeServer(tmp_path, kit.server.address)
            with pytest.raises(ListenError, match="in use"):
                await second.start()
            await second.stop()

    run(promise)


class Full:
    """A log file on a disk that is full after so many bytes: it takes a part of the last line, and no more."""

    def __init__(self, file, room):
        self.file, self.room = file, room

    def write(self, data):
        """Write what there is room for."""
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = self.file.write(data[: self.room])
        self.room -= written
        return written

    def flush(self):
        """Nothing is held."""

    def close(self):
        """Close."""
        self.file.close()


@pytest.mark.parametrize("room", [700, 2_000, 3_000, 4_500])
def test_a_full_disk_fails_the_match_and_no_other(tmp_path, monkeypatch, room):
    """When the log cannot be written the match fails, nobody hears of what is not in it, and other matches go on."""
    from referee.server import host

    class OnFullDisk(host.CountedLog):
        def __init__(self, file, operations):
            super().__init__(Full(file, room) if str(file.name).endswith("full.jsonl") else file, operations)

    monkeypatch.setattr(host, "CountedLog", OnFullDisk)

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create()
            sound = kit.server.host.matches[match_id]
            spec = replace(sound.spec, id="full")
            full_tokens, tickets = zip(*[kit.server.admission.issue("x") for _ in range(2)], strict=True)
            path = tmp_path / "full.jsonl"
            failing = kit.server.host.create(spec, bytes.fromhex("5e" * 32), tickets, path)
            bots = [kit.bot() for _ in full_tokens]
            for bot, token in zip(bots, full_tokens, strict=True):
                await bot.join(token)
                await bot.ready()
            for closed in await asyncio.gather(*[bot.play() for bot in bots]):
                reason, word = closed.reason, closed.message.split()[-1]
                failed = (play_pb2.CLOSE_REASON_MATCH_OVER, "count")
                assert (reason, word) in {failed, (play_pb2.CLOSE_REASON_REFUSED, "over")}  # came after the failure
            assert await kit.server.host.finished(failing) != ""
            assert failing.stage is MatchStage.FAILED
            lines = path.read_bytes().split(b"\n")
            whole = [json.loads(line) for line in lines[:-1]]
            assert [line["seq"] for line in whole] == list(range(len(whole)))
            assert path.stat().st_size <= room
            turns = {line["turn"] for line in whole if line["event"] == "action"}
            for bot in bots:
                assert {event.action_taken.turn for event in bot.seen if event.HasField("action_taken")} <= turns
                assert not any(event.HasField("match_ended") for event in bot.seen)
            info = (await kit.matches.GetMatch(match_pb2.GetMatchRequest(match_id="full"))).info
            assert info.state == match_pb2.MATCH_STATE_FAILED
            others = [await kit.joined(token) for token in tokens]
            await asyncio.gather(*[bot.play() for bot in others])
            assert (await kit.ended(match_id))[-1]["reason"] == "completed"

    run(promise)


def test_a_match_whose_log_cannot_be_opened_is_not_created(tmp_path):
    """No log, no match: RESOURCE_EXHAUSTED, with its reason, and no token is good."""

    async def promise():
        async with serving(tmp_path / "gone") as kit:
            with pytest.raises(grpc.aio.AioRpcError) as failed:
                await kit.create()
            assert failed.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert error_info(failed.value).reason == "LOG_UNWRITABLE"
            assert not kit.server.host.matches

    run(promise)
