"""What runs in a worker process: deal sets, played one after the other."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.util import Finalize
from typing import Final, NamedTuple

from referee.match.deal import set_seed
from referee.processes.bot_process import StartError
from tournaments.faults import Breakdown
from tournaments.incidents import note_again
from tournaments.outcome import read_result, reveal
from tournaments.player import MatchFailed, Player, Setting
from tournaments.result import MatchResult
from tournaments.schedule import DealSet, PlannedMatch

TRIES: Final = 3
"""So often a match that fails for no fault of a bot is played."""

PAUSE_S: Final = 0.3
"""So long it waits before it is played again (seconds): what the machine has lacked may be there by then."""

_worker: Worker | None = None


class Work(NamedTuple):
    """A deal set to be finished.

    Attributes:
        matches: all its matches.
        left: those still to be played.
    """

    matches: DealSet
    left: DealSet


async def play_sets(
    player: Player,
    setting: Setting,
    sets: Sequence[Work],
    done: Callable[[MatchResult], None],
    reveals: bool = True,
) -> None:
    """Play what is left of some deal sets; with ``reveals``, reveal the seed of each once its last match is done.

    Raises:
        MatchFailed: a match failed `TRIES` times.
        StartError: a bot's command cannot be started, tried as often.
    """
    for work in sets:
        for planned in work.left:
            done(await _result_of(player, setting, planned))
        if reveals and setting.spec.duplicate:
            reveal_set(setting, work.matches)


async def _result_of(player: Player, setting: Setting, planned: PlannedMatch) -> MatchResult:
    """Play a match until it counts, at most `TRIES` times. Raises `MatchFailed` or `StartError`."""
    for tries_left in reversed(range(TRIES)):
        try:
            await player.play(planned)
            result = read_result(setting.folder, planned, setting.sides)
            if result is not None:
                return result
            raise MatchFailed(f"{planned.id}: the match was aborted", Breakdown.REFEREE)
        except (MatchFailed, StartError) as failed:
            # That a command is there was seen before the run: a bot that cannot be started is for want of something.
            cause = failed.cause if isinstance(failed, MatchFailed) else Breakdown.HOST
            note_again(setting.folder, planned.id, cause, str(failed))
            if not tries_left:
                raise
            await asyncio.sleep(PAUSE_S)
    raise AssertionError("unreachable: the last try returns or raises")


def reveal_set(setting: Setting, matches: DealSet) -> None:
    """Reveal the seed of a deal set, all of whose matches are done."""
    reveal(setting.folder, matches, set_seed(setting.seed, matches[0].deal_set))


@dataclass(frozen=True, slots=True)
class Played:
    """What a task came to.

    Attributes:
        results: the results, in the order of play.
        seconds: how long it took.
    """

    results: list[MatchResult]
    seconds: float


class Worker:
    """The state of a worker process: its event loop and its player, with the bots that it keeps."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._loop = asyncio.new_event_loop()
        self._player = Player(setting)

    def play(self, sets: Sequence[Work]) -> Played:
        """Play deal sets. Raises what `play_sets` does."""
        results: list[MatchResult] = []
        begun = time.monotonic()
        self._loop.run_until_complete(play_sets(self._player, self._setting, sets, results.append))
        return Played(results, time.monotonic() - begun)

    def kill(self) -> None:
        """Kill the bots, as the last thing that this process does."""
        self._player.kill()

    def close(self) -> None:
        """End the bots."""
        self._loop.run_until_complete(self._player.close())
        self._loop.close()


def start(setting: Setting) -> None:
    """Make this process a worker: the main process alone hears Ctrl-C, and when it is gone, so are we."""
    global _worker  # noqa: PLW0603  (a process of a pool has no other place for what it keeps between tasks)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGTERM, _stop)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _worker = Worker(setting)
    # A process of a pool ends without running `atexit`.
    Finalize(None, _worker.close, exitpriority=1)


@contextlib.contextmanager
def deaf() -> Iterator[None]:
    """Start processes in here that do not hear Ctrl-C while they are not yet workers (see `start`)."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _stop(_number: int, _frame: object) -> None:
    """End at once, whatever is being played, and the bots first."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        if _worker is not None:
            _worker.kill()
    finally:
        os._exit(1)


def _end_with(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)


def play(sets: Sequence[Work]) -> Played:
    """Play deal sets in this worker."""
    assert _worker is not None
    return _worker.play(sets)
