"""Starts Python bots by forking a process that has imported gRPC and the SDK, which costs them a tenth of the time.

`Nursery` is the runner's side. `main` is the process: it reads a request a line (JSON: ``argv``, ``env``, ``cwd``,
``output``, ``limits``), forks, and answers ``{"started": PID}`` or, if there is no room for another process,
``{"failed": ERRNO}``; when a child has ended it says ``{"ended": PID, "status": N}``.
It never uses gRPC itself: a process that has must not be forked.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from referee.processes.limits import lay_on

_LINE_LIMIT: Final = 1 << 20


class Forked:
    """A process of the nursery, with as much of `asyncio.subprocess.Process` as bots need."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._ended = asyncio.Event()

    async def wait(self) -> int:
        """Wait until the process has ended; its exit status, or the negative number of the signal that ended it."""
        await self._ended.wait()
        assert self.returncode is not None
        return self.returncode

    def ended(self, status: int) -> None:
        """The process has ended."""
        self.returncode = status
        self._ended.set()


class Nursery:
    """Forks Python bots; started when the first is asked for.

    Args:
        env: added to the environment of every process in it, as it can be seen from outside; what a bot is told in
            `fork` cannot.
    """

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = {**os.environ, **env}
        self._writer: asyncio.StreamWriter | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._reading: asyncio.Task[None] | None = None
        self._started: asyncio.Queue[Forked | OSError | None] = asyncio.Queue()
        self._children: dict[int, Forked] = {}
        self._one_at_a_time = asyncio.Lock()

    @staticmethod
    def takes(argv: Sequence[str], cwd: Path | None) -> bool:
        """Whether a command is a Python script for the interpreter that we run in ourselves."""
        if len(argv) < 2 or argv[0] != sys.executable or not argv[1].endswith(".py"):
            return False
        return ((cwd or Path()) / argv[1]).is_file()

    async def fork(
        self,
        argv: Sequence[str],
        env: Mapping[str, str],
        cwd: Path | None,
        output: Path,
        limits: Mapping[str, int],
    ) -> Forked:
        """Start a Python script in a session of its own.

        Raises:
            OSError: there is no room for another process, or the nursery cannot be started or reached.
            ValueError: the nursery has ended.
        """
        async with self._one_at_a_time:
            if self._writer is None:
                await self._open()
            assert self._writer is not None
            folder = (cwd or Path()).resolve()
            request = {
                "argv": argv[1:],
                "env": dict(env),
                "cwd": str(folder),
                "output": str(output.resolve()),
                "limits": dict(limits),
            }
            self._writer.write(json.dumps(request).encode() + b"\n")
            await self._writer.drain()
            child = await self._started.get()
        if child is None:
            raise ValueError("the process that starts Python bots has ended")
        if isinstance(child, OSError):
            raise child
        return child

    async def _open(self) -> None:
        self._started = asyncio.Queue()
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-m", "referee.processes.nursery", str(theirs.fileno())]
        self._process = subprocess.Popen(
            command, pass_fds=[theirs.fileno()], start_new_session=True, env=self._env, cwd=os.path.sep
        )
        theirs.close()
        reader, self._writer = await asyncio.open_unix_connection(sock=ours, limit=_LINE_LIMIT)
        self._reading = asyncio.get_running_loop().create_task(self._read(reader))

    async def _read(self, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(ConnectionError):
            while line := await reader.readline():
                said = json.loads(line)
                if "started" in said:
                    child = self._children[said["started"]] = Forked(said["started"])
                    self._started.put_nowait(child)
                elif "failed" in said:
                    self._started.put_nowait(OSError(said["failed"], os.strerror(said["failed"])))
                elif said["ended"] in self._children:
                    self._children.pop(said["ended"]).ended(said["status"])
        for child in self._children.values():
            child.ended(-signal.SIGKILL)
        self._children.clear()
        # Who waits for a bot gets none, and whoever is next opens another nursery.
        self._started.put_nowait(None)
        self._writer = None

    async def close(self) -> None:
        """Let the nursery end; its bots must have ended before."""
        if self._process is not None and self._reading is not None:
            if self._writer is not None:
                self._writer.close()
            await asyncio.to_thread(self._process.wait)
            await self._reading


def main() -> None:
    """Serve the socket whose number is the argument until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import referee_bot  # noqa: F401, PLC0415  (imported for the children)

    link = socket.socket(fileno=int(sys.argv[1]))
    # Not blocking: a signal that finds the pipe full has been noted already.
    wake, woken = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    received = b""
    while True:
        ready, _, _ = select.select([link.fileno(), wake], [], [])
        if wake in ready:
            os.read(wake, 4096)
            _tell_of_the_dead(link)
        if link.fileno() in ready:
            try:
                data = link.recv(1 << 16)
            except ConnectionError:
                data = b""
            if not data:
                return
            *lines, received = (received + data).split(b"\n")
            for line in lines:
                request = json.loads(line)
                try:
                    pid = os.fork()
                except OSError as error:
                    # The bots that run are ours still: they must not be taken for dead.
                    link.sendall(json.dumps({"failed": error.errno}).encode() + b"\n")
                    continue
                if not pid:
                    signal.set_wakeup_fd(-1)
                    for descriptor in (wake, woken):
                        os.close(descriptor)
                    link.close()
                    _become(request)
                    return
                link.sendall(json.dumps({"started": pid}).encode() + b"\n")


def _tell_of_the_dead(link: socket.socket) -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        link.sendall(json.dumps({"ended": pid, "status": os.waitstatus_to_exitcode(status)}).encode() + b"\n")


def _become(request: dict[str, Any]) -> None:
    """Run the script as if this process had been started for it."""
    os.setsid()
    for number in (signal.SIGINT, signal.SIGCHLD):
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    null = os.open(os.devnull, os.O_RDONLY)
    output = os.open(request["output"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.dup2(null, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(null)
    os.close(output)
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    lay_on(request["limits"])
    sys.argv = request["argv"]
    sys.path[0] = str(Path(sys.argv[0]).parent.resolve())
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except Exception as error:
        # Where the script begins is where its author wants to begin to read.
        frames = error.__traceback__
        while frames is not None and frames.tb_frame.f_code.co_filename != sys.argv[0]:
            frames = frames.tb_next
        traceback.print_exception(error.with_traceback(frames))
        sys.exit(1)


if __name__ == "__main__":
    main()
