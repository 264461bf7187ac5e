"""Makes logs outlast a loss of power: threads sync files in groups, while the event loop goes on."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, Protocol

AT_ONCE: Final = 16
"""So many files are synced side by side: the file system makes one commit of what comes together, not one a file."""

_FULL: Final = getattr(fcntl, "F_FULLFSYNC", None)


class Descriptor(Protocol):
    """A file that is open."""

    def fileno(self) -> int:
        """Its number. Raises `ValueError` when it is closed."""


def sync_file(file: Descriptor) -> None:
    """Wait until a file is on the disk itself. Raises `OSError`."""
    try:
        number = file.fileno()
    except ValueError as error:
        raise OSError(0, str(error)) from None
    if _FULL is not None:  # on macOS, where fsync leaves it in the drive's own memory
        fcntl.fcntl(number, _FULL)
    else:
        os.fsync(number)


def sync_folder(folder: Path) -> None:
    """Wait until the names of a folder's files are on the disk. Raises `OSError`."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


class Syncer:
    """Syncs files for many matches: what is asked for while a group is being synced makes the next group.

    Args:
        sync: syncs one file.
    """

    def __init__(self, sync: Callable[[Descriptor], None] = sync_file) -> None:
        self._sync = sync
        self._waiting: dict[Descriptor, asyncio.Future[None]] = {}
        self._busy = False
        self._pool = ThreadPoolExecutor(1, "sync")
        self._side_by_side = ThreadPoolExecutor(AT_ONCE, "sync one")

    async def sync(self, file: Descriptor) -> None:
        """Wait until what has been written to a file so far is safe. Raises `OSError`."""
        loop = asyncio.get_running_loop()
        future = self._waiting.get(file)
        if future is None:
            future = self._waiting[file] = loop.create_future()
        if not self._busy:
            self._next_group(loop)
        # Several may wait for one file: the one that gives up must not take it from the others.
        await asyncio.shield(future)

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown(wait=False)
        self._side_by_side.shutdown(wait=False)

    def _next_group(self, loop: asyncio.AbstractEventLoop) -> None:
        group, self._waiting = self._waiting, {}
        self._busy = True
        done = loop.run_in_executor(self._pool, self._sync_all, list(group))
        done.add_done_callback(lambda done: self._synced(loop, group, done))

    def _sync_all(self, files: list[Descriptor]) -> list[OSError | None]:
        return list(self._side_by_side.map(self._problem, files))

    def _problem(self, file: Descriptor) -> OSError | None:
        try:
            self._sync(file)
        except OSError as error:
            return error
        return None

    def _synced(
        self,
        loop: asyncio.AbstractEventLoop,
        group: dict[Descriptor, asyncio.Future[None]],
        done: asyncio.Future[list[OSError | None]],
    ) -> None:
        for future, problem in zip(group.values(), done.result(), strict=True):
            if problem is None:
                future.set_result(None)
            else:
                future.set_exception(problem)
                future.exception()  # whoever waited may be gone
        self._busy = False
        if self._waiting:
            self._next_group(loop)
