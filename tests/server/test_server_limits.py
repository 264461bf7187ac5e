"""How much one client may have, and what it is told when it wants more; each limit is tried out, and out of the way."""

import asyncio
from dataclasses import fields

import grpc
import pytest
from server_kit import error_info, run, serving

from referee.cli.policy import check
from referee.rules.registry import SettingError
from referee.server.app import Policy
from referee.server.limits import Holders, Limits, Rate, peer_of
from referee.v1 import match_pb2, match_pb2_grpc, play_pb2


def limited(data, **limits):
    """A server with some limits; the others are the default."""
    return serving(data, Policy(limits=Limits(**limits)))


async def exhausted(promise):
    """The stable reason of a call that ends with RESOURCE_EXHAUSTED."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await promise
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    return error_info(caught.value).reason


async def to_the_end(bot):
    """Read a stream to its end."""
    while await bot.event() is not None:
        pass


@pytest.mark.parametrize("most", [1_000, 64 * 1024])
def test_a_message_may_have_so_many_bytes(tmp_path, most):
    """One that is longer ends its stream."""

    async def promise():
        async with limited(tmp_path, message_bytes=most) as kit:
            bot = kit.bot()
            await bot.join("x" * 2_000)
            status = await bot.status()
            assert (status is grpc.StatusCode.RESOURCE_EXHAUSTED) == (most < 2_000)

    run(promise)


@pytest.mark.parametrize("most", [2, 1_000])
def test_so_many_streams_of_an_address_may_wait_to_join(tmp_path, most):
    """One more is refused; once one of them has joined there is room again."""

    async def promise():
        async with limited(tmp_path, unjoined_per_peer=most) as kit:
            _, tokens = await kit.create(seats="rr")
            bots = [kit.bot() for _ in range(3)]
            if most == 2:
                codes = {asyncio.create_task(bot.call.code()): bot for bot in bots}
                done, _ = await asyncio.wait(codes, return_when=asyncio.FIRST_COMPLETED)
                (refused,) = done
                assert await exhausted(to_the_end(codes[refused])) == "TOO_MANY_STREAMS"
                bots.remove(codes[refused])
                bots[1] = bots[0]
            await bots[0].join(tokens[0])
            await bots[0].until("joined")
            last = bots[2] if most > 2 else kit.bot()
            await last.join(tokens[1])
            await last.until("joined")

    run(promise)


@pytest.mark.parametrize("most", [1, 1_000])
def test_an_address_may_join_so_often_a_second(tmp_path, most):
    """More is told to come again later, which the SDKs do."""

    async def promise():
        async with limited(tmp_path, joins_per_second=most) as kit:
            _, tokens = await kit.create()
            await kit.joined(tokens[0])
            bot = kit.bot()
            await bot.join(tokens[1])
            if most == 1:
                assert await exhausted(to_the_end(bot)) == "JOINS_TOO_FAST"
            else:
                await bot.until("joined")

    run(promise)


@pytest.mark.parametrize("most", [2, 16])
def test_a_token_may_have_so_many_streams(tmp_path, most):
    """One more is closed as refused; when one has ended there is room again."""

    async def promise():
        async with limited(tmp_path, streams_per_token=most) as kit:
            token, _ = kit.server.admission.issue("x", open=True)

            async def waiting():
                bot = kit.bot()
                await bot.join(token)
                await bot.ready()
                return bot, await bot.until("refusal", "closed")

            first, _ = await waiting()
            await waiting()
            _, answer = await waiting()
            assert isinstance(answer, play_pb2.Closed) == (most == 2)
            if most == 2:
                assert answer.reason == play_pb2.CLOSE_REASON_REFUSED
                assert "2 streams" in answer.message
                await first.leave()
                await first.end()
                _, answer = await waiting()
                assert not isinstance(answer, play_pb2.Closed)

    run(promise)


@pytest.mark.parametrize("most", [50, 1 << 20])
def test_so_much_may_wait_for_a_bot_that_does_not_read(tmp_path, most):
    """More ends its stream, and the bot may come back."""

    async def promise():
        async with limited(tmp_path, buffered_bytes=most) as kit:
            _, tokens = await kit.create()
            bot = kit.bot()
            await bot.join(tokens[0])
            if most == 50:
                assert await exhausted(to_the_end(bot)) == "BOT_TOO_SLOW"
            else:
                await bot.until("match_started")

    run(promise)


@pytest.mark.parametrize("most", [1, 1_000])
def test_an_organiser_may_have_so_many_matches_open(tmp_path, most):
    """One more is refused until one is over."""

    async def promise():
        async with limited(tmp_path, matches_per_organiser=most) as kit:
            match_id, _ = await kit.create()
            if most > 1:
                await kit.create()
                return
            assert await exhausted(kit.create()) == "TOO_MANY_MATCHES"
            hosted = kit.server.host.matches[match_id]
            hosted.stop()
            await kit.server.host.finished(hosted)
            await kit.create()

    run(promise)


@pytest.mark.parametrize("most", [1, 1_000])
def test_an_address_may_watch_so_often(tmp_path, most):
    """One more call is refused."""

    async def promise():
        async with limited(tmp_path, watchers_per_peer=most) as kit:
            match_id, _ = await kit.create()
            request = match_pb2.WatchMatchRequest(match_id=match_id)
            calls = [kit.matches.WatchMatch(request) for _ in range(2)]
            await calls[0].read()
            if most == 1:
                assert await exhausted(calls[1].read()) == "TOO_MANY_WATCHERS"
            else:
                await calls[1].read()
            for call in calls:
                call.cancel()

    run(promise)


@pytest.mark.parametrize("stall_s", [0.1, 1_000])
def test_a_watcher_that_does_not_read_is_dropped(tmp_path, stall_s):
    """The match has long ended when it reads on, and it is told; nothing of the server's has waited for it."""

    async def promise():
        async with limited(tmp_path, stall_s=stall_s) as kit:
            refused = asyncio.Queue()
            kit.server.operations.refused = lambda reason, peer: refused.put_nowait(reason)
            best = play_pb2.Format(kind="best_of", hands=199)
            match_id, _ = await kit.create(seats="bb", format=best)
            # A window that gRPC must not widen: the whole match does not fit into it.
            narrow = (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 16 * 1024))
            watcher = kit.bot(options=narrow)
            matches = match_pb2_grpc.MatchServiceStub(watcher.channel)
            call = matches.WatchMatch(match_pb2.WatchMatchRequest(match_id=match_id))
            await kit.ended(match_id)
            if stall_s < 1:
                assert await asyncio.wait_for(refused.get(), 20) == "WATCHER_TOO_SLOW"
                assert kit.server.operations.watchers == 0

            async def read():
                return [response async for response in call]

            if stall_s < 1:
                assert await exhausted(read()) == "WATCHER_TOO_SLOW"
            else:
                assert (await read())[-1].events[-1].HasField("match_ended")

    run(promise)


def test_a_rate_refills_with_time():
    """So many at once after a pause, then as many as time gives back; holders do not share."""
    now = [0.0]
    rate = Rate(2, lambda: now[0])
    assert [rate.take("a") for _ in range(3)] == [True, True, False]
    assert rate.take("b")
    now[0] += 0.5
    assert [rate.take("a") for _ in range(2)] == [True, False]
    now[0] += 100
    assert [rate.take("a") for _ in range(3)] == [True, True, False]


def test_rates_of_ever_new_addresses_do_not_fill_the_memory():
    """Those that have been quiet are forgotten."""
    now = [0.0]
    rate = Rate(1, lambda: now[0])
    for number in range(30_000):
        now[0] += 0.001
        rate.take(str(number))
    assert len(rate._left) <= 10_000


def test_what_is_given_back_leaves_nothing():
    """A holder that has nothing is not kept."""
    holders = Holders(1)
    assert holders.take("a")
    assert not holders.take("a")
    holders.give_back("a")
    assert holders.take("a")
    holders.give_back("a")
    assert not holders._held


@pytest.mark.parametrize(
    ("peer", "counts_as"),
    [
        ("ipv4:10.0.0.1:4711", "10.0.0.1"),
        ("ipv6:%5B::1%5D:4711", "::/64"),
        ("ipv6:[2001:db8:1:2:3:4:5:6]:1", "2001:db8:1:2::/64"),
        ("ipv6:[::ffff:10.0.0.1]:1", "10.0.0.1"),
        ("unix:", "unix"),
        ("unix:/tmp/x", "unix"),
    ],
)
def test_whom_a_peer_counts_as(peer, counts_as):
    """A network of addresses that one client has at its hands is one peer."""
    assert peer_of(peer) == counts_as


def test_limits_of_a_file_are_checked_to_the_last_key():
    """Every limit can be set; another key, and what is no number, are refused."""
    check("f: limits", "limits", {field.name: 5 for field in fields(Limits)})
    for wrong in ({"streams": 1}, {"stall_s": 0}, {"stall_s": True}, {"stall_s": "1"}, 5):
        with pytest.raises(SettingError, match="limits"):
            check("f: limits", "limits", wrong)
