"""The bot processes of a tournament: started when first needed, and kept from match to match."""

from __future__ import annotations

import asyncio
import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from referee.processes.bot_process import MARK, BotProcess, Reaper
from referee.processes.nursery import Nursery
from referee.server.admission import Ticket
from referee.server.app import RefereeServer
from referee.v1 import play_pb2
from tournaments.entrants import Entrant, argv
from tournaments.incidents import note_restart
from tournaments.outputs import Outputs, remarks_on
from tournaments.supervision import NONE, LimitSpec, in_force, processors

BotKey = tuple[str, int, int]
"""Which of an entrant's processes: its name, the rotation it plays, and the how manyeth of its seats in a match.

A process is kept for one rotation only, so that it never plays the same deals twice: a bot that remembers a deal set
would know the others' pieces the second time.
"""

CAP_EVERY_S: Final = 1.0
"""So often it is seen to that no bot fills the disk (seconds)."""


@dataclass(frozen=True, slots=True)
class RunningBot:
    """A bot process, the ticket it joins with, and the file that it prints into."""

    process: BotProcess
    ticket: Ticket
    output: Path


class BotPool:
    """Starts bots and keeps those that may be kept.

    Args:
        server: where they dial in.
        base_dir: the folder that commands run in.
        folder: the tournament's folder, for what they print, a file an entrant, and for incidents.
        limits: what their processes may use where an entrant has no limits of its own.
        back_ms: so long a bot that was kept may take to join again before its next match is begun without it.
    """

    def __init__(
        self, server: RefereeServer, base_dir: Path, folder: Path, back_ms: int, limits: LimitSpec = NONE
    ) -> None:
        self._server = server
        self._back_s = back_ms / 1000
        self._base_dir = base_dir
        self._limits = limits
        self._folder = folder
        self._outputs = Outputs(folder / "bots")
        self._printing: set[Path] = set()
        self._capping: asyncio.Task[None] | None = None
        self._reaper = Reaper()
        self._nursery = Nursery({MARK: self._reaper.mark})
        self._kept: dict[BotKey, RunningBot] = {}
        self._gone: dict[BotKey, str] = {}
        self._pinned = 0

    async def take(self, entrant: Entrant, rotation: int, number: int) -> RunningBot:
        """A running bot of an entrant. Raises `StartError` if its command cannot be started."""
        key = entrant.name, rotation, number
        kept = self._kept.pop(key, None)
        if kept is not None:
            if await self._is_back(kept):
                return kept
            await self._end_kept(kept)
            self._gone[key] = "it ended between matches"
        if (why := self._gone.pop(key, "")) and self._keeps(entrant):
            note_restart(self._folder, entrant.name, why)
        token, ticket = self._server.admission.issue(entrant.name, open=self._keeps(entrant))
        output = self._outputs.new()
        self._printing.add(output)
        if self._capping is None:
            self._capping = asyncio.create_task(self._cap())
        limits = in_force(self._limits, entrant.limits).laid()
        if limits.pop("pin", False):
            limits["processor"] = self._next_processor()
        process = await BotProcess.start(
            argv(entrant),
            name=entrant.name,
            address=self._server.local_address,
            token=token,
            output=output,
            reaper=self._reaper,
            nursery=self._nursery,
            cwd=self._base_dir,
            limits=limits,
        )
        return RunningBot(process, ticket, output)

    async def give_back(self, entrant: Entrant, rotation: int, number: int, bot: RunningBot, sound: bool) -> None:
        """Keep a bot for its next match, or end it: one that forfeited, or whose match failed, is not ``sound``."""
        bot.process.on_exit(None)
        key = entrant.name, rotation, number
        if sound and self._keeps(entrant) and bot.process.running:
            self._kept[key] = bot
        else:
            self._gone[key] = "the referee ended it after a match" if bot.process.running else "it ended in a match"
            await self._end(bot)

    def gather(self, entrant: Entrant, bot: RunningBot, log: Path, seat: int) -> None:
        """Keep what a bot has printed in a match, with its faults, once it was given back."""
        self._outputs.gather(bot.output, entrant.name, f"match {log.stem}, seat {seat}", remarks_on(log, seat))
        if not bot.process.running:
            self._forget(bot)

    def _next_processor(self) -> int:
        """Processors in turn; workers, whose ids mostly follow one another, do not all begin with the same."""
        usable = processors()
        self._pinned += 1
        return usable[(os.getpid() + self._pinned) % len(usable)]

    def _keeps(self, entrant: Entrant) -> bool:
        """Whether its processes are kept: processor time is counted by the process and limited by the match."""
        return entrant.reuse and in_force(self._limits, entrant.limits).cpu_s is None

    async def _cap(self) -> None:
        while True:
            await asyncio.sleep(CAP_EVERY_S)
            for output in self._printing:
                self._outputs.cap(output)

    async def close(self) -> None:
        """End all bots."""
        await asyncio.gather(*map(self._end_kept, self._kept.values()))
        self._kept.clear()
        if self._capping is not None:
            self._capping.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._capping
        for output in self._printing:
            self._outputs.ended(output)
        self._outputs.close()
        await self._nursery.close()
        self._reaper.close()

    def kill(self) -> None:
        """Kill all bots, as the last thing that this process does."""
        self._reaper.kill()

    async def _is_back(self, bot: RunningBot) -> bool:
        """Wait for a bot to join again after its last match; False if it has ended instead, which it may."""
        waits = [asyncio.ensure_future(wait) for wait in (bot.ticket.came(), bot.process.ended())]
        await asyncio.wait(waits, timeout=self._back_s, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        return bot.process.running

    async def _end_kept(self, bot: RunningBot) -> None:
        await self._end(bot)
        self._outputs.gather(bot.output, bot.ticket.name, "between or after matches")
        self._forget(bot)

    def _forget(self, bot: RunningBot) -> None:
        self._printing.discard(bot.output)
        self._outputs.ended(bot.output)

    async def _end(self, bot: RunningBot) -> None:
        # Forgotten afterwards: a bot on its way to join again is told why not, and not that its token is unknown.
        bot.ticket.close(play_pb2.CLOSE_REASON_MATCH_OVER, "there is nothing more to play")
        await bot.process.end()
        self._server.admission.revoke(bot.ticket)
