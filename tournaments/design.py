"""Who meets whom: meetings of entrants, numbered from 0, in which every pair meets as equally often as possible.

Entrants are numbers 0 … n-1 here. Three designs:

* `RoundRobin`, for two: every pair once, round by round, by the circle method (Kirkman 1847; Lucas, *Récréations
  mathématiques*, 1883). Nothing is stored; any meeting can be computed by itself.
* `Cyclic`, for three and more: whole orbits of blocks under n -> n + 1, as in the cyclic designs of Bose ("On the
  construction of balanced incomplete block designs", Annals of Eugenics 9, 1939) and John & Williams (*Cyclic and
  Computer Generated Designs*, 1995). How often two entrants meet depends only on how far apart their numbers are, and
  in an orbit every entrant has every place of the block once. Where all blocks are few, all orbits are played; else
  base blocks are added greedily, each the one that levels the meetings most, and the most level prefix is kept.
* `Gauntlet`: each of some against the rest, who meet one another only where three or more meet.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, combinations
from math import comb
from typing import Final, Protocol

FULL_LIMIT: Final = 256
"""Up to so many combinations of entrants are all played."""

_SEARCH_EFFORT: Final = 2_000


class Design(Protocol):
    """The meetings of a tournament."""

    def __len__(self) -> int:
        """How many meetings there are."""
        ...

    def __getitem__(self, number: int) -> tuple[int, ...]:
        """The entrants of a meeting, in the order in which they sit."""
        ...

    def imbalance(self) -> int:
        """How many meetings more the pair that meets most often has than the pair that meets least often."""
        ...


def design(entrants: int, block: int) -> Design:
    """The design for so many entrants, of whom ``block`` meet at a time.

    Raises:
        ValueError: fewer than two meet, or fewer are entered than meet.
    """
    if not 2 <= block <= entrants:
        raise ValueError(f"{block} of {entrants} entrants cannot meet; 2 to {entrants} can")
    return RoundRobin(entrants) if block == 2 else Cyclic(entrants, block)


class RoundRobin:
    """Every pair once; in a round everybody plays once, or all but one where the number of entrants is odd.

    Who sits first is settled by distance round the circle, so that everybody does in half of the meetings (for an
    even number of entrants: in one more or one fewer than half, rounded).
    """

    def __init__(self, entrants: int) -> None:
        self._entrants = entrants
        # An odd number: the entrant that meets the one fixed in the middle has a bye.
        self._circle = entrants - 1 + entrants % 2
        self._a_round = entrants // 2

    def __len__(self) -> int:
        return self._entrants * (self._entrants - 1) // 2

    def __getitem__(self, number: int) -> tuple[int, ...]:
        if not 0 <= number < len(self):
            raise IndexError(number)
        turn, place = divmod(number, self._a_round)
        step = place + self._entrants % 2
        if step == 0:
            one, other = turn, self._circle
        else:
            one, other = (turn + step) % self._circle, (turn - step) % self._circle
        low, high = min(one, other), max(one, other)
        # The number of the higher minus the lower, round the circle of all entrants: the shorter way leads.
        return (low, high) if 2 * (high - low) <= self._entrants else (high, low)

    def imbalance(self) -> int:
        """0: every pair meets once."""
        return 0


class Cyclic:
    """Orbits of blocks: everybody plays as often as everybody else, and as often in every place of the block.

    The latter only nearly so where a block is moved onto itself by a part of the turn, and its orbit is shorter.
    """

    def __init__(self, entrants: int, block: int) -> None:
        self._entrants = entrants
        self._bases = _all_orbits(entrants, block) if comb(entrants, block) <= FULL_LIMIT else _some(entrants, block)
        self._starts = list(accumulate((_period(base, entrants) for base in self._bases), initial=0))

    def __len__(self) -> int:
        return self._starts[-1]

    def __getitem__(self, number: int) -> tuple[int, ...]:
        if not 0 <= number < len(self):
            raise IndexError(number)
        orbit = bisect_right(self._starts, number) - 1
        shift = number - self._starts[orbit]
        return tuple((entrant + shift) % self._entrants for entrant in self._bases[orbit])

    def imbalance(self) -> int:
        """How many meetings more the pair that meets most often has than the pair that meets least often."""
        meetings = [0] * (self._entrants // 2)
        for base in self._bases:
            _count(base, self._entrants, meetings)
        return max(meetings) - min(meetings)


class Gauntlet:
    """Each challenger with everybody else who is none, or with those who meet in a design of them.

    With every challenger each meeting of the others is played before the next is, the challengers sitting in each place
    of the block by turns.
    """

    def __init__(self, entrants: int, block: int, challengers: Sequence[int]) -> None:
        self._challengers = tuple(challengers)
        self._rest = [entrant for entrant in range(entrants) if entrant not in self._challengers]
        self._others = design(len(self._rest), block - 1) if block > 2 else None

    def __len__(self) -> int:
        others = len(self._rest) if self._others is None else len(self._others)
        return others * len(self._challengers)

    def __getitem__(self, number: int) -> tuple[int, ...]:
        if not 0 <= number < len(self):
            raise IndexError(number)
        meeting, which = divmod(number, len(self._challengers))
        met = (meeting,) if self._others is None else self._others[meeting]
        others = tuple(self._rest[entrant] for entrant in met)
        place = (meeting + which) % (len(others) + 1)
        return (*others[:place], self._challengers[which], *others[place:])

    def imbalance(self) -> int:
        """How many meetings more the pair of others that meets most often has than the one that meets least often."""
        return 0 if self._others is None else self._others.imbalance() * len(self._challengers)


def _period(base: tuple[int, ...], size: int) -> int:
    """After how many steps a block is itself again; it divides the number of entrants."""
    members = set(base)
    return next(step for step in range(1, size + 1) if {(entrant + step) % size for entrant in base} == members)


def _distance(one: int, other: int, size: int) -> int:
    """How far apart two entrants are round the circle, 1 to half of it."""
    apart = abs(one - other)
    return min(apart, size - apart)


def _count(base: tuple[int, ...], size: int, meetings: list[int]) -> None:
    """Add to each distance (the list begins with 1) how often two entrants so far apart meet in a block's orbit."""
    period = _period(base, size)
    seen = [0] * len(meetings)
    for one, other in combinations(base, 2):
        distance = _distance(one, other, size)
        # There are half as many pairs of opposite entrants as there are pairs at any other distance.
        seen[distance - 1] += period * (2 if 2 * distance == size else 1)
    for place, times in enumerate(seen):
        meetings[place] += times // size


def _unevenness(meetings: list[int]) -> int:
    return sum(times * times for times in meetings)


def _all_orbits(size: int, block: int) -> list[tuple[int, ...]]:
    """A block of every orbit, in an order that keeps the meetings level as they are played."""
    left: dict[tuple[int, ...], None] = {}
    for rest in combinations(range(1, size), block - 1):
        base = (0, *rest)
        if base == min(tuple(sorted((entrant - first) % size for entrant in base)) for first in base):
            left[base] = None
    found: list[tuple[int, ...]] = []
    meetings = [0] * (size // 2)
    while left:
        ways = {base: meetings.copy() for base in left}
        for base, counts in ways.items():
            _count(base, size, counts)
        best = min(left, key=lambda base: (_unevenness(ways[base]), base))
        meetings = ways[best]
        found.append(best)
        del left[best]
    return found


def _some(size: int, block: int) -> list[tuple[int, ...]]:
    """Base blocks, found greedily: the prefix in which every pair meets, and the meetings are most level.

    As many blocks are tried as make up `FULL_LIMIT` meetings, or as it takes until every pair has met.
    """
    meetings = [0] * (size // 2)
    found: list[tuple[int, ...]] = []
    best, best_length = (True, 0.0), 0
    fewest = -(-(size - 1) // (block * (block - 1)))
    while len(found) < max(fewest, FULL_LIMIT // size) or (min(meetings) == 0 and len(found) < 8 * fewest):
        found.append(_next_base(size, block, meetings))
        _count(found[-1], size, meetings)
        level = (min(meetings) == 0, (max(meetings) - min(meetings)) / sum(meetings))
        if not best_length or level < best:
            best, best_length = level, len(found)
    return found[:best_length]


def _next_base(size: int, block: int, meetings: list[int]) -> tuple[int, ...]:
    """The base block that levels the meetings most, of those that grow from the distances met least."""
    least_met = sorted(range(1, size // 2 + 1), key=lambda distance: (meetings[distance - 1], distance))
    best: tuple[int, tuple[int, ...]] | None = None
    for second in least_met[: max(1, _SEARCH_EFFORT // size)]:
        counts = meetings.copy()
        base = [0]
        following = second
        while True:
            for entrant in base:
                distance = _distance(entrant, following, size)
                counts[distance - 1] += 2 if 2 * distance == size else 1
            base.append(following)
            if len(base) == block:
                break
            following = min(
                (entrant for entrant in range(size) if entrant not in base),
                key=lambda entrant: (_cost(entrant, base, counts, size), entrant),
            )
        way = (_unevenness(counts), tuple(sorted(base)))
        if best is None or way < best:
            best = way
    assert best is not None  # there is at least one distance
    return best[1]


def _cost(entrant: int, base: list[int], counts: list[int], size: int) -> int:
    """By how much the sum of squares of the meetings grows if an entrant is added to a block."""
    grown: dict[int, int] = {}
    for member in base:
        distance = _distance(member, entrant, size)
        grown[distance] = grown.get(distance, 0) + (2 if 2 * distance == size else 1)
    return sum(more * (2 * counts[distance - 1] + more) for distance, more in grown.items())
