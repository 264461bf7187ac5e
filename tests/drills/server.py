"""`referee serve` in a process of its own, at an address that stays the same when it is killed and started again."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from e2e_kit import ENVIRONMENT, REFEREE

WATCHED = [sys.executable, "-m", "tests.drills.watched_server"]
"""The same command line, in a process that says what it holds: see there."""

COUNTED = ("tasks", "threads", "fds")
"""What must not grow."""

SPARE = {"tasks": 0, "threads": 4, "fds": 0}
"""So much more there may be all the same: gRPC has threads in reserve, by how much there is to do."""


class Server:
    """A server process.

    Args:
        data: the folder of its logs.
        words: further words of the command line.
        errors: where its standard error goes, beside the folder if nothing is said.
        watched: whether it is asked for what it holds.
        env: added to its environment.
    """

    def __init__(
        self,
        data: Path,
        *words: str,
        errors: Path | None = None,
        watched: bool = False,
        env: dict[str, str] | None = None,
    ) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{probe.getsockname()[1]}"
        command = WATCHED if watched else REFEREE
        self._words = [*command, "serve", "--listen", self.address, "--data", str(data), *words]
        self._env = {**ENVIRONMENT, **(env or {})}
        self.errors = errors or data.parent / "errors"
        self._file = self.errors.open("ab")
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> float:
        """Start it; how long it took until it listened (s)."""
        begun = time.monotonic()
        self.process = subprocess.Popen(
            self._words, stdout=subprocess.PIPE, stderr=self._file, env=self._env, bufsize=0
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith(b"listening on "), line
        return time.monotonic() - begun

    def held(self) -> dict[str, int]:
        """What a watched server holds: tasks, threads, fds, objects, memory_kib."""
        assert self.process is not None
        assert self.process.stdout is not None
        self.process.send_signal(signal.SIGUSR1)
        found: dict[str, int] = json.loads(self.process.stdout.readline())
        return found

    async def settled(self, before: dict[str, int] | None = None) -> dict[str, int]:
        """What a watched server holds once the last connections are closed.

        That is as little as before, if it comes to that in time; without a before, what it holds a second later.
        """
        end = time.monotonic() + (10 if before else 1)
        while True:
            held = self.held()
            little = before is not None and all(held[kind] <= before[kind] + SPARE[kind] for kind in COUNTED)
            if little or time.monotonic() > end:
                return held
            await asyncio.sleep(0.1)  # asking again

    def kill(self, number: int = signal.SIGKILL) -> None:
        """End it, at once unless another signal is given."""
        if self.process is not None:
            self.process.send_signal(number)
            self.process.communicate()
            self.process = None

    def close(self) -> None:
        """Leave nothing running."""
        self.kill()
        self._file.close()

    def complaints(self) -> str:
        """What it wrote of failures and exceptions on standard error: nothing, if all is well."""
        lines = self.errors.read_text(errors="replace").splitlines()
        words = ("Traceback", "never retrieved", '"error"', "exception")
        return "\n".join(line for line in lines if any(word in line for word in words))
