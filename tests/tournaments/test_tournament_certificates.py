"""A tournament may require that bots have shown that they speak the protocol."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from referee.rules.registry import RULES_VERSION

FILE = """
name = "for conforming bots"
game = "domino-classico"
table = 2
deals = 1
format = {{ kind = "single" }}
require_conformance = true

[[entrants]]
name = "medium"
builtin = "medium"

[[entrants]]
name = "mine"
command = ["{{python}}", "bot.py"]
version = "2"
{certificate}
"""

BOT = "from referee_bot import run\nrun(lambda turn: turn.legal[0])\n"

GOOD = {
    "schema": 1,
    "passed": True,
    "whole": True,
    "game": None,
    "client": "mine",
    "version": "2",
    "command": ["/usr/bin/python3", "/home/me/bot.py"],
    "protocol": "referee.v1",
    "rules_version": RULES_VERSION,
    "scenarios": [],
}


def run(folder: Path, certificate: str) -> subprocess.CompletedProcess[str]:
    """Run the tournament with this line in the entrant's table."""
    (folder / "cup.toml").write_text(FILE.format(certificate=certificate))
    (folder / "bot.py").write_text(BOT)
    command = [sys.executable, "-m", "referee.cli.main", "tournament", "run", "cup.toml", "--out", "out"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"passed": False}, "failed in some scenarios"),
        ({"whole": False}, "left out"),
        ({"game": "domino-belga"}, "domino-belga only"),
        ({"version": "1"}, "version '1'"),
        ({"schema": 7}, "no certificate of schema"),
        ({"protocol": "other.v1"}, "other.v1"),
        ({"rules_version": RULES_VERSION - 1}, f"version {RULES_VERSION - 1} of the rules, not {RULES_VERSION}"),
        ({"command": ["python", "other.py"]}, "for the command ['python', 'other.py'], and ['{python}', 'bot.py']"),
        ({"command": ["python", "bot.py", "--fast"]}, "--fast"),
        ({"command": None}, "for the command None"),
    ],
)
def test_a_certificate_that_does_not_count_is_refused(tmp_path: Path, changes: dict[str, object], problem: str) -> None:
    """One line names the file, the entrant and what is wrong, and nothing is played."""
    (tmp_path / "mine.json").write_text(json.dumps(GOOD | changes))
    refused = run(tmp_path, 'certificate = "mine.json"')
    assert refused.returncode == 2
    assert problem in refused.stderr
    assert "entrants[1].certificate" in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("certificate", "problem"), [("", "is missing"), ('certificate = "none.json"', "cannot be read")]
)
def test_a_missing_certificate_is_refused(tmp_path: Path, certificate: str, problem: str) -> None:
    """The line says how to make one."""
    refused = run(tmp_path, certificate)
    assert refused.returncode == 2
    assert problem in refused.stderr
    assert "referee conformance --certificate" in refused.stderr


@pytest.mark.parametrize("path", ["mine.json", f"{'certificates/' * 20}mine.json"])
def test_with_its_certificate_a_bot_plays(tmp_path: Path, path: str) -> None:
    """Wherever that lies. Built-in bots need none."""
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text(json.dumps(GOOD))
    played = run(tmp_path, f'certificate = "{path}"')
    assert played.returncode == 0, played.stderr
