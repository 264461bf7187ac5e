"""Where bots are told to dial in, whatever the server listens on."""

import os
import re
import socket
import subprocess
import sys

import grpc
import pytest
from referee_bot import run as play
from server_kit import run

from referee.cli.policy import DEFAULTS, transport_of
from referee.rules.registry import SettingError
from referee.server.address import told, told_here
from referee.server.app import Policy, RefereeServer
from referee.server.transport import Transport
from referee.v1 import match_pb2, match_pb2_grpc


@pytest.mark.parametrize(
    ("listen", "public", "address", "here"),
    [
        ("127.0.0.1:1", "", "127.0.0.1:1", "127.0.0.1:1"),
        ("referee.example.org:1", "", "referee.example.org:1", "referee.example.org:1"),
        ("0.0.0.0:1", "", f"{socket.gethostname()}:1", "127.0.0.1:1"),
        ("[::]:1", "", f"{socket.gethostname()}:1", "[::1]:1"),
        ("[::0]:1", "", f"{socket.gethostname()}:1", "[::1]:1"),
        ("0.0.0.0:1", "cup.example.org", "cup.example.org:1", "127.0.0.1:1"),
        ("10.0.0.1:1", "192.0.2.7", "192.0.2.7:1", "10.0.0.1:1"),
        ("[::]:1", "2001:db8::7", "[2001:db8::7]:1", "[::1]:1"),
        ("[::]:1", "[2001:db8::7]", "[2001:db8::7]:1", "[::1]:1"),
    ],
)
def test_what_is_told_can_be_dialled(listen, public, address, here):
    """Never every address of the machine, which is none; others are told what `--public` says."""
    assert told(listen, public) == address
    assert told_here(listen) == here


@pytest.mark.parametrize("public", ["cup.example.org:50051", "http://cup", "a b", "0.0.0.0", "[::]", "[]", "\x1b[2J"])
def test_what_is_no_host_is_refused(public):
    """With what would be right, before anything listens."""
    with pytest.raises(SettingError, match="--public"):
        transport_of(DEFAULTS | {"public": public})


@pytest.mark.parametrize("public", ["", "cup.example.org"])
def test_a_server_that_listens_everywhere_tells_an_address_that_can_be_dialled(tmp_path, public):
    """In what CreateMatch answers, and as its own address; processes of its own dial in on loopback."""

    async def promise():
        server = RefereeServer(tmp_path, "0.0.0.0:0", policy=Policy(transport=Transport(insecure=True, public=public)))
        await server.start()
        try:
            host, _, port = server.address.rpartition(":")
            assert host == (public or socket.gethostname())
            assert server._matches.address == server.address
            assert server.local_address == f"127.0.0.1:{port}"
        finally:
            await server.stop()

    run(promise)


@pytest.mark.parametrize("processes", ["1", "2"])
@pytest.mark.parametrize("public", ["", "localhost"])
def test_serve_says_what_bots_are_told(tmp_path, processes, public):
    """The line that it prints and what CreateMatch answers; where nobody has chosen a name, that one can be."""
    command = [sys.executable, "-m", "referee.cli.main", "serve", "--listen", "0.0.0.0:0", "--insecure"]
    words = ["--processes", processes, *(["--public", public] if public else [])]
    process = subprocess.Popen(
        [*command, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ.copy()
    )
    try:
        address = process.stdout.readline().split()[2].rstrip(",")
        assert address.rpartition(":")[0] == (public or socket.gethostname())
        if public:
            seats = [match_pb2.SeatRequest(remote=match_pb2.Remote()), match_pb2.SeatRequest(builtin="beginner")]
            with grpc.insecure_channel(address) as channel:
                made = match_pb2_grpc.MatchServiceStub(channel).CreateMatch(
                    match_pb2.CreateMatchRequest(game="domino-classico", seats=seats)
                )
            assert made.address.startswith("localhost:")
            play(lambda turn: turn.legal[0], address=made.address, token=made.tokens[0].token)
        process.terminate()
        _, errors = process.communicate(timeout=30)
        said = re.findall("bots are told to dial in at (.*); --public HOST", errors)
        assert said == ([] if public else [address])
    finally:
        process.kill()
        process.communicate()


TOURNAMENT = """
name = "cup"
game = "domino-classico"
table = 2
deals = 1
clock = { join_ms = 60000 }
entrants = [{ name = "away", remote = true }, { name = "here", builtin = "medium" }]
"""


@pytest.mark.parametrize("public", ["", "localhost"])
@pytest.mark.parametrize("kind", ["play", "tournament"])
def test_play_and_tournaments_tell_their_remote_bots_the_same(tmp_path, kind, public):
    """Beside the token."""
    (tmp_path / "cup.toml").write_text(TOURNAMENT)
    words = {
        "play": ["play", "domino-classico", "--seats", "remote,medium"],
        "tournament": ["tournament", "run", "cup.toml", "--out", "cup"],
    }[kind]
    command = [sys.executable, "-u", "-m", "referee.cli.main", *words, "--listen", "0.0.0.0:0", "--insecure"]
    process = subprocess.Popen(
        [*command, *(["--public", public] if public else [])],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=tmp_path,
    )
    try:
        address = next(found for line in process.stdout if (found := re.search(r"REFEREE_ADDRESS=(\S+):\d+", line)))
        assert address[1] == (public or socket.gethostname())
    finally:
        process.kill()
        process.communicate()
