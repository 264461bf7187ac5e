"""Where a tournament's tasks are played: in processes of this machine. `tournaments.cluster` is the other place."""

from __future__ import annotations

import asyncio
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Final, Protocol

from tournaments import worker
from tournaments.player import Setting
from tournaments.worker import Played, Work

JOIN_S: Final = 10.0
"""So long a worker that was told to stop is waited for (seconds)."""

LOSSES: Final = 5
"""So many times in a row those who play may be lost, with nothing played meanwhile, before the run gives up."""


class WorkersLost(Exception):
    """Those who played a task are gone; what they finished is in the folder, the rest is to be played again.

    Attributes:
        first: whether no other task that was lost with the same workers has said so yet.
    """

    def __init__(self, text: str, first: bool = True) -> None:
        super().__init__(text)
        self.first = first


class Losses:
    """How often in a row those who play were lost, with nothing played meanwhile."""

    def __init__(self) -> None:
        self._left = LOSSES

    def played(self) -> None:
        """Something was played: the workers do work."""
        self._left = LOSSES

    def add(self, error: WorkersLost) -> None:
        """Count a loss, once for all tasks that were lost together. Raises `ExecutorLost`: that is too many."""
        self._left -= error.first
        if not self._left:
            raise ExecutorLost(f"{error} {LOSSES} times; what was played is kept") from error


class ExecutorLost(Exception):
    """What plays the tasks is gone, and none comes in its place; the text says what it was."""


class Executor(Protocol):
    """Plays tasks, several at a time."""

    @property
    def size(self) -> int:
        """How many tasks it plays at a time. Raises `ExecutorLost`."""

    async def play(self, sets: list[Work]) -> Played:
        """Play deal sets, and leave their logs in the tournament's folder.

        Raises:
            WorkersLost: the task is lost; another executor's processes are already in the place of those that died.
            ExecutorLost: so is all that could play it.
            MatchFailed: see `tournaments.worker.play_sets`; likewise `StartError`.
        """

    async def close(self, at_once: bool) -> None:
        """Play no more; with ``at_once`` without finishing what is being played."""


class Processes:
    """Worker processes of this machine.

    Args:
        setting: the tournament.
        workers: how many there are.
    """

    def __init__(self, setting: Setting, workers: int) -> None:
        self.size = workers
        self._setting = setting
        self._pool: ProcessPoolExecutor | None = None

    async def play(self, sets: list[Work]) -> Played:
        """See `Executor.play`."""
        pool = self._pool = self._pool or self._new_pool()
        with worker.deaf():
            future = asyncio.get_running_loop().run_in_executor(pool, worker.play, sets)
        future.add_done_callback(_seen)
        try:
            # Shielded: a pool whose workers die does not expect that somebody has cancelled its futures.
            return await asyncio.shield(future)
        except BrokenProcessPool:
            first = self._pool is pool
            if first:
                self._pool = None
                pool.shutdown(wait=False, cancel_futures=True)
            raise WorkersLost("worker processes died", first) from None

    async def close(self, at_once: bool) -> None:
        """Stop the workers, and with them their bots."""
        # Those of a pool that was lost may still be at work.
        processes = multiprocessing.active_children() if at_once else []
        for process in processes:
            process.terminate()
        if self._pool is not None:
            await asyncio.to_thread(self._pool.shutdown, wait=True, cancel_futures=True)
        for process in processes:
            await asyncio.to_thread(process.join, JOIN_S)

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self.size, multiprocessing.get_context("spawn"), worker.start, (self._setting,))


def _seen(future: asyncio.Future[Played]) -> None:
    """Look at the error of a future that nobody may wait for any more, so that none is complained of."""
    if not future.cancelled():
        future.exception()
