"""The bot processes of a tournament: started when first needed, and kept from match to match."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from referee.processes.bot_process import BotProcess, Reaper
from referee.server.admission import Ticket
from referee.server.app import RefereeServer
from tournaments.entrants import Entrant, argv

BotKey = tuple[str, int, int]
"""Which of an entrant's processes: its name, the rotation it plays, and the how manyeth of its seats in a match.

A process is kept for one rotation only, so that it never plays the same deals twice: a bot that remembers a deal set
would know the others' pieces the second time.
"""


@dataclass(frozen=True, slots=True)
class RunningBot:
    """A bot process and the ticket it joins with."""

    process: BotProcess
    ticket: Ticket


class BotPool:
    """Starts bots and keeps those that may be kept.

    Args:
        server: where they dial in.
        base_dir: the folder that commands run in.
        output_dir: the folder for what they print, a file an entrant.
    """

    def __init__(self, server: RefereeServer, base_dir: Path, output_dir: Path) -> None:
        self._server = server
        self._base_dir = base_dir
        self._output_dir = output_dir
        self._reaper = Reaper()
        self._kept: dict[BotKey, RunningBot] = {}

    async def take(self, entrant: Entrant, rotation: int, number: int) -> RunningBot:
        """A running bot of an entrant. Raises `StartError` if its command cannot be started."""
        kept = self._kept.pop((entrant.name, rotation, number), None)
        if kept is not None:
            if kept.process.running:
                return kept
            await self._end(kept)
        token, ticket = self._server.admission.issue(entrant.name, open=entrant.reuse)
        process = await BotProcess.start(
            argv(entrant),
            name=entrant.name,
            address=self._server.address,
            token=token,
            output=self._output_dir / f"{quote(entrant.name, safe=' ')}.log",
            reaper=self._reaper,
            cwd=self._base_dir,
        )
        return RunningBot(process, ticket)

    async def give_back(self, entrant: Entrant, rotation: int, number: int, bot: RunningBot, sound: bool) -> None:
        """Keep a bot for its next match, or end it: one that forfeited is not trusted with another."""
        bot.process.on_exit(None)
        if sound and entrant.reuse and bot.process.running:
            self._kept[entrant.name, rotation, number] = bot
        else:
            await self._end(bot)

    async def close(self) -> None:
        """End all bots."""
        for bot in self._kept.values():
            await self._end(bot)
        self._kept.clear()
        self._reaper.close()

    async def _end(self, bot: RunningBot) -> None:
        self._server.admission.revoke(bot.ticket)
        await bot.process.end()
