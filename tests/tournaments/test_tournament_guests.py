"""What a process of a cluster keeps from task to task, and what a task brings home; without a cluster."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from here_kit import begun, file_of

from tournaments import cluster
from tournaments.cluster import Away, Cluster, play_away
from tournaments.outputs import MOST_BYTES
from tournaments.player import MatchFailed, Player, Setting
from tournaments.schedule import PlannedMatch, Schedule
from tournaments.worker import Work

TWO = {"a": "beginner", "b": "medium"}


@pytest.fixture(autouse=True)
def guests() -> Iterator[dict[str, Any]]:
    """The guests of this process, of whom none is left."""
    yield cluster._guests
    for guest in cluster._guests.values():
        guest.close()
    cluster._guests.clear()


def work(setting: Setting, *numbers: int) -> list[Work]:
    """These deal sets, of which nothing has been played."""
    schedule = Schedule.of(setting.spec)
    return [Work(schedule.deal_set(number), schedule.deal_set(number)) for number in numbers]


def test_a_guest_knows_what_a_tournament_has_become(tmp_path: Path, guests: dict[str, Any]) -> None:
    """Of the same name, seed and folder: with an entrant more, and with an entrant who is another now."""
    setting = begun(tmp_path, file_of(TWO, "deals = 2")).setting(tmp_path)
    play_away(setting, work(setting, 0))
    first = guests[str(tmp_path)]
    play_away(setting, work(setting, 1))
    assert guests[str(tmp_path)] is first, "bots are kept from task to task"
    grown = begun(tmp_path, file_of(TWO | {"c": "expert"}, "deals = 2")).setting(tmp_path)
    number = next(
        number for number, sets in enumerate(Schedule.of(grown.spec).layers) if 2 in sets[0]
    )  # fmt: skip
    assert set(play_away(grown, work(grown, number)).logs) == {f"{number:07d}-0", f"{number:07d}-1"}
    second = guests[str(tmp_path)]
    assert second is not first
    assert not first._folder.exists()
    other = Setting(grown.spec, grown.seed, grown.folder, grown.base_dir, {**grown.identities, "c": "0" * 16})
    play_away(other, work(other, 0))
    assert guests[str(tmp_path)] is not second


def test_a_task_brings_home_its_own_logs_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not those of a task before it that failed halfway, nor of what was played before."""
    setting = begun(tmp_path, file_of(TWO, "deals = 3")).setting(tmp_path)
    play = Player.play

    async def fails(self: Player, planned: PlannedMatch) -> None:
        if planned.deal_set == 1:
            raise MatchFailed("no disk")
        await play(self, planned)

    monkeypatch.setattr(Player, "play", fails)
    monkeypatch.setattr("tournaments.worker.PAUSE_S", 0)
    with pytest.raises(MatchFailed):
        play_away(setting, work(setting, 0, 1))
    monkeypatch.setattr(Player, "play", play)
    (second,) = work(setting, 2)
    away = play_away(setting, [Work(second.matches, second.left[1:])])
    assert set(away.logs) == {"0000002-1"}
    assert away.incidents.count(b"no disk") == 3, "what has happened is told, once"
    assert play_away(setting, work(setting, 0)).incidents == b""


def test_what_bots_print_on_a_cluster_has_the_same_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many tasks bring some of it home."""
    setting = begun(tmp_path, file_of(TWO)).setting(tmp_path)
    home = object.__new__(Cluster)

    class Client:
        """A cluster that plays nothing, and in which bots print much."""

        def submit(self, *_: Any, **__: Any) -> "Client":
            return self

        def result(self) -> Away:
            return Away({}, {"a.log": b"x" * 99 + b"\n" + b"y" * (MOST_BYTES // 2) + b"\n"}, b"", 1.0)

        def release(self) -> None:
            """Nothing is kept."""

    monkeypatch.setattr(home, "_client", Client(), raising=False)
    monkeypatch.setattr(home, "_setting", setting, raising=False)
    for _ in range(5):
        asyncio.run(home.play([]))
    kept = (tmp_path / "bots" / "a.log").read_bytes()
    assert MOST_BYTES <= len(kept) < MOST_BYTES + 100
    assert kept.endswith(b"1 MiB is full ==\n")
