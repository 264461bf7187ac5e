"""Tests that may be looked at after every deal set: how sure it is by now which of two is better.

Values are scores of one against the other in a deal set, from 0 to 1; deal sets, not matches, are the independent
observations.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Final

import msgspec

from tournaments.scheduling import SprtSpec

_BETS: Final = tuple(step / 10 for step in range(1, 20))
"""What is put on a value above 0.5, as a share: the wealth is multiplied by 1 + bet * (value - 0.5), so below 2."""
_REGULAR: Final = 1e-3
"""What is added to the count of each possible value, so that none is impossible, as in Stockfish's fishtest."""


class Wealth(msgspec.Struct):
    """An e-process for two entrants: the wealth of gamblers who bet that the first is better, or the second.

    If the mean of the values, given those before, is at most 0.5, then each product of (1 + bet * (value - 0.5)) is a
    supermartingale that begins at 1, and so is the average over the bets. So the wealth ever reaches 1 / alpha with a
    probability of at most alpha (Ville, *Étude critique de la notion de collectif*, 1939), however often one looks and
    for whatever reason one stops: Waudby-Smith & Ramdas, "Estimating means of bounded random variables by betting",
    Journal of the Royal Statistical Society B 86, 2024; to average over fixed bets is their diversified Kelly betting.

    Attributes:
        ups: the logarithms of the products for the first, by bet.
        downs: the same for the second.
    """

    ups: list[float] = msgspec.field(default_factory=lambda: [0.0] * len(_BETS))
    downs: list[float] = msgspec.field(default_factory=lambda: [0.0] * len(_BETS))

    def add(self, value: float) -> None:
        """Count a deal set."""
        for place, bet in enumerate(_BETS):
            self.ups[place] += math.log1p(bet * (value - 0.5))
            self.downs[place] += math.log1p(bet * (0.5 - value))

    def decision(self, alpha: float) -> int:
        """1: the first is better; -1: the second is; 0: not clear yet.

        That it is ever wrong has a probability of at most ``alpha``, also where the two are equal: each of the two
        one-sided tests has half of it.
        """
        up, down = _log_mean(self.ups), _log_mean(self.downs)
        needed = math.log(2 / alpha)
        return (up >= needed) - (down >= needed)


def _log_mean(logarithms: list[float]) -> float:
    """The logarithm of the mean of what these are the logarithms of."""
    most = max(logarithms)
    return most + math.log(sum(math.exp(one - most) for one in logarithms) / len(logarithms))


def expected_score(elo: float) -> float:
    """The expected score of one who is so much better in logistic Elo: 1 / (1 + 10^(-elo/400))."""
    return 1 / (1 + 10 ** (-elo / 400))


def log_likelihood_ratio(counts: Mapping[float, int], steps: int, elo0: float, elo1: float) -> float:
    """How much more likely the values are if the mean is that of `elo1` than that of `elo0`.

    The generalised ratio: both likelihoods are the greatest with their mean, over all distributions on the possible
    values 0, 1/steps … 1. With 4 steps these are the five results of a pair of games (pentanomial), as fishtest and
    fastchess count them. Van den Bergh, "A practical introduction to the GSPRT", 2020: the distribution is
    p / (1 + theta (value - mean)), theta such that the mean is right; p is what was seen.

    Args:
        counts: how often each value was seen.
        steps: the possible values' number, less one.
        elo0: the null hypothesis.
        elo1: the alternative.
    """
    seen = Counter(dict.fromkeys(range(steps + 1), _REGULAR))
    for value, times in counts.items():
        seen[round(value * steps)] += times
    values = [(step / steps, float(times)) for step, times in sorted(seen.items())]
    mean0, mean1 = expected_score(elo0), expected_score(elo1)
    theta0, theta1 = _theta(values, mean0), _theta(values, mean1)
    return sum(
        times * (math.log1p(theta0 * (value - mean0)) - math.log1p(theta1 * (value - mean1)))
        for value, times in values
    )  # fmt: skip


def _theta(values: list[tuple[float, float]], mean: float) -> float:
    """The root of sum(times * (value - mean) / (1 + theta (value - mean))), which falls as theta grows."""
    low, high = -1 / (1 - mean), 1 / mean
    for _ in range(80):
        middle = (low + high) / 2
        if sum(times * (value - mean) / (1 + middle * (value - mean)) for value, times in values) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def sprt_bounds(spec: SprtSpec) -> tuple[float, float]:
    """At what ratios the test ends: log(beta / (1 - alpha)) and log((1 - beta) / alpha).

    Wald, "Sequential tests of statistical hypotheses", Annals of Mathematical Statistics 16, 1945.
    """
    return math.log(spec.beta / (1 - spec.alpha)), math.log((1 - spec.beta) / spec.alpha)
