"""`pass_if`: its grammar, who is measured by what, and where it is said."""

import json

import pytest
from tournament_kit import Cup, builtin

from tournaments.passing import judged, pass_lines, threshold_of
from tournaments.spec import SpecError, load


@pytest.fixture
def cup(tmp_path):
    """A tournament that is still to be written."""
    return Cup(tmp_path)


def figures():
    """Standings of which only what counts is filled in: c has not met a."""
    return {
        "entrants": [{"name": "a b", "mean": 0.75}, {"name": "b", "mean": 0.1}, {"name": "c", "mean": None}],
        "pairs": [{"a": "a b", "b": "b", "a_mean": 0.9}, {"a": "b", "b": "c", "a_mean": None}],
    }


@pytest.mark.parametrize(
    ("condition", "passed"),
    [
        ("mean > 0.1", [True, False, None]),
        ("mean >= 0.1", [True, True, None]),
        ("mean>=.1 against a b", [None, True, None]),
        ("mean > 0.1 against a b", [None, False, None]),
        ("mean >= 0.9 against b", [True, None, None]),
        ("mean >= 1", [False, False, None]),
    ],
)
def test_who_passes(condition, passed):
    """A mean of exactly the number passes with >= only, whoever of a pair is named first."""
    found = judged(figures(), condition)
    assert [one["passed"] for one in found["entrants"]] == passed
    assert found["pass_if"] == condition
    head, *lines = pass_lines(found)
    assert condition in head
    named = threshold_of(condition).against
    assert [line.split("  ")[1] for line in lines] == [name for name in ("a b", "b", "c") if name != named]


def test_without_a_condition_nothing_is_added():
    """The standings of other tournaments are as they were."""
    assert judged(figures(), "") == figures()
    assert not list(pass_lines(figures()))


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("mean < 0.5", "not understood"),
        ("rating > 5", "not understood"),
        ("mean > 0.5 against", "not understood"),
        ("mean > 0.5 and mean < 0.6", "not understood"),
        ("mean > 1.5", "no mean is above 1"),
        ("mean > 1", "no mean is above 1"),
        ("mean > 0.5 against mediun", "did you mean 'medium'"),
        (0.5, "0.5 is no text"),
    ],
)
def test_a_condition_that_is_none_is_refused(cup, condition, said):
    """Naming the key and what would be right."""
    cup.write(builtin("medium", "medium"), builtin("b"), pass_if=condition)
    with pytest.raises(SpecError) as refused:
        load(cup.file)
    assert refused.value.key == "pass_if"
    assert said in refused.value.problem


def test_who_has_passed_is_said_at_the_end_and_kept(cup):
    """In the terminal and in the files; the status is 0; the condition may be another in the next run."""
    cup.write(builtin("pupil"), builtin("staff", "medium"), pass_if="mean > 0.99 against staff")
    assert "FAIL" in cup.run()
    cup.write(builtin("pupil"), builtin("staff", "medium"), pass_if="mean >= 0 against staff")
    printed = cup.run()
    assert "pass if mean >= 0 against staff:" in printed
    assert "PASS" in printed
    assert "PASS" in cup.asked("tournament", "standings", str(cup.out))[0]
    assert {one["name"]: one["passed"] for one in cup.standings()["entrants"]} == {"pupil": True, "staff": None}
    assert "## Who has passed" in (cup.out / "standings.md").read_text()
    proof = json.loads(cup.asked("verify", str(cup.out), "--json")[0])
    assert proof["ok"]
