"""Who is let in: roles by token, TLS and mTLS, and loopback only without them."""

import os
import re
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
import referee_bot
from server_kit import DUEL, Bot, Kit, error_info, run, serving

from referee.cli.policy import DEFAULTS, policy_of
from referee.rules.registry import SettingError
from referee.server.access import Access, TokenFileError, read_tokens
from referee.server.app import ListenError, Policy, RefereeServer
from referee.server.tokens import token_hash
from referee.server.transport import Transport, TransportError, is_loopback, read_transport
from referee.v1 import match_pb2, match_pb2_grpc, play_pb2

ORGANISER, SPECTATOR = "organiser-" + "o" * 40, "spectator-" + "s" * 40
CLOSED = Access(frozenset([token_hash(ORGANISER)]), frozenset([token_hash(SPECTATOR)]), False)
BUILTIN = match_pb2.CreateMatchRequest(game=DUEL, seats=[match_pb2.SeatRequest(builtin="beginner")] * 2)


def shown(token):
    """The metadata by which a token is shown."""
    return (("authorization", f"Bearer {token}"),) if token else ()


async def refused(promise):
    """How a call ends: its code and the stable reason."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await promise
    return caught.value.code().name, error_info(caught.value).reason


def with_server(tmp_path, policy, promise):
    """Run something with a server that has a policy."""

    async def whole():
        async with serving(tmp_path, policy) as kit:
            await promise(kit)

    run(whole)


# Roles -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("token", ["", "wrong", ORGANISER[:-1], SPECTATOR, ORGANISER])
def test_only_an_organiser_creates_matches(tmp_path, token):
    """Without a token, or with one that is unknown, the caller is not known; with a spectator's it may not."""

    async def promise(kit):
        call = kit.matches.CreateMatch(BUILTIN, metadata=shown(token))
        if token == ORGANISER:
            assert (await call).info.match_id
            return
        reasons = {"": "TOKEN_MISSING", SPECTATOR: "ROLE_MISSING"}
        code = "PERMISSION_DENIED" if token == SPECTATOR else "UNAUTHENTICATED"
        assert await refused(call) == (code, reasons.get(token, "TOKEN_UNKNOWN"))

    with_server(tmp_path, Policy(access=CLOSED), promise)


def test_looking_on_needs_a_token_where_spectators_need_one(tmp_path):
    """List, get, watch and fetch; a spectator's token and an organiser's do, none and a wrong one do not."""

    async def promise(kit):
        made = await kit.matches.CreateMatch(BUILTIN, metadata=shown(ORGANISER))
        match_id = made.info.match_id
        await kit.server.host.finished(kit.server.host.matches[match_id])

        def calls(token):
            metadata = shown(token)
            return [
                kit.matches.ListMatches(match_pb2.ListMatchesRequest(), metadata=metadata),
                kit.matches.GetMatch(match_pb2.GetMatchRequest(match_id=match_id), metadata=metadata),
                kit.matches.WatchMatch(match_pb2.WatchMatchRequest(match_id=match_id), metadata=metadata).read(),
                kit.matches.FetchMatchLog(match_pb2.FetchMatchLogRequest(match_id=match_id), metadata=metadata).read(),
            ]

        for token in (ORGANISER, SPECTATOR):
            for call in calls(token):
                assert await call
        for call in calls(""):
            assert await refused(call) == ("UNAUTHENTICATED", "TOKEN_MISSING")
        for call in calls(SPECTATOR[::-1]):
            assert await refused(call) == ("UNAUTHENTICATED", "TOKEN_UNKNOWN")

    with_server(tmp_path, Policy(access=CLOSED), promise)


def test_everybody_may_look_on_where_spectators_are_open(tmp_path):
    """An organiser's token protects the making of matches alone; a bot needs its seat's token and nothing else."""

    async def promise(kit):
        seats = [match_pb2.SeatRequest(remote=match_pb2.Remote()), match_pb2.SeatRequest(builtin="beginner")]
        request = match_pb2.CreateMatchRequest(game=DUEL, seats=seats)
        made = await kit.matches.CreateMatch(request, metadata=shown(ORGANISER))
        assert len((await kit.matches.ListMatches(match_pb2.ListMatchesRequest())).matches) == 1
        bot = await kit.joined(made.tokens[0].token)
        assert (await bot.play()).reason
        await bot.crash()

    with_server(tmp_path, Policy(access=replace(CLOSED, open_to_spectators=True)), promise)


def test_no_token_is_kept(tmp_path):
    """What a server keeps of tokens are hashes: the access, and the tickets of seats."""
    import gc

    async def promise(kit):
        _, tokens = await kit.create()
        assert tokens[0] not in repr(vars(kit.server.admission))
        assert all(key != tokens[0].encode() for key in kit.server.admission._tickets)
        assert ORGANISER not in repr(CLOSED)
        kept = [one for one in gc.get_objects() if isinstance(one, dict) and tokens[0] in one]
        assert not kept

    with_server(tmp_path, Policy(), promise)


def test_a_token_file_is_made_with_a_token_of_256_bits_for_its_owner_only(tmp_path):
    """Once; later it is read."""
    path = tmp_path / "organisers"
    hashes = read_tokens(path)
    text = path.read_text().strip()
    assert hashes == {token_hash(text)}
    assert len(text) == 43
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_tokens(path) == hashes


@pytest.mark.parametrize("text", ["", "# none\n", "short\n", "two words " + "x" * 60 + "\n"])
def test_a_file_of_no_tokens_is_refused_without_showing_what_is_in_it(tmp_path, text):
    """The message names file and line, and not the line's text."""
    path = tmp_path / "tokens"
    path.write_text(text)
    with pytest.raises(TokenFileError) as caught:
        read_tokens(path)
    assert str(path) in str(caught.value)
    assert "short" not in str(caught.value)
    assert "xxx" not in str(caught.value)


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({"spectators": "token"}, "nobody could look on"),
        ({"spectator_token_file": "x"}, "no effect"),
        ({"tls_cert": "no.pem"}, "--tls-key: missing"),
        ({"tls_client_ca": "no.pem"}, "needs --tls-cert"),
        ({"tls_cert": "no.pem", "tls_key": "no.pem"}, "No such file"),
        ({"http": "9100"}, "HOST:PORT"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(values, word):
    """Before anything listens."""
    with pytest.raises(SettingError, match=re.escape(word)):
        policy_of(DEFAULTS | values)


# Transport ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("listen", "loopback"),
    [
        ("127.0.0.1:1", True),
        ("localhost:1", True),
        ("[::1]:1", True),
        ("127.9.9.9:1", True),
        ("0.0.0.0:1", False),
        ("[::]:1", False),
        ("192.168.0.1:1", False),
        ("example.org:1", False),
    ],
)
def test_without_tls_a_server_listens_on_loopback_only(listen, loopback):
    """Unless it is told that it may, or has TLS."""
    assert is_loopback(listen) is loopback
    if loopback:
        Transport().check(listen)
    else:
        with pytest.raises(TransportError, match="--insecure"):
            Transport().check(listen)
    Transport(insecure=True).check(listen)
    Transport(certificate=b"x", key=b"y").check(listen)


def test_the_server_itself_refuses_to_listen_in_the_open(tmp_path):
    """Whoever starts it."""

    async def promise():
        server = RefereeServer(tmp_path, "0.0.0.0:0")
        with pytest.raises(ListenError, match="without TLS"):
            await server.start()
        await server.stop()

    run(promise)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """What `referee certificate` makes."""
    folder = tmp_path_factory.mktemp("tls")
    command = [
        sys.executable,
        "-m",
        "referee.cli.main",
        "certificate",
        str(folder),
        "--client",
        "bot",
        "--client",
        "other",
    ]
    made = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "REFEREE_CA=" in made.stdout
    assert stat.S_IMODE((folder / "server-key.pem").stat().st_mode) == 0o600
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert again.returncode == 2
    return folder


@pytest.fixture(params=[False, True], ids=["tls", "mtls"])
def secured(request, certificates, tmp_path):
    """A server process with TLS: its address, the folder of certificates, and whether clients need one."""
    words = ["--tls-cert", str(certificates / "server.pem"), "--tls-key", str(certificates / "server-key.pem")]
    if request.param:
        words += ["--tls-client-ca", str(certificates / "ca.pem")]
    command = [sys.executable, "-m", "referee.cli.main", "serve", "--listen", "127.0.0.1:0", "--data", str(tmp_path)]
    process = subprocess.Popen([*command, *words, "--processes", "2"], stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().split()[2].rstrip(","), certificates, request.param
    finally:
        process.terminate()
        process.terminate()
        process.wait(30)
        process.stdout.close()


def create(address, credentials):
    """A match on a server with TLS: the address for its bot, and the token."""
    seats = [match_pb2.SeatRequest(remote=match_pb2.Remote()), match_pb2.SeatRequest(builtin="beginner")]
    with grpc.secure_channel(address, credentials) as channel:
        made = match_pb2_grpc.MatchServiceStub(channel).CreateMatch(
            match_pb2.CreateMatchRequest(game=DUEL, seats=seats), timeout=20
        )
    return made.address, made.tokens[0].token


def test_a_bot_plays_over_tls_and_no_other_client_gets_in(secured, monkeypatch):
    """The SDK needs the authority, and with mTLS a certificate; the fleet's own processes have TLS too."""
    address, folder, mutual = secured
    ca, cert, key = ((folder / name).read_bytes() for name in ("ca.pem", "bot.pem", "bot-key.pem"))
    bare = grpc.ssl_channel_credentials(ca)
    full = grpc.ssl_channel_credentials(ca, key, cert)
    match_address, token = create(address, full if mutual else bare)
    if mutual:
        with pytest.raises(grpc.RpcError):
            create(address, bare)
    with grpc.insecure_channel(address) as channel, pytest.raises(grpc.RpcError) as plain:
        match_pb2_grpc.MatchServiceStub(channel).ListGames(match_pb2.ListGamesRequest(), timeout=5)
    assert plain.value.code() in {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED}
    monkeypatch.setenv("REFEREE_CA", str(folder / "ca.pem"))
    if mutual:
        monkeypatch.setenv("REFEREE_CERT", str(folder / "bot.pem"))
        monkeypatch.setenv("REFEREE_KEY", str(folder / "bot-key.pem"))
    turns = []
    referee_bot.run(lambda turn: turns.append(turn) or turn.legal[0], address=match_address, token=token)
    assert turns


def test_a_token_is_no_use_with_another_certificate_than_its_first(certificates, tmp_path):
    """A token that was overheard admits nobody who has not the bot's key too; the bot itself comes back."""
    pem = {path.stem: path.read_bytes() for path in certificates.glob("*.pem")}
    policy = Policy(transport=Transport(pem["server"], pem["server-key"], pem["ca"]))

    async def promise():
        server = RefereeServer(tmp_path, policy=policy)
        await server.start()

        def channel(name):
            credentials = grpc.ssl_channel_credentials(pem["ca"], pem[f"{name}-key"], pem[name])
            return grpc.aio.secure_channel(server.address, credentials)

        kit = Kit(server, tmp_path)
        kit.matches = match_pb2_grpc.MatchServiceStub(channel("bot"))
        _, (token,) = await kit.create(seats="rb")
        bots = [Bot("", channel=channel(name)) for name in ("bot", "other", "bot")]
        for bot in bots:
            await bot.join(token)
            joined = await bot.until("joined", "closed")
            if bot is bots[1]:
                assert joined.reason == play_pb2.CLOSE_REASON_REFUSED
                assert "certificate" in joined.message
            else:
                assert joined.seat == 0
        await bots[2].ready()
        assert (await bots[2].play()).reason == play_pb2.CLOSE_REASON_MATCH_OVER
        for bot in bots:
            await bot.crash()
        await server.stop()

    run(promise)


@pytest.mark.parametrize(
    "variables",
    [{"REFEREE_CA": "no.pem"}, {"REFEREE_CERT": "x"}, {"REFEREE_KEY": "x"}],
    ids=lambda one: next(iter(one)),
)
def test_the_sdk_says_which_certificate_is_missing(monkeypatch, tmp_path, variables):
    """As it does for the address and the token."""
    there = tmp_path / "x"
    there.write_bytes(b"")
    for name, value in variables.items():
        monkeypatch.setenv(name, str(there if value == "x" else tmp_path / value))
    with pytest.raises(referee_bot.SettingError, match="REFEREE_"):
        referee_bot.run(lambda turn: turn.legal[0], address="127.0.0.1:1", token="t")


def test_a_key_that_is_not_the_certificate_s_is_refused(certificates):
    """Before anyone dials in, with both files named."""
    with pytest.raises(TransportError, match="its own key"):
        read_transport(str(certificates / "server.pem"), str(certificates / "bot-key.pem"), None, False)
    key = str(certificates / "server-key.pem")
    with pytest.raises(TransportError, match="--tls-client-ca"):
        read_transport(str(certificates / "server.pem"), key, key, False)


def test_serve_leaves_with_status_2_where_others_could_listen_in():
    """One line that says what would be right."""
    command = [sys.executable, "-m", "referee.cli.main", "serve", "--listen", "0.0.0.0:0"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert "--insecure" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_fleet_passes_tokens_on(tmp_path):
    """The front asks no role of its own; the process that owns the match does."""
    tokens = Path(tmp_path / "organisers")
    command = [sys.executable, "-m", "referee.cli.main", "serve", "--listen", "127.0.0.1:0", "--processes", "2"]
    words = ["--organiser-token-file", str(tokens), "--spectators", "token"]
    process = subprocess.Popen([*command, *words], stdout=subprocess.PIPE, text=True, env=os.environ.copy())
    try:
        address = process.stdout.readline().split()[2].rstrip(",")
        with grpc.insecure_channel(address) as channel:
            stub = match_pb2_grpc.MatchServiceStub(channel)
            for call, request in ((stub.CreateMatch, BUILTIN), (stub.ListMatches, match_pb2.ListMatchesRequest())):
                with pytest.raises(grpc.RpcError) as caught:
                    call(request)
                assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
                assert error_info(caught.value).reason == "TOKEN_MISSING"
            metadata = shown(tokens.read_text().strip())
            match_id = stub.CreateMatch(BUILTIN, metadata=metadata).info.match_id
            assert list(stub.WatchMatch(match_pb2.WatchMatchRequest(match_id=match_id), metadata=metadata))
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.parametrize("kind", ["remote", "command"])
def test_play_has_tls_for_remote_bots_and_none_for_its_own(certificates, tmp_path, monkeypatch, kind):
    """A bot that the referee starts dials in on loopback; one from elsewhere has TLS; nobody else creates matches."""
    bot = tmp_path / "bot.py"
    bot.write_text("from referee_bot import run\nrun(lambda turn: turn.legal[0])\n")
    seats = "remote,medium" if kind == "remote" else f"cmd:{sys.executable} {bot},medium"
    words = ["--tls-cert", str(certificates / "server.pem"), "--tls-key", str(certificates / "server-key.pem")]
    command = [sys.executable, "-u", "-m", "referee.cli.main", "play", DUEL, "--seats", seats, *words]
    monkeypatch.setenv("REFEREE_CA", str(certificates / "ca.pem"))
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        if kind == "remote":
            told = dict(word.split("=", 1) for word in process.stdout.readline().split() if "=" in word)
            address = told["REFEREE_ADDRESS"]
            credentials = grpc.ssl_channel_credentials((certificates / "ca.pem").read_bytes())
            with grpc.secure_channel(address, credentials) as channel:
                with pytest.raises(grpc.RpcError) as caught:
                    match_pb2_grpc.MatchServiceStub(channel).CreateMatch(BUILTIN, timeout=20)
                assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
            referee_bot.run(lambda turn: turn.legal[0], address=address, token=told["REFEREE_TOKEN"])
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    "words", [["play", DUEL, "--seats", "remote,medium"], ["tournament", "run", "x", "--out", "x"]]
)
def test_play_and_tournaments_do_not_listen_in_the_open_either(words, tmp_path):
    """Status 2, and what would be right."""
    command = [sys.executable, "-m", "referee.cli.main", *words, "--listen", "0.0.0.0:0"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)
    assert ended.returncode == 2
    assert "--insecure" in ended.stderr
