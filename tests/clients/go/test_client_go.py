"""The Go client builds with Go alone and plays against the real server."""

import importlib.util
import os
import shutil
import sys

import pytest
from client_kit.suite import Plays
from client_kit.tls import Tls
from client_kit.tools import ROOT, Client, absent, alone, need, tool

CLIENT = ROOT / "clients" / "go"

pytestmark = pytest.mark.timeout(600)  # the first build compiles gRPC


@pytest.fixture(scope="session")
def client():
    """The bots, built as the README says; by one test process at a time."""
    need("Go", absent("go", "gofmt"))
    build = CLIENT / "build"
    with alone(build / ".lock"):
        tool("go", "build", "-C", "clients/go", "-p", "2", "-o", "build/", "./examples/...")
    return Client(
        "go",
        {name: [build / name] for name in ("random_bot", "first_legal_bot")},
        distrust=("unknown authority", "cannot validate certificate for 127.0.0.1"),
    )


class TestGo(Plays, Tls):
    """What every client must do."""


def test_formatted_vetted_and_tested(client):
    """What Go's own tools say; its tests play against a referee that does what the real one rarely does."""
    assert tool("gofmt", "-l", ".", folder=CLIENT) == ""
    tool("go", "vet", "./...", folder=CLIENT)
    tool("go", "mod", "tidy", "-diff", folder=CLIENT)
    tool("go", "test", "-p", "2", "./...", folder=CLIENT)


@pytest.mark.skipif(not os.environ.get("CI"), reason="installs staticcheck: only where CI is set")
def test_linted(client):
    """By the rules in staticcheck.conf."""
    tool("go", "run", "honnef.co/go/tools/cmd/staticcheck@v0.8.2", "./...", folder=CLIENT)


@pytest.mark.skipif(
    shutil.which("protoc") is None and importlib.util.find_spec("grpc_tools") is None and not os.environ.get("CI"),
    reason="no protoc on the PATH, and no grpcio-tools (the `dev` extra)",
)
def test_the_stubs_are_those_of_the_protocol(client):
    """As `generate` makes them now."""
    tool(CLIENT / "generate", "--check", environment=os.environ | {"PYTHON": sys.executable})
