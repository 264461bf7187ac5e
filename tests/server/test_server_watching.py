"""Watching matches, and their logs when they are over."""

import asyncio
from dataclasses import replace

import grpc
import pytest
from server_kit import SEED, error_info, of_kind, run, serving

from referee.match.deal import commitment
from referee.match.log import read_log
from referee.v1 import match_pb2, play_pb2


async def _watched(kit, match_id, from_seq=None):
    """All that a watcher is shown, to the end."""
    request = match_pb2.WatchMatchRequest(match_id=match_id, from_seq=from_seq)
    return [response async for response in kit.matches.WatchMatch(request)]


def test_a_watcher_sees_the_match_and_nothing_hidden(tmp_path):
    """From its start to its end, live: no hand before it has ended, no piece drawn, no refusal, no turn."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create(format=play_pb2.Format(kind="best_of", hands=5))
            watching = asyncio.create_task(_watched(kit, match_id))
            bots = [await kit.joined(token) for token in tokens]
            await bots[0].answer(77, index=0)
            await asyncio.gather(*[bot.play() for bot in bots])
            events = await kit.ended(match_id)
            shown = await asyncio.wait_for(watching, 20)
            seqs = [response.seq for response in shown]
            assert seqs == sorted(set(seqs))
            flat = [event for response in shown for event in response.events]
            kinds = {event.WhichOneof("event") for event in flat}
            assert kinds == {"match_started", "hand_started", "action_taken", "hand_ended", "match_ended"}
            assert of_kind(events, "action", action={"type": "draw"})
            for event in flat:
                assert not event.match_started.HasField("seat")
                assert not event.hand_started.pieces
                assert not event.action_taken.drawn
            dealt = [event.hand_started for event in flat if event.HasField("hand_started")]
            logged = of_kind(events, "hand_started")
            assert [one.stock_size for one in dealt] == [len(one["stock"]) for one in logged]
            actions = [event.action_taken for event in flat if event.HasField("action_taken")]
            assert [one.turn for one in actions] == [one["turn"] for one in of_kind(events, "action")]
            assert flat[-1].match_ended.seed == SEED

    run(promise)


def test_watching_goes_on_from_any_line(tmp_path):
    """From a line on, and from beyond the end: what was missed and nothing twice."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create(seats="rb")
            beyond = asyncio.create_task(_watched(kit, match_id, 12))
            bot = await kit.joined(tokens[0])
            await bot.play()
            await kit.ended(match_id)
            everything = await _watched(kit, match_id)
            for from_seq in (0, 1, 5, len(everything)):
                assert await _watched(kit, match_id, from_seq) == [one for one in everything if one.seq >= from_seq]
            assert await asyncio.wait_for(beyond, 20) == [one for one in everything if one.seq >= 12]
            assert await _watched(kit, match_id, 2**63) == []

    run(promise)


def test_a_watcher_that_goes_away_is_nobodys_loss(tmp_path):
    """Watchers may break off at any time."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create(seats="rb")
            watchers = [kit.matches.WatchMatch(match_pb2.WatchMatchRequest(match_id=match_id)) for _ in range(20)]
            for watcher in watchers:
                await watcher.read()
            bot = await kit.joined(tokens[0])
            for watcher in watchers:
                watcher.cancel()
            await bot.play()
            await kit.ended(match_id)

    run(promise)


def test_the_log_is_given_out_when_the_match_is_over(tmp_path):
    """While it runs the log is refused; afterwards it is the file, byte for byte."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create("domino-cartas", "rrr")
            request = match_pb2.FetchMatchLogRequest(match_id=match_id)

            async def refused():
                with pytest.raises(grpc.aio.AioRpcError) as failed:
                    await kit.matches.FetchMatchLog(request).read()
                assert failed.value.code() is grpc.StatusCode.FAILED_PRECONDITION
                assert error_info(failed.value).reason == "MATCH_RUNNING"

            await refused()
            bots = [await kit.joined(token) for token in tokens]
            await kit.until_logged(match_id, "hand_started")
            await refused()
            await asyncio.gather(*[bot.play() for bot in bots])
            await kit.ended(match_id)
            log = b"".join([response.chunk async for response in kit.matches.FetchMatchLog(request)])
            assert log == (tmp_path / f"{match_id}.jsonl").read_bytes()

    run(promise)


def test_the_log_of_a_match_whose_deals_are_used_again_is_kept_back(tmp_path):
    """As long as its seed is withheld a log is not given out: it holds the deals of matches to come."""

    async def promise():
        async with serving(tmp_path) as kit:
            made, _ = await kit.create(seats="bb")
            await kit.ended(made)
            spec = kit.server.host.matches[made].spec
            again = replace(spec, id="again")
            seed = bytes.fromhex(SEED)
            assert commitment(seed) == spec.commitment
            players = [lambda view: view.legal[0] for _ in spec.names]
            hosted = kit.server.host.create(again, seed, players, tmp_path / "again.jsonl", withheld=True)
            await kit.server.host.finished(hosted)
            assert list(read_log(hosted.path))[-1]["seed_withheld"] is True
            with pytest.raises(grpc.aio.AioRpcError) as failed:
                await kit.matches.FetchMatchLog(match_pb2.FetchMatchLogRequest(match_id="again")).read()
            assert failed.value.code() is grpc.StatusCode.FAILED_PRECONDITION
            assert error_info(failed.value).reason == "SEED_WITHHELD"

    run(promise)
