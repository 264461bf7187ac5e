"""Intervals: against published tables, and against samples whose true mean is known."""

import math
import random
from statistics import fmean, variance

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.intervals import SUREST, interval, probability_above_half, t_cdf, t_quantile, unseen


@pytest.mark.parametrize(
    ("df", "at_95", "at_975", "at_995"),
    [
        # Any printed table of Student's t, such as Abramowitz & Stegun, table 26.10.
        (1, 6.314, 12.706, 63.657),
        (2, 2.920, 4.303, 9.925),
        (3, 2.353, 3.182, 5.841),
        (4, 2.132, 2.776, 4.604),
        (5, 2.015, 2.571, 4.032),
        (9, 1.833, 2.262, 3.250),
        (10, 1.812, 2.228, 3.169),
        (29, 1.699, 2.045, 2.756),
        (30, 1.697, 2.042, 2.750),
        (60, 1.671, 2.000, 2.660),
        (120, 1.658, 1.980, 2.617),
        (1_000_000, 1.645, 1.960, 2.576),
    ],
)
def test_students_t_as_printed(df, at_95, at_975, at_995):
    """The quantiles are those of the tables, to their last digit."""
    assert t_quantile(0.95, df) == pytest.approx(at_95, abs=6e-4)
    assert t_quantile(0.975, df) == pytest.approx(at_975, abs=6e-4)
    assert t_quantile(0.995, df) == pytest.approx(at_995, abs=6e-4)


def test_students_t_in_closed_form():
    """One and two degrees of freedom have simple distribution functions."""
    for t in (-3.0, -0.5, 0.0, 0.1, 1.0, 40.0):
        assert t_cdf(t, 1) == pytest.approx(0.5 + math.atan(t) / math.pi)
        assert t_cdf(t, 2) == pytest.approx(0.5 + t / (2 * math.sqrt(2 + t * t)))


@given(st.floats(-30, 30))
def test_students_t_has_no_step_where_the_formula_changes(t):
    """The series and the normal approximation agree where one takes over from the other."""
    assert t_cdf(t, 400) == pytest.approx(t_cdf(t, 401), abs=1e-6)


def test_what_was_never_seen():
    """Hand-worked: 1 - 0.05, 1 - sqrt(0.05), and the rule of three for many."""
    assert unseen(0) == 1
    assert unseen(1) == pytest.approx(0.95)
    assert unseen(2) == pytest.approx(0.776393)
    assert unseen(1000) == pytest.approx(3 / 1000, rel=4e-3)


def test_intervals_by_hand():
    """No data: everything. No spread: the bound for the unseen. Some spread: Student's t."""
    assert interval(0.3, 0.0, 0) == (0.0, 1.0)
    # Ten times 1: the exact bound of Clopper and Pearson, 0.05 ** 0.1.
    assert interval(1.0, 0.0, 10) == (pytest.approx(0.741134), 1.0)
    # Ten times 0.5: a share of 0.258866 may lie at either end.
    assert interval(0.5, 0.0, 10) == (pytest.approx(0.370567), pytest.approx(0.629433))
    # 25 values of mean 0.5 and standard deviation 0.5: 0.5 -+ 2.063899 * 0.1.
    assert interval(0.5, 0.01, 25) == (pytest.approx(0.293610), pytest.approx(0.706390))
    # Differences lie from -1 to 1: five times 1 leave 1 - 2 * 0.450720.
    assert interval(1.0, 0.0, 5, -1.0) == (pytest.approx(0.098561, abs=1e-6), 1.0)


@given(st.lists(st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 1.0]), min_size=1, max_size=60))
def test_intervals_are_never_without_width(values):
    """Whatever the values, the interval holds their mean, lies in the range, and has some width."""
    spread = variance(values) / len(values) if len(values) > 1 else 0.0
    low, high = interval(fmean(values), spread, len(values))
    assert 0 <= low <= fmean(values) <= high <= 1
    assert high - low >= 0.9 * unseen(len(values))


@pytest.mark.parametrize("weights", [(1, 2, 1), (1, 18, 1), (1, 3, 6), (0, 1, 9), (1, 1, 48)])
@pytest.mark.parametrize("count", [1, 2, 3, 5, 10, 30, 100])
def test_intervals_hold_the_truth_about_as_often_as_they_say(weights, count):
    """Of samples of deal sets lost, halved and won, close to 95 % or more give an interval with the true mean in it."""
    source = random.Random(f"{weights}/{count}")
    truth = (weights[1] / 2 + weights[2]) / sum(weights)
    held = 0
    for _ in range(1000):
        values = source.choices((0.0, 0.5, 1.0), weights, k=count)
        spread = variance(values) / count if count > 1 else 0.0
        low, high = interval(fmean(values), spread, count)
        held += low - 1e-12 <= truth <= high + 1e-12
    assert held >= 925  # 950 less what chance and a lattice of three values allow for


def test_probabilities_by_hand():
    """Laplace's rule where it applies, symmetric, and never certain."""
    assert probability_above_half(0, 0, 0) == 0.5
    assert probability_above_half(1, 1, 1) == pytest.approx(2 / 3)
    assert probability_above_half(0, 0, 1) == pytest.approx(1 / 3)
    # Ten halves say nothing of who is better.
    assert probability_above_half(5, 2.5, 10) == 0.5
    assert probability_above_half(1000, 1000, 1000) == SUREST
    assert probability_above_half(0, 0, 1000) == pytest.approx(1 - SUREST)
    # A few wins in a row grow surer slowly.
    chances = [probability_above_half(count, count, count) for count in range(8)]
    assert chances == sorted(chances)
    assert chances[3] < 0.93
