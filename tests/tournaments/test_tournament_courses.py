"""Courses that depend on results: what they ask for, and that they ask for the same whenever they are asked."""

import itertools
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.course import course_of
from tournaments.knockout import EXTRA, seeding
from tournaments.result import MatchResult
from tournaments.schedule import Schedule
from tournaments.scheduling import SprtSpec, StopSpec
from tournaments.spec import parse
from tournaments.swiss import pair_up


def spec_of(entrants, rest, table=2, game="domino-classico"):
    """A tournament file with so many entrants."""
    lines = [f'name = "cup"\ngame = "{game}"\ntable = {table}', rest]
    lines += [f'[[entrants]]\nname = "e{number}"\nbuiltin = "medium"' for number in range(entrants)]
    return parse("\n".join(lines))


class Play:
    """A tournament played in thought: of two the one with the lower number wins, but for chance."""

    def __init__(self, spec, seed=0, level=0.2, upset=0.2):
        self.spec = spec
        self.schedule = Schedule.of(spec)
        self.seed, self.level, self.upset = seed, level, upset
        self.known = {}
        self.waves = []

    def result(self, planned):
        """What a match comes to: the same whenever it is played."""
        if planned.id not in self.known:
            source = random.Random(f"{self.seed}/{planned.id}/{planned.seats}")
            sides = tuple(seat % self.schedule.block for seat in range(self.schedule.table))
            keys = [int(planned.seats[sides.index(side)][1:]) for side in range(self.schedule.block)]
            if source.random() < self.upset:
                source.shuffle(keys)
            if source.random() < self.level:
                keys = [0] * len(keys)
            places = tuple(1 + sum(other < key for other in keys) for key in keys)
            self.known[planned.id] = MatchResult(planned.id, planned.deal_set, planned.seats, sides, places)
        return self.known[planned.id]

    def through(self):
        """Play it through; the course."""
        self.waves.clear()
        course = course_of(self.spec, self.schedule)
        for wave in course.waves():
            before = course.total()
            sets = [matches for matches in wave]  # noqa: C416  (a wave may be lazy)
            self.waves.append(sets)
            planned = [match for matches in sets for match in matches]
            random.Random(len(self.waves)).shuffle(planned)
            for match in planned:
                course.add(self.result(match))
            assert before >= sum(len(matches) for wave in self.waves for matches in wave)
        ids = [match.id for sets in self.waves for matches in sets for match in matches]
        assert len(ids) == len(set(ids)) == course.total()
        return course


SPECS = [
    (2, 'schedule = "swiss"\nrounds = 3\ndeals = 1'),
    (7, 'schedule = "swiss"\nrounds = 5\ndeals = 2'),
    (8, 'schedule = "swiss"\nrounds = 7\ndeals = 1\nduplicate = false'),
    (2, 'schedule = "knockout"\ndeals = 1'),
    (6, 'schedule = "knockout"\ndeals = 3\nduplicate = false'),
    (13, 'schedule = "knockout"\ndeals = 4'),
    (4, "stop = { confidence = 0.9 }\ndeals = 60"),
    (5, 'stop = { settle = "top", k = 2 }\ndeals = 40'),
    (2, "stop = { sprt = { elo0 = 0, elo1 = 50 } }\ndeals = 300"),
    (5, 'schedule = "gauntlet"\nchallengers = ["e1"]\nstop = {}\ndeals = 40\nduplicate = false'),
]


@pytest.mark.parametrize(("entrants", "rest"), SPECS)
@settings(deadline=None)
@given(seed=st.integers(0, 10**6))
def test_a_course_asks_for_the_same_whenever_it_is_asked(entrants, rest, seed):
    """It depends on the results alone: not on the order in which they come in, nor on being begun again."""
    play = Play(spec_of(entrants, rest), seed)
    first = play.through()
    waves = [list(wave) for wave in play.waves]
    again = play.through()
    assert play.waves == waves
    assert (again.ranking(), again.verdict(), again.total()) == (first.ranking(), first.verdict(), first.total())


@settings(deadline=None)
@given(st.integers(2, 24), st.integers(1, 8), st.integers(0, 10**6))
def test_swiss_rounds(entrants, rounds, seed):
    """In a round everybody plays once or has a bye, nobody has two before all have one, and nobody meets one twice."""
    play = Play(spec_of(entrants, f'schedule = "swiss"\nrounds = {rounds}\ndeals = 1'), seed)
    course = play.through()
    names = {f"e{number}" for number in range(entrants)}
    met, byes = Counter(), Counter(dict.fromkeys(names, 0))
    for sets in play.waves:
        playing = [name for matches in sets for name in matches[0].seats]
        assert len(playing) == len(set(playing)) == entrants // 2 * 2
        byes.update(names - set(playing))
        met.update(frozenset(matches[0].seats) for matches in sets)
    assert len(play.waves) == rounds
    assert max(byes.values()) - min(byes.values()) <= 1
    if rounds <= entrants // 2:
        assert max(met.values()) == 1
    # Each meeting gives a point in all, and so does a bye.
    assert sum(course.ranking().values()) == sum(met.values()) + sum(byes.values())
    for name, times in byes.items():
        assert (repr(name) in course.verdict()) == bool(times)


def test_a_swiss_round_worked_by_hand():
    """Nearest who have not met; where that leads nowhere, the last choice is changed first."""
    order = ["a", "b", "c", "d", "e", "f"]

    def met(*pairs):
        return Counter(frozenset(pair) for pair in pairs)

    assert pair_up(order, met()) == [("a", "b"), ("c", "d"), ("e", "f")]
    assert pair_up(order, met("ab")) == [("a", "c"), ("b", "d"), ("e", "f")]
    assert pair_up(order, met("ef", "cd", "ce")) == [("a", "b"), ("c", "f"), ("d", "e")]
    assert pair_up(order, met("cd", "ef", "ce", "cf")) == [("a", "c"), ("b", "e"), ("d", "f")]
    everybody = met(*itertools.combinations("abcd", 2))
    assert pair_up(list("abcd"), everybody + met("ab")) == [("a", "c"), ("b", "d")]


def test_a_draw():
    """The first two meet in the final only, the first four not before the semi-finals; byes are the first's."""
    assert seeding(2) == [0, 1]
    assert seeding(4) == [0, 3, 1, 2]
    assert seeding(6) == seeding(8) == [0, 7, 3, 4, 1, 6, 2, 5]


@settings(deadline=None)
@given(st.integers(2, 40), st.integers(1, 5), st.booleans(), st.integers(0, 10**6))
def test_a_knockout_has_one_winner(entrants, deals, duplicate, seed):
    """Everybody but the winner loses one tie; a tie takes no more deal sets than it needs."""
    rest = f'schedule = "knockout"\ndeals = {deals}\nduplicate = {str(duplicate).lower()}'
    play = Play(spec_of(entrants, rest), seed)
    course = play.through()
    ties = {}
    for sets in play.waves:
        for matches in sets:
            ties.setdefault(frozenset(matches[0].seats), []).append(matches)
    assert len(ties) == entrants - 1
    lost = Counter()
    for (one, other), sets in ((tuple(sorted(tie)), sets) for tie, sets in ties.items()):
        lead = 0.0
        for number, matches in enumerate(sorted(sets, key=lambda matches: matches[0].deal_set)):
            left = deals - number
            assert abs(lead) <= max(left, 0) or (not duplicate and left < 0)
            for match in matches:
                places = dict(zip(match.seats, play.known[match.id].places, strict=True))
                lead += ((places[one] < places[other]) - (places[one] > places[other])) / len(matches)
        assert len(sets) <= deals + EXTRA
        if lead:
            lost[other if lead > 0 else one] += 1
        else:
            assert len(sets) == deals + EXTRA
            lost[max(one, other, key=lambda name: int(name[1:]))] += 1
    (winner,) = {f"e{number}" for number in range(entrants)} - set(lost)
    assert set(lost.values()) == {1}
    ranking = course.ranking()
    assert [name for name, won in ranking.items() if won == max(ranking.values())] == [winner]
    assert course.verdict().startswith(f"{winner!r} has won the final")


def test_a_best_of_five_ends_after_three():
    """Who wins each deal set is through after the third; with byes for the first two of six."""
    play = Play(spec_of(6, 'schedule = "knockout"\ndeals = 5'), level=0, upset=0)
    course = play.through()
    assert [Counter(tuple(sorted(matches[0].seats)) for matches in sets) for sets in play.waves] == [
        {("e3", "e4"): 3, ("e2", "e5"): 3}, {("e0", "e3"): 3, ("e1", "e2"): 3}, {("e0", "e1"): 3},
    ]  # fmt: skip
    assert course.total() == 30
    assert course.ranking() == {"e0": 3, "e1": 2, "e2": 1, "e3": 1, "e4": 0, "e5": 0}
    assert course.places() == {"e0": (1, 1), "e1": (2, 2), "e2": (3, 4), "e3": (3, 4), "e4": (5, 6), "e5": (5, 6)}


def test_places_that_the_draw_leaves_open():
    """Of six, two with a bye: before the first round all is open; after it two are out, and share the last places."""
    play = Play(spec_of(6, 'schedule = "knockout"\ndeals = 1'), level=0, upset=0)
    course = course_of(play.spec, play.schedule)
    waves = course.waves()
    found = []
    for _ in range(3):
        for matches in next(waves):
            for match in matches:
                course.add(play.result(match))
        found.append(course.places())
    assert next(waves, None) is None
    # Who has had a bye has come as far as who wins in the first round, so all six may be first or last so far.
    assert found[0] == {f"e{number}": (1, 6) for number in range(6)}
    # e3 and e2 have beaten e4 and e5, and wait for e0 and e1.
    assert found[1] == dict.fromkeys(("e0", "e1", "e2", "e3"), (1, 4)) | dict.fromkeys(("e4", "e5"), (5, 6))
    assert found[2] == dict.fromkeys(("e0", "e1"), (1, 2)) | dict.fromkeys(("e2", "e3"), (3, 4)) | dict.fromkeys(
        ("e4", "e5"), (5, 6)
    )
    assert course.places()["e0"] == (1, 1)


def test_what_is_clear_is_left():
    """The last of four is soon known to be last; the first two go on, and places count each opponent as much."""
    spec = spec_of(4, "stop = { confidence = 0.95 }\ndeals = 400")
    play = Play(spec, level=0.1, upset=0.3)
    course = play.through()
    assert "the order is clear at 95 %" in course.verdict()
    assert course.total() < play.schedule.total() / 4
    ranking = course.ranking()
    assert sorted(ranking, key=lambda name: -ranking[name]) == ["e0", "e1", "e2", "e3"]


def test_nothing_is_clear_between_equals():
    """All deal sets are played, and what stays in doubt is said."""
    play = Play(spec_of(3, "stop = {}\ndeals = 10"), level=1)
    course = play.through()
    assert course.total() == play.schedule.total() == 60
    assert course.verdict() == (
        "the order is not clear at 95 % after 60 of at most 60 matches: 3 pairs are in doubt: "
        "'e0' and 'e1', 'e0' and 'e2', 'e1' and 'e2'"
    )


def test_for_the_top_the_rest_is_left_alone():
    """Who is second and who third does not matter for the first place."""
    play = Play(spec_of(5, 'stop = { settle = "top", k = 1 }\ndeals = 200'), level=0.3, upset=0.3)
    course = play.through()
    assert course.verdict().startswith("who is among the first 1 is clear at 95 %")
    sets = Counter(frozenset(matches[0].seats) for wave in play.waves for matches in wave)
    assert max(count for pair, count in sets.items() if "e0" not in pair) < min(
        count for pair, count in sets.items() if "e0" in pair
    )


@pytest.mark.parametrize(("upset", "says"), [(0.0, "'e0' is better than 'e1' by 50 Elo"), (2.0, "by 0 Elo")])
def test_a_ratio_test_ends_either_way(upset, says):
    """With the alternative for the better one, with the null hypothesis for equals."""
    spec = spec_of(2, "stop = { sprt = { elo0 = 0, elo1 = 50 } }\ndeals = 3000")
    assert spec.stop == StopSpec(sprt=SprtSpec(elo1=50.0))
    play = Play(spec, level=0, upset=upset)
    course = play.through()
    assert says in course.verdict()
    assert course.total() < play.schedule.total()
    assert "(-2.94, 2.94)" in course.verdict()


def test_tables_of_three_stop_too():
    """A meeting goes on while any two of it are in doubt."""
    play = Play(spec_of(4, "stop = {}\ndeals = 100", table=3), level=0, upset=0.3)
    course = play.through()
    assert "is clear" in course.verdict()
    assert course.total() < play.schedule.total()
