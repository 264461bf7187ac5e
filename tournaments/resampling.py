"""Resampling of deal sets: what the standings would have been with other deal sets of the same kind.

Each of `REPLICATES` imagined tournaments takes every deal set 0, 1, 2 … times, as often as a Poisson variable of mean 1
says: the bootstrap (Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7, 1979) in the
form that needs no second pass over the data (Hanley & MacGibbon, "Creating non-parametric bootstrap samples using
Poisson frequencies", Computer Methods and Programs in Biomedicine 83, 2006; Chamandy et al., "Estimating uncertainty
for massive data streams", Google, 2012). How often a set is taken follows from its number alone, so that the order in
which results come in changes nothing; and of each replicate only two numbers an entrant are kept.

Deal sets are taken, not matches: the matches of a set share their deals, and so do the entrants that meet in it.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Mapping
from hashlib import shake_128
from itertools import accumulate
from typing import Final

REPLICATES: Final = 1000
"""How many tournaments are imagined."""

_LANE: Final = 8
_OF_256: Final = (95, 93, 47, 16, 4, 1)
"""Of 256 byte values, how many stand for 0, 1, 2 … times: Poisson's 0.368 0.368 0.184 0.061 0.015 0.003, with a mean of
exactly 1 and a variance of 1.008."""
_TIMES: Final = bytes(times for times, values in enumerate(_OF_256) for _ in range(values))
_OUTSIDE: Final = 0.025


def times_taken(label: str) -> bytes:
    """How often each replicate takes what has this label: a byte a replicate."""
    return shake_128(label.encode()).digest(REPLICATES).translate(_TIMES)


class Replicates:
    """The sums of the imagined tournaments.

    A number a replicate, in lanes of 8 bytes side by side in one long integer: to add is then one addition for all.

    Args:
        entrants: how many entrants there are.
    """

    def __init__(self, entrants: int) -> None:
        self._sets = [0] * entrants
        self._scores = [0] * entrants

    def add(self, deal_set: int, values: Mapping[int, int]) -> None:
        """Count a deal set: the score in it by entrant, 0 or more, in any unit that is the same for all."""
        lanes = bytearray(REPLICATES * _LANE)
        lanes[::_LANE] = times_taken(f"set/{deal_set}")
        times = int.from_bytes(lanes, "little")
        for entrant, value in values.items():
            self._sets[entrant] += times
            self._scores[entrant] += times * value

    def sums(self, entrant: int) -> tuple[list[int], list[int]]:
        """How many deal sets an entrant played in each imagined tournament, and its score in them."""
        return _lanes(self._sets[entrant]), _lanes(self._scores[entrant])

    def interval(self, entrant: int, most: int) -> tuple[float, float] | None:
        """The middle 95 % of an entrant's means in the imagined tournaments; None where it played in none.

        The percentile interval (Efron & Tibshirani, *An Introduction to the Bootstrap*, 1993, chapter 13). By itself
        it is too narrow for few deal sets: see `tournaments.intervals.interval`.

        Args:
            entrant: the entrant's number.
            most: the greatest possible score in a deal set; means are given as shares of it.
        """
        pairs = zip(*self.sums(entrant), strict=True)
        means = sorted(score / (most * sets) for sets, score in pairs if sets)
        if not means:
            return None
        outside = int(_OUTSIDE * len(means))
        return means[outside], means[-1 - outside]

    def places(self, most: int) -> list[list[float]]:
        """How probable each place is, by entrant and place: the share of the imagined tournaments that end so.

        To each entrant two deal sets are added, one in which it has the least possible score and one with the most, as
        in Laplace's rule of succession; they are taken 0, 1, 2 … times like all others. So little is said with few
        data. Shared places are shared out; each chance is then drawn towards 1 in so many entrants by the weight of one
        replicate, so that none is 0 or 1.

        Args:
            most: the greatest possible score in a deal set.
        """
        size = len(self._sets)
        means = [self._drawn_in(entrant, most) for entrant in range(size)]
        # By entrant, what its chance changes by from one place to the next: a tie is two changes, however wide.
        changes = [[0.0] * (size + 1) for _ in range(size)]
        for by_entrant in zip(*means, strict=True):
            order = sorted(range(size), key=by_entrant.__getitem__, reverse=True)
            first = 0
            while first < size:
                end = first + 1
                while end < size and by_entrant[order[end]] == by_entrant[order[first]]:
                    end += 1
                share = 1 / (end - first)
                for entrant in order[first:end]:
                    changes[entrant][first] += share
                    changes[entrant][end] -= share
                first = end
        # Sums of floats may end a little below 0.
        return [
            [(max(0.0, count) + 1 / size) / (REPLICATES + 1) for count in accumulate(by_place[:-1])]
            for by_place in changes
        ]

    def _drawn_in(self, entrant: int, most: int) -> list[float]:
        """An entrant's mean in each imagined tournament, with the two deal sets that are added to it."""
        lost, won = times_taken(f"lost/{entrant}"), times_taken(f"won/{entrant}")
        found = []
        for played, score, worst, best in zip(*self.sums(entrant), lost, won, strict=True):
            sets = played + worst + best
            found.append((score + most * best) / (most * sets) if sets else 0.5)
        return found


def _lanes(numbers: int) -> list[int]:
    found = array("Q", numbers.to_bytes(REPLICATES * _LANE, "little"))
    if sys.byteorder == "big":
        found.byteswap()
    return found.tolist()
