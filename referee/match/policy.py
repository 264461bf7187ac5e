"""Faults and their remedies, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class FaultKind(StrEnum):
    """What a bot can do wrong."""

    MALFORMED = "malformed"  # a message that cannot be read, or an answer that names no action
    ILLEGAL = "illegal"  # an action that the rules refuse
    LATE = "late"  # connected, but no answer within the turn's time
    GONE = "gone"  # not connected when the turn's time ran out
    NEVER_CAME = "never_came"  # did not join within join_ms
    NOT_READY = "not_ready"  # joined, but did not say ready within ready_ms
    CRASHED = "crashed"  # its process, started by the referee, ended
    FLOODING = "flooding"  # sent far more messages than it was asked for


NOT_IN_TIME: Final[Mapping[FaultKind, str]] = {
    FaultKind.NEVER_CAME: "nobody joined within join_ms",
    FaultKind.NOT_READY: "not ready within ready_ms",
    FaultKind.LATE: "no answer within move_ms and the bank",
    FaultKind.GONE: "not connected when the turn's time was up",
}
"""What is said of a bot that has not done something in time."""


class Remedy(StrEnum):
    """What the referee does about a fault."""

    ASK_AGAIN = "ask_again"  # the same turn, while its clock runs on
    STAND_IN = "stand_in"  # the referee's stand-in plays this turn
    FORFEIT = "forfeit"  # the seat is out; the stand-in plays on where others' match depends on it


_FOREVER: Final = 1 << 31

Ladder = tuple[tuple[int, Remedy], ...]
"""Steps of (up to how many faults of the kind in this match, the remedy)."""

POLICIES: Final[Mapping[str, Mapping[FaultKind, Ladder]]] = {
    "lenient": {
        FaultKind.MALFORMED: ((10, Remedy.ASK_AGAIN), (_FOREVER, Remedy.FORFEIT)),
        FaultKind.ILLEGAL: ((10, Remedy.ASK_AGAIN), (_FOREVER, Remedy.FORFEIT)),
        FaultKind.LATE: ((2, Remedy.STAND_IN), (_FOREVER, Remedy.FORFEIT)),
        FaultKind.GONE: ((2, Remedy.STAND_IN), (_FOREVER, Remedy.FORFEIT)),
        FaultKind.NEVER_CAME: ((_FOREVER, Remedy.FORFEIT),),
        FaultKind.NOT_READY: ((_FOREVER, Remedy.FORFEIT),),
        FaultKind.CRASHED: ((_FOREVER, Remedy.FORFEIT),),
        FaultKind.FLOODING: ((_FOREVER, Remedy.FORFEIT),),
    },
    "strict": dict.fromkeys(FaultKind, ((_FOREVER, Remedy.FORFEIT),)),
}
"""The policies by name: `lenient` (the default) forgives some faults, `strict` none."""

DEFAULT_POLICY: Final = "lenient"


def remedy(policy: str, kind: FaultKind, count: int) -> Remedy:
    """The remedy for the ``count``-th fault (from 1) of a kind by one seat in one match."""
    return next(step for most, step in POLICIES[policy][kind] if count <= most)
