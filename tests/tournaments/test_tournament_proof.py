"""`referee verify DIR`: a tournament's folder refereed as a whole, and a deal checked with nothing but Python."""

import json
import os
import pty
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tournament_kit import ROOT, SEED, Cup

from referee.match.deal import commitment
from referee.match.log import MatchLog, read_log
from tournaments.executors import Processes
from tournaments.proof import prove

ENTRANTS = [
    {"name": "one", "builtin": "beginner"},
    {"name": "two", "builtin": "medium"},
    {"name": "far", "builtin": "beginner"},
]
COMMITMENT = commitment(bytes.fromhex(SEED))


@pytest.fixture(scope="module")
def cups(tmp_path_factory):
    """Tournaments that were played: by name, the folder of each."""
    found = {}
    for name, keys in {
        "duplicate": {},
        "plain": {"duplicate": False},
        "swiss": {"schedule": "swiss", "rounds": 2},
        "knockout": {"schedule": "knockout"},
    }.items():
        cup = Cup(tmp_path_factory.mktemp(name)).write(*ENTRANTS, **keys)
        cup.run("--workers", "2")
        found[name] = cup.out
    return found


@pytest.fixture
def folder(cups, tmp_path):
    """A copy of a tournament's folder, to be falsified."""
    copy = tmp_path / "copy"
    shutil.copytree(cups["duplicate"], copy)
    return copy


def problems(folder, **options):
    """What is wrong with a folder."""
    return [str(fault) for fault in prove(folder, **options).faults]


def logs(folder):
    """Its logs."""
    return sorted((folder / "matches").glob("*.jsonl"))


def rewritten(path, change):
    """A log after a change, its chain whole again: the forger's way."""
    events = [
        {key: value for key, value in event.items() if key not in {"prev", "hash"}}
        for event in map(dict, read_log(path))
    ]
    change(events)
    with path.open("wb", buffering=0) as file:
        log = MatchLog(file)
        for event in events:
            log.append({key: value for key, value in event.items() if key not in {"seq", "ts"}})


@pytest.mark.parametrize("name", ["duplicate", "plain", "swiss", "knockout"])
def test_a_tournament_that_was_played_verifies(cups, name):
    """Whatever its course, the logs, the schedule and the standings agree."""
    proof = prove(cups[name], COMMITMENT)
    assert not proof.faults
    assert proof.finished
    assert proof.played == len(logs(cups[name])) > 0


@pytest.mark.parametrize("name", ["tournament.json", "standings.json", "standings.csv", "standings.md", "log"])
def test_a_single_false_byte_is_found_wherever_it_stands(folder, name):
    """A byte is changed, at places spread over the file, and each time the fault names the file."""
    chance = random.Random(name)
    path = logs(folder)[2] if name == "log" else folder / name
    data = path.read_bytes()
    places = chance.sample(range(len(data)), min(len(data), 60))
    for place in [*places, len(data) - 1]:
        other = chance.choice([byte for byte in (data[place] ^ 1, 0x20, 0x39, 0x0A) if byte != data[place]])
        path.write_bytes(data[:place] + bytes([other]) + data[place + 1 :])
        assert any(fault.startswith(str(path)) for fault in problems(folder)), (place, data[place], other)
    path.write_bytes(data)
    assert not problems(folder)


def test_a_log_that_is_missing_is_found(folder):
    """The standings count it."""
    logs(folder)[3].unlink()
    assert any("standings.json" in fault for fault in problems(folder))


def test_a_log_that_was_never_planned_is_found(folder):
    """Even if it verifies by itself."""
    shutil.copy(logs(folder)[0], folder / "matches" / "0000099-0.jsonl")
    (fault,) = problems(folder)
    assert "0000099-0.jsonl" in fault
    assert "planned" in fault


def test_what_is_not_the_tournament_s_or_is_missing_is_named(folder):
    """A stray file proves nothing and disproves nothing; among the logs it is a fault. A report can be made again."""
    assert not prove(folder).notes
    (folder / "standings.old.json").write_text("{}")
    (folder / "report.html").unlink()
    proof = prove(folder)
    assert proof.ok
    assert [(Path(note.path).name, note.problem.partition(";")[0]) for note in proof.notes] == [
        ("standings.old.json", "not the tournament's"),
        ("report.html", "missing"),
    ]
    (folder / "matches" / "more").mkdir()
    (folder / "standings.csv").unlink()
    more, csv = problems(folder)
    assert "no match of this name is planned" in more
    assert "standings.csv: cannot be read" in csv


def test_a_log_in_another_s_place_is_found(folder):
    """A match cannot be counted twice, nor stand for another."""
    shutil.copy(logs(folder)[0], logs(folder)[1])
    assert any("schedule" in fault for fault in problems(folder))


def test_seats_that_were_not_planned_are_found(folder):
    """A forged log whose chain is whole: who sits where is compared with the schedule."""

    def swap(events):
        first, second = events[0]["seats"]
        first["name"], second["name"] = second["name"], first["name"]

    rewritten(logs(folder)[0], swap)
    assert any("schedule" in fault and "seats" in fault for fault in problems(folder))


def test_another_clock_than_the_planned_one_is_found(folder):
    """What the match was is compared with the tournament, to the last key."""
    rewritten(logs(folder)[0], lambda events: events[0]["clock"].update(move_ms=1))
    assert any("clock" in fault for fault in problems(folder))


def test_standings_that_are_not_those_of_the_logs_are_found(folder):
    """Even if they are well-formed."""
    path = folder / "standings.json"
    figures = json.loads(path.read_text())
    figures["entrants"].reverse()
    path.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n")
    assert any(fault.startswith(f"{path}:") and "standings" in fault for fault in problems(folder))


def test_another_commitment_than_the_published_one_is_found(folder):
    """Who noted the commitment before the first match can hold the organiser to it."""
    assert not problems(folder, published=COMMITMENT.upper())
    assert any("published" in fault for fault in problems(folder, published="0" * 64))


def test_a_commitment_that_came_after_a_match_is_found(folder):
    """The folder says when the commitment was made; no log may begin before."""
    path = folder / "tournament.json"
    path.write_text(re.sub(r'"committed_at": "\d{4}', '"committed_at": "9999', path.read_text()))
    assert any("after this match" in fault for fault in problems(folder))


def test_a_seed_that_is_not_revealed_is_found(folder):
    """Once a deal set is done, each of its logs tells the seed."""
    path = logs(folder)[0]
    lines = path.read_bytes().splitlines(keepends=True)
    assert b"seed_revealed" in lines[-1]
    path.write_bytes(b"".join(lines[:-1]))
    assert any("not revealed" in fault for fault in problems(folder))


def test_a_tournament_that_is_not_finished_verifies_as_far_as_it_goes(tmp_path):
    """One that was stopped has logs to come, and standings of those that are there."""
    from tournaments.folder import begin
    from tournaments.publish import write_standings
    from tournaments.runner import Runner
    from tournaments.spec import load

    cup = Cup(tmp_path).write(*ENTRANTS)
    spec = load(cup.file)
    (cup.out / "matches").mkdir(parents=True)
    state = begin(cup.out, spec, tmp_path, str(cup.file))
    write_standings(cup.out, Runner(state, cup.out, executor=Processes(state.setting(cup.out), 1)).standings)
    proof = prove(cup.out)
    assert not proof.faults
    assert (proof.played, proof.finished) == (0, False)
    assert proof.planned == 12


def test_the_command_line_says_what_was_found(cups, folder):
    """Status 0 and one line, or status 1 with the file, the line and the rule; JSON on request."""
    cup = [sys.executable, "-m", "referee.cli.main", "verify"]
    paths = os.pathsep.join([str(ROOT), str(ROOT / "clients" / "python")])

    def asked(*words):
        return subprocess.run(
            [*cup, *words], capture_output=True, text=True, env=os.environ | {"PYTHONPATH": paths}, check=False
        )

    good = asked(str(cups["duplicate"]), "--commitment", COMMITMENT)
    assert (good.returncode, good.stderr) == (0, "")
    assert "12 of 12 matches" in good.stdout
    path = logs(folder)[0]
    path.write_bytes(
        path.read_bytes().replace(b'"starter":0', b'"starter":1', 1).replace(b'"starter":1', b'"starter":0', 1)[:-9]
    )
    bad = asked(str(folder))
    assert bad.returncode == 1
    assert f"{path}:" in bad.stdout
    told = json.loads(asked(str(folder), "--json").stdout)
    assert told["ok"] is False
    assert told["faults"][0]["file"] == str(path)
    assert asked(str(folder), "--seed", SEED).returncode == 2


def test_many_logs_show_how_far_it_is_on_a_terminal(tmp_path):
    """A bar on standard error, gone at the end; nothing of it where that is no terminal."""
    cup = Cup(tmp_path).write(*ENTRANTS, deals=4)
    cup.run("--workers", "2")
    ours, theirs = pty.openpty()
    run = cup.referee("verify", str(cup.out), stderr=theirs)
    os.close(theirs)
    shown = b""
    while chunk := _read(ours):
        shown += chunk
    os.close(ours)
    printed, _ = run.communicate()
    assert b"verifying" in shown
    assert "24 of 24 matches" in printed
    assert cup.asked("verify", str(cup.out))[1] == ""


def _read(terminal):
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        return b""


# A deal, checked with what the README prints -----------------------------------------------------------------------


@pytest.fixture
def checker(tmp_path):
    """The program that the README prints, run without anything of ours."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.partition("## Check a deal yourself")[2]
    found = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert found is not None
    assert found[1].count("\n") <= 40
    program = tmp_path / "check_deal.py"
    program.write_text(found[1], encoding="utf-8")

    def check(log, told):
        command = [sys.executable, "-I", str(program), str(log), told]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env={}, check=False)

    return check


GOLDEN = sorted((ROOT / "tests" / "golden").glob("*.jsonl"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_the_printed_checker_accepts_a_good_log(checker, path):
    """Every game's deals follow from the seed."""
    told = json.loads(path.read_text().partition("\n")[0])["commitment"]
    ended = checker(path, told)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert checker(path, "0" * 64).returncode == 1


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
@pytest.mark.parametrize("what", ["hands", "stock", "seed"])
def test_the_printed_checker_refuses_a_false_deal(checker, tmp_path, path, what):
    """Two pieces that have changed places, or another seed, are found."""
    lines = [json.loads(line) for line in Path(path).read_text().splitlines()]
    told = lines[0]["commitment"]
    dealt = next(line for line in lines if line["event"] == "hand_started")
    if what == "seed":
        last = next(line for line in reversed(lines) if "seed" in line)
        last["seed"] = last["seed"][::-1]
    elif what == "stock" and len(dealt["stock"]) > 1:
        dealt["stock"][:2] = dealt["stock"][1::-1]
    else:
        dealt["hands"][0][0], dealt["hands"][1][0] = dealt["hands"][1][0], dealt["hands"][0][0]
    false = tmp_path / "false.jsonl"
    false.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert checker(false, told).returncode == 1
