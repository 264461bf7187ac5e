"""What every client must do where the referee has TLS."""

import contextlib
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import grpc
import pytest

from client_kit.tools import DUEL, ENVIRONMENT, WAIT_S, flawless, joins, tool
from referee.match.log import read_log
from referee.v1 import match_pb2, match_pb2_grpc

REFEREE = (sys.executable, "-m", "referee.cli.main")


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    """The folders of three authorities: for this machine, another for it, and for some other machine."""
    folder = tmp_path_factory.mktemp("tls")
    for name, host in {"here": (), "stranger": (), "elsewhere": ("--host", "referee.example.org")}.items():
        tool(*REFEREE, "certificate", folder / name, "--client", "bot", *host)
    return folder


@contextlib.contextmanager
def secured(data, folder, mutual=False):
    """A server process that has TLS, with the certificates of a folder: its address."""
    words = ["--tls-cert", folder / "server.pem", "--tls-key", folder / "server-key.pem"]
    words += ["--tls-client-ca", folder / "ca.pem"] if mutual else []
    command = [*REFEREE, "serve", "--listen", "127.0.0.1:0", "--data", data, *words]
    with subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
        try:
            yield process.stdout.readline().split()[2].rstrip(",")
        finally:
            process.kill()


class Tls:
    """Variables name PEM files: REFEREE_CA, and with mTLS REFEREE_CERT and REFEREE_KEY."""

    @pytest.mark.parametrize("mutual", [False, True], ids=["tls", "mtls"])
    def test_a_match_over_tls(self, client, certificates, mutual, tmp_path):
        """Against a server in a process of its own; nothing is said."""
        folder = certificates / "here"
        own = {"REFEREE_CERT": str(folder / "bot.pem"), "REFEREE_KEY": str(folder / "bot-key.pem")} if mutual else {}
        given = [(folder / name).read_bytes() for name in ("ca.pem", "bot-key.pem", "bot.pem")]
        seats = [match_pb2.SeatRequest(remote=match_pb2.Remote()), match_pb2.SeatRequest(builtin="beginner")]
        request = match_pb2.CreateMatchRequest(game=DUEL, seats=seats)
        with (
            secured(tmp_path, folder, mutual) as address,
            grpc.secure_channel(address, grpc.ssl_channel_credentials(*given)) as channel,
        ):
            matches = match_pb2_grpc.MatchServiceStub(channel)
            made = matches.CreateMatch(request, timeout=WAIT_S)
            bot = with_variables(client, REFEREE_CA=str(folder / "ca.pem"), **own)
            ended = bot.bot(client.examples["random_bot"], made.address, made.tokens[0].token)
            match_id = made.info.match_id
            list(matches.WatchMatch(match_pb2.WatchMatchRequest(match_id=match_id), timeout=WAIT_S))  # to its end
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
        log = list(read_log(tmp_path / f"{match_id}.jsonl"))
        flawless(log)
        assert [event["client"] for event in joins(log)] == [client.agent]

    @pytest.mark.slow
    def test_a_referee_that_is_not_the_one_meant(self, client, certificates, tmp_path):
        """Its certificate is signed by somebody else, or for another host: no match, and the bot says why."""

        def tried(address, authority):
            bot = with_variables(client, REFEREE_CA=str(certificates / authority / "ca.pem"))
            ended = bot.bot(client.examples["first_legal_bot"], address, "x")
            return ended, time.monotonic() - began

        with (
            secured(tmp_path / "1", certificates / "here") as here,
            secured(tmp_path / "2", certificates / "elsewhere") as elsewhere,
            ThreadPoolExecutor() as pool,
        ):
            began = time.monotonic()
            tries = [pool.submit(tried, here, "stranger"), pool.submit(tried, elsewhere, "elsewhere")]
            ends = [each.result(WAIT_S) for each in tries]
        for (ended, took), address, words in zip(ends, (here, elsewhere), client.distrust, strict=True):
            assert ended.returncode == 1, ended.stderr
            assert client.lost[0].format(address) in ended.stderr
            assert words in ended.stderr
            assert 19 < took < 40

    def test_half_a_pair(self, client, certificates):
        """A bot's certificate needs its key and the authority; a file must be there."""
        files = {name: str(certificates / "here" / path) for name, path in PATHS.items()}
        for name in PATHS:
            bot = with_variables(client, **files | {name: ""})
            ended = bot.bot(client.examples["first_legal_bot"], "127.0.0.1:1", "x")
            assert ended.returncode == 1
            assert "needs all of REFEREE_CA, REFEREE_CERT and REFEREE_KEY" in ended.stderr
        for name in PATHS:
            bot = with_variables(client, **files | {name: str(certificates / "nobody.pem")})
            ended = bot.bot(client.examples["first_legal_bot"], "127.0.0.1:1", "x")
            assert ended.returncode == 1
            assert name in ended.stderr
            assert "nobody.pem" in ended.stderr

    def test_empty_is_missing(self, client, servers):
        """The variables may be there: without a value there is no TLS."""
        bot = with_variables(client, **dict.fromkeys(PATHS, ""))
        ended = bot.bot(client.examples["first_legal_bot"], servers().address, "nobody's")
        assert ended.returncode == 1
        assert client.unknown_token in ended.stderr


PATHS = {"REFEREE_CA": "ca.pem", "REFEREE_CERT": "bot.pem", "REFEREE_KEY": "bot-key.pem"}


def with_variables(client, **variables):
    """The client, with more in its bots' environment."""
    return replace(client, environment=client.environment | variables)
