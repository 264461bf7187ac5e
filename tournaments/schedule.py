"""What is played, and in which order: pure, lazy, and resumed by set difference over finished match ids.

The meetings come from `tournaments.design`, their numbers from `tournaments.layers`. The first deal set of every
meeting is played before the second of any, so that a table in the middle of a tournament means something. Deal sets
are numbered 0, 1, 2 … in that order; what is added to a tournament that was begun comes after.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from referee.rules.registry import GAMES
from tournaments.layers import Layer, Layers
from tournaments.spec import TournamentSpec

_STRIDE: Final = 1009


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """A match to be played.

    Attributes:
        id: a stable name that may also be a file's: ``0000012-1`` is deal set 12, rotation 1.
        deal_set: the deal set, which its seed is made from.
        rotation: by how many places the entrants have moved on from where they sat in rotation 0.
        seats: the entrant's name, by seat.
    """

    id: str
    deal_set: int
    rotation: int
    seats: tuple[str, ...]


def match_id(deal_set: int, rotation: int) -> str:
    """The id of a match: the same however often a schedule is made."""
    return f"{deal_set:07d}-{rotation}"


DealSet = tuple[PlannedMatch, ...]
"""The matches of a deal set: one for each rotation that is played."""


class Schedule:
    """All matches of a tournament.

    With ``duplicate`` each deal set is played once for every rotation of the entrants over the seats, 2 where pairs
    play. Otherwise it is played once, and each meeting's entrants move on by one place from one of its deal sets to
    the next. The order in which entrants follow one another round the table changes too: after each deal set, or
    without ``duplicate`` when everybody has sat everywhere.

    Attributes:
        entrants: the entrants' names.
        table: seats a match.
        pairs: whether entrants play both seats of a pair: a, b, a, b.
        deals: deal sets for each meeting.
        duplicate: whether each deal set is played in every rotation.
        block: how many entrants meet in a match.
        layers: the deal sets by number: who plays them.
    """

    def __init__(
        self,
        entrants: Sequence[str],
        table: int,
        *,
        deals: int,
        duplicate: bool,
        pairs: bool = False,
        challengers: Sequence[str] = (),
        layers: Sequence[Layer] = (),
    ) -> None:
        """Raises ValueError where there are fewer entrants than a match needs, or no deals.

        ``layers`` ends with what the other arguments say, and begins with what was said before.
        """
        if deals < 1:
            raise ValueError(f"{deals} deal sets cannot be played; at least 1 is needed")
        self.entrants = tuple(entrants)
        self.table = table
        self.pairs = pairs
        self.deals = deals
        self.duplicate = duplicate
        self.block = 2 if pairs else table
        layer = Layer(entrants=self.entrants, deals=deals, challengers=tuple(challengers))
        self.layers = Layers(layers or (layer,), self.block)

    @classmethod
    def of(cls, spec: TournamentSpec, layers: Sequence[Layer] = ()) -> Schedule:
        """The schedule of a tournament, with the layers that it has grown by."""
        return cls(
            [entrant.name for entrant in spec.entrants],
            spec.table,
            deals=spec.deals,
            duplicate=spec.duplicate,
            pairs=GAMES[spec.game].pairs,
            challengers=spec.challengers,
            layers=layers,
        )

    @property
    def rotations(self) -> int:
        """Matches a deal set."""
        return self.block if self.duplicate else 1

    @property
    def deal_sets(self) -> int:
        """How many deal sets there are."""
        return len(self.layers)

    def total(self) -> int:
        """How many matches there are."""
        return self.deal_sets * self.rotations

    def imbalance(self) -> int:
        """How many meetings more the pair that meets most often has than the pair that meets least often.

        0 unless there are so many entrants at a table of 3 or more that a part of their combinations is played. Each
        meeting has `deals` deal sets.
        """
        return self.layers.imbalance(self.deals)

    def level_over(self) -> int:
        """Over how many deal sets of a meeting each sits next after each equally often; 0 where that is so as it is."""
        level = 2 if self.duplicate else 2 * self.block
        return level if self.block > 2 and self.deals % level else 0

    def deal_set(self, number: int) -> DealSet:
        """The matches of a deal set, computed by themselves.

        Raises:
            IndexError: there is no such deal set.
        """
        met, turn = self.layers[number]
        return self.sitting(number, [self.entrants[entrant] for entrant in met], turn)

    def names_in(self, number: int) -> tuple[str, ...]:
        """Who plays a deal set. Raises `IndexError`: there is no such deal set."""
        return tuple(self.entrants[entrant] for entrant in self.layers[number][0])

    def sitting(self, number: int, met: Sequence[str], turn: int) -> DealSet:
        """The matches of a deal set of these entrants, who have had so many others before it."""
        order = circle(self.block, turn if self.duplicate else turn // self.block)
        sitting = [met[place] for place in order]
        rotations = range(self.block) if self.duplicate else (turn % self.block,)
        return tuple(
            PlannedMatch(match_id(number, rotation), number, rotation, self._seats(sitting, rotation))
            for rotation in rotations
        )

    def _seats(self, sitting: Sequence[str], rotation: int) -> tuple[str, ...]:
        return tuple(sitting[(seat - rotation) % self.block] for seat in range(self.table))

    def __iter__(self) -> Iterator[PlannedMatch]:
        """Every match, in the order in which they are to be played."""
        for number in range(self.deal_sets):
            yield from self.deal_set(number)


def circle(size: int, number: int) -> tuple[int, ...]:
    """An order round a table: place 0, then the others. The odd numbers turn the order before them round.

    So after every second order each entrant has followed each neighbour as often as it was followed by it; and after
    2 * (size - 1)! orders, each order has been used twice.
    """
    rest = list(range(1, size))
    index = number // 2 * _STRIDE % math.factorial(size - 1)
    order = [0]
    for left in range(size - 1, 0, -1):
        place, index = divmod(index, math.factorial(left - 1))
        order.append(rest.pop(place))
    return tuple(order) if number % 2 == 0 else (0, *reversed(order[1:]))
