"""Means with their doubt: Student's t, and bounds that hold where there is too little data for it.

Everything here is arithmetic over sums; nothing is ever NaN, infinite, or certain for lack of data.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import Final

LEVEL: Final = 0.95
"""The confidence of an interval, two-sided, where nothing else is said."""
SUREST: Final = 0.999
"""No probability is given as more than this, nor as less than 1 minus this."""

_NORMAL: Final = NormalDist()
_EXACT_UP_TO: Final = 400


def t_cdf(t: float, df: int) -> float:
    """The distribution function of Student's t with ``df`` degrees of freedom (1 and more).

    Exact up to 400 degrees by the finite series of Abramowitz & Stegun, *Handbook of Mathematical Functions*, 26.7.3
    and 26.7.4; beyond by their normal approximation 26.7.8, which is then within 1e-6.
    """
    if df > _EXACT_UP_TO:
        return _NORMAL.cdf(t * (1 - 1 / (4 * df)) / math.sqrt(1 + t * t / (2 * df)))
    theta = math.atan(t / math.sqrt(df))
    sine, square = math.sin(theta), math.cos(theta) ** 2
    odd = df % 2
    term = math.cos(theta) if odd else 1.0
    total = 0.0
    for step in range(2 + odd, df + 1, 2):
        total += term
        term *= square * (step - 1) / step
    # The share between -t and t, with the sign of t.
    within = (theta + sine * total) * 2 / math.pi if odd else sine * total
    return (1 + within) / 2


@lru_cache(maxsize=4096)
def t_quantile(probability: float, df: int) -> float:
    """The value that Student's t with ``df`` degrees of freedom stays below with this probability (0.5 to below 1)."""
    low, high = 0.0, 1.0
    while t_cdf(high, df) < probability:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        if t_cdf(middle, df) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def unseen(count: int, level: float = LEVEL) -> float:
    """How often something may well happen that did not happen in ``count`` trials.

    The exact one-sided bound of Clopper & Pearson (Biometrika 26, 1934) for none in ``count``, at 95 %
    1 - 0.05^(1/count), which the "rule of three" 3/count approximates (Hanley & Lippman-Hand, JAMA 249, 1983); 1 for
    no trials.
    """
    return -math.expm1(math.log(1 - level) / count) if count else 1.0


def interval(
    mean: float, variance: float, count: int, low: float = 0.0, high: float = 1.0, level: float = LEVEL
) -> tuple[float, float]:
    """An interval for the true mean of values that lie from ``low`` to ``high``.

    Student's t ("The probable error of a mean", Biometrika 6, 1908), widened where the sample cannot carry it: never
    narrower than what ``count`` values all equal to the mean would allow, namely that a share `unseen` of all values
    lies at ``low``, or at ``high``. So it is never of no width, and with no values it is the whole range.

    Args:
        mean: the mean of the values.
        variance: the estimated variance of that mean (not of the values).
        count: how many values there are.
        low: the least possible value.
        high: the greatest possible value.
        level: the confidence, two-sided.
    """
    share = unseen(count, level)
    below, above = mean - share * (mean - low), mean + share * (high - mean)
    if count >= 2 and variance > 0:
        half = t_quantile((1 + level) / 2, count - 1) * math.sqrt(variance)
        below, above = min(below, mean - half), max(above, mean + half)
    return max(low, below), min(high, above)


def probability_above_half(total: float, squares: float, count: int) -> float:
    """How probable it is that the true mean of values from 0 to 1 is above 0.5.

    One value at 0 and one at 1 are added to the sample, as in Laplace's rule of succession (*Essai philosophique sur
    les probabilités*, 1814); then Student's t. So no data give 0.5, one value of 1 gives 2/3 as Laplace's rule does,
    and few data give little. Never beyond `SUREST`.

    Args:
        total: the sum of the values.
        squares: the sum of their squares.
        count: how many there are.
    """
    size = count + 2
    mean = (total + 1) / size
    variance = ((squares + 1) - size * mean * mean) / (size - 1)
    t = (mean - 0.5) / math.sqrt(variance / size)
    return min(SUREST, max(1 - SUREST, t_cdf(t, size - 1)))
