"""What a tournament file says about schedules and stopping: accepted with its defaults, or refused by file and key."""

import pytest

from tournaments.scheduling import SprtSpec, StopSpec
from tournaments.spec import SpecError, parse


def spec_of(rest="", entrants="abcd", game="domino-classico", table=2):
    """A tournament file with these entrants."""
    lines = [f'name = "cup"\ngame = "{game}"\ntable = {table}', rest]
    lines += [f'[[entrants]]\nname = "{name}"\nbuiltin = "medium"' for name in entrants]
    return parse("\n".join(lines), "cup.toml")


def test_by_default_all_play_all_and_nothing_stops_them():
    """Nothing of this has to be in a file."""
    spec = spec_of()
    assert (spec.schedule, spec.challengers, spec.rounds, spec.stop, spec.rerun) == (
        "round_robin",
        (),
        0,
        None,
        "never",
    )


def test_what_is_accepted():
    """Each schedule with its keys, and each way to stop with its defaults."""
    assert spec_of('schedule = "gauntlet"\nchallengers = ["c", "a"]').challengers == ("a", "c")
    assert spec_of('schedule = "swiss"\nrounds = 3').rounds == 3
    assert spec_of('schedule = "knockout"', game="domino-duplas", table=4).schedule == "knockout"
    assert spec_of("stop = {}").stop == StopSpec(confidence=0.95, settle="order", k=1)
    assert spec_of('stop = { settle = "top", k = 3, confidence = 0.9 }').stop == StopSpec(
        confidence=0.9, settle="top", k=3
    )
    assert spec_of("stop = { sprt = {} }", "ab").stop == StopSpec(sprt=SprtSpec())
    assert spec_of("stop = { sprt = { elo0 = -5, elo1 = 0.5, alpha = 0.1 } }", "ab").stop == StopSpec(
        sprt=SprtSpec(elo0=-5.0, elo1=0.5, alpha=0.1)
    )
    assert spec_of('rerun = "changed"').rerun == "changed"


@pytest.mark.parametrize(
    ("rest", "says"),
    [
        ('schedule = "swis"', "schedule: unknown schedule 'swis'; did you mean 'swiss'?"),
        ("schedule = 1", "schedule: 1 is no text in quotes"),
        ('schedule = "gauntlet"', 'challengers: is missing; schedule = "gauntlet" needs it'),
        ('challengers = ["a"]', 'challengers: is for schedule = "gauntlet" only'),
        ('schedule = "gauntlet"\nchallengers = []', "challengers: [] is no list of entrants' names"),
        ('schedule = "gauntlet"\nchallengers = ["A"]', "challengers[0]: unknown entrant 'A'; accepted: a, b, c, d"),
        ('schedule = "gauntlet"\nchallengers = ["a", "a"]', "challengers[1]: 'a' is named twice"),
        ('schedule = "gauntlet"\nchallengers = ["a", "b", "c", "d"]', "challengers: 0 entrants are left"),
        ('schedule = "swiss"', 'rounds: is missing; schedule = "swiss" needs it; 4 entrants are usually told apart'),
        ('schedule = "swiss"\nrounds = 0', "rounds: 0 is not a whole number from 1"),
        ('schedule = "swiss"\nrounds = 1\nstop = {}', 'stop: is for "round_robin" and "gauntlet" only'),
        ("rounds = 2", 'rounds: is for schedule = "swiss" only'),
        ("stop = { confidence = 1 }", "stop.confidence: 1 is not a number above 0.5 and below 1"),
        ("stop = { confidence = nan }", "stop.confidence: nan is not a number"),
        (f"stop = {{ confidence = {'9' * 400} }}", f"stop.confidence: {'9' * 57}... is not a number above 0.5"),
        ("stop = { confidence = true }", "stop.confidence: true is not a number"),
        ('stop = { settle = "tip" }', "stop.settle: unknown settle 'tip'; did you mean 'top'?"),
        ('stop = { settle = "top", k = 4 }', "stop.k: 4 is not a whole number from 1 to 3"),
        ("stop = { k = 2 }", 'stop.k: is for settle = "top" only'),
        ("stop = { confidense = 0.9 }", "stop.confidense: unknown key 'confidense'; did you mean 'confidence'?"),
        ("stop = 0.95", "stop: 0.95 is no table"),
        ("stop = { sprt = {} }", "stop.sprt: is for two entrants, and 4 are entered"),
        ('rerun = "all"', "rerun: unknown rerun 'all'"),
        ('schedule = "gauntlet"\nchallengers = ["a"]\nstop = { settle = "top" }', 'stop.settle: cannot be "top"'),
    ],
)  # fmt: skip
def test_what_is_refused(rest, says):
    """One line names the file and the key, and what would be right."""
    with pytest.raises(SpecError) as refused:
        spec_of(rest)
    assert str(refused.value).startswith(f"cup.toml: {says}")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("sprt", "says"),
    [
        ("{ elo0 = 5, elo1 = 5 }", "stop.sprt.elo1: 5 is not above elo0, which is 5"),
        ("{ alpha = 0 }", "stop.sprt.alpha: 0 is not a number above 0 and below 0.5"),
        ("{ elo2 = 5 }", "stop.sprt.elo2: unknown key 'elo2'; did you mean"),
        ("{}, k = 1", "stop.sprt: is a test by itself"),
    ],
)
def test_what_is_refused_of_a_ratio_test(sprt, says):
    """Likewise."""
    with pytest.raises(SpecError) as refused:
        spec_of(f"stop = {{ sprt = {sprt} }}", "ab")
    assert str(refused.value).startswith(f"cup.toml: {says}")


@pytest.mark.parametrize("schedule", ["swiss", "knockout"])
def test_swiss_and_knockout_are_for_two(schedule):
    """At a table of three they are refused; pairs are two."""
    with pytest.raises(SpecError, match="is for meetings of two, and here 3 entrants meet in a match"):
        spec_of(f'schedule = "{schedule}"\nrounds = 2', table=3)
