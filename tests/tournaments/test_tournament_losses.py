"""Workers that are lost: how often that may happen before a run gives up."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest
from here_kit import Here, begun, file_of

from tournaments.executors import LOSSES, Processes, WorkersLost
from tournaments.folder import State
from tournaments.player import Setting
from tournaments.runner import RunFailed, Runner
from tournaments.worker import Played, Work

FILE = file_of({"a": "beginner", "b": "beginner"}, "deals = 40")


class Fragile(Here):
    """An executor in this process that is lost as often as it is told.

    Args:
        setting: the tournament.
        lost: whether a task is lost, given how many were handed out before it.
        first: see `WorkersLost`, given the same.
    """

    size = 3

    def __init__(self, setting: Setting, lost: Callable[[int], bool], first: Callable[[int], bool]) -> None:
        super().__init__(setting)
        self._lost, self._first = lost, first
        self.tasks = 0

    async def play(self, sets: list[Work]) -> Played:
        """Play, or be lost."""
        self.tasks += 1
        number = self.tasks - 1
        await asyncio.sleep(0)
        if self._lost(number):
            raise WorkersLost("worker processes died", self._first(number))
        return await super().play(sets)


@pytest.fixture
def state(tmp_path: Path) -> State:
    """A tournament of 80 matches."""
    return begun(tmp_path, FILE)


def run(
    state: State, folder: Path, lost: Callable[[int], bool], first: Callable[[int], bool]
) -> tuple[Runner, Fragile]:
    """Run the tournament; raises what the run does."""
    executor = Fragile(state.setting(folder), lost, first)
    runner = Runner(state, folder, executor=executor)
    asyncio.run(runner.run())
    return runner, executor


def test_all_tasks_that_one_dead_worker_takes_with_it_are_one_loss(tmp_path: Path, state: State) -> None:
    """Three workers have six tasks: more than the losses that are allowed, and the run goes on all the same."""
    runner, _ = run(state, tmp_path, lambda number: number < 6, lambda number: number == 0)
    assert runner.standings.matches_played == 80


def test_losses_count_only_while_nothing_is_played(tmp_path: Path, state: State) -> None:
    """Every second task is lost, far more than are allowed in a row."""
    runner, executor = run(state, tmp_path, lambda number: number % 2 == 0, lambda number: True)
    assert runner.standings.matches_played == 80
    assert executor.tasks > 2 * LOSSES


def test_a_run_gives_up_where_workers_are_lost_again_and_again(tmp_path: Path, state: State) -> None:
    """As often as allowed, and not for ever."""
    with pytest.raises(RunFailed, match=f"worker processes died {LOSSES} times; what was played is kept"):
        run(state, tmp_path, lambda number: True, lambda number: True)


class Broken:
    """A pool whose workers are dead."""

    def submit(self, *_: Any) -> Future[Played]:
        """A task that is lost."""
        future: Future[Played] = Future()
        future.set_exception(BrokenProcessPool())
        return future

    def shutdown(self, **_: Any) -> None:
        """Nothing is left to stop."""


def test_a_broken_pool_says_so_first_once(tmp_path: Path, state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the tasks that had the same pool one is the first; the next pool has one again."""
    monkeypatch.setattr(Processes, "_new_pool", lambda self: Broken())
    processes = Processes(state.setting(tmp_path), 3)

    async def lost() -> list[bool]:
        found = await asyncio.gather(*(processes.play([]) for _ in range(4)), return_exceptions=True)
        return [one.first for one in found if isinstance(one, WorkersLost)]

    assert sorted(asyncio.run(lost())) == [False, False, False, True]
    assert sorted(asyncio.run(lost())) == [False, False, False, True]
