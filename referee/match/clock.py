"""Clocks: arithmetic only. Nobody here reads the time."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Final

MOST_MS: Final = 86_400_000
"""No clock value may be more than a day."""


@dataclass(frozen=True, slots=True)
class ClockSpec:
    """The time a bot has. All values in milliseconds, 0 to `MOST_MS`.

    Attributes:
        join_ms: to dial in, from the creation of the match.
        ready_ms: to load and say that it is ready, from the moment it joined.
        move_ms: for each turn, before the bank is touched.
        bank_ms: for the whole match, used when a turn takes longer than `move_ms`.
        increment_ms: added to the bank after each turn that the seat answered itself.
    """

    join_ms: int = 30_000
    ready_ms: int = 30_000
    move_ms: int = 2_000
    bank_ms: int = 10_000
    increment_ms: int = 0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if type(value) is not int or not 0 <= value <= MOST_MS:
                raise ValueError(f"clock.{field.name}: {value!r} is not a whole number of ms from 0 to {MOST_MS}")

    def as_dict(self) -> dict[str, int]:
        """The values by name, as in logs and files."""
        return asdict(self)


def turn_limit(spec: ClockSpec, bank_ms: int) -> int:
    """How long a seat may take for a turn: its allowance, then all of its bank (ms)."""
    return spec.move_ms + bank_ms


def charge(spec: ClockSpec, bank_ms: int, took_ms: int, answered: bool) -> int:
    """The bank (ms) after a turn that took ``took_ms``; the increment rewards only an answer of the seat's own."""
    left = bank_ms - max(0, took_ms - spec.move_ms)
    return max(0, left) + (spec.increment_ms if answered else 0)
