"""How late this process is: what an event loop cannot see while it is busy, and must not charge to a bot."""

from __future__ import annotations

import asyncio
from typing import Final

TICK_S: Final = 0.02


class Lateness:
    """Watches the event loop by a timer that knows when it should have run."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._late = 0.0
        self._due = self._loop.time() + TICK_S
        self._timer = self._loop.call_at(self._due, self._tick)

    def _tick(self) -> None:
        now = self._loop.time()
        self._late = max(0.0, now - self._due)
        self._due = now + TICK_S
        self._timer = self._loop.call_at(self._due, self._tick)

    def ms(self) -> int:
        """How long (ms) something that is handled now may have waited for this process."""
        overdue = self._loop.time() - self._due
        return int(1000 * max(overdue, self._late))

    def stop(self) -> None:
        """Stop watching."""
        self._timer.cancel()
