"""Tournaments with bots that fail in every way, and with bots that dial in."""

import json
import re
import subprocess
import sys

import pytest
from tournament_kit import Cup, builtin, events

BAD = {
    "at_once": "sys.exit('no good')",
    "midway": "run(lambda turn: first(turn) if turn.turn_id < 5 else os._exit(3))",
    "loud": "run(lambda turn: (print('x' * 200_000), print('y' * 200_000, file=sys.stderr), first(turn))[2])",
    "late": "run(lambda turn: (time.sleep(9), first(turn))[1])",
    "illegal": "run(lambda turn: Action.of('9-9 left') if turn.refusal is None else first(turn))",
    "leaver": """
        def leave(event):
            if event.HasField("match_ended"):
                os._exit(0)
        run(first, on_event=leave)
    """,
    "slow_leaver": """
        def leave(event):
            if event.HasField("closed"):
                tell("left"); time.sleep(0.3); os._exit(0)
        run(first, on_event=leave)
    """,
}
FAULTS = {
    "at_once": {"crashed"},
    "midway": {"crashed", "gone"},
    "loud": set(),
    "late": {"late"},
    "illegal": {"illegal"},
    "leaver": set(),
    "slow_leaver": set(),
}
STUBBORN = """
import subprocess
for number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
for alone in (False, True):
    subprocess.Popen(["sleep", "1000"], start_new_session=alone)
run(first, on_event=on_match(lambda match: tell("playing")))
while True:
    signal.pause()
"""


@pytest.fixture
def cup(tmp_path):
    """A tournament that is still to be written."""
    return Cup(tmp_path)


@pytest.mark.parametrize("names", [("at_once", "midway", "loud"), ("late", "illegal", "leaver")])
def test_faults_are_counted_under_whoever_committed_them(cup, names):
    """Bots that crash, print, dawdle, cheat or leave spoil nobody else's matches, and the standings make sense."""
    bots = [cup.bot(name, BAD[name]) for name in names]
    clock = {"join_ms": 20_000, "ready_ms": 20_000, "move_ms": 1_000, "bank_ms": 0}
    cup.write(*bots, builtin("good"), deals=1, clock=clock, policy="strict", game="domino-cartas", table=4)
    cup.run("--workers", "2")
    cup.check_logs(4)
    found = cup.faults()
    assert found.keys() == {name for name in names if FAULTS[name]}
    assert all(set(found[name]) <= FAULTS[name] for name in found), found
    entrants = {one["name"]: one for one in cup.standings()["entrants"]}
    assert [one["played"] for one in entrants.values()] == [4] * 4
    assert all(entrants[name]["mean"] <= entrants["good"]["mean"] for name in found)
    if "at_once" in names:
        assert found["at_once"] == {"crashed": 4}
        said = (cup.out / "bots" / "at_once.log").read_text().splitlines()
        assert sorted(line for line in said if "seat" in line) == sorted(
            f"== match {path.stem}, seat {next(events(path))['seats'].index(seat)} =="
            for path in cup.logs()
            for seat in next(events(path))["seats"]
            if seat["name"] == "at_once"
        )
        assert [line for line in said if "seat" not in line] == [
            "no good",
            "== referee: before the first turn: crashed: its process ended with status 1; the match is lost by it ==",
        ] * 4
        loud = (cup.out / "bots" / "loud.log").read_bytes()
        assert 1 << 20 <= len(loud) < (1 << 20) + 100
        assert loud.endswith(b"\n== the referee keeps no more: 1 MiB is full ==\n")
        assert not (cup.out / "running").exists()


@pytest.mark.parametrize("name", ["leaver", "slow_leaver"])
def test_a_bot_that_leaves_between_matches_is_started_anew(cup, name):
    """To end after a match is no fault: the next match has a new process."""
    cup.write(cup.bot(name, BAD[name]), builtin("b"), deals=2)
    cup.run("--workers", "1")
    assert cup.faults() == {}
    cup.check_logs(4)


def test_bots_that_ignore_signals_and_fork_are_ended_with_their_children(cup):
    """Nothing of a bot outlives the run, whatever it ignores and whatever it has started."""
    cup.write(cup.bot("stubborn", STUBBORN), builtin("b"), deals=1)
    run = cup.start("--workers", "1")
    assert cup.told() == ["playing"]
    assert len([one for one in cup.processes().values() if "sleep" in one]) == 2
    cup.end(run, 0)
    assert cup.faults() == {}


def test_a_command_that_does_not_exist_is_refused_before_anything_is_played(cup):
    """Status 2, naming file and key; there is no folder yet."""
    for word in ("no-such-program", "./no-such-program", ".", "here.py"):
        (cup.folder / "here.py").write_text("not executable")
        cup.write(builtin("b"), {"name": "x", "command": [word]})
        _, said = cup.end(cup.start(), 2)
        assert said.startswith(f"referee: {cup.file}: entrants[1].command: of 'x': {word!r} is")
        assert said.count("\n") == 1
        assert not cup.out.exists()


def test_a_long_name_is_no_hindrance(cup):
    """Sixty-four wide characters are a name like any other, and fit eighty columns."""
    name = "漢" * 64
    cup.write(
        cup.bot("long", "print(1)\nrun(first)") | {"name": name}, builtin("[red]b[/red]"), name="長" * 64, deals=1
    )
    printed = cup.run()
    assert "[red]b[/red]" in printed
    assert {one["name"] for one in cup.standings()["entrants"]} == {name, "[red]b[/red]"}
    assert len(list((cup.out / "bots").iterdir())) == 1


def tokens(cup, run, count):
    """The address and the tokens that a run prints, by name, and what it has printed by then."""
    found, said = {}, ""
    while len(found) < count:
        line = run.stderr.readline()
        assert line, said
        said += line
        match = re.search(r"'(.+)' is waited for: REFEREE_ADDRESS=(\S+) REFEREE_TOKEN=(\S+)", line)
        if match:
            found[match[1]] = {"REFEREE_ADDRESS": match[2], "REFEREE_TOKEN": match[3]}
    return found


def dial_in(cup, bot, told):
    """A bot that somebody starts elsewhere."""
    words = [sys.executable, str(cup.folder / bot["command"][1])]
    return subprocess.Popen(words, env=cup.env | told, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def test_remote_entrants_dial_in_with_the_tokens_that_are_printed(cup):
    """Two remote bots play all their matches over one stream after the other, beside a command and a built-in bot."""
    cup.write(
        {"name": "r1", "remote": True}, {"name": "r2", "remote": True}, cup.bot("c"), builtin("b"),
        table=3, deals=1,
    )  # fmt: skip
    bot = cup.bot("remote")
    run = cup.start("--workers", "2")
    told = tokens(cup, run, 2)
    bots = [dial_in(cup, bot, told[name]) for name in ("r1", "r2")]
    cup.end(run, 0)
    for process in bots:
        _, said = process.communicate(timeout=30)
        assert process.returncode == 0, said
    cup.check_logs(12)
    assert cup.faults() == {}
    state = json.loads((cup.out / "tournament.json").read_text())
    assert state["tokens"] == {name: one["REFEREE_TOKEN"] for name, one in told.items()}
    for path in cup.logs():
        assert all(one["REFEREE_TOKEN"].encode() not in path.read_bytes() for one in told.values())


def test_a_remote_entrant_that_never_comes_loses_its_matches(cup):
    """The run ends, with the fault told under the right name, once in each match."""
    clock = {"join_ms": 300, "ready_ms": 20_000, "move_ms": 20_000, "bank_ms": 0}
    cup.write({"name": "absent", "remote": True}, builtin("b"), builtin("c"), deals=1, clock=clock)
    printed, said = cup.end(cup.start("--workers", "1"), 0)
    assert "4 never came" in printed
    assert "nothing is played; waited for up to 0.3 s before the first match" in said
    assert said.splitlines()[-1].endswith(f"{cup.out / 'report.html'} and {cup.out / 'standings.json'}")
    assert cup.faults() == {"absent": {"never_came": 4}}
    absent = cup.standings()["entrants"][-1]
    assert (absent["name"], absent["played"], absent["score"]) == ("absent", 4, 0)
    cup.check_logs(6)


def test_a_remote_run_goes_on_with_the_same_tokens(cup):
    """Stopped and run again, a remote bot needs no other token, and what is finished is not played again."""
    cup.write({"name": "r", "remote": True}, builtin("b"), deals=2)
    stays = cup.bot("stays", "run(lambda turn: (tell(turn.match.id), first(turn))[1])")
    run = cup.start("--workers", "1")
    first = tokens(cup, run, 1)
    bot = dial_in(cup, stays, first["r"])
    while cup.told() != ["0000000-1"]:
        pass
    run.terminate()
    assert bot.wait(30) == 0
    bot.stderr.close()
    cup.end(run, 143)
    done = cup.standings()["matches_played"]
    assert 1 <= done < 4
    run = cup.start("--workers", "1")
    again = tokens(cup, run, 1)
    assert again["r"]["REFEREE_TOKEN"] == first["r"]["REFEREE_TOKEN"]
    bot = dial_in(cup, cup.bot("calm"), again["r"])
    cup.end(run, 0)
    assert bot.wait(30) == 0
    bot.stderr.close()
    cup.check_logs(4)
    assert cup.faults() == {}
    assert not [event for path in cup.logs() for event in events(path) if event.get("reason") == "aborted"]


@pytest.mark.parametrize(
    ("word", "refused"),
    [
        ("missing.py", True),
        ("missing.jar", True),
        ("bots/missing", True),
        ("c.py", False),
        ("--model=a/b", False),
        ("http://x/y.js", False),
        ("anything", False),
    ],
)
def test_a_file_of_a_command_that_is_not_there_is_refused_before_anything_is_played(cup, word, refused):
    """With the file, the key and where it was looked for; what may be no file is left to the bot."""
    bot = cup.bot("c")
    cup.write(builtin("b"), bot | {"command": ["{python}", "c.py", word]}, deals=1)
    _, said = cup.end(cup.start("--workers", "1"), 2 if refused else 0)
    assert (f"{cup.file}: entrants[1].command: of 'c': {word!r} is not there" in said) == refused
    assert cup.out.exists() != refused


def test_the_printed_table_shows_the_rating_where_it_fits(cup):
    """Eighty columns hold it beside short names; beside long ones it is left out rather than squeezed in."""
    for name, shown in (("short", True), ("n" * 64, False)):
        cup.write(builtin(name), builtin("m", "medium"), deals=1)
        printed = cup.run("--workers", "1", out=cup.folder / name)
        assert ("rating" in printed) == shown
        assert max(map(len, printed.splitlines())) <= 80
