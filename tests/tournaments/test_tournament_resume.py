"""A run goes on exactly where another stopped, and on what has been added to its file since.

``TOURNAMENT_KILLS`` and ``TOURNAMENT_MATCHES`` make the test of kills as long as wanted, such as 100 and 200.
"""

import contextlib
import json
import os
import random
import select
import signal
import subprocess

import pytest
from tournament_kit import TIMEOUT_S, Cup, builtin, events, wait_for

KILLS = int(os.environ.get("TOURNAMENT_KILLS", "10"))
MATCHES = int(os.environ.get("TOURNAMENT_MATCHES", "60"))
FILES = ("standings.json", "standings.csv", "standings.md")
TELLS = "run(lambda turn: (tell(turn.match.id), first(turn))[1])"


@pytest.fixture
def cup(tmp_path):
    """A tournament that is still to be written."""
    return Cup(tmp_path)


def refused(cup):
    """The one line with which a run is refused."""
    _, said = cup.end(cup.start(), 2)
    assert said.count("\n") == 1
    return said


def published(cup):
    """The standings as they are published, byte for byte."""
    return [(cup.out / name).read_bytes() for name in FILES]


def finished(cup):
    """The logs of the matches that are over, up to their end."""
    found = {}
    for path in cup.logs() if (cup.out / "matches").exists() else []:
        lines = path.read_bytes().splitlines(keepends=True)
        ends = [place for place, line in enumerate(lines) if b'"match_ended"' in line and line.endswith(b"\n")]
        if ends and b'"aborted"' not in lines[ends[0]]:
            found[path.name] = b"".join(lines[: ends[0] + 1])
    return found


class Told:
    """What bots write into the pipe, in chunks."""

    def __init__(self, cup):
        self.pipe = os.open(cup.pipe, os.O_RDONLY | os.O_NONBLOCK)

    def lines(self, run, count):
        """Wait for so many lines, or the end of the run."""
        while count > 0 and run.poll() is None:
            if select.select([self.pipe], [], [], 0.2)[0]:
                count -= os.read(self.pipe, 256).count(b"\n")

    def drain(self):
        """Forget what is left."""
        with contextlib.suppress(BlockingIOError):
            while os.read(self.pipe, 1 << 16):
                pass


@pytest.mark.timeout(120 + 20 * KILLS)
def test_kills_at_random_moments_change_nothing(cup):
    """No match is lost, none is played twice, and the standings are those of an undisturbed run, byte for byte."""
    cup.write(cup.bot("a", TELLS), builtin("b"), builtin("m", "medium"), deals=MATCHES // 6)
    told = Told(cup)
    whole, cup.out = cup.out, cup.folder / "undisturbed"
    run = cup.start("--workers", "2")
    turns = 0
    while run.poll() is None:
        if select.select([told.pipe], [], [], 0.2)[0]:
            turns += os.read(told.pipe, 1 << 12).count(b"\n")
    cup.end(run, 0)
    undisturbed = published(cup)
    told.drain()
    cup.out = whole
    source = random.Random(5)
    over, killed = {}, 0
    for kill in range(KILLS):
        run = cup.start("--workers", "2")
        told.lines(run, source.randint(0, max(1, turns // KILLS)))
        with contextlib.suppress(subprocess.TimeoutExpired):
            run.wait(source.uniform(0, 0.05))
        if run.returncode is None:
            (os.killpg if kill % 2 else os.kill)(run.pid, signal.SIGKILL)
        run.communicate(timeout=TIMEOUT_S)
        killed += run.returncode == -signal.SIGKILL
        wait_for(cup.processes())
        told.drain()
        now = finished(cup)
        assert {name: now[name] for name in over} == over
        over = now
    # Matches without the bot that tells go on unseen: a run may have come to the end before the last kills.
    assert killed >= KILLS // 2
    assert len(over) > 0
    run = cup.start("--workers", "2")
    while run.poll() is None:
        told.lines(run, 1 << 30)
    cup.end(run, 0)
    now = finished(cup)
    assert {name: now[name] for name in over} == over
    assert published(cup) == undisturbed
    cup.check_logs(MATCHES // 6 * 6)


COURSES = {
    "round_robin": {"deals": 2},
    "gauntlet": {"schedule": "gauntlet", "challengers": ["a", "d"], "deals": 2},
    "swiss": {"schedule": "swiss", "rounds": 3, "deals": 1},
    "knockout": {"schedule": "knockout", "deals": 3},
    "stop": {"stop": {"confidence": 0.6, "settle": "top", "k": 2}, "deals": 9},
}


@pytest.mark.parametrize("course", COURSES)
def test_whatever_is_missing_is_played_again_with_the_same_result(cup, course):
    """For every schedule, those that depend on results too: any logs may be lost or torn."""
    entrants = [builtin(name, bot) for name, bot in zip("abcde", ["beginner", "medium"] * 3, strict=False)]
    cup.write(*entrants, **COURSES[course])
    printed = cup.run("--workers", "2")
    before, logs, over = published(cup), cup.logs(), finished(cup)
    figures = cup.standings()
    assert figures["matches_planned"] == figures["matches_played"] == len(logs)
    source = random.Random(course)
    for path in source.sample(logs, len(logs) // 2):
        path.unlink() if source.random() < 0.5 else os.truncate(path, source.randrange(path.stat().st_size))
    assert cup.run("--workers", "2") == printed
    assert published(cup) == before
    assert sorted(finished(cup)) == sorted(over)
    cup.check_logs(len(over))


def test_knockout_places_go_by_rounds(cup):
    """The winner of the final is first, and the last line says so."""
    cup.write(*(builtin(name) for name in "abc"), schedule="knockout", deals=1)
    printed = cup.run("--workers", "1")
    winner = cup.standings()["entrants"][0]
    assert winner["place"] == 1
    assert printed.splitlines()[-1].startswith(f"{winner['name']!r} has won the final against ")


def test_entrants_and_deals_that_are_added_are_played_and_nothing_else(cup):
    """What was played keeps its log; seats and deals of the old matches stay what they were."""
    cup.write(builtin("b"), builtin("a", "medium"), deals=2)
    cup.run("--workers", "1")
    over = finished(cup)
    cup.write(builtin("new"), builtin("a", "medium"), builtin("b"), deals=3)
    assert "18 of 18 matches" in cup.run("--workers", "2")
    now = finished(cup)
    assert {name: now[name] for name in over} == over
    assert len(now) == 18
    pairs = cup.standings()["pairs"]
    assert [(pair["a"], pair["b"], pair["deals"]) for pair in pairs] == [
        ("b", "a", 3),
        ("b", "new", 3),
        ("a", "new", 3),
    ]
    cup.check_logs(18)
    before = published(cup)
    cup.run()
    assert published(cup) == before
    cup.write(builtin("a", "medium"), builtin("b"), deals=3)
    assert "the entrant 'new', who is not among the `entrants` now" in refused(cup)
    cup.write(builtin("new"), builtin("a", "medium"), builtin("b"), deals=2)
    said = refused(cup)
    assert "another `deals`: 3, now 2; write 3 or more" in said
    assert "another folder" not in said
    assert finished(cup) == now


def test_rounds_that_are_added_to_a_swiss_tournament(cup):
    """Are played after those that were."""
    entrants = [builtin(name) for name in "abcd"]
    cup.write(*entrants, schedule="swiss", rounds=1, deals=1)
    cup.run()
    over = finished(cup)
    cup.write(*entrants, schedule="swiss", rounds=2, deals=1)
    assert "8 of 8 matches" in cup.run()
    now = finished(cup)
    assert {name: now[name] for name in over} == over
    cup.write(*entrants, builtin("e"), schedule="swiss", rounds=2, deals=1)
    assert "takes no entrant once begun, and here is 'e'" in refused(cup)


def test_of_an_entrant_that_changed_only_its_own_matches_are_played_again(cup):
    """Its old logs are kept aside, and whole deal sets of it are played."""
    entrants = [cup.bot("bot"), builtin("b"), builtin("m", "medium")]
    cup.write(*entrants, deals=1)
    cup.run("--workers", "1")
    first = finished(cup)
    cup.bot("bot", "run(lambda turn: turn.legal[-1])")
    said = refused(cup)
    assert "the entrant 'bot' is another than the one that played here" in said
    assert 'rerun = "changed" to play its matches again' in said
    assert finished(cup) == first
    cup.write(*entrants, deals=1, rerun="changed")
    cup.run("--workers", "2")
    second = finished(cup)
    aside = {path.name: path.read_bytes() for path in (cup.out / "superseded").iterdir()}
    others = {name for name, log in first.items() if b'"name":"bot"' not in log.splitlines()[0]}
    assert set(aside) == set(first) - others
    assert len(aside) == 4
    assert all(log.startswith(first[name]) for name, log in aside.items())
    assert {name: second[name] for name in others} == {name: first[name] for name in others}
    assert set(second) == set(first)
    state = json.loads((cup.out / "tournament.json").read_text())
    assert {one["name"]: one["identity"] for one in cup.standings()["entrants"]} == state["identities"]
    cup.run()
    assert finished(cup) == second
    cup.bot("bot")
    cup.run()
    assert finished(cup).keys() == first.keys()
    assert len(list((cup.out / "superseded").iterdir())) == 8


def test_a_log_of_another_match_is_moved_out_of_the_way(cup):
    """Other seats or other deals under a match's name are not counted, and not lost either."""
    cup.write(builtin("a"), builtin("m", "medium"), deals=2)
    cup.run("--workers", "1")
    before = published(cup)
    one, other, *_ = cup.logs()
    foreign = other.read_bytes()
    one.write_bytes(foreign)
    _, said = cup.end(cup.start("--workers", "1"), 0)
    assert "a log did not fit and was moved to" in said
    assert "0000000-0: its match: 0000000-1, planned: 0000000-0" in said
    assert (cup.out / "superseded" / one.name).read_bytes() == foreign
    assert published(cup) == before
    cup.check_logs(4)
    lines = one.read_bytes().splitlines(keepends=True)
    commitment = next(events(one))["commitment"].encode()
    one.write_bytes(b"".join([lines[0].replace(commitment, b"0" * 64), *lines[1:]]))
    _, said = cup.end(cup.start("--workers", "1"), 0)
    assert "0000000-0: its deals: 0000" in said
    assert published(cup) == before
    assert len(list((cup.out / "superseded").iterdir())) == 2
