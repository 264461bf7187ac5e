"""Match formats: when a match ends and who is placed where. They know results, not games, and count by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from referee.rules.game import FormatSpec, Result


def rank(keys: Sequence[Any]) -> tuple[int, ...]:
    """Places by key, lowest key first; equal keys share a place and the next is skipped: 1 1 3."""
    return tuple(1 + sum(other < key for other in keys) for key in keys)


class Tally:
    """What a format counts while a match is played.

    Attributes:
        spec: the format.
        sides: the side of each seat, by seat.
        totals: hands won in `single` and `best_of`, else points, by side.
        hands: hands played so far; void deals are none.
        out: the hand (from 0) after which a side was eliminated, by side, for those that are.
    """

    def __init__(self, spec: FormatSpec, sides: tuple[int, ...]) -> None:
        self.spec = spec
        self.sides = sides
        self.totals = [0] * (max(sides) + 1)
        self.hands = 0
        self.out: dict[int, int] = {}
        self._last: Result | None = None
        self._counts_wins = spec.kind in ("single", "best_of")

    def reached(self, points: Sequence[int]) -> bool:
        """Whether points scored so far in a hand bring a side to a target that ends the match at once."""
        spec = self.spec
        if spec.ending != "first" or spec.target is None:
            return False
        target = spec.target
        return any(total + scored >= target for total, scored in zip(self.totals, points, strict=True))

    def after(self, result: Result) -> list[int]:
        """The totals as this hand leaves them."""
        if self._counts_wins:
            winners = {self.sides[seat] for seat in result.winners}
            return [total + (side in winners) for side, total in enumerate(self.totals)]
        return [total + points for total, points in zip(self.totals, result.points, strict=True)]

    def add(self, result: Result) -> None:
        """Count a finished hand."""
        self._last = result
        self.totals = self.after(result)
        if self.spec.ending == "eliminate" and self.spec.target is not None:
            for side, total in enumerate(self.totals):
                if side not in self.out and total >= self.spec.target:
                    self.out[side] = self.hands
        self.hands += 1

    @property
    def over(self) -> bool:
        """Whether the format has ended."""
        spec = self.spec
        if self.hands >= spec.max_hands:
            return True
        if spec.kind == "single":
            return self.hands >= 1
        if spec.kind == "best_of":
            return spec.hands is not None and max(self.totals) > spec.hands // 2
        if spec.kind == "hands":
            return spec.hands is not None and self.hands >= spec.hands
        if spec.ending == "eliminate":
            return len(self.totals) - len(self.out) <= 1
        return spec.target is not None and max(self.totals) >= spec.target

    def places(self) -> tuple[int, ...]:
        """The places as they stand, by side, 1 = best."""
        spec = self.spec
        if spec.kind == "single" and self._last is not None and self._last.places is not None:
            return self._last.places
        if spec.ending == "lowest":
            return rank(self.totals)
        if spec.ending == "eliminate":
            # Those still in come first; then the later eliminated, and of one hand the lower total.
            return rank([(-self.out.get(side, self.hands + 1), total) for side, total in enumerate(self.totals)])
        return rank([-total for total in self.totals])
