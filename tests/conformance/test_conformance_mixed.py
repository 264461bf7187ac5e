"""Clients in different languages play each other, as in the examples; without a fault, and the logs verify."""
# ruff: noqa: D103

import json
import os
import re
import subprocess
import sys

import pytest
from conformance.clients import ALL, ROOT, built

EXAMPLES = ROOT / "tournaments" / "examples"
LEAST = 2


def referee(*words):
    """Run a command of ours."""
    ended = subprocess.run(
        [sys.executable, "-m", "referee.cli.main", *map(str, words)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def small(name, languages):
    """An example with one deal set, and the entrants in these languages only."""
    head, *entrants = (EXAMPLES / name).read_text(encoding="utf-8").split("[[entrants]]")
    named = {re.search(r'name = "(\w+)"', entrant)[1]: entrant for entrant in entrants}
    assert set(named) == set(ALL)
    head = re.sub(r"(?m)^deals = \d+$", "deals = 1", head)
    head = re.sub(r"(?m)^table = 6$", f"table = {len(languages)}", head)
    text = "[[entrants]]".join([head, *[named[language] for language in languages]])
    return text.replace("../../clients/", f"{ROOT / 'clients'}/")


@pytest.mark.slow
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("name", ["mixed-cartas.toml", "mixed-pairs.toml"])
def test_a_mixed_tournament(name, tmp_path):
    languages = [language for language in ALL if os.environ.get("CI") or not ALL[language].missing()]
    if len(languages) < LEAST:
        pytest.skip("the tools of one language only are on the PATH")
    for language in languages:
        built(language)
    file, out = tmp_path / name, tmp_path / "out"
    file.write_text(small(name, languages), encoding="utf-8")
    referee("tournament", "run", file, "--out", out)
    standings = json.loads((out / "standings.json").read_text(encoding="utf-8"))
    assert standings["matches_played"] == standings["matches_planned"] > 0
    assert {entrant["name"] for entrant in standings["entrants"]} == set(languages)
    assert not any(sum(entrant["faults"].values()) for entrant in standings["entrants"])
    referee("verify", *(out / "matches").glob("*.jsonl"))
