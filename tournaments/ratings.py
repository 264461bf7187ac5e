"""Ratings: one number an entrant, such that differences foretell results, with their doubt.

The model is that of Bradley & Terry ("Rank analysis of incomplete block designs", Biometrika 39, 1952): a is placed
before b with probability 1 / (1 + exp(theta_b - theta_a)); a shared place is half of either. At a table of more than
two every pair of sides is one comparison ("full breaking", which is consistent for the Plackett-Luce model: Azari
Soufiani et al., "Generalized method-of-moments for rank aggregation", NIPS 2013). A pair of seats is one side.

All results are fitted at once, so that the order of play does not matter, as it would with ratings that are carried
from match to match (Elo, Glicko, TrueSkill, openskill). To each entrant one comparison won and one lost against an
average entrant are added, which is a standard logistic prior for theta (compare the virtual games of Coulom,
"Whole-history rating", 2008): the fit then exists and is unique whatever the results.

The variance is the cluster-robust one (Huber 1967; Liang & Zeger, "Longitudinal data analysis using generalized linear
models", Biometrika 73, 1986) with a deal set as a cluster: the limit of resampling deal sets with one Newton step for
each sample (Moulton & Zeger, "Bootstrapping generalized linear models", 1991). The comparisons of a deal set may depend
on one another in any way.

Shown is 1500 + 400 / ln 10 * (theta - the mean of the field): 400 points are odds of ten to one, as with Elo.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Final, NamedTuple

from tournaments.intervals import LEVEL, t_quantile, unseen
from tournaments.tally import Totals

CENTRE: Final = 1500.0
"""The mean rating of the field."""
POINTS: Final = 400 / math.log(10)
"""Points for one unit of theta."""
EXACT_UP_TO: Final = 128
"""Up to so many entrants equations are solved exactly; see `_variances`."""

_CLOSE: Final = 1e-10
_MOST_STEPS: Final = 1000
_WIDEST: Final = math.log((1 + LEVEL) / (1 - LEVEL))
"""The logistic prior's half of a 95 % interval: what there is without any data, 636 points."""


class Rating(NamedTuple):
    """A rating and its 95 % interval, in points."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Results:
    """What ratings are made from.

    Attributes:
        wins: comparisons won by entrant, shared ones as halves.
        met: by entrant, how many comparisons it had with each other one that it met.
        sets: by entrant, in how many deal sets it played.
        squares: by entrant, the sum over deal sets of its squared wins.
        products: by pair, the lower number first, the sum over deal sets of the product of their wins.
        meetings: deal sets by who met in them: how many, and the wins in them by entrant in the same order.
        rotations: matches a deal set.
    """

    wins: Sequence[float]
    met: Sequence[Mapping[int, float]]
    sets: Sequence[int]
    squares: Sequence[float]
    products: Mapping[tuple[int, int], float]
    meetings: Mapping[tuple[int, ...], tuple[int, Sequence[float]]]
    rotations: int


def results_of(totals: Totals, rotations: int) -> Results:
    """What ratings are made from, out of the sums of a tournament: there a match's score is twice its wins.

    Everything is in one order, whatever the order of arrival, so that sums of floats are always the same.
    """
    met: list[dict[int, float]] = [{} for _ in totals.scores]
    meetings: dict[tuple[int, ...], tuple[int, list[float]]] = {}
    for (one, other), pair in sorted(totals.pairs.items()):
        met[one][other] = met[other][one] = pair.compared.count * rotations
        if not totals.meetings:
            meetings[one, other] = pair.compared.count, [float(pair.first) / 2, float(pair.second) / 2]
    for entrants, meeting in sorted(totals.meetings.items()):
        meetings[entrants] = meeting.count, [float(total) / 2 for total in meeting.totals]
    return Results(
        wins=[float(sums.total) / 2 for sums in totals.scores],
        met=met,
        sets=[sums.count for sums in totals.scores],
        squares=[float(sums.squares) / 4 for sums in totals.scores],
        products={both: float(pair.product) / 4 for both, pair in totals.pairs.items()},
        meetings=meetings,
        rotations=rotations,
    )


def ratings(results: Results) -> list[Rating]:
    """The rating of each entrant; the interval is never of no width, and no wider than without any data."""
    thetas = fit(results.wins, results.met)
    size = len(thetas)
    mean = math.fsum(thetas) / size
    found = []
    for entrant, variance in enumerate(_variances(results, thetas)):
        count = results.sets[entrant]
        half = _unseen_half(results, thetas, entrant) * (1 - 1 / size) if count else _WIDEST
        if count > 1:
            error = math.sqrt(variance * count / (count - 1))
            half = max(half, t_quantile((1 + LEVEL) / 2, count - 1) * error)
        half = POINTS * min(half, _WIDEST)
        value = CENTRE + POINTS * (thetas[entrant] - mean)
        found.append(Rating(value, value - half, value + half))
    return found


def expected(difference: float) -> float:
    """The probability to be placed before one whose theta is lower by this."""
    # In this form nothing overflows.
    return (1 + math.tanh(difference / 2)) / 2


def fit(wins: Sequence[float], met: Sequence[Mapping[int, float]]) -> list[float]:
    """The thetas of greatest posterior density: by Newton's method, in large fields one entrant after the other."""
    size = len(wins)
    thetas = [0.0] * size
    for _ in range(_MOST_STEPS):
        if size <= EXACT_UP_TO:
            slopes, curves = _slopes(wins, met, thetas)
            steps = _solve(_factors(_information(met, thetas, curves)), slopes)
            longest = max(map(abs, steps))
            share = min(1.0, 1 / longest) if longest else 0.0
            thetas = [theta + share * step for theta, step in zip(thetas, steps, strict=True)]
        else:
            longest = _sweep(wins, met, thetas)
        if longest < _CLOSE:
            break
    return thetas


def _slope(won: float, met: Mapping[int, float], theta: float, thetas: Sequence[float]) -> tuple[float, float]:
    """The first derivative of the log posterior by one theta, and the negative of the second."""
    chance = expected(theta)
    slope, curve = won + 1 - 2 * chance, 2 * chance * (1 - chance)
    for other, times in met.items():
        chance = expected(theta - thetas[other])
        slope -= times * chance
        curve += times * chance * (1 - chance)
    return slope, curve


def _slopes(
    wins: Sequence[float], met: Sequence[Mapping[int, float]], thetas: Sequence[float]
) -> tuple[list[float], list[float]]:
    both = [_slope(wins[entrant], met[entrant], theta, thetas) for entrant, theta in enumerate(thetas)]
    return [slope for slope, _ in both], [curve for _, curve in both]


def _sweep(wins: Sequence[float], met: Sequence[Mapping[int, float]], thetas: list[float]) -> float:
    """Newton's step for each theta by itself, then one for all of them together; the longest step."""
    longest = 0.0
    for entrant in range(len(thetas)):
        slope, curve = _slope(wins[entrant], met[entrant], thetas[entrant], thetas)
        step = max(-1.0, min(1.0, slope / curve))
        thetas[entrant] += step
        longest = max(longest, abs(step))
    chances = [expected(theta) for theta in thetas]
    shift = sum(1 - 2 * chance for chance in chances) / sum(2 * chance * (1 - chance) for chance in chances)
    thetas[:] = [theta + max(-1.0, min(1.0, shift)) for theta in thetas]
    return max(longest, min(1.0, abs(shift)))


def _information(
    met: Sequence[Mapping[int, float]], thetas: Sequence[float], curves: Sequence[float]
) -> list[list[float]]:
    """The negative second derivatives of the log posterior."""
    rows = []
    for entrant, curve in enumerate(curves):
        row = [0.0] * len(thetas)
        for other, times in met[entrant].items():
            chance = expected(thetas[entrant] - thetas[other])
            row[other] = -times * chance * (1 - chance)
        row[entrant] = curve
        rows.append(row)
    return rows


def _factors(matrix: list[list[float]]) -> list[list[float]]:
    """Cholesky's lower triangle L of a positive definite matrix, which is L times L turned over."""
    rows: list[list[float]] = []
    for number, given in enumerate(matrix):
        row: list[float] = []
        for value, above in zip(given, rows, strict=False):
            # `map` ends with the shorter: the places before this one.
            row.append((value - sum(map(mul, row, above))) / above[-1])
        row.append(math.sqrt(given[number] - sum(map(mul, row, row))))
        rows.append(row)
    return rows


def _solve(factors: list[list[float]], right: Sequence[float]) -> list[float]:
    """What the matrix with these factors takes to the right side."""
    halfway: list[float] = []
    for value, row in zip(right, factors, strict=True):
        halfway.append((value - sum(map(mul, row, halfway))) / row[-1])
    found = halfway
    for number in reversed(range(len(factors))):
        row = factors[number]
        value = found[number] = found[number] / row[-1]
        for place in range(number):
            found[place] -= row[place] * value
    return found


def _variances(results: Results, thetas: Sequence[float]) -> list[float]:
    """The variance of each theta's distance from the mean of the field.

    In fields of more than `EXACT_UP_TO` entrants the inverse of the information is taken as that of its diagonal, which
    is close where everyone met many others (Simons & Yao, "Asymptotics when the number of treatments in paired
    comparisons tends to infinity", Annals of Statistics 27, 1999). Where each has met few, intervals are too narrow: by
    a twentieth with nine, by a quarter with three.
    """
    size = len(thetas)
    spread = _spread(results, thetas)
    _, curves = _slopes(results.wins, results.met, thetas)
    if size > EXACT_UP_TO:
        return [max(0.0, spread[entrant, entrant]) / curves[entrant] ** 2 for entrant in range(size)]
    factors = _factors(_information(results.met, thetas, curves))
    inverse = [_solve(factors, [float(place == number) for place in range(size)]) for number in range(size)]
    centre = [math.fsum(column) / size for column in zip(*inverse, strict=True)]
    matrix = [[spread.get((min(i, k), max(i, k)), 0.0) for k in range(size)] for i in range(size)]
    found = []
    for row in inverse:
        weights = [value - middle for value, middle in zip(row, centre, strict=True)]
        image = [sum(map(mul, one, weights)) for one in matrix]
        found.append(max(0.0, sum(map(mul, weights, image))))
    return found


def _spread(results: Results, thetas: Sequence[float]) -> dict[tuple[int, int], float]:
    """The sum over deal sets of the products of the two's wins above expectation, by pair and by entrant.

    With it that of the two comparisons that the prior adds.
    """
    found = dict(results.products)
    for entrant, squares in enumerate(results.squares):
        chance = expected(thetas[entrant])
        found[entrant, entrant] = squares + (1 - chance) ** 2 + chance**2
    for entrants, (count, wins) in results.meetings.items():
        foretold = [
            results.rotations * sum(expected(thetas[one] - thetas[other]) for other in entrants if other != one)
            for one in entrants
        ]
        for i, one in enumerate(entrants):
            for k in range(i, len(entrants)):
                found[one, entrants[k]] += (
                    count * foretold[i] * foretold[k] - wins[i] * foretold[k] - foretold[i] * wins[k]
                )
    return found


def _unseen_half(results: Results, thetas: Sequence[float], entrant: int) -> float:
    """By how much theta would move if a share `unseen` of its deal sets had gone all one way, the others' fixed."""
    share = unseen(results.sets[entrant])
    most = sum(results.met[entrant].values())
    won = results.wins[entrant]
    return max(abs(_alone(results, thetas, entrant, won + share * (end - won)) - thetas[entrant]) for end in (0, most))


def _alone(results: Results, thetas: Sequence[float], entrant: int, won: float) -> float:
    """The theta of an entrant with so many wins, the others' fixed."""
    theta = thetas[entrant]
    for _ in range(_MOST_STEPS):
        slope, curve = _slope(won, results.met[entrant], theta, thetas)
        step = max(-1.0, min(1.0, slope / curve))
        theta += step
        if abs(step) < _CLOSE:
            break
    return theta
