"""What duplicate play is worth: how many matches with random deals would tell as much."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Final

from tournaments.intervals import LEVEL, t_quantile
from tournaments.tally import Meetings

FEWEST: Final = 10
"""With fewer degrees of freedom nothing is said."""


def deals_worth(pairs: Iterable[Meetings], rotations: int, sides: int) -> dict[str, Any] | None:
    """How many random deals the duplicate deals were worth; None where there are too few, or none are duplicate.

    The variance of a mean over n deal sets of R matches is S / n, S being the variance of a set's mean. Over N matches
    with a deal each, in which the seats take turns all the same, it is V / N, V being the variance of a match between
    two entrants that sit as they sit. Both are alike for N = n * V / S. V and S are pooled over the pairs of entrants
    that met; each comparison of two (ahead 1, level 1/2, behind 0) in each complete deal set counts. It is the
    reciprocal of the design effect of Kish (*Survey Sampling*, 1965, section 5.4) with deal sets as clusters.

    To both one imagined deal set is added that one entrant swept, so that S is never 0. The 95 % interval takes the
    logarithms of two variances with f degrees of freedom as independent with variance 2 / f each, as for normal values;
    they tend to go together, and scores have shorter tails, so that it is wide rather than narrow.

    Args:
        pairs: what was seen of each pair of entrants, of complete deal sets only.
        rotations: matches a deal set, R.
        sides: how many entrants meet in a match. A deal set counts once, however many pairs compare themselves in it.
    """
    by_set = Fraction(rotations**2)
    by_match = Fraction(rotations)
    compared = freedom = 0
    for met in pairs:
        count = met.compared.count
        if rotations < 2 or count < 2:
            continue
        compared += count
        freedom += count - 1
        by_set += met.compared.squares - Fraction(met.compared.total**2) / count
        by_match += met.match_squares - Fraction(sum(units * units for units in met.seated), count)
    pairs_a_set = sides * (sides - 1) // 2
    freedom //= pairs_a_set
    if freedom < FEWEST:
        return None
    ratio = float(by_match / by_set)
    matches = compared * rotations // pairs_a_set
    factor = math.exp(t_quantile((1 + LEVEL) / 2, freedom) * math.sqrt(4 / freedom))
    return {
        "matches": matches,
        "random_deals": ratio * matches,
        "ci95": [ratio * matches / factor, ratio * matches * factor],
    }
