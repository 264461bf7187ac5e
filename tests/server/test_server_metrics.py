"""What a server tells those who run it: numbers, health and lines of JSON, and in none of them a secret."""

import json
import subprocess
import sys
import threading
import urllib.error
import urllib.request

import grpc
import pytest
import referee_bot
import structlog
from prometheus_client.parser import text_string_to_metric_families
from server_kit import DUEL, run, serving

from referee.match.deal import deck_order
from referee.rules.registry import GAMES
from referee.server import meters
from referee.server.app import Policy
from referee.server.http import HttpServer
from referee.server.meters import Meters
from referee.server.operations import Operations
from referee.v1 import match_pb2, match_pb2_grpc

HTTP = Policy(http="127.0.0.1:0")


def fetched(address, path="/metrics", method="GET"):
    """A page: its status and its text. There is no proxy between."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    request = urllib.request.Request(f"http://{address}{path}", method=method)
    try:
        with opener.open(request, timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def numbers(text):
    """The samples of a page of metrics, by name and labels."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def with_server(tmp_path, promise):
    """Run something with a server that has metrics."""

    async def whole():
        async with serving(tmp_path, HTTP) as kit:
            await promise(kit)

    run(whole)


def test_what_happens_is_counted(tmp_path):
    """Matches by stage and end, turns, latencies, lateness, faults, joins and streams agree with the log."""

    async def promise(kit):
        match_id, tokens = await kit.create()
        waiting = numbers(kit.server.operations.meters.text().decode())
        assert waiting["referee_matches", "waiting"] == 1
        for token in tokens:
            await kit.joined(token)
        await kit.until_logged(match_id, "hand_started")
        running = numbers(kit.server.operations.meters.text().decode())
        assert running["referee_matches", "running"] == 1
        assert running["referee_streams",] == 2
        assert running["referee_joins_total",] == 2
        hosted = kit.server.host.matches[match_id]
        hosted.stop()
        await kit.server.host.finished(hosted)
        over = numbers(kit.server.operations.meters.text().decode())
        assert over["referee_matches", "finished"] == 1
        assert over["referee_matches", "waiting"] == 0
        assert over["referee_matches_ended_total", "aborted"] == 1
        stranger = kit.bot()
        await stranger.join("nobody's")
        await stranger.end()
        assert numbers(kit.server.operations.meters.text().decode())["referee_refused_total", "unknown_token"] == 1

    with_server(tmp_path, promise)


def test_turns_and_faults_are_those_of_the_log(tmp_path):
    """A bot answers once against the rules, and a match between it and a beginner is played out."""

    async def promise(kit):
        match_id, (token,) = await kit.create(seats="rb")
        bot = await kit.joined(token)
        turn = await bot.until("turn")
        await bot.answer(turn.turn_id, index=99)
        await bot.until("refusal")
        await bot.answer(turn.turn_id, index=0)
        await bot.play()
        events = await kit.ended(match_id)
        found = numbers(kit.server.operations.meters.text().decode())
        actions = [event for event in events if event["event"] == "action"]
        for by in {event["by"] for event in actions}:
            assert found["referee_turns_total", by] == sum(event["by"] == by for event in actions)
        by_bots = sum(event["by"] == "bot" for event in actions)
        assert found["referee_turn_seconds_count",] == found["referee_lateness_seconds_count",] == by_bots
        took = sum(event["took_ms"] for event in actions if event["by"] == "bot") / 1000
        assert found["referee_turn_seconds_sum",] == pytest.approx(took)
        assert found["referee_faults_total", "malformed"] == 1
        assert found["referee_matches_created_total",] == 1
        assert found["referee_matches_ended_total", "completed"] == 1

    with_server(tmp_path, promise)


def test_a_flood_of_refusals_fills_no_disk():
    """A few lines a second tell of it, and the count tells of all."""
    with structlog.testing.capture_logs() as lines:
        operations = Operations(telling=True)
        for _ in range(1_000):
            operations.refused("UNKNOWN_TOKEN", "10.0.0.1")
    assert 1 <= len(lines) < 100
    assert lines[0] == {"event": "refused", "reason": "unknown_token", "peer": "10.0.0.1", "log_level": "warning"}
    assert numbers(operations.meters.text().decode())["referee_refused_total", "unknown_token"] == 1_000


def test_health_tells_serving_from_draining():
    """By HTTP as by gRPC: 200, then 503; and other paths and methods are none of ours."""
    healthy = [True]
    server = HttpServer("127.0.0.1:0", Meters(), lambda: healthy[0])
    try:
        assert fetched(server.address, "/healthz") == (200, "serving\n")
        healthy[0] = False
        assert fetched(server.address, "/healthz") == (503, "not serving\n")
        assert fetched(server.address)[0] == 200
        assert fetched(server.address, "/etc/passwd")[0] == 404
        assert fetched(server.address, method="DELETE")[0] == 405
    finally:
        server.stop()


def test_without_the_library_there_are_no_numbers_and_all_else_works(monkeypatch):
    """The page says what to install."""
    monkeypatch.setattr(meters, "prometheus", None)
    without = Meters()
    without.count("joins")
    without.turn("bot", 1, 1)
    without.watch("x", "x", lambda: 0)
    without.watch_each("x", "x", "y", ["z"], dict)
    server = HttpServer("127.0.0.1:0", without, lambda: True)
    try:
        status, text = fetched(server.address)
        assert (status, "metrics" in text) == (501, True)
        assert fetched(server.address, "/healthz")[0] == 200
    finally:
        server.stop()


@pytest.mark.parametrize("processes", ["1", "2"])
def test_nothing_that_a_server_writes_shows_a_token_or_a_hidden_piece(tmp_path, processes):
    """Output, log, metrics and errors of a server whose match is under way: no token, no seed, no piece of a hand."""
    tokens_file = tmp_path / "organisers"
    command = [sys.executable, "-m", "referee.cli.main", "serve", "--listen", "127.0.0.1:0", "--drain-s", "0"]
    command += ["--data", str(tmp_path / "data"), "--processes", processes, "--http", "127.0.0.1:0"]
    process = subprocess.Popen(
        [*command, "--organiser-token-file", str(tokens_file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    secrets, shown = ["5e" * 32], []
    try:
        head = process.stdout.readline()
        metrics = process.stdout.readline()
        address, http = head.split()[2].rstrip(","), metrics.split("//")[1].split("/")[0]
        organiser = tokens_file.read_text().strip()
        secrets.append(organiser)
        seats = [match_pb2.SeatRequest(remote=match_pb2.Remote()), match_pb2.SeatRequest(builtin="beginner")]
        request = match_pb2.CreateMatchRequest(game=DUEL, seats=seats, seed="5e" * 32)
        with grpc.insecure_channel(address) as channel:
            stub = match_pb2_grpc.MatchServiceStub(channel)
            made = stub.CreateMatch(request, metadata=(("authorization", f"Bearer {organiser}"),))
            token = made.tokens[0].token
            secrets.append(token)
            asked = threading.Event()
            go_on = threading.Event()

            def choose(turn):
                asked.set()
                assert go_on.wait(60)
                raise SystemExit

            def play():
                with pytest.raises(SystemExit):
                    referee_bot.run(choose, address=made.address, token=token)

            bot = threading.Thread(target=play, daemon=True)
            bot.start()
            assert asked.wait(60)
            for call, wrong in (
                (stub.CreateMatch, request),
                (stub.FetchMatchLog, match_pb2.FetchMatchLogRequest(match_id=made.info.match_id)),
            ):
                with pytest.raises(grpc.RpcError) as caught:
                    list(call(wrong, metadata=(("authorization", f"Bearer {token}"),)))
                shown.append(f"{caught.value.details()} {caught.value.trailing_metadata()}")
            shown.append(str(stub.GetMatch(match_pb2.GetMatchRequest(match_id=made.info.match_id))))
        shown += [fetched(http, path)[1] for path in ("/metrics", "/healthz", f"/{token}")]
        process.terminate()
        process.terminate()
        out, err = process.communicate(timeout=60)
        go_on.set()
        bot.join(60)
    finally:
        process.kill()
        process.wait()
    shown += [head, metrics, out, err]
    lines = [json.loads(line) for line in err.splitlines() if line.startswith("{")]
    said = {line["event"] for line in lines}
    assert {"match created", "match ended", "draining"} <= said
    text = "\n".join(shown)
    for secret in secrets:
        assert secret not in text
    deck = GAMES[DUEL].deck.names
    for place in deck_order(bytes.fromhex("5e" * 32), 0, 0, len(deck)):
        words = text.replace('"', " ").replace(",", " ").split()
        assert deck[place] not in words
