"""Every drill, in sizes that a test suite can bear; and what one of them has found."""

import socket
from importlib import import_module

import grpc
import pytest

from referee.v1 import match_pb2, match_pb2_grpc
from tests.drills.__main__ import DRILLS
from tests.drills.raw_http2 import END_HEADERS, GOAWAY, HEADERS, PREFACE, RST_STREAM, SETTINGS, call_headers, frame
from tests.drills.row import CannotRun
from tests.drills.server import Server


@pytest.mark.parametrize("name", DRILLS)
def test_what_a_drill_promises_holds(name):
    """Nothing lost, no wrong result, nobody charged for what others did, no growth: each drill says what it checks."""
    try:
        rows = import_module(f"tests.drills.{name}").rows(full=False)
    except CannotRun as reason:
        pytest.skip(str(reason))
    assert rows
    for row in rows:
        print(f"{row.drill}: {row.done}: {row.figure}")


@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_call_whose_path_is_no_text_ends_no_server(tmp_path, processes):
    """One of gRPC alone ends at it for good; unknown methods are still answered as such."""
    server = Server(tmp_path / "data", "--processes", processes)
    server.start()
    try:
        calls(server.address, call_headers(b"/\xa7/\xff"))
        calls(server.address, call_headers(b"/", (0, b":method", b"\xff")))
        with grpc.insecure_channel(server.address) as channel:
            assert match_pb2_grpc.MatchServiceStub(channel).ListGames(match_pb2.ListGamesRequest(), timeout=10).games
            with pytest.raises(grpc.RpcError) as refused:
                channel.unary_unary("/referee.v1.MatchService/Nothing")(b"", timeout=10)
            assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED
    finally:
        server.close()
    assert "hpack_parser" not in server.errors.read_text(), "what a stranger sends has left a line of gRPC's own"


def calls(address: str, headers: bytes) -> None:
    """Begin a call with some headers, and wait for what comes of it beyond the connection's own frames."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=10) as peer:
        peer.sendall(PREFACE + frame(SETTINGS, 0, 0, b"") + frame(HEADERS, END_HEADERS, 1, headers))
        peer.settimeout(10)
        while (data := peer.recv(65536)) and not kinds_of(data) & {HEADERS, RST_STREAM, GOAWAY}:
            pass


def kinds_of(data: bytes) -> set[int]:
    """The kinds of the frames in some bytes."""
    kinds = set()
    while data:
        kinds.add(data[3])
        data = data[9 + int.from_bytes(data[:3], "big") :]
    return kinds
