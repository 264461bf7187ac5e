"""Any requests in any order: a property of the server, not a list of cases."""

import asyncio

import grpc
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from server_kit import run, serving

from referee.v1 import play_pb2, table_pb2

HURRIED = {"join_ms": 50, "ready_ms": 400, "move_ms": 30, "bank_ms": 0}

PIECES = st.integers(-(2**31), 2**31 - 1) | st.integers(0, 130)
ACTIONS = st.one_of(
    st.builds(lambda text: table_pb2.Action(notation=text), st.text(max_size=60)),
    st.builds(
        lambda piece, arm: table_pb2.Action(play=table_pb2.Play(piece=piece, arm=arm)),
        PIECES,
        PIECES,
    ),
    st.just(table_pb2.Action(draw=table_pb2.Draw())),
    st.just(table_pb2.Action(pass_turn=table_pb2.PassTurn())),
)
TURNS = st.integers(0, 2**32 - 1) | st.integers(0, 40)
REQUESTS = st.one_of(
    st.builds(
        lambda turn, index: play_pb2.PlayRequest(answer=play_pb2.Answer(turn_id=turn, index=index)),
        TURNS,
        st.integers(0, 2**32 - 1) | st.integers(0, 5),
    ),
    st.builds(
        lambda turn, action: play_pb2.PlayRequest(answer=play_pb2.Answer(turn_id=turn, action=action)),
        TURNS,
        ACTIONS,
    ),
    st.builds(
        lambda *texts: play_pb2.PlayRequest(join=play_pb2.Join(token=texts[0], client=texts[1], version=texts[2])),
        *[st.text(max_size=300)] * 3,
    ),
    st.just(play_pb2.PlayRequest(ready=play_pb2.Ready())),
    st.builds(
        lambda text: play_pb2.PlayRequest(leave=play_pb2.Leave(reason=text)),
        st.text(max_size=300),
    ),
    st.just(play_pb2.PlayRequest()),
    st.binary(max_size=60),
)
GAMES = st.sampled_from(["domino-cartas", "domino-a-carte", "domino-belga", "domino-duplas"])


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(game=GAMES, requests=st.lists(REQUESTS, max_size=25), joins=st.booleans())
def test_whatever_a_client_sends_the_match_ends_and_verifies(tmp_path_factory, game, requests, joins):
    """Any requests in any order, in turn and out of turn: a result, a log that verifies, no complaint of the server."""

    async def promise():
        async with serving(tmp_path_factory.mktemp("any")) as kit:
            match_id, tokens = await kit.create(game, "rbbb", clock=HURRIED)
            bot = kit.bot()
            try:
                if joins:
                    await bot.join(tokens[0])
                for request in requests:
                    await bot.send(request)
                await bot.call.done_writing()
            except (asyncio.InvalidStateError, grpc.RpcError, grpc.aio.BaseError):
                pass  # the stream was ended under its hands
            await bot.status()
            await kit.ended(match_id)

    run(promise)
