"""What is done when a match is over: who missed its end hears of it, and what was kept to resume it goes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from referee.server.admission import Ticket
from referee.server.hosted import HostedMatch
from referee.server.private import forget_private
from referee.server.remote import RemoteSeat
from referee.v1 import play_pb2

KEPT_S: Final = 2.0
"""So long what is kept to resume a match outlives it, so that its bots hear of its end even if the server is killed."""


async def farewell(hosted: HostedMatch) -> None:
    """Let bots that have not come back since the server was started again hear how their match has ended."""
    late = [
        (ticket, seat)
        for number, (ticket, seat) in hosted.remote.items()
        if seat.missed and number not in hosted.match.forfeited
    ]
    if late:
        hosted.pulse()
        await asyncio.gather(*[_hears(ticket, seat) for ticket, seat in late])


async def _hears(ticket: Ticket, seat: RemoteSeat) -> None:
    await seat.prepare()
    ticket.done(seat)
    seat.dismiss(play_pb2.CLOSE_REASON_MATCH_OVER, "the match is over", ticket.open)


class Leftovers:
    """What was kept of matches that have just ended, by their logs."""

    def __init__(self) -> None:
        self._timers: dict[Path, asyncio.TimerHandle] = {}

    def add(self, log: Path) -> None:
        """Remove it in a moment."""
        self._timers[log] = asyncio.get_running_loop().call_later(KEPT_S, self._remove, log)

    def clear(self) -> None:
        """Remove all now."""
        for log in list(self._timers):
            self._remove(log)

    def _remove(self, log: Path) -> None:
        self._timers.pop(log).cancel()
        forget_private(log)
