"""The versions that bots declare: results of different ones are not mixed."""

from pathlib import Path

import msgspec
import pytest
from tournament_kit import Cup, builtin

from tournaments.proof import prove
from tournaments.versions import Versions, WrongVersion, declared

DECLARES = 'run(first, version=open("version.txt").read())'


def joined(seat: int, version: str) -> bytes:
    """A bot that takes a seat."""
    return msgspec.json.encode({"event": "seat_joined", "seat": seat, "version": version}) + b"\n"


def test_a_log_tells_every_version_that_was_declared_in_it() -> None:
    """Each once, with the entrant of the seat; who declares none, and a line that is torn, tell nothing."""
    text = b'{"event":"action","note":"event: seat_joined"}\n'
    log = joined(0, "1") + joined(1, "") + text + joined(0, "1") + joined(2, "x") + joined(0, "2") + joined(1, "9")[:-1]
    assert declared(log, ("a", "b", "c")) == (("a", "1"), ("c", "x"), ("a", "2"))


def test_versions_that_agree_are_counted() -> None:
    """With the file, and where it says nothing with one another; whoever declares none is believed."""
    versions = Versions({"a": "1", "b": ""})
    versions.check("m1", [("a", "1"), ("b", "7")])
    versions.check("m2", [("b", "7")])
    versions.check("m3", [])


@pytest.mark.parametrize(
    ("declares", "problem"),
    [
        ([("a", "2")], "m2: the bot of 'a' declares version '2', and the tournament file states '1'"),
        ([("b", "8")], "m2: the bot of 'b' declares version '8', and declared '7' in match m1"),
        ([("c", "1"), ("c", "2")], "m2: the bot of 'c' declares version '2', and declared '1' in match m2"),
    ],
)
def test_versions_that_do_not_agree_are_refused(declares: list[tuple[str, str]], problem: str) -> None:
    """The match is named, with both versions; nothing of it is remembered."""
    versions = Versions({"a": "1", "b": "", "c": ""})
    versions.check("m1", [("a", "1"), ("b", "7")])
    with pytest.raises(WrongVersion) as refused:
        versions.check("m2", declares)
    assert str(refused.value).startswith(problem)
    versions.check("m3", [("a", "1"), ("b", "7"), ("c", "2")])


@pytest.fixture
def cup(tmp_path: Path) -> Cup:
    """A tournament with a bot that declares what stands in a file that its identity does not cover."""
    return Cup(tmp_path)


def test_a_bot_of_another_version_than_the_file_states_does_not_count(cup: Cup) -> None:
    """The run ends and says why; with the right one the tournament is played."""
    cup.write(cup.bot("v", DECLARES) | {"version": "1"}, builtin("b"), deals=1)
    (cup.folder / "version.txt").write_text("2")
    _, said = cup.end(cup.start("--workers", "1"), 1)
    assert "could not be finished: 0000000-0: the bot of 'v' declares version '2', and the tournament file" in said
    assert "start version '1', or state the other one" in said
    assert cup.standings()["matches_played"] == 0
    assert cup.logs() == []
    (cup.folder / "version.txt").write_text("1")
    cup.run("--workers", "1")
    assert cup.standings()["matches_played"] == 2
    assert prove(cup.out).ok


def test_a_bot_that_changes_its_version_in_a_tournament_does_not_count(cup: Cup) -> None:
    """What it has played before stands; the run says what to do."""
    entrants = cup.bot("v", DECLARES), builtin("b")
    (cup.folder / "version.txt").write_text("1")
    cup.write(*entrants, deals=1).run("--workers", "1")
    before = cup.standings()["entrants"]
    (cup.folder / "version.txt").write_text("2")
    _, said = cup.end(cup.write(*entrants, deals=2).start("--workers", "1"), 1)
    assert "0000001-0: the bot of 'v' declares version '2', and declared '1' in match 0000000-0" in said
    assert 'state version = "2" with rerun = "changed"' in said
    assert cup.standings()["entrants"] == before
    for entrant in entrants[:1]:
        entrant["version"] = "2"
    cup.write(*entrants, deals=2, rerun="changed").run("--workers", "1")
    assert cup.standings()["matches_played"] == 4
    assert prove(cup.out).ok
