"""How long a Python bot that the runner starts takes to its first word, a Join, against an import of gRPC alone."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from referee.processes.bot_process import MARK, BotProcess, Reaper
from referee.processes.nursery import Nursery
from referee.server.app import RefereeServer
from tests.bench.harness import ROOT, Row, at_most, paired, timed

BOT = ROOT / "clients" / "python" / "examples" / "first_legal_bot.py"
TIMES = 9


class Bots:
    """Starts one bot after the other, as a tournament's worker does."""

    def __init__(self, folder: Path, loop: asyncio.AbstractEventLoop) -> None:
        self._folder = folder
        self._loop = loop
        self._reaper = Reaper()
        self._nursery = Nursery({MARK: self._reaper.mark})
        self._server: RefereeServer

    def open(self) -> None:
        """Start the server, and the process that forks."""

        async def start() -> None:
            self._server = RefereeServer(self._folder)
            await self._server.start()

        self._loop.run_until_complete(start())
        self.word_s()

    def word_s(self) -> float:
        """Start a bot; how long (s) until it has joined."""
        return self._loop.run_until_complete(self._word_s())

    async def _word_s(self) -> float:
        token, ticket = self._server.admission.issue("bot", open=True)
        begun = self._loop.time()
        process = await BotProcess.start(
            [sys.executable, str(BOT)],
            name="bot",
            address=self._server.address,
            token=token,
            output=self._folder / "output",
            reaper=self._reaper,
            nursery=self._nursery,
        )
        await ticket.came()
        took = self._loop.time() - begun
        await process.end(0)
        return took

    def close(self) -> None:
        """Stop all of it."""

        async def stop() -> None:
            await self._nursery.close()
            await self._server.stop()

        self._loop.run_until_complete(stop())
        self._reaper.close()


def import_grpc() -> None:
    """Start an interpreter that imports gRPC and nothing else."""
    subprocess.run([sys.executable, "-c", "import grpc"], check=True)


def rows() -> list[Row]:
    """The rows of this benchmark."""
    # The bot finds the SDK where these tests do.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    with tempfile.TemporaryDirectory() as name, asyncio.Runner() as runner:
        bots = Bots(Path(name), runner.get_loop())
        bots.open()
        ours, base, ratio = paired(bots.word_s, lambda: timed(import_grpc), TIMES)
        bots.close()
    value, yardstick = f"{1000 * ours:.0f} ms", f"python -c 'import grpc' {1000 * base:.0f} ms"
    return [at_most("first word of a Python bot", value, yardstick, ratio, 0.3)]
