"""The folder of a tournament: what is refused there, and `referee tournament standings`."""

import json
import os
import shutil

import pytest
from click.testing import CliRunner
from tournament_kit import Cup, builtin

from referee.cli.main import main


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A tournament that has been played."""
    cup = Cup(tmp_path_factory.mktemp("finished"))
    cup.write(builtin("a"), builtin("m", "medium"), deals=2)
    cup.run("--workers", "1")
    return cup


@pytest.fixture
def copy(finished, tmp_path):
    """A copy of its folder, to be spoiled."""
    return shutil.copytree(finished.out, tmp_path / "copy")


def refusal(*words):
    """The one line on standard error with which the command line refuses."""
    result = CliRunner().invoke(main, ["tournament", *words])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return result.stderr


def test_another_file_on_the_same_folder_is_refused_with_the_difference(finished, tmp_path):
    """Results of different tournaments are never mixed."""
    other = Cup(tmp_path)
    for keys, says in (
        ({"deals": 1}, "another `deals`: 2, now 1"),
        ({"seed": "00" * 32}, "another `seed`"),
        ({"duplicate": False}, "another `duplicate`: true, now false"),
    ):
        other.write(builtin("a"), builtin("m", "medium"), **({"deals": 2} | keys))
        assert says in refusal("run", str(other.file), "--out", str(finished.out))
    other.write(builtin("a"), builtin("m", "expert"))
    assert "the entrant 'm' is another" in refusal("run", str(other.file), "--out", str(finished.out))
    other.write(builtin("a"), builtin("n", "medium"))
    assert "the entrant 'm', who is not among" in refusal("run", str(other.file), "--out", str(finished.out))


def test_a_changed_bot_on_the_same_folder_is_refused(tmp_path):
    """The content of a bot's file is part of who the entrant is."""
    cup = Cup(tmp_path)
    cup.write(cup.bot("bot"), builtin("b"), deals=1)
    cup.run()
    cup.bot("bot", "run(lambda turn: turn.legal[-1])")
    assert "the entrant 'bot' is another than the one that played here" in refusal(
        "run", str(cup.file), "--out", str(cup.out)
    )


def test_a_folder_that_is_none_is_refused(finished, tmp_path):
    """A file, a place in a file, and a place where nothing can be made."""
    file = tmp_path / "file"
    file.touch()
    for out in (file, file / "in", "/proc/nowhere"):
        assert str(out) in refusal("run", str(finished.file), "--out", str(out))
    assert file.read_bytes() == b""


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_refused(finished, tmp_path):
    """The folder and the reason are named."""
    tmp_path.chmod(0o500)
    out = tmp_path / "out"
    assert f"{out}: Permission denied" in refusal("run", str(finished.file), "--out", str(out))


def test_standings_of_a_finished_tournament(finished):
    """The same table as after the run, and the same JSON as in the folder."""
    printed, _ = finished.asked("tournament", "standings", str(finished.out))
    assert printed == finished.run()
    as_json, _ = finished.asked("tournament", "standings", str(finished.out), "--json")
    assert json.loads(as_json) == finished.standings() == json.loads(finished.run("--json"))


def test_standings_of_an_unfinished_tournament(tmp_path):
    """So far: what is played of what is planned."""
    cup = Cup(tmp_path)
    cup.write(cup.bot("a", "run(first, on_event=on_match(tell))"), builtin("b"), deals=2)
    run = cup.start("--workers", "1")
    while cup.told() != ["0000001-0"]:
        pass
    run.terminate()
    cup.end(run, 143)
    played = cup.standings()["matches_played"]
    assert played in (2, 3)
    printed, _ = cup.asked("tournament", "standings", str(cup.out))
    assert f"{played} of 4 matches" in printed


def test_standings_of_a_folder_without_a_tournament(finished, tmp_path):
    """Missing or foreign: said in one line."""
    (tmp_path / "standings.json").write_text("{}")
    for folder in (tmp_path / "missing", tmp_path):
        assert f"{folder}: no tournament has been run here" in refusal("standings", str(folder))


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"{}", b"null", b"\xff\xfe", b'{"name": 1, "matches_played": 10000, "entrants": [{}]}'],
)
def test_damaged_standings(copy, content):
    """Damaged standings are told as such."""
    path = copy / "standings.json"
    path.write_bytes(content)
    for words in ([], ["--json"]):
        assert f"{path}: damaged" in refusal("standings", str(copy), *words)


def test_damaged_standings_are_written_anew_by_another_run(finished, copy):
    """Standings are made from the logs."""
    (copy / "standings.json").write_text("[]")
    finished.run(out=copy)
    assert finished.standings(copy) == finished.standings()


@pytest.mark.parametrize("content", [b"", b"[]", b'{"spec": 1}', b"\xff"])
def test_a_damaged_state(finished, copy, content):
    """The state is never guessed."""
    (copy / "tournament.json").write_bytes(content)
    assert "tournament.json: damaged" in refusal("standings", str(copy))
    assert "tournament.json: damaged" in refusal("run", str(finished.file), "--out", str(copy))
