"""The client that is tried: a process of its own for each scenario, or several."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from referee.processes.bot_process import BotProcess, Reaper

_MOST_OUTPUT: Final = 4_000


class Client:
    """A running client.

    Attributes:
        ended: done once the process has ended.
    """

    def __init__(self, process: BotProcess, output: Path) -> None:
        self._process = process
        self._output = output
        self._how = ""
        process.on_exit(self._note)
        self.ended: asyncio.Future[None] = asyncio.ensure_future(process.ended())

    @classmethod
    async def start(
        cls, command: Sequence[str], *, name: str, address: str, token: str, output: Path, reaper: Reaper
    ) -> Client:
        """Start it. Raises `referee.processes.bot_process.StartError`."""
        process = await BotProcess.start(command, name=name, address=address, token=token, output=output, reaper=reaper)
        return cls(process, output)

    @property
    def status(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        return self._process.status

    def how(self) -> str:
        """How the process ended, in words."""
        return self._how or "its process runs"

    def output(self) -> str:
        """The end of what it has printed."""
        data = self._output.read_bytes()[-_MOST_OUTPUT:]
        return data.decode("utf-8", "replace")

    async def kill(self) -> None:
        """End the process and all that it has started."""
        await self._process.end(0.0)
        await self.ended

    def _note(self, how: str) -> None:
        self._how = how
