"""A bot's process: its environment, its output, its group, its end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from referee.processes.limits import limited
from referee.processes.nursery import Forked, Nursery

END_WITHIN_S: Final = 1.0
"""So long a bot may take to end by itself after it was told that there is nothing more to play."""

MARK: Final = "REFEREE_REAPER"
"""The environment variable that tells whose bot a process is."""


_OTHERS: Final = ("REFEREE_CA", "REFEREE_CERT", "REFEREE_KEY")


NO_LIMITS: Final[Mapping[str, int]] = {}
"""As much as the system gives."""


class StartError(Exception):
    """A bot's command that cannot be started; the text says which and why."""


class Reaper:
    """Sees to it that no bot outlives this process, however it ends. See `referee.processes.reaper`.

    Attributes:
        mark: stands in the environment of what is to end with us, as `MARK`.
    """

    def __init__(self) -> None:
        self.mark = secrets.token_hex(16)
        script = Path(__file__).with_name("reaper.py")
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(script), f"{MARK}={self.mark}"],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )

    def watch(self, group: int) -> None:
        """Kill this process group if we are gone."""
        self._say(f"+{group}\n")

    def forget(self, group: int) -> None:
        """The process group has ended."""
        self._say(f"-{group}\n")

    def _say(self, line: str) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        with contextlib.suppress(BrokenPipeError):
            stdin.write(line.encode())
            stdin.flush()

    def close(self) -> None:
        """Let the reaper end; it kills whatever is still watched."""
        self._process.communicate()

    def kill(self) -> None:
        """Have what is watched killed now, and wait for that.

        For a signal's handler, whatever it has interrupted; the process must end afterwards.
        """
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            os.close(self._process.stdin.fileno())
        with contextlib.suppress(OSError):
            os.waitpid(self._process.pid, 0)


class BotProcess:
    """A running bot.

    Attributes:
        pid: its process id, which is also that of its process group.
    """

    def __init__(self, process: asyncio.subprocess.Process | Forked, reaper: Reaper) -> None:
        self.pid = process.pid
        self._process = process
        self._reaper = reaper
        self._on_exit: Callable[[str], None] | None = None
        self._watcher = asyncio.get_running_loop().create_task(self._watch())

    @classmethod
    async def start(
        cls,
        argv: Sequence[str],
        *,
        name: str,
        address: str,
        token: str,
        output: Path | None,
        reaper: Reaper,
        nursery: Nursery | None = None,
        cwd: Path | None = None,
        limits: Mapping[str, int] = NO_LIMITS,
    ) -> BotProcess:
        """Start a bot in a process group of its own.

        Args:
            argv: the command's words.
            name: the entrant's name, told to it as `REFEREE_NAME`.
            address: where it dials in, told to it as `REFEREE_ADDRESS`.
            token: its token, told to it as `REFEREE_TOKEN`.
            output: the file that what it prints is appended to; None: our standard error.
            reaper: ends it if this process is gone.
            nursery: starts it if it is a Python script; without one it is started as any other command.
            cwd: the folder it runs in.
            limits: what the process may use, by `referee.processes.limits.KINDS`.

        Raises:
            StartError: there is no such command, or it cannot be executed.
        """
        told = {"REFEREE_ADDRESS": address, "REFEREE_TOKEN": token, "REFEREE_NAME": name, MARK: reaper.mark}
        environment = {**os.environ, **told}
        for variable in _OTHERS:  # it dials in here, without TLS, whatever we ourselves are told of other referees
            environment.pop(variable, None)
        if not argv:
            raise StartError(f"the bot {name!r} cannot be started: its command is empty")
        try:
            file = output.open("ab") if output is not None else None
        except OSError as error:
            raise StartError(f"the output of the bot {name!r} cannot be kept in {output}: {error.strerror}") from None
        process: asyncio.subprocess.Process | Forked
        try:
            with file or contextlib.nullcontext():
                if nursery is not None and output is not None and nursery.takes(argv, cwd):
                    process = await nursery.fork(argv, environment, cwd, output, limits)
                else:
                    process = await asyncio.create_subprocess_exec(
                        *limited(argv, limits),
                        stdin=asyncio.subprocess.DEVNULL,
                        stdout=file or sys.stderr,
                        stderr=file or sys.stderr,
                        env=environment,
                        cwd=cwd,
                        start_new_session=True,
                    )
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise StartError(f"the bot {name!r} cannot be started: {argv[0]!r}: {why}") from None
        reaper.watch(process.pid)
        return cls(process, reaper)

    @property
    def running(self) -> bool:
        """Whether the process has not ended."""
        return self._process.returncode is None

    @property
    def status(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        return self._process.returncode

    async def ended(self) -> None:
        """Wait until the process has ended."""
        await self._process.wait()

    def on_exit(self, call: Callable[[str], None] | None) -> None:
        """Who is to be told, in words, that the process has ended."""
        self._on_exit = call
        if call is not None and not self.running:
            call(self._how())

    async def _watch(self) -> None:
        await self._process.wait()
        if self._on_exit is not None:
            self._on_exit(self._how())

    def _how(self) -> str:
        code = self._process.returncode
        if code is not None and code < 0:
            return f"its process was ended by {_signal_name(-code)}"
        return f"its process ended with status {code}"

    async def end(self, within_s: float = END_WITHIN_S) -> None:
        """Give the process a moment (seconds) to end by itself, then kill it and all of its group."""
        self._on_exit = None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._process.wait()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        await self._process.wait()
        await self._watcher
        self._reaper.forget(self.pid)


def _signal_name(number: int) -> str:
    """The name of a signal; most real-time signals have none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
