"""Disqualification at a fault rate: by the results alone, in their planned order, and as if nobody had met the bot."""

import random
import shutil
import signal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tournament_kit import Cup, builtin

from tournaments.course import course_of
from tournaments.outlook import Outlook
from tournaments.proof import prove
from tournaments.result import MatchResult
from tournaments.schedule import Schedule
from tournaments.spec import SpecError, parse
from tournaments.standings import Standings

FILES = ("standings.json", "standings.csv", "standings.md")
DIES = """
turns = 0
def die(turn):
    global turns
    turns += 1
    if turns == 3:
        os._exit(3)
    return first(turn)
run(die)
"""
TELLS = "run(lambda turn: (tell(turn.match.id), first(turn))[1])"


@pytest.fixture
def cup(tmp_path):
    """A tournament that is still to be written."""
    return Cup(tmp_path)


def spec_of(names, rest):
    """A tournament file with these entrants."""
    lines = ['name = "cup"\ngame = "domino-classico"\ntable = 2', rest]
    lines += [f'[[entrants]]\nname = "{name}"\nbuiltin = "medium"' for name in names]
    return parse("\n".join(lines))


def result(planned, *forfeited, first=1):
    """A match that the seat of this place has won, unless somebody forfeited."""
    places = (1, 2) if first == 1 else (2, 1)
    if forfeited:
        places = (2, 1) if planned.seats[0] in forfeited else (1, 2)
    faults = {name: {"crashed": 1} for name in forfeited}
    return MatchResult(planned.id, planned.deal_set, planned.seats, (0, 1), places, faults, tuple(forfeited))


def test_worked_by_hand():
    """B forfeits half of its matches, which it may; then 3 of 5, which is more. What it has left is not asked for."""
    spec = spec_of("ab", "deals = 8\nduplicate = false\ndisqualify = { fault_rate = 0.5, after = 4 }")
    course = course_of(spec, Schedule.of(spec))
    ((wave),) = course.waves()
    asked = []
    for (planned,) in wave:
        asked.append(planned.deal_set)
        # Not judged before its fourth match, though 2 of 3 are more than a half.
        course.add(result(planned, *(["b"] if planned.deal_set in (0, 1, 4, 6) else [])))
    assert asked == [0, 1, 2, 3, 4]
    out = course.outlook().out["b"]
    assert (out.deal_set, out.match, out.played, out.forfeited) == (4, "0000004-0", 5, 3)
    assert out.faults == {"illegal": 0, "late": 0, "gone": 0, "never_came": 0, "crashed": 3}
    assert course.total() == 0
    assert course.verdict() == (
        "'b' is disqualified: it lost 3 of its first 5 matches by its faults; no match of it counts"
    )


def test_a_rate_is_exact():
    """29 of 100 are not more than 0.29, whatever a computer makes of 0.29 times 100; 30 of 101 are."""
    spec = spec_of("ab", "deals = 200\nduplicate = false\ndisqualify = { fault_rate = 0.29, after = 100 }")
    course = course_of(spec, Schedule.of(spec))
    ((wave),) = course.waves()
    for (planned,) in wave:
        course.add(result(planned, *(["b"] if planned.deal_set < 29 or planned.deal_set == 100 else [])))
    assert (course.outlook().out["b"].played, course.outlook().out["b"].forfeited) == (101, 30)


def played(spec, seed, ahead):
    """A tournament played in thought by workers who are up to so many deal sets ahead of one another.

    Returns:
        The course, all results, and the standings.
    """
    schedule = Schedule.of(spec)
    course = course_of(spec, schedule)
    source = random.Random(f"{seed}/{ahead}")
    results, going = [], []
    standings = Standings.of(spec, schedule, {entrant.name: "id" for entrant in spec.entrants})

    def finish(most):
        while len(going) > most:
            for planned in going.pop(source.randrange(len(going))):
                chance = random.Random(f"{seed}/{planned.id}")
                forfeited = [name for name in planned.seats if chance.random() < {"a": 0.6, "b": 0.25}.get(name, 0.02)]
                results.append(result(planned, *forfeited[:1], first=chance.choice((1, 2))))
                course.add(results[-1])
                standings.add(results[-1])
                standings.look(course.outlook())

    for wave in course.waves():
        for matches in wave:
            going.append(matches)
            finish(ahead)
        finish(0)
    standings.look(course.outlook())
    return course, results, standings


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 12), st.booleans())
def test_who_is_out_does_not_depend_on_who_plays_how_fast(seed, ahead, duplicate):
    """However far workers run ahead, the same are out since the same match, and the standings are the same bytes."""
    rest = f"deals = 5\nduplicate = {str(duplicate).lower()}\ndisqualify = {{ fault_rate = 0.3, after = 6 }}"
    spec = spec_of("abcd", rest)
    course, results, standings = played(spec, seed, 0)
    other, more, others = played(spec, seed, ahead)
    assert others.to_json() == standings.to_json()
    assert other.outlook() == course.outlook()
    assert {one.id for one in more} >= {one.id for one in results}
    # Read again from whatever logs there are, in any order: so a run that goes on comes to the same.
    random.Random(seed).shuffle(more)
    again = course_of(spec, Schedule.of(spec))
    for one in more:
        again.add(one)
    assert again.outlook() == course.outlook()
    assert standings.to_json()["matches_played"] == standings.to_json()["matches_planned"]


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6))
def test_standings_are_those_of_a_tournament_without_who_is_out(seed):
    """Figure for figure; who is out stands below all others, with its faults and nothing else."""
    spec = spec_of("abcd", "deals = 5\ndisqualify = { fault_rate = 0.3, after = 6 }")
    course, results, standings = played(spec, seed, 2)
    out = course.outlook().out
    found = standings.to_json()
    names = [name for name in "abcd" if name not in out]
    without = Standings(
        name="cup", game="domino-classico", identities=dict.fromkeys(names, "id"), table=2, sides=2, rotations=2,
        matches_planned=course.total(),
    )  # fmt: skip
    for one in results:
        if not out.keys() & set(one.seats):
            without.add(one)
    wanted = without.to_json()
    assert [found[key] for key in ("pairs", "seats", "deals_worth")] == [
        wanted[key] for key in ("pairs", "seats", "deals_worth")
    ]
    ranked = [one for one in found["entrants"] if one["disqualified"] is None]
    assert [{key: value for key, value in one.items() if key != "disqualified"} for one in ranked] == wanted["entrants"]
    for one in found["entrants"][len(ranked) :]:
        assert (one["place"], one["played"], one["mean"], one["p_first"]) == (len(names) + 1, 0, None, 0.0)
        assert one["disqualified"]["forfeited"] > 0.3 * one["disqualified"]["played"]
        assert one["faults"]["crashed"] == one["disqualified"]["forfeited"]


def test_all_may_be_out():
    """Nobody is ranked then, and no figure is missing."""
    spec = spec_of("ab", "deals = 3\ndisqualify = { fault_rate = 0.4, after = 2 }")
    schedule = Schedule.of(spec)
    course = course_of(spec, schedule)
    standings = Standings.of(spec, schedule, {"a": "1", "b": "2"})
    for planned, name in zip(schedule.deal_set(0), "ab", strict=True):
        course.add(result(planned, name))
        standings.add(result(planned, name))
    standings.look(course.outlook())
    found = standings.to_json()
    assert [(one["name"], one["place"]) for one in found["entrants"]] == [("a", 1), ("b", 1)]
    assert (found["matches_planned"], found["matches_played"], found["pairs"]) == (0, 0, [])
    assert standings.to_csv().count("\n") == 3


def test_a_run_leaves_out_what_is_left_and_a_killed_one_ends_the_same(cup, tmp_path):
    """Killed on the way and gone on, with other workers: the same standings to the last byte, and they verify."""
    keys = {"deals": 6, "disqualify": {"fault_rate": 0.5, "after": 4}, "pass_if": "mean >= 0 against m"}
    cup.write(cup.bot("dies", DIES), cup.bot("a", TELLS), builtin("m", "medium"), **keys)
    run = cup.start("--workers", "1")
    for _ in range(40):
        cup.told()
    run.send_signal(signal.SIGKILL)
    run.wait()
    cup.run("--workers", "2")
    killed = [(cup.out / name).read_bytes() for name in FILES]
    assert prove(cup.out).ok
    shutil.rmtree(cup.out)
    printed = cup.run("--workers", "1")
    assert [(cup.out / name).read_bytes() for name in FILES] == killed
    found = cup.standings()
    assert found["entrants"][2]["name"] == "dies"
    assert found["entrants"][2]["disqualified"] == {"match": "0000002-1", "played": 4, "forfeited": 4}
    assert found["entrants"][2]["passed"] is False
    assert (found["matches_planned"], found["matches_played"]) == (12, 12)
    assert "'dies' is disqualified: it lost 4 of its first 4 matches by its faults" in found["verdict"]
    assert "FAIL disqualified  dies" in printed
    assert "disqualified; 4 crashed" in (cup.out / "standings.md").read_text()
    assert (cup.out / "standings.csv").read_text().splitlines()[-1].endswith(",0,0,0,0,4,1")
    played_at_all = {path.stem for path in cup.logs()}
    # dies and a meet in the deal sets 0, 3, 6 …; dies and m in 1 or 2 of every three.
    assert len(played_at_all) < 36
    printed, _ = cup.asked("verify", str(cup.out))
    assert "12 of 12 matches" in printed
    text = (cup.out / "standings.json").read_text()
    (cup.out / "standings.json").write_text(text.replace('"forfeited": 4', '"forfeited": 3'))
    assert [fault.path for fault in prove(cup.out).faults] == [str(cup.out / "standings.json")]


def test_before_anybody_is_out_nothing_is_different():
    """The standings say that nobody is, and count everything."""
    spec = spec_of("ab", "deals = 2\ndisqualify = { fault_rate = 0.5 }")
    standings = Standings.of(spec, Schedule.of(spec), {"a": "1", "b": "2"})
    standings.look(Outlook(4))
    assert [one["disqualified"] for one in standings.to_json()["entrants"]] == [None, None]
    assert standings.to_json()["conditions"]["disqualify"] == {"fault_rate": 0.5, "after": 20}


@pytest.mark.parametrize(
    ("rest", "key"),
    [
        ("disqualify = 0.2", "disqualify"),
        ("disqualify = { after = 5 }", "disqualify.fault_rate"),
        ("disqualify = { fault_rate = 1 }", "disqualify.fault_rate"),
        ("disqualify = { fault_rate = -0.1 }", "disqualify.fault_rate"),
        ("disqualify = { fault_rate = true }", "disqualify.fault_rate"),
        ("disqualify = { fault_rate = 0.2, after = 0 }", "disqualify.after"),
        ("disqualify = { fault_rate = 0.2, rate = 1 }", "disqualify.rate"),
        ('disqualify = { fault_rate = 0.2 }\nschedule = "knockout"', "disqualify"),
        ("disqualify = { fault_rate = 0.2 }\nstop = {}", "disqualify"),
    ],
)
def test_what_is_none_is_refused(rest, key):
    """Naming the key."""
    with pytest.raises(SpecError) as refused:
        spec_of("ab", rest)
    assert refused.value.key == key
