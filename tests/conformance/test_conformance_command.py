"""`referee conformance`: its table, its JSON, its certificate, its exit status; and how scenarios are read."""
# ruff: noqa: D103

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.processes import ended, line, mouth

from referee.conformance.certificate import certificate, problem_with
from referee.conformance.scenario import ScenarioError, load_scenarios, read_scenario
from referee.rules.registry import GAMES, SettingError

CLIENT = [sys.executable, str(Path(__file__).with_name("faulty_client.py"))]


def conformance(*words):
    """Run the command: its status, what it printed, what it said."""
    ended = subprocess.run(
        [sys.executable, "-m", "referee.cli.main", "conformance", *map(str, words)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return ended.returncode, ended.stdout, ended.stderr


def test_a_client_that_conforms(tmp_path):
    """A table, and a certificate that says who, when, by what, and what came of it."""
    path = tmp_path / "certificate.json"
    two = ["--scenario", "join_and_leave", "--scenario", "zero_values"]
    status, out, err = conformance(*two, "--certificate", path, "--", *CLIENT)
    assert (status, err) == (0, "")
    assert "join_and_leave" in out
    assert "faulty client: 2 of 2 scenarios" in out
    said = json.loads(path.read_text(encoding="utf-8"))
    assert said["passed"] is True
    assert said["whole"] is False
    assert (said["client"], said["version"], said["command"]) == ("faulty client", "1", CLIENT)
    assert said["protocol"] == "referee.v1"
    assert [one["name"] for one in said["scenarios"]] == ["join_and_leave", "zero_values"]
    assert said["date"].endswith("Z")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({}, ""),
        ({"game": "domino-duplas"}, ""),
        ({"game": "domino-cartas"}, "for domino-cartas only"),
        ({"whole": False}, "left out"),
        ({"passed": False}, "failed"),
        ({"protocol": "referee.v2"}, "'referee.v2'"),
        ({"schema": 2}, "no certificate"),
    ],
)
def test_what_a_certificate_shows(change, problem):
    found = problem_with(certificate(["bot"], None, True, []) | change, "domino-duplas")
    assert problem in found
    assert bool(found) == bool(problem)


def test_a_client_that_does_not():
    """Status 1, what was expected and what came, and what the client printed."""
    words = ["--scenario", "zero_values", "--", *CLIENT, "--fault", "zero_is_nothing"]
    status, out, _ = conformance(*words)
    assert status == 1
    assert "FAILED" in out
    assert "a legal choice" in out
    status, out, _ = conformance("--json", *words)
    assert status == 1
    [one] = json.loads(out)["scenarios"]
    assert (one["passed"], one["expected"]) == (False, "a legal choice")
    assert problem_with([], "domino-duplas")
    status, out, _ = conformance("--scenario", "unknown_actions", "--", *CLIENT, "--fault", "drops_unknown_actions")
    assert status == 1
    assert "StopIteration" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Missing argument"),
        (["--", "no-such-client"], "no-such-client"),
        (["--game", "domino", "--", "true"], "unknown game 'domino'"),
        (["--scenario", "zero_value", "--", "true"], "did you mean 'zero_values'"),
        (["--scenario", "zero_values", "--game", "domino-cartas", "--", "true"], "none of these scenarios"),
        (["--certificate", "/nowhere/at/all.json", "--", "true"], "/nowhere/at"),
    ],
)
def test_asked_wrongly(words, said):
    status, out, err = conformance(*words)
    assert (status, out) == (2, "")
    assert said in err
    assert "Traceback" not in err
    assert err.count("\n") <= 2


def test_interrupted_it_leaves_no_client_behind(tmp_path):
    """Clients end with the run, and with them what they have started."""
    script = tmp_path / "client.sh"
    script.write_text(f"#!/bin/sh\nsleep 60 & echo $! > {tmp_path}/child\nwait\n")
    script.chmod(0o755)
    words = [sys.executable, "-m", "referee.cli.main", "conformance", "--scenario", "join_and_leave", "--", str(script)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with mouth(tmp_path / "child") as said:
        run = subprocess.Popen(words, env=environment, stderr=subprocess.PIPE)
        child = int(line(said))
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=20)
    assert run.returncode == 130
    assert b"Traceback" not in err
    assert ended(child)


def test_the_list_of_scenarios():
    """One line each, and nothing is run."""
    status, out, err = conformance("--list")
    assert (status, err) == (0, "")
    assert [line.partition(": ")[0] for line in out.splitlines()] == [one.name for one in load_scenarios()]


def test_a_client_that_ends_at_once():
    status, out, _ = conformance("--scenario", "join_and_leave", "--", "true")
    assert status == 1
    assert "its process ended with status 0" in out


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_scenarios_of_its_own(game):
    scenarios = load_scenarios(game)
    assert {scenario.game for scenario in scenarios} == {game}
    names = {scenario.name for scenario in scenarios if scenario.games == (game,)}
    assert {name.partition("_")[0] for name in names} >= {"actions", "real"}


def test_a_bot_of_one_game():
    status, out, _ = conformance("--game", "domino-a-carte", "--json", "--", *CLIENT)
    said = json.loads(out)
    assert [one for one in said["scenarios"] if not one["passed"]] == []
    assert (status, said["game"], said["whole"]) == (0, "domino-a-carte", True)
    assert {one["game"] for one in said["scenarios"]} == {"domino-a-carte"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('promise = ""\nsteps = []', "catches"),
        ('promise = ""\ncatches = []', "either `steps` or `real`"),
        ('promise = ""\ncatches = []\nstep = []', "unknown key 'step'; did you mean 'steps'?"),
        ('promise = ""\ncatches = []\nsteps = [{ expects = "join" }]', "is no step"),
        ('promise = ""\ncatches = []\nsteps = [{ expect = "joins" }]', "did you mean 'join'?"),
        ('promise = ""\ncatches = []\nsteps = [{ expect = "exit", state = 1 }]', "did you mean 'status'?"),
        ('promise = ""\ncatches = []\nsteps = [{ send = ["turns"] }]', "did you mean 'turn'?"),
        ('promise = ""\ncatches = []\nsteps = [{ send = [{ event = "turn", kind = 1 }] }]', "unknown key 'kind'"),
        ('promise = ""\ncatches = []\ngames = ["chess"]\nsteps = []', "unknown game 'chess'"),
        ("promise", "scenario.toml"),
    ],
)
def test_a_scenario_that_is_written_wrongly(text, said, tmp_path):
    path = tmp_path / "scenario.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError) as raised:
        read_scenario(path)
    assert said in str(raised.value)
    assert str(path) in str(raised.value)


def test_names_that_are_not_there():
    with pytest.raises(SettingError, match="accepted"):
        load_scenarios(names=["nothing"])
