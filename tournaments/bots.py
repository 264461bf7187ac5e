"""The bot processes of a tournament: started when first needed, and kept from match to match."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

from referee.processes.bot_process import MARK, BotProcess, Reaper
from referee.processes.nursery import Nursery
from referee.server.admission import Ticket
from referee.server.app import RefereeServer
from referee.v1 import play_pb2
from tournaments.entrants import Entrant, argv

BotKey = tuple[str, int, int]
"""Which of an entrant's processes: its name, the rotation it plays, and the how manyeth of its seats in a match.

A process is kept for one rotation only, so that it never plays the same deals twice: a bot that remembers a deal set
would know the others' pieces the second time.
"""


MAX_FILE_NAME: Final = 200
"""The most characters of a name in a file's; file systems take 255 bytes."""


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
        back_ms: so long a bot that was kept may take to join again before its next match is begun without it.
    """

    def __init__(self, server: RefereeServer, base_dir: Path, output_dir: Path, back_ms: int) -> None:
        self._server = server
        self._back_s = back_ms / 1000
        self._base_dir = base_dir
        self._output_dir = output_dir
        self._reaper = Reaper()
        self._nursery = Nursery({MARK: self._reaper.mark})
        self._kept: dict[BotKey, RunningBot] = {}

    async def take(self, entrant: Entrant, rotation: int, number: int) -> RunningBot:
        """A running bot of an entrant. Raises `StartError` if its command cannot be started."""
        kept = self._kept.pop((entrant.name, rotation, number), None)
        if kept is not None:
            if await self._is_back(kept):
                return kept
            await self._end(kept)
        token, ticket = self._server.admission.issue(entrant.name, open=entrant.reuse)
        process = await BotProcess.start(
            argv(entrant),
            name=entrant.name,
            address=self._server.local_address,
            token=token,
            output=self._output_dir / f"{_file_name(entrant.name)}.log",
            reaper=self._reaper,
            nursery=self._nursery,
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
        await asyncio.gather(*map(self._end, self._kept.values()))
        self._kept.clear()
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

    async def _end(self, bot: RunningBot) -> None:
        # Forgotten afterwards: a bot on its way to join again is told why not, and not that its token is unknown.
        bot.ticket.close(play_pb2.CLOSE_REASON_MATCH_OVER, "there is nothing more to play")
        await bot.process.end()
        self._server.admission.revoke(bot.ticket)


def _file_name(name: str) -> str:
    """An entrant's name as that of a file: no two alike, and none too long."""
    quoted = quote(name, safe=" ")
    if len(quoted) <= MAX_FILE_NAME:
        return quoted
    return f"{quoted[:MAX_FILE_NAME]}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"
