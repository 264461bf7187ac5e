"""A server that says what no server says yet, and what every client must make of it."""

import queue
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest

from client_kit.tools import DUEL, WAIT_S
from referee.v1 import fault_pb2, play_pb2, play_pb2_grpc, table_pb2


class Stage(play_pb2_grpc.PlayServiceServicer):
    """A server that says what it is told to: one act a stream."""

    def __init__(self, *acts):
        self.acts = list(acts)
        self.heard = queue.Queue()
        self.server = grpc.server(ThreadPoolExecutor(4))
        play_pb2_grpc.add_PlayServiceServicer_to_server(self, self.server)
        self.address = f"127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"
        self.server.start()

    def Play(self, request_iterator, context):
        """The next act; one that gives an exception breaks the stream."""
        join = next(request_iterator).join
        self.heard.put((time.monotonic(), join))
        try:
            yield from self.acts.pop(0)(request_iterator)
        except ConnectionError:
            context.abort(grpc.StatusCode.UNAVAILABLE, "broken")


@pytest.fixture
def stages():
    """Makes servers that say what they are told to."""
    made = []

    def make(*acts):
        made.append(Stage(*acts))
        return made[-1]

    yield make
    for one in made:
        one.server.stop(None)


@pytest.fixture
def stage(stages):
    """A server that says what it is told to."""
    return stages()


def events(*each, **fields):
    """A response: the events as they stand, then those made of the fields."""
    response = play_pb2.PlayResponse(events=each)
    for name, value in fields.items():
        response.events.append(play_pb2.PlayEvent(**{name: value}))
    return response


def unknown(message, number=101):
    """The message with a field that nobody knows."""
    tag = number << 3 | 2
    raw = bytes([tag & 0x7F | 0x80, tag >> 7, 2, 8, 1])
    return type(message).FromString(message.SerializeToString() + raw)


def turn(*legal, turn_id=1, **view):
    """A turn of seat 0."""
    actions = [
        action if isinstance(action, table_pb2.Action) else table_pb2.Action(notation=action) for action in legal
    ]
    return play_pb2.Turn(turn_id=turn_id, legal=actions, view=table_pb2.View(seat=0, hand=0, dealer=0, **view))


def opening(*turns, resumed=False):
    """The first response of a stream."""
    started = play_pb2.MatchStarted(match_id="m", game=DUEL, seats=[play_pb2.Seat(seat=0, name="one", side=0)], seat=0)
    joined = play_pb2.Joined(match_id="m", seat=0, name="one", resumed=resumed)
    more = [play_pb2.PlayEvent(turn=each) for each in turns]
    return events(play_pb2.PlayEvent(joined=joined), play_pb2.PlayEvent(match_started=started), *more)


def closing(join_again=False, reason=play_pb2.CLOSE_REASON_MATCH_OVER, message="over"):
    """The last response of a stream."""
    ended = play_pb2.MatchEnded(reason=play_pb2.MATCH_END_REASON_COMPLETED)
    closed = play_pb2.Closed(reason=reason, join_again=join_again, message=message)
    return events(match_ended=ended, closed=closed)


def answers(requests):
    """What the bot sends, less Ready."""
    for request in requests:
        if request.WhichOneof("request") == "answer":
            yield request.answer


class Scripts:
    """What a probe does on a scripted server; the class says in `check_what_was_told` what the odd turn looks like."""

    def test_what_is_not_known_is_skipped(self, client, stage):
        """Events, action kinds, enum values, fields; and an unknown action can be chosen by its place."""
        heard = []
        history = table_pb2.History(seats=[0, 0], kinds=[1, 9], pieces=[1, 200], arms=[0, 9])
        odd = turn("0-0", "9-9 inward", "swap 6-5", unknown(table_pb2.Action()), history=history, pieces=[1, 200])
        odd.view.line.CopyFrom(table_pb2.Line(left_end=0, spinner=200))
        fault = fault_pb2.Fault(seat=0, kind=77, remedy=88, message="who knows")
        refusal = fault_pb2.Refusal(turn_id=1, code="new", message="hm", remedy=99)

        def act(requests):
            yield unknown(opening())
            yield events(unknown(play_pb2.PlayEvent()), unknown(play_pb2.PlayEvent(turn=odd)))
            heard.append(next(answers(requests)))
            yield events(fault=fault, refusal=refusal)
            yield events(play_pb2.PlayEvent(turn=turn("draw", "pass", turn_id=2)))
            heard.append(next(answers(requests)))
            yield closing()

        stage.acts = [act]
        ended = client.bot([*client.probe, "last"], stage.address, "x")
        assert ended.returncode == 0, ended.stderr
        assert [(answer.turn_id, answer.WhichOneof("choice"), answer.index) for answer in heard] == [
            (1, "index", 3),
            (2, "index", 1),
        ]
        assert ended.stderr.splitlines() == ["one: fault: who knows", "one: refused: hm"]
        told = next(line for line in ended.stdout.splitlines() if line.startswith("1|")).split("|")
        self.check_what_was_told(told)

    def test_a_refusal_asks_again_only_for_the_open_turn(self, client, stage):
        """With the remedy that says so; the second answer is by the action's text or place as the choice is."""
        heard = []

        def refusal(turn_id, remedy):
            return events(refusal=fault_pb2.Refusal(turn_id=turn_id, message="no", remedy=remedy))

        def act(requests):
            yield opening(turn("0-0", turn_id=4))
            mine = answers(requests)
            heard.append(next(mine))
            yield refusal(3, fault_pb2.REMEDY_ASK_AGAIN)
            yield refusal(4, fault_pb2.REMEDY_STAND_IN_TURN)
            yield refusal(4, fault_pb2.REMEDY_ASK_AGAIN)
            heard.append(next(mine))
            yield closing()

        stage.acts = [act]
        ended = client.bot([*client.probe, "foreign"], stage.address, "x")
        assert ended.returncode == 0, ended.stderr
        assert [(answer.turn_id, answer.WhichOneof("choice")) for answer in heard] == [(4, "action"), (4, "index")]
        assert heard[0].action.notation == "6-6 left"
        assert ended.stdout.count("\n4|") == 2

    def test_stream_after_stream(self, client, stage):
        """Broken, drained, over: the bot joins again each time with the same token, until there is no more."""

        def broken(requests):
            yield opening(turn("0-0"))
            next(answers(requests))
            raise ConnectionError

        def drained(requests):
            yield opening(turn("0-0"), resumed=True)
            closed = play_pb2.Closed(reason=play_pb2.CLOSE_REASON_SERVER_DRAINING, join_again=True, message="later")
            yield events(closed=closed)

        def over(requests):
            yield opening(turn("0-0"), resumed=True)
            next(answers(requests))
            yield closing(join_again=True)

        def refused(requests):
            closed = play_pb2.Closed(reason=play_pb2.CLOSE_REASON_REFUSED, message="that was all")
            yield events(closed=closed)

        stage.acts = [broken, drained, over, refused]
        ended = client.bot([*client.probe, "first"], stage.address, "the token")
        assert ended.returncode == 0, ended.stderr
        assert ended.stderr.splitlines() == ["one: later", "one: that was all"]
        joins = [stage.heard.get_nowait() for _ in range(4)]
        assert {(join.token, join.client, join.version) for _, join in joins} == {("the token", client.agent, "7")}
        assert joins[3][0] - joins[2][0] < joins[1][0] - joins[0][0] + 0.5  # a next match is joined at once

    def test_a_mistake_in_the_bot_ends_it(self, client, stage):
        """With its words; nothing hangs."""
        stage.acts = [lambda requests: iter([opening(turn("6-6"))])]
        ended = client.bot([*client.probe, "crash"], stage.address, "x")
        assert ended.returncode != 0
        assert "a mistake" in ended.stderr


class Patience:
    """How long a bot waits, and for what."""

    def test_what_can_never_succeed_is_not_tried_again(self, client):
        """A server without the service."""
        server = grpc.server(ThreadPoolExecutor(1))
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        ended = client.bot(client.examples["first_legal_bot"], f"localhost:{port}", "x")
        server.stop(None)
        assert ended.returncode != 0
        assert client.unimplemented in ended.stderr

    @pytest.mark.slow
    def test_how_long_a_bot_waits(self, client, stages):
        """20 seconds for a referee that cannot be reached, any time for its seat; no error once the match is over."""
        given_up = threading.Event()

        def leaving(*last):
            def act(requests):
                yield opening(turn("0-0"))
                next(answers(requests))
                yield from last
                where["over" if last else "gone"].server.stop(None)
                raise ConnectionError

            return act

        def silent(requests):
            yield from ()
            assert given_up.wait(WAIT_S)
            raise ConnectionError

        def finished(requests):
            yield opening(turn("0-0"))
            next(answers(requests))
            yield closing()

        def late(requests):
            assert given_up.wait(WAIT_S)
            yield from finished(requests)

        where = {"gone": stages(leaving()), "over": stages(leaving(events(match_ended=play_pb2.MatchEnded())))}
        where |= {"broken": stages(silent, finished), "late": stages(late)}
        with socket.socket() as nobody, ThreadPoolExecutor() as pool:
            nobody.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{nobody.getsockname()[1]}"
            began = time.monotonic()
            command = client.examples["first_legal_bot"]
            bots = {name: pool.submit(client.bot, command, one.address, "x") for name, one in where.items()}
            try:
                lost = client.bot(command, address, "x")
            finally:
                given_up.set()
            ended = {name: bot.result(WAIT_S) for name, bot in bots.items()}
        assert 19 < time.monotonic() - began < 40
        assert lost.returncode == ended["gone"].returncode == 1
        assert not [words for words in client.lost if words.format(address) not in lost.stderr]
        assert client.lost[0].format(where["gone"].address) in ended["gone"].stderr
        for name in ("over", "broken", "late"):
            assert (ended[name].returncode, ended[name].stderr) == (0, ""), name
        assert where["broken"].heard.qsize() == 2
        assert where["late"].heard.qsize() == 1
