"""Schedules: who meets whom, who sits where, and what is left to play."""

from collections import Counter
from itertools import combinations, islice
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.design import FULL_LIMIT, design
from tournaments.schedule import Schedule, circle
from tournaments.spec import parse


def names(count: int) -> list[str]:
    """So many entrants."""
    return [f"e{number}" for number in range(count)]


@st.composite
def schedules(draw, most: int = 11):
    """Schedules of every shape, small enough to be played through in a test."""
    pairs = draw(st.booleans())
    table = 4 if pairs else draw(st.integers(2, 8))
    block = 2 if pairs else table
    entrants = draw(st.integers(block, max(block, most)))
    return Schedule(names(entrants), table, deals=draw(st.integers(1, 5)), duplicate=draw(st.booleans()), pairs=pairs)


def pair_counts(schedule: Schedule) -> Counter:
    """In how many deal sets each pair of entrants met."""
    found = Counter()
    for number in range(schedule.deal_sets):
        found.update(combinations(sorted(set(schedule.deal_set(number)[0].seats)), 2))
    return found


def seat_counts(schedule: Schedule) -> dict[str, list[int]]:
    """How often each entrant sat in each seat."""
    found = {name: [0] * schedule.table for name in schedule.entrants}
    for match in schedule:
        for seat, name in enumerate(match.seats):
            found[name][seat] += 1
    return found


@settings(deadline=None)
@given(schedules())
def test_everything_planned_is_counted_and_named_once(schedule):
    """``total()`` is what iteration gives; ids are unique and say what they are; deal sets are numbered from 0."""
    matches = list(schedule)
    assert len(matches) == schedule.total()
    assert len({match.id for match in matches}) == len(matches)
    assert sorted({match.deal_set for match in matches}) == list(range(schedule.deal_sets))
    assert all(match.id == f"{match.deal_set:07d}-{match.rotation}" for match in matches)
    assert all(len(match.seats) == schedule.table for match in matches)
    again = Schedule(
        schedule.entrants, schedule.table, deals=schedule.deals, duplicate=schedule.duplicate, pairs=schedule.pairs
    )
    assert list(again) == matches
    assert [match for number in range(schedule.deal_sets) for match in schedule.deal_set(number)] == matches


@settings(deadline=None)
@given(schedules())
def test_every_pair_meets_as_often(schedule):
    """Every pair meets, and the difference is what ``imbalance()`` says, times the deals of a meeting."""
    counts = pair_counts(schedule)
    assert len(counts) == comb(len(schedule.entrants), 2)
    assert max(counts.values()) - min(counts.values()) == schedule.imbalance() * schedule.deals
    if comb(len(schedule.entrants), schedule.block) <= FULL_LIMIT or schedule.block == 2:
        assert schedule.imbalance() == 0
    played = Counter(name for match in schedule for name in set(match.seats))
    assert len(set(played.values())) == 1


@settings(deadline=None)
@given(schedules())
def test_a_deal_set_is_played_in_every_rotation(schedule):
    """With ``duplicate`` each entrant sits once in each place of a deal set, and the order round the table stays."""
    if not schedule.duplicate:
        assert all(len(schedule.deal_set(number)) == 1 for number in range(schedule.deal_sets))
        return
    for number in range(schedule.deal_sets):
        matches = schedule.deal_set(number)
        first = matches[0].seats
        assert [match.rotation for match in matches] == list(range(schedule.block))
        for match in matches:
            assert match.seats == tuple(
                first[(seat - match.rotation) % schedule.table] for seat in range(schedule.table)
            )
    assert all(len(set(counts)) == 1 for counts in seat_counts(schedule).values())


@settings(deadline=None)
@given(schedules())
def test_seats_are_shared_out_evenly_without_rotations_too(schedule):
    """Exactly so over as many deals as a meeting has places, and otherwise nearly so."""
    # An orbit of blocks shorter than the number of entrants puts an entrant off: 10 entrants at tables of 6 by 6.
    slack = 0 if schedule.deals % schedule.block == 0 or schedule.duplicate else 1 if schedule.block == 2 else 6
    for counts in seat_counts(schedule).values():
        assert max(counts) - min(counts) <= slack


@settings(deadline=None)
@given(st.integers(2, 40))
def test_round_robin_goes_round_by_round(entrants):
    """In each round everybody plays once, or all but one; nobody sits first more than one time too often."""
    meetings = design(entrants, 2)
    rounds = [meetings[number] for number in range(len(meetings))]
    a_round = entrants // 2
    for start in range(0, len(rounds), a_round):
        playing = [entrant for pair in rounds[start : start + a_round] for entrant in pair]
        assert len(playing) == len(set(playing)) == 2 * a_round
    first = Counter(pair[0] for pair in rounds)
    assert max(first.values()) - min(first[entrant] for entrant in range(entrants)) <= 1


@settings(max_examples=30, deadline=None)
@given(st.integers(3, 8), st.integers(0, 40))
def test_a_part_of_the_combinations_is_still_balanced(block, more):
    """Where not all combinations are played: everybody as often, every pair, and nearly as often."""
    size = block + more
    meetings = design(size, block)
    blocks = [meetings[number] for number in range(len(meetings))]
    assert all(len(set(one)) == block for one in blocks)
    played = Counter(entrant for one in blocks for entrant in one)
    assert set(played.values()) == {len(blocks) * block // size}
    counts = Counter(pair for one in blocks for pair in combinations(sorted(one), 2))
    assert len(counts) == comb(size, 2)
    assert max(counts.values()) - min(counts.values()) == meetings.imbalance()
    assert meetings.imbalance() <= max(2, min(counts.values()))
    if comb(size, block) <= FULL_LIMIT:
        assert len({frozenset(one) for one in blocks}) == len(blocks) == comb(size, block)
    else:
        assert len(blocks) <= max(FULL_LIMIT, 4 * size * size // (block * (block - 1)))


def test_perfect_designs_are_found():
    """Thirteen at tables of four: the projective plane of order 3, in which every pair meets exactly once."""
    meetings = design(13, 4)
    assert len(meetings) == 13
    assert meetings.imbalance() == 0


def test_a_large_schedule_is_neither_stored_nor_counted_through():
    """Half a billion matches are there at once, and the last of them too."""
    schedule = Schedule(names(1000), 2, deals=1000, duplicate=True)
    assert schedule.total() == 999_000_000
    assert [match.id for match in islice(schedule, 3)] == ["0000000-0", "0000000-1", "0000001-0"]
    last = schedule.deal_set(schedule.deal_sets - 1)
    assert [match.id for match in last] == ["499499999-0", "499499999-1"]


def test_a_first_deal_of_everybody_comes_before_a_second_of_anybody():
    """An interim table compares entrants that have all met."""
    schedule = Schedule(names(5), 2, deals=3, duplicate=False)
    matches = [frozenset(match.seats) for match in schedule]
    assert len(set(matches[:10])) == len(set(matches[10:20])) == len(set(matches[20:])) == 10


@pytest.mark.parametrize("size", [3, 4, 5])
def test_circles_turn_round_and_use_every_order(size):
    """Neighbours change sides every second order; over the whole cycle each order is used twice."""
    cycle = [2, 6, 24][size - 3] * 2
    orders = [circle(size, number) for number in range(cycle)]
    assert set(Counter(orders).values()) == {2}
    for one, other in zip(orders[::2], orders[1::2], strict=True):
        assert one[1:] == other[:0:-1]


def test_pairs_sit_across():
    """In pairs, an entrant has seats 0 and 2, or 1 and 3."""
    matches = list(Schedule(["a", "b"], 4, deals=1, duplicate=True, pairs=True))
    assert [match.seats for match in matches] == [("a", "b", "a", "b"), ("b", "a", "b", "a")]


def test_a_schedule_of_a_file():
    """A tournament file's schedule: games in pairs are known as such."""
    text = "".join(f"[[entrants]]\nname = 'e{number}'\nremote = true\n" for number in range(3))
    schedule = Schedule.of(parse(f"name = 'c'\ngame = 'domino-duplas'\ndeals = 4\nduplicate = false\n{text}"))
    assert (schedule.total(), schedule.rotations, schedule.block) == (12, 1, 2)


def test_what_cannot_be_scheduled():
    """Too few entrants, no deals, no such deal set."""
    with pytest.raises(ValueError, match="4 of 3 entrants cannot meet"):
        Schedule(names(3), 4, deals=1, duplicate=True)
    with pytest.raises(ValueError, match="at least 1"):
        Schedule(names(3), 2, deals=0, duplicate=True)
    with pytest.raises(IndexError):
        Schedule(names(3), 2, deals=1, duplicate=True).deal_set(3)
    with pytest.raises(IndexError):
        Schedule(names(3), 2, deals=1, duplicate=True).deal_set(-1)
