"""Ratings, resampling and the worth of deals: worked by hand, and against scipy and choix."""

import math
import random
from collections.abc import Iterable
from itertools import combinations

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tournaments import ratings as module
from tournaments.intervals import t_cdf, t_quantile, unseen
from tournaments.ratings import CENTRE, POINTS, fit
from tournaments.resampling import REPLICATES, Replicates, times_taken
from tournaments.standings import MatchResult, Standings


def standings_of(names: str, rotations: int, results: Iterable[MatchResult], sides: int = 2) -> Standings:
    """Standings of entrants with names of one letter, after some results."""
    found = Standings(
        name="cup",
        game="domino-belga",
        identities=dict.fromkeys(names, "id"),
        table=sides,
        sides=sides,
        rotations=rotations,
        matches_planned=10_000,
    )
    for result in results:
        found.add(result)
    return found


def match(deal_set: int, rotation: int, seats: str, *places: int) -> MatchResult:
    """A match."""
    return MatchResult(f"{deal_set:07d}-{rotation}", deal_set, tuple(seats), tuple(range(len(seats))), places)


def duels(names: str, thetas: dict[str, float], deals: int, source: random.Random, luck: float = 1.5):
    """Duplicate matches of everyone against everyone, with luck that is the same for a seat in both rotations."""
    deal_set = 0
    for _ in range(deals):
        for a, b in combinations(names, 2):
            good = source.gauss(0, luck)
            for rotation, seats in enumerate((a + b, b + a)):
                edge = thetas[seats[0]] - thetas[seats[1]] + good
                won = source.random() < 1 / (1 + math.exp(-edge))
                yield match(deal_set, rotation, seats, *((1, 2) if won else (2, 1)))
            deal_set += 1


@pytest.mark.parametrize("df", [1, 2, 3, 7, 30, 129, 400, 401, 5000])
def test_students_t_is_scipys(df):
    """The distribution and its quantiles, where intervals and places need them."""
    for t in (-4.0, -0.3, 0.0, 1.0, 2.5):
        assert t_cdf(t, df) == pytest.approx(stats.t.cdf(t, df), abs=1e-6)
    for share in (0.9, 0.975, 0.9995):
        assert t_quantile(share, df) == pytest.approx(stats.t.ppf(share, df), rel=2e-5 if df <= 400 else 2e-4)


def test_the_unseen_is_scipys_clopper_and_pearson():
    """The upper bound for no success in n trials."""
    for count in (1, 2, 10, 300):
        exact = stats.binomtest(0, count, alternative="less").proportion_ci(0.95, "exact").high
        assert unseen(count) == pytest.approx(exact)


def test_deal_sets_are_taken_as_often_as_poisson_says():
    """Mean 1 and variance 1, over replicates and over deal sets; no two deal sets alike."""
    taken = [times_taken(f"set/{number}") for number in range(300)]
    assert len(set(taken)) == 300
    everything = b"".join(taken)
    counts = [everything.count(times) for times in range(5)] + [sum(times >= 5 for times in everything)]
    law = [stats.poisson.pmf(times, 1) for times in range(5)] + [stats.poisson.sf(4, 1)]
    for seen, share in zip(counts, law, strict=True):
        assert seen / len(everything) == pytest.approx(share, abs=0.006)
    means = [sum(one) / REPLICATES for one in taken]
    assert max(abs(mean - 1) for mean in means) < 5 / math.sqrt(REPLICATES)


@pytest.mark.parametrize("weights", [(1, 2, 1), (1, 3, 6), (1, 18, 1)])
@pytest.mark.parametrize("count", [30, 300])
def test_resampling_is_scipys_bootstrap(weights, count):
    """The middle 95 % of resampled means, but for the chance in both."""
    source = random.Random(f"{weights} {count}")
    values = source.choices((0, 1, 2), weights, k=count)
    replicates = Replicates(2)
    for number, value in enumerate(values):
        replicates.add(number, {1: value})
    low, high = replicates.interval(1, 2)
    found = stats.bootstrap(
        ([value / 2 for value in values],),
        np.mean,
        n_resamples=4000,
        method="percentile",
        rng=np.random.default_rng(1),
    ).confidence_interval
    assert low == pytest.approx(found.low, abs=0.12 * (found.high - found.low))
    assert high == pytest.approx(found.high, abs=0.12 * (found.high - found.low))
    assert replicates.interval(0, 2) is None


def test_resampling_does_not_depend_on_the_order():
    """Sums of whole numbers: the same to the last digit."""
    values = [(number, {0: number % 3, 1: 2 - number % 3}) for number in range(50)]
    one, other = Replicates(2), Replicates(2)
    for number, value in values:
        one.add(number, value)
    for number, value in reversed(values):
        other.add(number, value)
    assert one.interval(0, 2) == other.interval(0, 2)
    assert one.places(2) == other.places(2)


def test_two_entrants_by_hand():
    """A won 3 of 4: thetas x and -x with 3 + 1 - 2 s(x) - 4 s(2x) = 0, s the logistic function."""

    def slope(x: float) -> float:
        return 4 - 2 / (1 + math.exp(-x)) - 4 / (1 + math.exp(-2 * x))

    low, high = 0.0, 2.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    results = [match(number, 0, "ab", *((2, 1) if number == 0 else (1, 2))) for number in range(4)]
    found = {one["name"]: one for one in standings_of("ab", 1, results).to_json()["entrants"]}
    assert found["a"]["rating"] == pytest.approx(CENTRE + POINTS * low)
    assert found["b"]["rating"] == pytest.approx(CENTRE - POINTS * low)
    # Four hundred points are odds of ten to one.
    assert 1 / (1 + math.exp(-400 / POINTS)) == pytest.approx(10 / 11)


def test_without_data_there_is_the_prior():
    """1500, and what a logistic prior leaves: ln(0.975 / 0.025) * 400 / ln 10 = 636 points either way."""
    for one in standings_of("abc", 2, []).to_json()["entrants"]:
        assert one["rating"] == 1500
        assert one["rating_ci95"] == [pytest.approx(863.574), pytest.approx(2136.426)]


def choix_thetas(size: int, won: np.ndarray) -> np.ndarray:
    """The same fit by choix: the prior is an item of its own, with a comparison won and one lost against each."""
    table = np.zeros((size + 1, size + 1))
    table[:size, :size] = won
    table[:size, size] = table[size, :size] = 1
    thetas = choix.opt_pairwise(
        size + 1,
        [(i, j) for i in range(size + 1) for j in range(size + 1) for _ in range(round(table[i, j]))],
        alpha=0.0,
        method="Newton-CG",
        tol=1e-10,
    )
    return thetas[:size] - thetas[size]


@pytest.mark.parametrize("size", [2, 3, 8])
@pytest.mark.parametrize("exact", [True, False])
def test_the_fit_is_choixs(size, exact, monkeypatch):
    """For any wins: those who won all, lost all, or never met included; by either way of solving."""
    if not exact:
        monkeypatch.setattr(module, "EXACT_UP_TO", 1)
    source = np.random.default_rng(size)
    won = source.integers(0, 12, (size, size))
    np.fill_diagonal(won, 0)
    won[0, :] += 5
    won[:, 0] = 0
    if size > 3:
        won[2, 3] = won[3, 2] = 0
    met = [{j: float(won[i, j] + won[j, i]) for j in range(size) if won[i, j] + won[j, i]} for i in range(size)]
    found = fit([float(sum(won[i])) for i in range(size)], met)
    assert found == pytest.approx(list(choix_thetas(size, won)), abs=2e-5)


def test_rating_intervals_are_those_of_resampled_deal_sets():
    """Refitted by choix to tournaments with resampled deal sets, ratings spread as their intervals say."""
    names, thetas = "abcd", {"a": 0.8, "b": 0.2, "c": -0.2, "d": -0.8}
    results = list(duels(names, thetas, 60, random.Random(3)))
    sets: dict[int, list[MatchResult]] = {}
    for result in results:
        sets.setdefault(result.deal_set, []).append(result)
    tables = []
    for matches in sets.values():
        table = np.zeros((4, 4))
        for result in matches:
            first, second = (names.index(name) for name in result.seats)
            table[(first, second) if result.places == (1, 2) else (second, first)] += 1
        tables.append(table)
    source = np.random.default_rng(4)
    refits = []
    for _ in range(150):
        chosen = source.integers(0, len(tables), len(tables))
        refit = choix_thetas(4, sum(tables[number] for number in chosen))
        refits.append(CENTRE + POINTS * (refit - refit.mean()))
    spread = np.std(refits, axis=0, ddof=1)
    rated = standings_of(names, 2, results).ratings()
    for number, name in enumerate(names):
        half = (rated[name].high - rated[name].low) / 2
        assert half / 1.96 == pytest.approx(spread[number], rel=0.2), name


@pytest.mark.parametrize("deals", [4, 25])
def test_rating_intervals_hold_the_truth_as_often_as_they_say(deals):
    """Of many tournaments whose results the model foretells, at least about 95 % hold each rating."""
    names, thetas = "abc", {"a": 0.7, "b": 0.0, "c": -0.7}
    held = tried = 0
    for seed in range(120):
        rated = standings_of(names, 2, duels(names, thetas, deals, random.Random(seed), luck=0.0)).ratings()
        for name, theta in thetas.items():
            held += rated[name].low <= CENTRE + POINTS * theta <= rated[name].high
            tried += 1
    assert held / tried > 0.92


@settings(deadline=None)
@given(st.lists(st.sampled_from(["ab", "ba", "ac", "cb", "tie"]), max_size=30), st.integers(1, 3))
def test_ratings_are_finite_and_unsure_whatever_the_results(order, rotations):
    """Never NaN, infinite, or without width; no wider than without any data; 1500 on average."""
    results = []
    for number, seats in enumerate(order):
        places = (1, 1) if seats == "tie" else (1, 2)
        results += [
            match(number, rotation, "ab" if seats == "tie" else seats, *places) for rotation in range(rotations)
        ]
    rated = standings_of("abcd", rotations, results).ratings()
    assert math.fsum(one.value for one in rated.values()) / 4 == pytest.approx(CENTRE)
    for one in rated.values():
        assert one.low < one.value < one.high
        assert 1 < (one.high - one.low) / 2 < 637


def test_a_hundred_wins_are_not_endless():
    """Who won everything is far ahead, by a finite margin that grows with what was won."""
    gaps = []
    for sets in (1, 10, 100, 1000):
        rated = standings_of("ab", 1, [match(number, 0, "ab", 1, 2) for number in range(sets)]).ratings()
        gaps.append(rated["a"].value - rated["b"].value)
        assert rated["a"].high - rated["a"].low > 100
    assert gaps == sorted(gaps)
    assert gaps[-1] < 2500


def test_what_duplicate_deals_are_worth_by_hand():
    """20 deal sets of two matches, ten swept by a, ten in which the first to sit won both."""
    results = []
    for number in range(20):
        swept = number < 10
        results += [match(number, 0, "ab", 1, 2), match(number, 1, "ba", *((2, 1) if swept else (1, 2)))]
    found = standings_of("ab", 2, results).to_json()["deals_worth"]
    # In units of half a match, a had 4 or 2 a set: squares 10 * 16 + 10 * 4 - 60^2 / 20 = 20. By match: sitting first 2
    # each time; second 2 or 0: squares 20 * 4 + 10 * 4 - 40^2 / 20 - 20^2 / 20 = 20. With the imagined deal set:
    # (20 + 2) / (20 + 4).
    assert found["matches"] == 40
    assert found["random_deals"] == pytest.approx(40 * 22 / 24)
    factor = math.exp(stats.t.ppf(0.975, 19) * math.sqrt(4 / 19))
    assert found["ci95"] == [pytest.approx(40 * 22 / 24 / factor), pytest.approx(40 * 22 / 24 * factor)]


def test_duplicate_deals_are_worth_more_where_luck_decides():
    """Where the deal decides, duplicates cut the luck out; where it does not, they are worth what others are."""
    thetas = {"a": 0.2, "b": -0.2}
    by_luck = []
    for luck in (0.0, 4.0):
        worth = standings_of("ab", 2, duels("ab", thetas, 400, random.Random(5), luck)).to_json()["deals_worth"]
        by_luck.append(worth["random_deals"] / worth["matches"])
        assert worth["ci95"][0] < worth["random_deals"] < worth["ci95"][1]
    assert by_luck[0] == pytest.approx(1, abs=0.2)
    assert by_luck[1] > 2


def test_nothing_is_said_of_a_few_deals_or_of_single_ones():
    """Not under ten degrees of freedom, and not without duplicates."""
    few = list(duels("ab", {"a": 0, "b": 0}, 10, random.Random(1)))
    assert standings_of("ab", 2, few).to_json()["deals_worth"] is None
    single = [match(number, 0, "ab", 1, 2) for number in range(50)]
    assert standings_of("ab", 1, single).to_json()["deals_worth"] is None


def test_an_order_among_many_needs_more_than_one_between_two():
    """Five swept deal sets settle an order of two; of five entrants each has four comparisons to be right in."""
    sweeps = [match(number, rotation, *one) for number in range(5) for rotation, one in enumerate(SWEEP)]
    two = standings_of("ab", 2, sweeps).to_json()["entrants"]
    assert [one["places"] for one in two] == [[1, 1], [2, 2]]
    five = standings_of("abcde", 2, sweeps).to_json()["entrants"]
    assert [one["places"] for one in five] == [[1, 5]] * 5


SWEEP = (("ab", 1, 2), ("ba", 2, 1))


def test_places_are_never_certain_and_add_up():
    """Every chance is between 0 and 1; those of an entrant, and those of a place, add up to 1."""
    found = standings_of("abc", 2, duels("abc", {"a": 3, "b": 0, "c": -3}, 40, random.Random(2)))
    chances = found.place_chances()
    for name in "abc":
        assert sum(chances[name]) == pytest.approx(1)
        assert all(0 < chance < 1 for chance in chances[name])
    for place in range(3):
        assert sum(chances[name][place] for name in "abc") == pytest.approx(1)
    assert chances["a"][0] > 0.99
    assert chances["c"][2] > 0.99
    # One deal set makes nobody sure.
    one = standings_of("ab", 1, [match(0, 0, "ab", 1, 2)]).place_chances()
    assert 0.5 < one["a"][0] < 0.9


def test_at_a_table_of_three_every_pair_is_compared():
    """Always a before b before c: the same ratings as from the three duels."""
    three = [match(number, 0, "abc", 1, 2, 3) for number in range(6)]
    wins = np.array([[0, 6, 6], [0, 0, 6], [0, 0, 0]])
    rated = standings_of("abc", 1, three, sides=3).ratings()
    thetas = choix_thetas(3, wins)
    for name, theta in zip("abc", thetas - thetas.mean(), strict=True):
        assert rated[name].value == pytest.approx(CENTRE + POINTS * theta, abs=0.05)
