"""Whose fault it is when a match does not go as it should, in a closed vocabulary.

A fault of an entrant counts against it (`Fault`), and its match with it. A breakdown of the host or of the referee
(`Breakdown`) is nobody's loss: the match does not count and is played again. Nothing is both.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from referee.match.policy import FaultKind


class Fault(StrEnum):
    """What an entrant can do wrong, as the standings count it."""

    ILLEGAL = "illegal"  # an answer that cannot be read, that the rules refuse, or that nobody has asked for
    LATE = "late"  # connected, but no answer within the turn's time
    GONE = "gone"  # not connected when the turn's time ran out
    NEVER_CAME = "never_came"  # did not join, or did not say that it is ready, in time
    CRASHED = "crashed"  # its process ended, by itself or by a limit that it has reached


class Breakdown(StrEnum):
    """What can go wrong with a match for no fault of an entrant."""

    HOST = "host"  # the machine: a log that cannot be written, a bot that cannot be started, a worker process that died
    REFEREE = "referee"  # the referee's own defect, or a match that it has aborted


FAULTS: Final = tuple(fault.value for fault in Fault)
"""The faults by name, in the order of ``standings.json``."""

FAULT_OF: Final[Mapping[str, Fault]] = {
    FaultKind.MALFORMED: Fault.ILLEGAL,
    FaultKind.ILLEGAL: Fault.ILLEGAL,
    FaultKind.FLOODING: Fault.ILLEGAL,
    FaultKind.LATE: Fault.LATE,
    FaultKind.GONE: Fault.GONE,
    FaultKind.NEVER_CAME: Fault.NEVER_CAME,
    FaultKind.NOT_READY: Fault.NEVER_CAME,
    FaultKind.CRASHED: Fault.CRASHED,
}
"""What each kind of fault in a match log counts as; every kind has its own line here."""
