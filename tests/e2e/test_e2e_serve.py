"""`referee serve` as it is run: signals, ports, and what is on the disk afterwards."""

import signal
import socket
import subprocess
import sys
import threading

import grpc
import pytest
from e2e_kit import ENVIRONMENT, EXAMPLES, Running, checked, referee

from referee.match.verify import verify
from referee.v1 import match_pb2, match_pb2_grpc, play_pb2, play_pb2_grpc

SIGNALS = [signal.SIGINT, signal.SIGTERM]
PATIENT = play_pb2.Clock(join_ms=60_000, ready_ms=60_000, move_ms=60_000)


class Server:
    """A server process, and calls to it."""

    def __init__(self, data, *words):
        self.data = data
        self.running = Running("serve", "--listen", "127.0.0.1:0", "--data", str(data), *words)
        self.address = self.running.line(r"listening on (\S+),")[1]
        self.held = threading.Event()  # set: streams need be held open no longer
        self.channel = grpc.insecure_channel(self.address)
        self.matches = match_pb2_grpc.MatchServiceStub(self.channel)

    def create(self, remote):
        """A duel with so many remote seats: its id and tokens."""
        seats = [match_pb2.SeatRequest(remote=match_pb2.Remote())] * remote
        seats += [match_pb2.SeatRequest(builtin="beginner")] * (2 - remote)
        request = match_pb2.CreateMatchRequest(game="domino-classico", seats=seats, clock=PATIENT)
        made = self.matches.CreateMatch(request, timeout=20)
        return made.info.match_id, [token.token for token in made.tokens]

    def watch(self, match_id):
        """Watch a match to its end."""
        return list(self.matches.WatchMatch(match_pb2.WatchMatchRequest(match_id=match_id), timeout=20))

    def stop(self, *numbers):
        """Signal it, and wait for its end: its exit status and standard error."""
        for number in numbers:
            self.running.process.send_signal(number)
        status, _, err = self.running.end()
        return status, err

    def asked(self, token):
        """A stream that has joined, is ready and has been asked."""

        def requests():
            yield play_pb2.PlayRequest(join=play_pb2.Join(token=token))
            yield play_pb2.PlayRequest(ready=play_pb2.Ready())
            self.held.wait(60)

        call = play_pb2_grpc.PlayServiceStub(self.channel).Play(requests(), timeout=60)
        for response in call:
            if any(event.HasField("turn") for event in response.events):
                return call
        raise AssertionError("not asked")

    def close(self):
        """Leave nothing running."""
        self.held.set()
        self.channel.close()
        self.running.close()


@pytest.fixture
def server(tmp_path):
    """A server process with its logs in a folder that it makes."""
    one = Server(tmp_path / "a" / "data")
    yield one
    one.close()


def test_serve_plays_matches_of_bots_that_dial_in(server):
    """The printed address is all it takes: matches are created, played by the SDK's bots, and logged."""
    match_id, tokens = server.create(2)
    bots = [
        subprocess.Popen(
            [sys.executable, str(EXAMPLES / "random_bot.py")],
            env={**ENVIRONMENT, "REFEREE_ADDRESS": server.address, "REFEREE_TOKEN": token},
        )
        for token in tokens
    ]
    server.watch(match_id)
    assert [bot.wait(20) for bot in bots] == [0, 0]
    assert checked(server.data / f"{match_id}.jsonl")[-1]["reason"] == "completed"
    assert server.stop(signal.SIGTERM)[0] == 0


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_an_idle_server_at_once(server, number):
    """Nothing running: exit status 0, no traceback."""
    match_id, _ = server.create(0)
    server.watch(match_id)
    status, err = server.stop(number)
    assert status == 0
    assert "Traceback" not in err
    assert checked(server.data / f"{match_id}.jsonl")[-1]["reason"] == "completed"


@pytest.mark.parametrize("number", SIGNALS)
def test_draining_aborts_what_does_not_end_in_time(tmp_path, number):
    """Waiting and running matches end in their logs, each with a whole last line; exit status 0."""
    server = Server(tmp_path / "data", "--drain-s", "1")
    try:
        waiting, _ = server.create(1)
        running, tokens = server.create(1)
        call = server.asked(tokens[0])
        server.running.process.send_signal(number)
        events = [event for response in call for event in response.events]
        server.held.set()
        assert events[-2].match_ended.reason == play_pb2.MATCH_END_REASON_ABORTED
        assert events[-1].closed.reason == play_pb2.CLOSE_REASON_SERVER_DRAINING
        status, _, err = server.running.end()
        assert status == 0, err
        assert "Traceback" not in err
        for match_id in (waiting, running):
            assert checked(server.data / f"{match_id}.jsonl")[-1]["reason"] == "aborted"
    finally:
        server.close()


def test_a_second_signal_hurries(tmp_path):
    """With an hour to drain in, a second signal ends it now, and as cleanly."""
    server = Server(tmp_path / "data", "--drain-s", "3600")
    try:
        match_id, _ = server.create(1)
        server.running.process.send_signal(signal.SIGINT)
        server.running.process.send_signal(signal.SIGTERM)
        status, _, err = server.running.end()
        assert status == 0, err
        assert "Traceback" not in err
        assert checked(server.data / f"{match_id}.jsonl")[-1]["reason"] == "aborted"
    finally:
        server.close()


def test_a_port_that_is_taken_is_said_in_one_line(tmp_path):
    """Exit status 2, and one line that names the address and why."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = f"127.0.0.1:{taken.getsockname()[1]}"
        done = referee("serve", "--listen", listen, "--data", str(tmp_path))
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert listen in line
    assert "in use" in line


@pytest.mark.parametrize(
    "listen", ["nowhere", "host:", ":1", "127.0.0.1:99999", "127.0.0.1:x", "no.such.host.invalid:1"]
)
def test_an_address_that_is_none_is_said_in_one_line(tmp_path, listen):
    """Exit status 2 and one line."""
    done = referee("serve", "--listen", listen, "--data", str(tmp_path))
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_data_folder_that_cannot_be_is_said_in_one_line(tmp_path):
    """A file in place of the folder: exit status 2 and one line."""
    (tmp_path / "file").write_text("")
    done = referee("serve", "--listen", "127.0.0.1:0", "--data", str(tmp_path / "file"))
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('listen = "foo"', "listen foo: HOST:PORT is needed"),
        ('listen = "192.0.2.1:1"', "listen: 192.0.2.1:1 can be reached from other machines"),
        ('http = "foo"', "http foo: HOST:PORT is needed"),
        ('data = "/proc/none"', "data /proc/none: "),
        ('spectator_token_file = "none"', "spectator_token_file: it has no effect"),
        ('lisen = "127.0.0.1:0"', "lisen: unknown key 'lisen'; did you mean 'listen'?"),
        ("processes = 0", "processes: 0 is not a whole number from 1"),
        ("limits = { streams_per_token = 0 }", "limits.streams_per_token: 0 is not a whole number from 1"),
    ],
)
def test_a_wrong_value_in_a_file_is_said_with_the_file_and_the_key(tmp_path, line, said):
    """One line, exit status 2; where a flag wins over the file, the error is the flag's."""
    config = tmp_path / "serve.toml"
    config.write_text(line)
    done = referee("serve", "--config", str(config))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"referee: {config}: {said}")
    assert len(done.stderr.splitlines()) == 1
    if line == 'listen = "foo"':
        done = referee("serve", "--config", str(config), "--listen", "bar")
        assert done.stderr.startswith("referee: --listen bar: HOST:PORT is needed")


def test_two_servers_do_not_share_a_folder(server):
    """The second leaves with status 2 and one line: both would go on with the same matches."""
    done = referee("serve", "--listen", "127.0.0.1:0", "--data", str(server.data))
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert "another server uses this folder" in line


def test_a_server_that_is_killed_leaves_logs_that_verify_in_part(tmp_path):
    """SIGKILL in the middle: what stands in the log is whole lines of a match that is cut short."""
    server = Server(tmp_path / "data")
    try:
        match_id, tokens = server.create(1)
        server.asked(tokens[0])
        server.running.process.kill()
        server.held.set()
        path = server.data / f"{match_id}.jsonl"
        assert path.read_bytes().endswith(b"\n")
        assert verify(path, partial=True).match.ended is None
    finally:
        server.close()
