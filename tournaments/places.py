"""Who stands above whom, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from tournaments.intervals import LEVEL, interval
from tournaments.tally import Totals


def place_ranges(means: Sequence[float], totals: Totals, most: int) -> list[tuple[int, int]]:
    """The best and the worst place of each entrant that the results leave open at 95 %.

    They go from 1 + how many surely stand above it, to all but those who surely stand below it. One surely stands above
    another if the interval of the difference between their means excludes 0. All comparisons of an entrant with the n -
    1 others hold together at 95 %, since each is made at 1 - 0.05 / (n - 1) (Bonferroni; so ranges of places are made
    in Mogstad, Romano, Shaikh & Wilhelm, "Inference for ranks", Review of Economic Studies 91, 2024).

    The difference is paired as far as the two played the same deal sets: its variance is the sum of the two means'
    variances, less twice the covariance seen in the common deal sets.

    Args:
        means: the mean score of each entrant, from 0 to 1.
        totals: the sums over deal sets.
        most: the greatest possible score in a deal set, in units.
    """
    size = len(means)
    level = 1 - (1 - LEVEL) / max(1, size - 1)
    above, below = [0] * size, [0] * size
    variances = [sums.variance_of_mean(most) for sums in totals.scores]
    for one, other in combinations(range(size), 2):
        counts = totals.scores[one].count, totals.scores[other].count
        if not min(counts):
            continue
        variance = variances[one] + variances[other]
        met = totals.pairs.get((one, other))
        if met is not None:
            shared = met.covariance_sum(most) / (counts[0] * counts[1])
            # Where the common deal sets say more than all of them allow, the two are taken as unpaired.
            variance = variance - 2 * shared if 2 * shared < variance else variance
        low, high = interval(means[one] - means[other], variance, min(counts), -1.0, 1.0, level)
        if low > 0 or high < 0:
            upper, lower = (one, other) if low > 0 else (other, one)
            above[lower] += 1
            below[upper] += 1
    return [(1 + better, size - worse) for better, worse in zip(above, below, strict=True)]
