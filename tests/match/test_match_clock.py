"""Clocks: the bank's arithmetic by hand."""
# ruff: noqa: D103

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.matches import new_match

from referee.match.clock import MOST_MS, ClockSpec, charge, turn_limit

CLOCK = ClockSpec(move_ms=2000, bank_ms=10_000, increment_ms=300)


def test_a_turn_may_take_its_allowance_and_then_all_of_the_bank():
    assert turn_limit(CLOCK, 10_000) == 12_000
    assert turn_limit(CLOCK, 0) == 2000


@pytest.mark.parametrize(
    ("bank", "took", "answered", "left"),
    [
        (10_000, 0, True, 10_300),
        (10_000, 2000, True, 10_300),  # the allowance is free
        (10_000, 2001, True, 10_299),
        (10_000, 5000, True, 7_300),
        (10_000, 12_000, True, 300),  # all of it
        (10_000, 12_500, True, 300),  # what the referee was late itself is nobody's debt
        (10_000, 12_000, False, 0),  # the increment rewards an answer only
        (10_000, 1000, False, 10_000),
        (0, 2000, True, 300),
        (0, 9000, False, 0),
    ],
)
def test_the_bank_after_a_turn(bank, took, answered, left):
    assert charge(CLOCK, bank, took, answered) == left


def test_a_course_of_turns():
    bank = CLOCK.bank_ms
    for took in (2500, 1900, 4000, 2000):
        bank = charge(CLOCK, bank, took, True)
    # 10,000 - 500 + 300, + 300, - 2,000 + 300, + 300.
    assert bank == 8_700


@given(st.integers(0, MOST_MS), st.integers(0, 2 * MOST_MS), st.booleans())
def test_a_bank_is_never_in_debt_and_never_grows_by_more_than_the_increment(bank, took, answered):
    left = charge(CLOCK, bank, took, answered)
    assert 0 <= left <= bank + CLOCK.increment_ms


def test_the_defaults_are_those_of_the_contract():
    assert ClockSpec().as_dict() == {
        "join_ms": 30_000,
        "ready_ms": 30_000,
        "move_ms": 2000,
        "bank_ms": 10_000,
        "increment_ms": 0,
    }


@pytest.mark.parametrize("value", [-1, MOST_MS + 1, 1.5, "2000", None, True])
@pytest.mark.parametrize("name", ["join_ms", "ready_ms", "move_ms", "bank_ms", "increment_ms"])
def test_a_value_that_is_no_number_of_milliseconds_is_refused_by_its_key(name, value):
    with pytest.raises(ValueError, match=f"clock.{name}: "):
        ClockSpec(**{name: value})


def test_a_match_charges_a_seats_answers_and_time_outs_and_nothing_else():
    match = new_match("domino-cartas", 2, seed=1)
    match.take(match.due())
    for by, took, left in (
        ("bot", 5000, 7000),
        ("timeout", 4000, 5000),
        ("forfeit", 9000, 5000),
        ("forced", 9000, 5000),
    ):
        while match.state.seat != 0:
            match.act(match.state.legal[0], "bot")
        match.act(match.state.legal[0], by, took)
        assert match.banks == [left, 10_000]
    assert match.limit_ms(0) == 7000
    assert match.limit_ms(1) == 12_000
