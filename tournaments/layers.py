"""The deal sets of a tournament in the order of their numbers, which outlive entrants and deals that are added.

A schedule is a list of layers: what the tournament file said at first, and what it said each time after it had grown.
The deal sets of a layer are those that it asks for and the layers before it do not have. So a schedule that has grown
is the old schedule, number by number, and then what is new.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import msgspec

from tournaments.design import Design, Gauntlet, design


class Layer(msgspec.Struct, frozen=True, kw_only=True):
    """What a tournament file asks for.

    Attributes:
        entrants: the entrants' names; those of the layer before come first, in its order.
        deals: deal sets for each meeting.
        challengers: in a gauntlet, those that meet the rest; else empty.
    """

    entrants: tuple[str, ...]
    deals: int
    challengers: tuple[str, ...] = ()

    def design(self, block: int) -> Design:
        """The meetings that are asked for, of so many entrants each."""
        if self.challengers:
            challengers = [self.entrants.index(name) for name in self.challengers]
            return Gauntlet(len(self.entrants), block, challengers)
        return design(len(self.entrants), block)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Deal sets with numbers that follow one another: each turn of the same meetings.

    Attributes:
        start: the number of the first.
        turn: the first turn.
        turns: how many turns.
        meetings: the entrants of each meeting, by number.
    """

    start: int
    turn: int
    turns: int
    meetings: Sequence[tuple[int, ...]] | Design

    @property
    def end(self) -> int:
        """The number after the last."""
        return self.start + self.turns * len(self.meetings)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return (self.meetings[number] for number in range(len(self.meetings)))


class Layers:
    """The deal sets of one layer after the other.

    Args:
        layers: at least one.
        block: how many entrants meet in a match.
    """

    def __init__(self, layers: Sequence[Layer], block: int) -> None:
        first, *others = layers
        self.last = first.design(block)
        self._last_layer = layers[-1]
        self._block = block
        self._stretches = [Stretch(0, 0, first.deals, self.last)]
        for layer in others:
            self._grow(layer)
        self._starts = [stretch.start for stretch in self._stretches]

    def _grow(self, layer: Layer) -> None:
        # Each meeting keeps the order in which it sat first.
        had: dict[frozenset[int], tuple[tuple[int, ...], int]] = {}
        for stretch in self._stretches:
            for met in stretch:
                key = frozenset(met)
                had[key] = had[key][0] if key in had else met, stretch.turn + stretch.turns
        self.last = layer.design(self._block)
        wanted = [had.get(frozenset(met), (met, 0)) for met in (self.last[place] for place in range(len(self.last)))]
        steps = sorted({done for _, done in wanted if done < layer.deals})
        for turn, following in pairwise([*steps, layer.deals]):
            meetings = [met for met, done in wanted if done <= turn]
            self._stretches.append(Stretch(len(self), turn, following - turn, meetings))

    def __len__(self) -> int:
        """How many deal sets there are."""
        return self._stretches[-1].end

    def __getitem__(self, number: int) -> tuple[tuple[int, ...], int]:
        """Who plays a deal set, and how many that meeting had before it."""
        if not 0 <= number < len(self):
            raise IndexError(f"there is no deal set {number}; there are {len(self)}, from 0")
        stretch = self._stretches[bisect_right(self._starts, number) - 1]
        turn, meeting = divmod(number - stretch.start, len(stretch.meetings))
        return stretch.meetings[meeting], stretch.turn + turn

    def by_meeting(self) -> dict[frozenset[int], list[range]]:
        """The numbers of the deal sets of each meeting, in order."""
        found: dict[frozenset[int], list[range]] = {}
        for stretch in self._stretches:
            for place, met in enumerate(stretch):
                numbers = range(stretch.start + place, stretch.end, len(stretch.meetings))
                found.setdefault(frozenset(met), []).append(numbers)
        return found

    def imbalance(self, deals: int) -> int:
        """How many meetings of so many deals more the pair that meets most often has than the one that does least.

        In a gauntlet, of the pairs of those who are no challengers, whether it has grown or not.
        """
        if len(self._stretches) == 1 or self._block == 2:
            return self.last.imbalance()
        layer = self._last_layer
        rest = [number for number, name in enumerate(layer.entrants) if name not in layer.challengers]
        counts = Counter(dict.fromkeys(combinations(rest, 2), 0))
        for stretch in self._stretches:
            for met in stretch:
                for pair in combinations(sorted(met), 2):
                    if pair in counts:
                        counts[pair] += stretch.turns
        return -(-(max(counts.values()) - min(counts.values())) // deals)
