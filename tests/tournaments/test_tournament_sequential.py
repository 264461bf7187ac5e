"""Sequential tests, against hand-worked values and independent computations."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.scheduling import SprtSpec
from tournaments.sequential import Wealth, expected_score, log_likelihood_ratio, sprt_bounds


def wealth_of(values):
    """The wealth after these."""
    wealth = Wealth()
    for value in values:
        wealth.add(value)
    return wealth


def test_wealth_worked_by_hand():
    """After one deal set won, each bet has grown to 1 + bet/2, so their mean to 1.5, and the other side's to 0.5."""
    wealth = wealth_of([1.0])
    assert math.exp(wealth.ups[9]) == pytest.approx(1.5)
    assert sum(map(math.exp, wealth.ups)) / 19 == pytest.approx(1.5)
    assert sum(map(math.exp, wealth.downs)) / 19 == pytest.approx(0.5)
    # 3/2 for one side: enough for 2/alpha = 1.5, which no real alpha is.
    assert wealth.decision(0.05) == 0
    assert wealth_of([0.5] * 1000).decision(0.5) == 0


@pytest.mark.parametrize(("value", "sign"), [(1.0, 1), (0.0, -1)])
def test_how_many_deal_sets_won_are_enough(value, sign):
    """So many that the mean of (1 + bet/2)^n over the bets is 2/0.05 = 40 at least."""
    needed = next(
        count for count in range(1, 50) if sum((1 + step / 20) ** count for step in range(1, 20)) / 19 >= 40
    )  # fmt: skip
    assert wealth_of([value] * (needed - 1)).decision(0.05) == 0
    assert wealth_of([value] * needed).decision(0.05) == sign


@settings(deadline=None)
@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), max_size=60), st.floats(0.001, 0.5))
def test_a_decision_is_symmetric_and_does_not_depend_on_the_order(values, alpha):
    """Of the two, whoever is named first; and nothing is ever certain for lack of data."""
    decision = wealth_of(values).decision(alpha)
    assert wealth_of([1 - value for value in values]).decision(alpha) == -decision
    assert wealth_of(sorted(values)).decision(alpha) == decision
    if len(values) < 3:
        assert decision == 0 or alpha > 0.4


@settings(deadline=None)
@given(st.lists(st.integers(0, 40), min_size=3, max_size=3).filter(sum))
def test_the_ratio_for_wins_and_losses_is_walds(counts):
    """With two possible values there is one distribution for each mean, and the ratio is the binomial one."""
    lost, _, won = counts
    p0, p1 = expected_score(-10), expected_score(20)
    found = log_likelihood_ratio({0.0: lost, 1.0: won}, 1, -10, 20)
    expected = (won + 1e-3) * math.log(p1 / p0) + (lost + 1e-3) * math.log((1 - p1) / (1 - p0))
    assert found == pytest.approx(expected, abs=1e-6)


def test_the_ratio_against_a_search_over_distributions():
    """Three values: the best distribution with a given mean is found by trying them all."""
    counts = {0.0: 30, 0.5: 50, 1.0: 45}

    def best(mean):
        # With p of a draw, (1 - p - (1 - 2 mean)) / 2 of a loss is left.
        likelihoods = []
        for step in range(1, 200_000):
            draw = step / 200_000
            won, lost = mean - draw / 2, 1 - mean - draw / 2
            if won > 0 and lost > 0:
                likelihoods.append(
                    counts[0.0] * math.log(lost) + counts[0.5] * math.log(draw) + counts[1.0] * math.log(won)
                )
        return max(likelihoods)

    found = log_likelihood_ratio(counts, 2, 0, 30)
    assert found == pytest.approx(best(expected_score(30)) - best(0.5), abs=2e-3)


def test_the_ratio_is_near_its_normal_approximation():
    """For many results: (s1 - s0)(2 mean - s0 - s1) n / (2 variance), Van den Bergh's first approximation."""
    counts = {0.0: 300, 0.25: 900, 0.5: 2100, 0.75: 980, 1.0: 320}
    n = sum(counts.values())
    mean = sum(value * times for value, times in counts.items()) / n
    variance = sum(times * (value - mean) ** 2 for value, times in counts.items()) / n
    s0, s1 = expected_score(0), expected_score(5)
    expected = (s1 - s0) * (2 * mean - s0 - s1) * n / (2 * variance)
    assert log_likelihood_ratio(counts, 4, 0, 5) == pytest.approx(expected, rel=0.02)


@settings(deadline=None)
@given(st.lists(st.integers(0, 10_000), min_size=5, max_size=5), st.floats(-200, 200), st.floats(0.1, 200))
def test_the_ratio_is_always_a_number(counts, elo0, apart):
    """With no results, with one, and where only one thing ever happened."""
    values = {step / 4: times for step, times in enumerate(counts)}
    assert math.isfinite(log_likelihood_ratio(values, 4, elo0, elo0 + apart))


def test_bounds_are_those_that_fastchess_prints():
    """At 0.05 and 0.05: -2.94 and 2.94."""
    assert sprt_bounds(SprtSpec()) == pytest.approx((-2.944, 2.944), abs=1e-3)
    assert sprt_bounds(SprtSpec(alpha=0.01, beta=0.1)) == pytest.approx((math.log(0.1 / 0.99), math.log(90)))
    assert expected_score(0) == 0.5
    assert expected_score(400) == pytest.approx(10 / 11)


def test_equals_are_seldom_told_apart_however_often_one_looks():
    """At 80 % confidence, looking after each of 400 deal sets: at most a fifth, with room for chance."""
    source = random.Random(1)
    wrong = 0
    for _ in range(150):
        wealth = Wealth()
        for _ in range(400):
            wealth.add(source.choice((0.0, 0.5, 1.0)))
            if wealth.decision(0.2):
                wrong += 1
                break
    assert wrong <= 0.2 * 150
