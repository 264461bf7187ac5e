"""Tokens that are good for match after match, as the entrants of tournaments have: which stream has the seat."""

from dataclasses import replace

import pytest
from server_kit import SEED, run, serving

from referee.match.verify import verify
from referee.v1 import play_pb2


async def _spec(kit):
    """What a duel is."""
    made, _ = await kit.create(seats="bb")
    await kit.ended(made)
    return kit.server.host.matches[made].spec


def _begin(kit, spec, name, players):
    """A match with such players."""
    path = kit.data / f"{name}.jsonl"
    return kit.server.host.create(replace(spec, id=name), bytes.fromhex(SEED), players, path)


def _builtin(view):
    return view.legal[0]


async def _waiting(kit, token):
    """A stream that has joined and has no seat."""
    bot = kit.bot()
    await bot.join(token)
    await bot.answer(1, index=0)
    assert (await bot.until("refusal")).code == "not_your_turn"
    return bot


def test_a_bot_that_comes_back_has_its_seat_while_its_old_stream_looks_alive(tmp_path):
    """A connection that was dropped in silence: the newest stream has the seat at once, and the old one is closed."""

    async def promise():
        async with serving(tmp_path) as kit:
            spec = await _spec(kit)
            token, ticket = kit.server.admission.issue("ana", open=True)
            hosted = _begin(kit, spec, "silent", [ticket, _builtin])
            old = await kit.joined(token)
            turn = await old.until("turn")
            new = kit.bot()
            await new.join(token)
            assert (await new.until("joined")).resumed
            assert (await new.until("turn")).turn_id == turn.turn_id
            replaced = await old.end()
            assert replaced.reason == play_pb2.CLOSE_REASON_REPLACED
            assert not replaced.join_again
            await new.answer(turn.turn_id, index=0)
            closed = await new.play()
            assert closed.reason == play_pb2.CLOSE_REASON_MATCH_OVER
            assert closed.join_again
            assert await kit.server.host.finished(hosted) == ""
            assert not hosted.match.forfeited
            verify(hosted.path)

    run(promise)


def test_of_the_streams_that_wait_the_newest_has_the_seat(tmp_path):
    """The one before it may be dead; it is not closed, since the token may have another seat."""

    async def promise():
        async with serving(tmp_path) as kit:
            spec = await _spec(kit)
            token, ticket = kit.server.admission.issue("ana", open=True)
            old, new = await _waiting(kit, token), await _waiting(kit, token)
            first = _begin(kit, spec, "first", [ticket, _builtin])
            await new.ready()
            assert (await new.until("joined")).match_id == "first"
            assert (await new.play()).reason == play_pb2.CLOSE_REASON_MATCH_OVER
            assert await kit.server.host.finished(first) == ""
            second = _begin(kit, spec, "second", [ticket, _builtin])
            await old.ready()
            assert (await old.until("joined")).match_id == "second"
            assert (await old.play()).reason == play_pb2.CLOSE_REASON_MATCH_OVER
            assert await kit.server.host.finished(second) == ""

    run(promise)


@pytest.mark.parametrize("dead", [0, 1])
def test_where_a_token_has_two_seats_a_stream_more_waits_for_the_one_that_is_lost(tmp_path, dead):
    """Both streams look alive, and nothing tells which of them the newest comes instead of: none is thrown out."""

    async def promise():
        async with serving(tmp_path) as kit:
            spec = await _spec(kit)
            token, ticket = kit.server.admission.issue("ana", open=True)
            hosted = _begin(kit, spec, "pair", [ticket, ticket])
            bots = [await kit.joined(token) for _ in range(2)]
            seats = [bot.seen[0].joined.seat for bot in bots]
            assert sorted(seats) == [0, 1]
            third = await _waiting(kit, token)
            await bots[dead].crash()
            assert (await third.until("joined")).seat == seats[dead]
            assert not [event for event in bots[1 - dead].seen if event.HasField("closed")]
            assert not hosted.match.forfeited

    run(promise)


@pytest.mark.parametrize("kind", ["answer", "join"])
def test_a_stream_without_a_seat_may_not_flood(tmp_path, monkeypatch, kind):
    """So many messages that answer nothing, and it is closed; the token is good still."""
    monkeypatch.setattr("referee.server.play_service.MOST_UNASKED", 5)
    request = {
        "answer": play_pb2.PlayRequest(answer=play_pb2.Answer(turn_id=1, index=0)),
        "join": play_pb2.PlayRequest(join=play_pb2.Join(token="x")),
    }[kind]

    async def promise():
        async with serving(tmp_path) as kit:
            spec = await _spec(kit)
            token, ticket = kit.server.admission.issue("ana", open=True)
            bot = kit.bot()
            await bot.join(token)
            for _ in range(6):
                await bot.send(request)
            closed = await bot.end()
            assert closed.reason == play_pb2.CLOSE_REASON_REFUSED
            assert "more than 5 messages" in closed.message
            assert [event.WhichOneof("event") for event in bot.seen] == ["refusal"] * 5 + ["closed"]
            hosted = _begin(kit, spec, "after", [ticket, _builtin])
            again = await kit.joined(token)
            assert (await again.play()).reason == play_pb2.CLOSE_REASON_MATCH_OVER
            assert await kit.server.host.finished(hosted) == ""

    run(promise)
