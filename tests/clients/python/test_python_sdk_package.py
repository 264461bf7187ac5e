"""The Python SDK as a package: small, and clear about what it lacks."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import referee_bot
from referee_bot import LostError, SettingError, run

EXAMPLES = Path(__file__).parents[3] / "clients" / "python" / "examples"


def first(turn):
    """A bot."""
    return turn.legal[0]


def test_importing_the_sdk_does_not_load_the_server():
    """A bot starts fast, and a machine that runs bots needs no more than the stubs and grpc."""
    code = "import referee_bot, sys; print(*sorted(name for name in sys.modules if name.startswith('referee')))"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    loaded = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    ).stdout.split()
    assert "referee_bot" in loaded
    foreign = [name for name in loaded if not name.startswith(("referee_bot", "referee.v1")) and name != "referee"]
    assert foreign == []


def test_every_public_name_is_there_and_explained():
    """The exports are what they say, each with a docstring."""
    for name in set(referee_bot.__all__) - {"CLIENT"}:
        assert getattr(referee_bot, name).__doc__


@pytest.mark.parametrize(("missing", "given"), [("REFEREE_ADDRESS", "token"), ("REFEREE_TOKEN", "address")])
def test_a_missing_setting_is_named(monkeypatch, missing, given):
    """Neither given nor in the environment: the error says which variable to set."""
    monkeypatch.delenv("REFEREE_ADDRESS", raising=False)
    monkeypatch.delenv("REFEREE_TOKEN", raising=False)
    with pytest.raises(SettingError, match=missing):
        run(first, **{given: "x"})


def test_a_referee_that_is_not_there_is_given_up(monkeypatch):
    """After trying for a while, with an error that says where it was looked for."""
    monkeypatch.setattr("referee_bot._run._GIVE_UP", 0.3)
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{nobody.getsockname()[1]}"
        with pytest.raises(LostError, match=address):
            run(first, address=address, token="x")


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_an_example_started_by_hand_says_what_it_needs(example):
    """The first thing that most people see of a bot."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("REFEREE_")}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    ended = subprocess.run([sys.executable, example], env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "REFEREE_ADDRESS" in ended.stderr.splitlines()[-1]
