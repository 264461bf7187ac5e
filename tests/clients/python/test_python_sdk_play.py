"""The Python SDK plays against the real server."""

import asyncio
import hashlib
import os
import runpy
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
from referee_bot import Action, RefusedError, run

from referee.bots.registry import find_bot
from referee.match.clock import ClockSpec
from referee.match.deal import commitment
from referee.match.events import MatchSpec
from referee.match.log import read_log
from referee.match.verify import verify
from referee.rules.registry import GAMES, resolve_format, resolve_options
from referee.server.app import RefereeServer
from referee.v1 import match_pb2, match_pb2_grpc, play_pb2

EXAMPLE_FOLDER = Path(__file__).parents[3] / "clients" / "python" / "examples"
EXAMPLES = sorted(EXAMPLE_FOLDER.glob("*.py"))
DUEL = "domino-classico"
SEED = bytes.fromhex("5e" * 32)


class Server:
    """The server, on an event loop in a thread of its own."""

    def __init__(self, data, listen="127.0.0.1:0"):
        self.data = data
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.referee = self.do(self._start(listen))
        self.address = self.referee.address
        self.channel = grpc.insecure_channel(self.address)
        self.matches = match_pb2_grpc.MatchServiceStub(self.channel)

    async def _start(self, listen):
        referee = RefereeServer(self.data, listen)
        await referee.start()
        return referee

    def do(self, coroutine):
        """Run something on the server's loop."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(30)

    def call(self, function, *args):
        """Call something on the server's loop."""

        async def called():
            return function(*args)

        return self.do(called())

    def create(self, game=DUEL, remote=1, **clock):
        """A match of remote seats first, then beginners: its id and the remote seats' tokens."""
        seats = [match_pb2.SeatRequest(name=f"bot {seat}", remote=match_pb2.Remote()) for seat in range(remote)]
        while len(seats) < GAMES[game].players[0]:
            seats.append(match_pb2.SeatRequest(builtin="beginner"))
        request = match_pb2.CreateMatchRequest(game=game, seats=seats, clock=play_pb2.Clock(**clock), seed=SEED.hex())
        made = self.matches.CreateMatch(request)
        return made.info.match_id, [token.token for token in made.tokens]

    def log(self, match_id):
        """The events of a match that has ended; they stand up to verification."""
        for _ in self.matches.WatchMatch(match_pb2.WatchMatchRequest(match_id=match_id)):
            pass  # to its end
        path = self.data / f"{match_id}.jsonl"
        verify(path)
        return list(read_log(path))

    def cut(self, match_id, seat=0):
        """Break the stream of a seat."""
        self.call(self.referee.host.matches[match_id].remote[seat][1].connection.ended.set)

    def close(self):
        """Stop."""
        self.channel.close()
        self.do(self.referee.stop())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        self.loop.close()


@pytest.fixture
def server(tmp_path):
    """A server."""
    one = Server(tmp_path)
    yield one
    one.close()


def first(turn):
    """The smallest bot."""
    return turn.legal[0]


def by(log, seat):
    """Who chose the actions of a seat."""
    return {event["by"] for event in log if event["event"] == "action" and event["seat"] == seat}


@pytest.mark.parametrize("game", GAMES)
def test_a_match_of_every_game(server, game):
    """To its end: the bot is asked whenever it has a choice, and its turns agree with each other."""
    match_id, [token] = server.create(game)
    asked, done = [], []

    def choose(turn):
        action = turn.legal[-1]
        asked.append(turn.turn_id)
        assert (turn.game, turn.seat, turn.match.id, turn.match.names[0]) == (game, 0, match_id, "bot 0")
        assert turn.players == len(turn.counts) == len(turn.match.sides) == GAMES[game].players[0]
        assert turn.counts[0] == len(turn.hand)
        assert action.kind != "play" or action.piece in turn.hand
        assert {piece for piece in turn.table if piece in turn.hand} == set()
        assert {acted.piece for _, acted in turn.history if acted.piece} <= set(turn.table)
        assert all((0, mine) in turn.history for number, mine in done if number == turn.hand_number)
        assert not (turn.rows and turn.ends)
        assert turn.move_ms is not None
        done.append((turn.hand_number, action))
        return action

    run(choose, address=server.address, token=token)
    mine = [event for event in server.log(match_id) if event["event"] == "action" and event["seat"] == 0]
    assert {event["by"] for event in mine} <= {"bot", "forced"}
    assert asked == [event["turn"] for event in mine if event["by"] == "bot"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("game", GAMES)
def test_an_example_as_a_process(server, example, game):
    """It finds all it needs in the environment, says nothing and ends well."""
    match_id, [token] = server.create(game)
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(sys.path),
        "REFEREE_ADDRESS": server.address,
        "REFEREE_TOKEN": token,
        "REFEREE_NAME": "bot",
        "http_proxy": "http://127.0.0.1:9",  # must not matter within one machine
    }
    ended = subprocess.run(
        [sys.executable, example], env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert by(server.log(match_id), 0) <= {"bot", "forced"}


def test_the_random_bot_can_be_repeated(server):
    """Its choice follows from match id and turn id alone, as its documentation says."""
    bot = runpy.run_path(EXAMPLE_FOLDER / "random_bot.py")
    match_id, [token] = server.create()
    places = []

    def choose(turn):
        digest = hashlib.sha256(f"{match_id}/{turn.turn_id}".encode()).digest()
        place = int.from_bytes(digest[:8], "big") % len(turn.legal)
        places.append(place)
        assert bot["choose"](turn) == turn.legal[place]
        return turn.legal[place]

    run(choose, address=server.address, token=token)
    assert len(set(places)) > 1


def test_a_refused_choice_is_asked_again(server, capfd):
    """The referee's own words are told to the bot and on standard error."""
    match_id, [token] = server.create()
    refusals = []

    def choose(turn):
        if turn.refusal is None and not refusals:
            missing = next(piece for piece in ("6-6", "0-0", "1-1", "2-2") if piece not in turn.hand)
            return Action.of(f"{missing} left")
        if turn.refusal is not None:
            refusals.append(turn.refusal)
        return turn.legal[0]

    run(choose, address=server.address, token=token)
    log = server.log(match_id)
    [refusal] = refusals
    [refused] = [event for event in log if event["event"] == "rejected"]
    assert refused["message"] == refusal
    assert capfd.readouterr().err == f"bot 0: turn {refused['turn']}: refused: {refusal}\n"
    assert by(log, 0) <= {"bot", "forced"}


def test_a_legal_action_made_by_hand_is_as_good(server):
    """An action need not be the object from the list."""
    match_id, [token] = server.create()
    run(lambda turn: Action.of(str(turn.legal[0])), address=server.address, token=token)
    assert not [event for event in server.log(match_id) if event["event"] == "rejected"]


def test_a_late_answer_does_not_confuse(server, capfd):
    """The stand-in has played; the bot is told that its answer came too late, and plays on."""
    match_id, [token] = server.create(move_ms=150, bank_ms=0)
    slow = threading.Event()

    def choose(turn):
        if not slow.is_set():
            slow.set()
            threading.Event().wait(0.4)
        return turn.legal[0]

    run(choose, address=server.address, token=token)
    assert "timeout" in by(server.log(match_id), 0)
    assert "refused" in capfd.readouterr().err


def test_a_bot_that_is_put_out_for_being_late_learns_it(server, capfd):
    """Each fault once, with its turn and what follows; then that it is out, and by what."""
    match_id, [token] = server.create(move_ms=60, bank_ms=0)

    def choose(turn):
        threading.Event().wait(0.6)
        return turn.legal[0]

    run(choose, address=server.address, token=token)
    late = [event for event in server.log(match_id) if event["event"] == "fault"]
    faults = [line for line in capfd.readouterr().err.splitlines() if "refused" not in line]
    assert len(late) == 3
    assert [line.count("a stand-in plays this turn") for line in faults] == [1, 1, 0, 0]
    assert all(line.startswith("bot 0: turn ") and "fault: no answer" in line for line in faults[:3])
    assert faults[2].endswith("; out of the match")
    assert faults[3].startswith("bot 0: out of the match: ")


def test_an_answer_that_cannot_be_read_is_told_what_is_legal(server):
    """As one that the rules refuse."""
    _, [token] = server.create()
    refusals = []

    def choose(turn):
        if turn.refusal is not None:
            refusals.append((turn.refusal, turn.legal))
        return turn.legal[0] if refusals else Action.of("banana")

    run(choose, address=server.address, token=token)
    [(message, legal)] = refusals
    assert "'banana'" in message
    assert message.endswith("; legal: " + ", ".join(f"`{action}`" for action in legal))


def test_a_broken_stream_is_mended_and_the_open_turn_asked_again(server):
    """Under the same number, and nothing is held against the bot."""
    match_id, [token] = server.create()
    turns = []

    def choose(turn):
        turns.append(turn.turn_id)
        if len(turns) in {1, 2, 5}:
            server.cut(match_id)
        return turn.legal[0]

    run(choose, address=server.address, token=token)
    log = server.log(match_id)
    assert by(log, 0) <= {"bot", "forced"}
    assert turns[0] == turns[1]
    assert sum(event["event"] == "seat_joined" for event in log) == 4


def test_an_exception_ends_the_bot_and_a_new_one_takes_over(server):
    """A bot that crashed may be started again."""
    match_id, [token] = server.create()

    def broken(turn):
        raise ZeroDivisionError(turn.turn_id)

    with pytest.raises(ZeroDivisionError) as raised:
        run(broken, address=server.address, token=token)
    turns = []

    def choose(turn):
        turns.append(turn.turn_id)
        return turn.legal[0]

    run(choose, address=server.address, token=token)
    assert turns[0] == raised.value.args[0]
    assert by(server.log(match_id), 0) <= {"bot", "forced"}


def test_no_action_is_a_type_error(server):
    """A forgotten `return` is the commonest mistake."""
    _, [token] = server.create()
    with pytest.raises(TypeError, match=r"None.*turn\.legal"):
        run(lambda turn: None, address=server.address, token=token)


def test_an_unknown_token(server):
    """The referee's message is the error's."""
    with pytest.raises(RefusedError, match="unknown token"):
        run(first, address=server.address, token="nobody's")


def test_a_call_that_the_server_does_not_have(server, monkeypatch):
    """What can never succeed is not tried again."""
    monkeypatch.setattr("referee_bot._run.play_pb2_grpc.PlayServiceStub", _Elsewhere)
    with pytest.raises(RefusedError, match="UNIMPLEMENTED"):
        run(first, address=server.address, token="x")


class _Elsewhere:
    def __init__(self, channel):
        self.Play = channel.stream_stream(
            "/referee.v9.PlayService/Play",
            request_serializer=play_pb2.PlayRequest.SerializeToString,
            response_deserializer=play_pb2.PlayResponse.FromString,
        )


def test_a_bot_that_was_started_before_the_server(tmp_path):
    """It keeps knocking for a while."""
    server = Server(tmp_path)
    address = server.address
    server.close()
    started = []
    opener = threading.Timer(0.4, lambda: started.append(Server(tmp_path, address)))
    opener.start()
    with pytest.raises(RefusedError, match="unknown token"):
        run(first, address=address, token="x")
    opener.join()
    started[0].close()


def test_events_come_in_order_and_before_the_turn(server):
    """The match is known before the bot says that it is ready."""
    match_id, [token] = server.create()
    seen = []

    def heard(event):
        seen.append(event.WhichOneof("event"))
        if seen[-1] == "match_started":
            assert "seat_ready" not in [line["event"] for line in read_log(server.data / f"{match_id}.jsonl")]

    run(first, address=server.address, token=token, on_event=heard)
    assert seen[:3] == ["joined", "match_started", "hand_started"]
    assert seen[-2:] == ["match_ended", "closed"]
    assert {"turn", "action_taken", "hand_ended"} <= set(seen)


def test_two_bots_of_one_process(server):
    """Each `run` is on its own."""
    match_id, tokens = server.create(remote=2)
    with ThreadPoolExecutor() as pool:
        for done in [pool.submit(run, first, address=server.address, token=token) for token in tokens]:
            done.result(30)
    log = server.log(match_id)
    assert by(log, 0) | by(log, 1) <= {"bot", "forced"}


def test_match_after_match_with_one_token(server):
    """A tournament: the bot joins again until there is no more."""
    token, ticket = server.call(server.referee.admission.issue, "entrant", True)
    ids, played = [], []

    def start():
        ids.append(f"again-{len(ids)}")
        game = GAMES[DUEL]
        options, format = resolve_options(game, {}), resolve_format(game, None)
        spec = MatchSpec(ids[-1], game, options, format, ("entrant", "beginner"), ClockSpec(), commitment(SEED))
        players = [ticket, find_bot("beginner").make("x")]
        server.call(server.referee.host.create, spec, SEED, players, server.data / f"{spec.id}.jsonl")

    def choose(turn):
        if turn.match.id not in played:
            played.append(turn.match.id)
            if len(ids) < 3:
                start()
            else:
                server.call(ticket.close, play_pb2.CLOSE_REASON_MATCH_OVER, "that was all")
        return turn.legal[0]

    start()
    run(choose, address=server.address, token=token, version="7")
    assert played == ids == ["again-0", "again-1", "again-2"]
    joined = [event for name in ids for event in server.log(name) if event["event"] == "seat_joined"]
    assert [event["version"] for event in joined] == ["7"] * 3
