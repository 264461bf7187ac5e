"""A tournament's matches on a cluster: deal sets as tasks of dask.distributed, their logs coming home.

What a task needs goes with it, and what it leaves comes back: the logs of its matches, and what its bots printed.
Nothing is shared with the machines of the cluster but the programs: the referee must be installed there in the same
version, and a bot's command and its files must be found at the same paths (a common folder, or one image for all).

A task is never looked up in the scheduler's results: equal tasks are played anew (``pure=False``). A worker that is
lost loses its task, which the scheduler hands to another.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import logging
import shutil
import tempfile
import threading
from collections.abc import Sequence
from concurrent import futures
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from tournaments import incidents
from tournaments.executors import ExecutorLost, WorkersLost
from tournaments.folder import write_atomically
from tournaments.outcome import log_path, read_result
from tournaments.outputs import keep
from tournaments.player import Player, Setting
from tournaments.worker import Played, Work, play_sets, reveal_set


class ClusterError(Exception):
    """A cluster that cannot be used; the text says why."""


LOOK_AGAIN_S: Final = 10
"""So long a scheduler may take to answer (seconds)."""

_GONE: Final = (OSError, TimeoutError, futures.CancelledError, asyncio.CancelledError)
"""What a client of dask raises when its scheduler is gone."""


@dataclass(frozen=True, slots=True)
class Away:
    """What a task brings home.

    Attributes:
        logs: the log of every match that was played, by the match's id.
        outputs: what bots printed meanwhile, by the name of the file that keeps it.
        incidents: the lines of what has happened besides (`tournaments.incidents`).
        seconds: how long it took.
    """

    logs: dict[str, bytes]
    outputs: dict[str, bytes]
    incidents: bytes
    seconds: float


class _Guest:
    """What a process of the cluster keeps for a tournament: a folder of its own, an event loop, and bots."""

    def __init__(self, setting: Setting) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="referee-"))
        for part in ("matches", "bots"):
            (self._folder / part).mkdir()
        self.setting = setting
        self._setting = replace(setting, folder=self._folder)
        self._loop = asyncio.new_event_loop()
        self._player = Player(self._setting)
        atexit.register(self.close)

    def play(self, sets: Sequence[Work]) -> Away:
        # The logs that a task has left which failed are no part of this one.
        self._taken("matches")
        begun = self._loop.time()
        played = play_sets(self._player, self._setting, sets, lambda result: None, reveals=False)
        self._loop.run_until_complete(played)
        seconds = self._loop.time() - begun
        noted = self._folder / incidents.FILE
        lines = noted.read_bytes() if noted.exists() else b""
        noted.unlink(missing_ok=True)
        logs = self._taken("matches")
        left = (planned.id for work in sets for planned in work.left)
        return Away({match: logs[f"{match}.jsonl"] for match in left}, self._taken("bots"), lines, seconds)

    def _taken(self, part: str) -> dict[str, bytes]:
        """The files of a part of the folder, by name; they are removed."""
        found = {}
        for path in (self._folder / part).iterdir():
            found[path.name] = path.read_bytes()
            path.unlink()
        return found

    def close(self) -> None:
        """End the bots, and leave no file."""
        atexit.unregister(self.close)
        with contextlib.suppress(RuntimeError):
            self._loop.run_until_complete(self._player.close())
        shutil.rmtree(self._folder, ignore_errors=True)


_guests: dict[str, _Guest] = {}
_one_at_a_time = threading.Lock()


def play_away(setting: Setting, sets: Sequence[Work]) -> Away:
    """Play deal sets in a process of the cluster. Raises what `tournaments.worker.play_sets` does."""
    with _one_at_a_time:
        # The runner's folder stands for the tournament; what it was before it grew or changed is over.
        key = str(setting.folder)
        guest = _guests.get(key)
        if guest is None or guest.setting != setting:
            if guest is not None:
                guest.close()
            guest = _guests[key] = _Guest(setting)
        return guest.play(sets)


class Cluster:
    """The runner's side.

    Args:
        setting: the tournament.
        scheduler: the address of a dask scheduler, such as ``tcp://10.0.0.1:8786``.

    Raises:
        ClusterError: dask is not installed, or the scheduler does not answer.
    """

    def __init__(self, setting: Setting, scheduler: str) -> None:
        try:
            import distributed  # noqa: PLC0415  (an extra, and slow)
        except ImportError:
            raise ClusterError("dask.distributed is not installed: pip install 'domino-referee[dask]'") from None
        self._setting = setting
        self._scheduler = scheduler
        for name in ("distributed", "distributed.client"):
            # What goes wrong with the cluster is said once, by who runs the tournament.
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            connect: Any = distributed.Client
            self._client = connect(scheduler, timeout=LOOK_AGAIN_S)
        except (OSError, ValueError) as error:
            raise ClusterError(f"no dask scheduler answers at {scheduler}: {error}") from None

    @property
    def size(self) -> int:
        """How many tasks the cluster plays at a time. Raises `ExecutorLost`."""
        try:
            return max(1, len(self._client.scheduler_info(n_workers=-1)["workers"]))
        except (*_GONE, LookupError) as error:
            # A client that has lost its scheduler may know of nothing any more.
            raise self._lost(error) from error

    def _lost(self, error: BaseException) -> ExecutorLost:
        return ExecutorLost(f"the dask scheduler at {self._scheduler} is lost: {error or type(error).__name__}")

    def _result(self, future: Any) -> Away:
        """What a task has come to, once it has; not for the event loop, to which a lost task looks like a stop."""
        try:
            away: Away = future.result()
        except _GONE as error:
            raise self._lost(error) from error
        return away

    async def play(self, sets: list[Work]) -> Played:
        """Have deal sets played, and put what they leave into the tournament's folder.

        Raises:
            WorkersLost: the cluster has lost the task again and again.
            ExecutorLost: the scheduler does not answer any more.
            MatchFailed: see `tournaments.worker.play_sets`; likewise `StartError`.
        """
        from distributed.scheduler import KilledWorker  # noqa: PLC0415

        try:
            future = self._client.submit(play_away, self._setting, sets, pure=False)
        except (*_GONE, RuntimeError, ValueError) as error:
            # A client that is closed takes nothing.
            raise self._lost(error) from error
        try:
            away = await asyncio.to_thread(self._result, future)
        except KilledWorker as error:
            raise WorkersLost(f"workers of the cluster were lost with a task: {error}") from error
        finally:
            future.release()
        folder = self._setting.folder
        for match_id, log in away.logs.items():
            write_atomically(log_path(folder, match_id), log)
        for name, output in away.outputs.items():
            keep(folder / "bots" / name, output)
        incidents.append(folder, away.incidents)
        results = []
        for work in sets:
            for planned in work.left:
                result = read_result(folder, planned, self._setting.sides)
                if result is not None:
                    results.append(result)
            if self._setting.spec.duplicate:
                reveal_set(self._setting, work.matches)
        return Played(results, away.seconds)

    async def close(self, at_once: bool) -> None:
        """Leave the cluster; what it still plays is forgotten."""
        with contextlib.suppress(*_GONE):
            await asyncio.to_thread(self._client.close)
