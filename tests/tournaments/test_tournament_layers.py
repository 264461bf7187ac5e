"""Schedules that grow: what was numbered keeps its number, and all that is asked for is there in the end."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments import resume
from tournaments.design import Gauntlet
from tournaments.layers import Layer, Layers
from tournaments.schedule import Schedule
from tournaments.spec import parse


@st.composite
def growing(draw):
    """A table, and layers of which each has as much as the one before or more."""
    table = draw(st.integers(2, 4))
    entrants, deals = draw(st.integers(table + 1, 6)), draw(st.integers(1, 3))
    challengers = draw(st.integers(0, 2)) if draw(st.booleans()) else 0
    layers = []
    for _ in range(draw(st.integers(1, 4))):
        names = tuple(f"e{number}" for number in range(entrants))
        layers.append(Layer(entrants=names, deals=deals, challengers=names[: min(challengers, entrants - table + 1)]))
        # Up to 9: more are too many for all combinations of four to be played.
        entrants, deals = min(9, entrants + draw(st.integers(0, 2))), deals + draw(st.integers(0, 2))
    challengers = layers[0].challengers
    return table, [Layer(entrants=one.entrants, deals=one.deals, challengers=challengers) for one in layers]


def schedule_of(table, layers, duplicate=True):
    """The schedule that has grown so."""
    last = layers[-1]
    return Schedule(
        last.entrants, table, deals=last.deals, duplicate=duplicate, challengers=last.challengers, layers=layers
    )


@settings(deadline=None)
@given(growing(), st.booleans())
def test_what_was_numbered_keeps_its_number(given_layers, duplicate):
    """A schedule that has grown begins with the one before, match for match."""
    table, layers = given_layers
    before = []
    for count in range(1, len(layers) + 1):
        matches = list(schedule_of(table, layers[:count], duplicate))
        assert matches[: len(before)] == before
        assert len({match.id for match in matches}) == len(matches)
        before = matches


@settings(deadline=None)
@given(growing())
def test_all_that_is_asked_for_is_there(given_layers):
    """In the end each meeting of the last layer has its deal sets, as if they had been asked for at first."""
    table, layers = given_layers
    grown, at_once = schedule_of(table, layers), schedule_of(table, layers[-1:])

    def sets(schedule):
        return Counter(frozenset(schedule.deal_set(number)[0].seats) for number in range(schedule.deal_sets))

    assert sets(grown) == sets(at_once)
    by_meeting = grown.layers.by_meeting()
    numbers = sorted(number for ranges in by_meeting.values() for part in ranges for number in part)
    assert numbers == list(range(grown.deal_sets))
    for met, ranges in by_meeting.items():
        had = [grown.layers[number] for part in ranges for number in part]
        assert [turn for _, turn in had] == list(range(len(had)))
        assert {frozenset(places) for places, _ in had} == {met}
        assert len({places for places, _ in had}) == 1


def test_where_not_all_meet_nothing_is_lost():
    """Of many entrants at a big table only some combinations are played; those played before stay."""
    names = tuple(f"e{number}" for number in range(16))
    first, second = Layer(entrants=names[:14], deals=2), Layer(entrants=names, deals=2)
    grown = Layers([first, second], 4)
    alone = Layers([first], 4)
    assert [grown[number] for number in range(len(alone))] == [alone[number] for number in range(len(alone))]
    counts = Counter(pair for number in range(len(grown)) for pair in combinations(sorted(grown[number][0]), 2))
    assert len(counts) == 16 * 15 // 2
    assert grown.imbalance(2) == -(-(max(counts.values()) - min(counts.values())) // 2)


def test_a_gauntlet_that_has_grown_is_as_level_as_one_that_was_so_at_first():
    """It is the pairs of the others that may meet unequally often: all meetings of three of these five are played."""
    first = Layer(entrants=("c", "a", "b", "d"), deals=1, challengers=("c",))
    grown = Layer(entrants=("c", "a", "b", "d", "e"), deals=1, challengers=("c",))
    both, alone = Layers([first, grown], 3), Layers([grown], 3)
    assert {frozenset(both[number][0]) for number in range(6)} == {frozenset(alone[number][0]) for number in range(6)}
    assert both.imbalance(1) == alone.imbalance(1) == 0


@pytest.mark.parametrize(("entrants", "block", "challengers"), [(6, 3, (0,)), (9, 4, (0, 3)), (8, 5, (1, 2, 3))])
def test_challengers_sit_in_every_place(entrants, block, challengers):
    """As often in the middle as at either end, but for one."""
    gauntlet = Gauntlet(entrants, block, challengers)
    meetings = [gauntlet[number] for number in range(len(gauntlet))]
    for challenger in challengers:
        places = Counter(met.index(challenger) for met in meetings if challenger in met)
        assert set(places) == set(range(block))
        assert max(places.values()) - min(places.values()) <= 1


@pytest.mark.parametrize(("block", "meetings"), [(2, 6), (3, 6), (4, 2)])
def test_a_gauntlet_is_some_against_the_rest(block, meetings):
    """Each of two challengers meets all of the other three, who never meet without one."""
    found = [Gauntlet(5, block, (1, 3))[number] for number in range(len(Gauntlet(5, block, (1, 3))))]
    assert len(found) == len({frozenset(met) for met in found}) == meetings
    assert all(len(set(met)) == block and len({1, 3} & set(met)) == 1 for met in found)
    assert abs(sum(met[0] in (1, 3) for met in found) - sum(met[-1] in (1, 3) for met in found)) <= 1
    with pytest.raises(IndexError):
        Gauntlet(5, block, (1, 3))[meetings]


def spec_of(entrants="ab", **keys):
    """A tournament file with these entrants."""
    lines = [f"{key} = {value}" for key, value in keys.items()]
    for name in entrants:
        lines += ["[[entrants]]", f'name = "{name}"', 'builtin = "medium"']
    return parse('name = "cup"\ngame = "domino-classico"\ntable = 2\n' + "\n".join(lines) + "\n")


def test_growing_keeps_the_order_of_before():
    """The file may name its entrants in another order; new ones come last, and nothing else is a new layer."""
    was = spec_of("bac", deals=2)
    layers = (resume.layer(was),)
    assert resume.grown(was, spec_of("cab", deals=2), layers) == (was, layers)
    now, more = resume.grown(was, spec_of("dcab", deals=3), layers)
    assert "".join(one.name for one in now.entrants) == "bacd"
    assert more == (layers[0], Layer(entrants=("b", "a", "c", "d"), deals=3))
    assert resume.grown(now, spec_of("dcab", deals=3), more) == (now, more)


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ({"deals": 3}, {"deals": 2}, "another `deals`: 3, now 2"),
        ({"entrants": "abc"}, {"entrants": "ab"}, "the entrant 'c', who is not among"),
        ({}, {"policy": '"strict"'}, 'another `policy`: "lenient", now "strict"'),
        ({}, {"format": '{ kind = "single" }'}, "another `format`"),
        ({}, {"clock": "{ move_ms = 1 }"}, "another `clock`"),
        ({}, {"options": "{ spinner_opens = 'at_once' }"}, "another `options`"),
        ({}, {"stop": "{ confidence = 0.9 }"}, "another `stop`: null, now"),
        ({}, {"schedule": '"knockout"'}, "another `schedule`"),
        ({"schedule": '"knockout"'}, {"schedule": '"knockout"', "entrants": "abc"}, "takes no entrant once begun"),
        ({"schedule": '"knockout"'}, {"schedule": '"knockout"', "deals": 11}, "another `deals`: 10, now 11"),
        (
            {"schedule": '"swiss"', "rounds": 2},
            {"schedule": '"swiss"', "rounds": 1},
            "another `rounds`: 2, now 1",
        ),
        (
            {"schedule": '"gauntlet"', "challengers": '["a"]', "entrants": "abc"},
            {"schedule": '"gauntlet"', "challengers": '["b"]', "entrants": "abc"},
            'another `challengers`: ["a"], now ["b"]',
        ),
    ],
)  # fmt: skip
def test_what_finished_matches_do_not_fit_is_refused_with_the_difference(before, after, says):
    """One line says what differs."""
    was = spec_of(**before)
    now = spec_of(**after)
    with pytest.raises(ValueError, match=r"another folder is needed|write \d+ ") as refused:
        resume.grown(was, now, (resume.layer(was),))
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_challenger_may_be_added():
    """As an entrant that was not there before."""
    was = spec_of("abc", schedule='"gauntlet"', challengers='["a"]', deals=1)
    now, layers = resume.grown(
        was, spec_of("abcd", schedule='"gauntlet"', challengers='["d", "a"]', deals=1), (resume.layer(was),)
    )
    schedule = Schedule.of(now, layers)
    met = [frozenset(schedule.deal_set(number)[0].seats) for number in range(schedule.deal_sets)]
    assert met == [frozenset(pair) for pair in ("ab", "ac", "bd", "cd")]
