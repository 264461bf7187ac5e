"""What every client must do against the real server; a language's tests give a fixture `client`."""

import shlex
import socket
import subprocess
import sys
import time

import pytest
from referee_bot import run

from client_kit.scripts import closing
from client_kit.tools import DUEL, ENVIRONMENT, PYTHON_EXAMPLES, Relay, actions, by_chance, flawless, joins, tool
from referee.match.log import read_log
from referee.rules.registry import GAMES


class Plays:
    """Matches, and what a bot says when there is none."""

    @pytest.mark.parametrize("game", GAMES)
    def test_a_match_on_the_command_line(self, client, game, tmp_path):
        """One seat the client's, the others Python's: verified, and nobody at fault."""
        log = tmp_path / "match.jsonl"
        python = [sys.executable, PYTHON_EXAMPLES / "random_bot.py"]
        bots = [client.examples["random_bot"], *[python] * (GAMES[game].players[0] - 1)]
        seats = ",".join(f"cmd:{shlex.join(map(str, words))}" for words in bots)
        referee = [sys.executable, "-m", "referee.cli.main"]
        for command in (["play", game, "--seats", seats, "--log", log], ["verify", log]):
            tool(*referee, *command, environment=ENVIRONMENT | client.environment)
        events = list(read_log(log))
        flawless(events)
        assert [event["client"] for event in joins(events)] == [client.agent]
        assert "".join(path.read_text() for path in tmp_path.glob("match-seat*.out")) == ""

    @pytest.mark.parametrize("example", ["random_bot", "first_legal_bot"])
    @pytest.mark.parametrize("game", GAMES)
    def test_an_example_chooses_as_its_twin_in_python(self, client, servers, game, example):
        """The same match, once with the one and once with the other: the same actions; nothing is said."""
        logs = []
        for command in (client.examples[example], [sys.executable, PYTHON_EXAMPLES / f"{example}.py"]):
            ended, log = servers().play(game, client.sits(*command), seat=1)
            assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
            flawless(log, seat=1)
            logs.append(log)
        assert actions(logs[0]) == actions(logs[1])
        assert [event["client"] for event in joins(logs[0], seat=1)] == [client.agent]

    def test_a_broken_stream_is_mended(self, client, servers):
        """The bot joins again and plays to the end; nothing is held against it."""
        server, asked = servers(), []

        def choose(turn):
            asked.append(turn.turn_id)
            if len(asked) in {2, 4}:
                server.cut()
            return by_chance(turn)

        ended, log = server.play("domino-belga", client.sits(*client.examples["random_bot"]), choose)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
        assert len(joins(log)) == 3
        flawless(log)

    def test_a_broken_connection_is_mended(self, client, servers):
        """Whatever broke it: the bot joins again, gets its turn again and finishes."""
        server = servers()
        with Relay(server.address, cut_after=12) as relay:
            ended, log = server.play(
                DUEL, lambda _, token: client.bot(client.examples["random_bot"], relay.address, token)
            )
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
        assert relay.count == 2
        assert [event["resumed"] for event in joins(log)] == [False, True]
        assert {event["by"] for event in actions(log) if event["seat"] == 0} <= {"bot", "forced"}

    def test_an_unknown_token(self, client, servers):
        """The referee's message is on standard error."""
        ended = client.bot(client.examples["random_bot"], servers().address, "nobody's")
        assert ended.returncode == 1
        assert client.unknown_token in ended.stderr

    @pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
    def test_a_bot_that_was_started_before_the_server(self, client, servers, host):
        """It knocks again. That a host's name is used makes no difference."""
        with socket.create_server(("127.0.0.1", 0)) as door:
            door.settimeout(30)
            port = door.getsockname()[1]
            command = [*map(str, client.examples["random_bot"])]
            settings = client.settings(f"{host}:{port}", "nobody's")
            process = subprocess.Popen(command, env=settings, stderr=subprocess.PIPE, text=True)
            try:
                for _ in range(2):
                    door.accept()[0].close()
                door.close()
                assert process.poll() is None
                servers(f"127.0.0.1:{port}")
                assert "unknown token" in process.communicate(timeout=10)[1]
            finally:
                process.kill()
                process.communicate()
        assert process.returncode == 1

    @pytest.mark.parametrize("value", [None, ""], ids=["unset", "empty"])
    @pytest.mark.parametrize("missing", ["REFEREE_ADDRESS", "REFEREE_TOKEN"])
    def test_a_missing_setting_is_named(self, client, missing, value):
        """The first thing that most people see of a bot."""
        settings = {"REFEREE_ADDRESS": "127.0.0.1:1", "REFEREE_TOKEN": "x"} | {missing: value}
        ended = client.bot(client.examples["random_bot"], *settings.values())
        assert ended.returncode == 1
        assert client.unset(missing) in ended.stderr

    def test_it_starts_fast(self, client, stage):
        """From the start of the process to its Join: the best of three."""
        took = []
        for _ in range(3):
            stage.acts = [lambda requests: iter([closing()])]
            began = time.monotonic()
            assert client.bot(client.examples["random_bot"], stage.address, "x").returncode == 0
            took.append(stage.heard.get_nowait()[0] - began)
        print(f"{min(took):.3f} s from the start of the process to Join")  # pytest -s
        assert min(took) < client.most_start_s


class Probes:
    """What a probe, a bot of the test's own, sees of a match."""

    @pytest.mark.parametrize("game", GAMES)
    def test_a_turn_tells_what_it_tells_in_python(self, client, servers, game):
        """Every fact of every turn of a match, and every event."""
        told, (words, choose) = [], client.chooses

        def watch(turn):
            told.append(client.facts(turn))
            return choose(turn)

        def happened(event):
            told.append(f"event {client.event(event.WhichOneof('event'))}")

        servers().play(game, lambda address, token: run(watch, address=address, token=token, on_event=happened))
        ended, log = servers().play(game, client.sits(*client.probe, *words))
        assert (ended.returncode, ended.stderr) == (0, "")
        flawless(log)
        assert ended.stdout.splitlines() == told
        assert [event["version"] for event in joins(log)] == ["7"]

    def test_a_refused_choice_is_asked_again(self, client, servers):
        """The referee's own words are told to the bot and on standard error."""
        ended, log = servers().play(DUEL, client.sits(*client.probe, "foreign"))
        words = [event["message"] for event in log if event["event"] == "rejected"]
        assert words
        assert ended.stderr.splitlines() == [f"one: refused: {word}" for word in words]
        assert ended.returncode == 0
        assert all(client.refusal(word) in ended.stdout for word in words)
