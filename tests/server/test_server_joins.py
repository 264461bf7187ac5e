"""Who may take a seat, and how a stream must begin."""

import asyncio

import pytest
from server_kit import of_kind, opening, run, serving

from referee.v1 import fault_pb2, play_pb2

NOT_JOINED = {
    "ready": (play_pb2.PlayRequest(ready=play_pb2.Ready()), "not_joined"),
    "answer": (
        play_pb2.PlayRequest(answer=play_pb2.Answer(turn_id=1, index=0)),
        "not_joined",
    ),
    "leave": (play_pb2.PlayRequest(leave=play_pb2.Leave()), "not_joined"),
    "nothing": (play_pb2.PlayRequest(), "not_joined"),
    "bytes": (b"\xff\xff\xff\xff", "malformed"),
    "long client": (
        play_pb2.PlayRequest(join=play_pb2.Join(token="x", client="c" * 201)),
        "message_too_large",
    ),
    "long version": (
        play_pb2.PlayRequest(join=play_pb2.Join(token="x", version="v" * 201)),
        "message_too_large",
    ),
}


@pytest.mark.parametrize("first", NOT_JOINED)
def test_a_stream_that_does_not_begin_with_join_is_refused(tmp_path, first):
    """Whatever comes before Join is refused by its code, and the stream is closed as refused."""
    request, code = NOT_JOINED[first]

    async def promise():
        async with serving(tmp_path) as kit:
            bot = kit.bot()
            await bot.send(request)
            refusal = await bot.until("refusal")
            assert refusal.code == code
            assert not refusal.HasField("turn_id")
            closed = await bot.end()
            assert closed.reason == play_pb2.CLOSE_REASON_REFUSED
            assert not closed.join_again

    run(promise)


@pytest.mark.parametrize("token", ["", "x", "é" * 1000, "\0"])
def test_an_unknown_token_is_refused(tmp_path, token):
    """A token that was never given out is closed as refused, and the message says so."""

    async def promise():
        async with serving(tmp_path) as kit:
            await kit.create()
            bot = kit.bot()
            await bot.join(token)
            closed = await bot.end()
            assert closed.reason == play_pb2.CLOSE_REASON_REFUSED
            assert "token" in closed.message
            assert not closed.join_again

    run(promise)


def test_a_stream_that_never_joins_is_ended(tmp_path, monkeypatch):
    """A stream that says nothing is refused after a while."""
    monkeypatch.setattr("referee.server.play_service.JOIN_WITHIN_S", 0.05)

    async def promise():
        async with serving(tmp_path) as kit:
            bot = kit.bot()
            assert (await bot.until("refusal")).code == "not_joined"
            assert (await bot.end()).reason == play_pb2.CLOSE_REASON_REFUSED

    run(promise)


def test_a_second_join_on_a_stream_is_refused(tmp_path):
    """The seat that a stream has it keeps; a second Join is ignored and said to be."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, bot, other, turn = await opening(kit)
            for token in ("x", "y"):
                await bot.join(token)
                refusal = await bot.until("refusal")
                assert refusal.code == "already_joined"
                assert refusal.remedy == fault_pb2.REMEDY_IGNORE
            await bot.ready()
            await bot.answer(turn.turn_id, index=0)
            await asyncio.gather(bot.play(), other.play())
            assert not of_kind(await kit.ended(match_id), "fault")

    run(promise)


def test_joining_again_and_again_is_flooding(tmp_path, monkeypatch):
    """A bot may come back often, but not for ever: each time is written down."""
    monkeypatch.setattr("referee.server.remote.MOST_UNASKED", 20)

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create(seats="rb")
            for _ in range(21):
                bot = await kit.joined(tokens[0])
            last = kit.bot()
            await last.join(tokens[0])
            assert (await last.end()).reason == play_pb2.CLOSE_REASON_FORFEITED
            assert (await bot.end()).reason == play_pb2.CLOSE_REASON_REPLACED
            events = await kit.ended(match_id)
            assert of_kind(events, "forfeited", seat=0, cause="flooding")
            assert len(of_kind(events, "seat_joined")) == 21

    run(promise)
