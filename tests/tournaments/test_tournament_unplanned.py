"""Logs that a course no longer asks for, since other results came first."""

import shutil
from pathlib import Path

import pytest
from here_kit import begun, file_of, run_here

from tournaments.proof import prove
from tournaments.report.gather import gather

TOP = 'deals = 40\nrerun = "changed"\nstop = { settle = "top", confidence = 0.9 }'
CUP = 'deals = 3\nrerun = "changed"\nschedule = "knockout"'


@pytest.fixture
def rerun(tmp_path):
    """A tournament in which a and b were long in doubt, until c turned out to be better than both."""
    first = run_here(tmp_path, file_of({"a": "beginner", "b": "beginner", "c": "beginner"}, TOP))
    second = run_here(tmp_path, file_of({"a": "beginner", "b": "beginner", "c": "expert"}, TOP))
    assert second.standings.matches_played < first.standings.matches_played
    return second


def names(folder: Path) -> set[str]:
    """The files of a folder."""
    return {path.name for path in folder.iterdir()}


def test_logs_that_are_no_longer_planned_are_moved_out_of_the_way(tmp_path: Path, rerun) -> None:
    """Those that are left are those that count; the run says which were moved, and the folder verifies."""
    assert len(names(tmp_path / "matches")) == rerun.standings.matches_played
    assert rerun.set_aside
    for line in rerun.set_aside:
        match, what = line.split(": ")
        assert what == "no match of this name is planned any more"
        assert f"{match}.jsonl" in names(tmp_path / "superseded")
    proof = prove(tmp_path)
    assert (proof.finished, proof.faults) == (True, [])


def test_a_report_counts_only_what_the_course_asks_for(tmp_path: Path, rerun) -> None:
    """Also while a log that is planned no longer lies among the others, as in the middle of the second run."""
    stray = rerun.set_aside[0].split(": ")[0] + ".jsonl"
    shutil.copy(tmp_path / "superseded" / stray, tmp_path / "matches" / stray)
    state = begun(tmp_path, file_of({"a": "beginner", "b": "beginner", "c": "expert"}, TOP))
    found = gather(tmp_path, state)
    assert found.played == found.figures["matches_played"] == rerun.standings.matches_played


def test_a_knockout_whose_winners_are_others_is_whole_again(tmp_path: Path) -> None:
    """The ties that its changed entrants won are played by others now."""
    weak = {"a": "beginner", "b": "beginner", "c": "beginner", "d": "beginner", "e": "beginner"}
    run_here(tmp_path, file_of(weak, CUP))
    runner = run_here(tmp_path, file_of(weak | {"e": "expert"}, CUP))
    assert "no match of this name is planned any more" in " ".join(runner.set_aside)
    assert len(names(tmp_path / "matches")) == runner.standings.matches_played
    proof = prove(tmp_path)
    assert (proof.finished, proof.faults) == (True, [])
