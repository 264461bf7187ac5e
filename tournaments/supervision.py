"""How a tournament file limits the processes of its bots: `limits`, for all entrants or for one."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Final

import msgspec

from referee.rules.registry import SettingError
from tournaments import checks

_RANGES: Final[Mapping[str, tuple[int, int]]] = {
    "memory_mb": (16, 1 << 24),
    "cpu_s": (1, 1_000_000),
    "open_files": (16, 1 << 20),
}
"""The least and the most of each limit."""


class LimitSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What each process of a bot may use; None: as much as the system gives.

    Attributes:
        memory_mb: data of its own (MiB).
        cpu_s: processor time (seconds) for a match; a bot with this limit has a process for each match.
        open_files: open files and connections.
        pin: whether it runs on one processor only, which the runner chooses from those that it may use itself; for
            systems with ``os.sched_setaffinity``, such as Linux.
    """

    memory_mb: int | None = None
    cpu_s: int | None = None
    open_files: int | None = None
    pin: bool | None = None

    def laid(self) -> dict[str, int]:
        """The limits that there are, by name."""
        found = {kind: getattr(self, kind) for kind in (*_RANGES, "pin")}
        return {kind: value for kind, value in found.items() if value is not None}


NONE: Final = LimitSpec()
"""No limits."""


def read_limits(key: str, given: object) -> LimitSpec:
    """The limits as they stand in a file under a key. Raises `SettingError`."""
    if not isinstance(given, dict):
        raise SettingError(key, f"{checks.shown(given)} is no table, such as {{ memory_mb = 512, cpu_s = 60 }}")
    checks.accept(f"{key}.", given, LimitSpec.__struct_fields__)
    pin = checks.typed(given, "pin", bool, prefix=f"{key}.")
    if pin and not hasattr(os, "sched_setaffinity"):
        raise SettingError(f"{key}.pin", f"is not possible on this system ({sys.platform}); leave it out")
    numbers = {kind: value for kind, value in given.items() if kind != "pin"}
    return LimitSpec(
        pin=pin, **{kind: checks.whole(f"{key}.{kind}", value, *_RANGES[kind]) for kind, value in numbers.items()}
    )


def in_force(general: LimitSpec, own: LimitSpec) -> LimitSpec:
    """The limits of an entrant: its own where it has them, else the tournament's."""
    return msgspec.convert(general.laid() | own.laid(), LimitSpec)


def processors() -> list[int]:
    """The processors that this process may use, by number; those that bots are pinned to."""
    return sorted(os.sched_getaffinity(0))
