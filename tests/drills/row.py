"""What a drill hands back: lines of the table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table.

    Attributes:
        drill: what was tried.
        done: how much of it.
        figure: what came out, with its unit. What must hold whatever the machine is asserted, not told.
        goal: the goal in words, such as ``< 5 s``; empty: there is none but the promise.
        reached: whether it is reached.
    """

    drill: str
    done: str
    figure: str
    goal: str
    reached: bool


class CannotRun(Exception):
    """A drill needs what this machine does not have; the text says what."""
