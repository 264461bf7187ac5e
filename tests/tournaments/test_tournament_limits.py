"""Limits of bots' processes: read from the file, laid on every kind of process, and counted as the bot's own fault."""

import asyncio
import json
import os
import sys

import pytest
from tournament_kit import Cup, builtin

from referee.processes.bot_process import BotProcess, Reaper
from referee.processes.nursery import Nursery
from tournaments.entrants import identity
from tournaments.spec import SpecError, load
from tournaments.supervision import LimitSpec, in_force

SHOW = """
import json, resource
kinds = (resource.RLIMIT_DATA, resource.RLIMIT_CPU, resource.RLIMIT_NOFILE)
print(json.dumps([resource.getrlimit(kind) for kind in kinds]))
"""
GREEDY = "run(lambda turn: (bytearray(900 << 20), first(turn))[1])"
BUSY = """
def spin(turn):
    while True:
        pass
run(spin)
"""


@pytest.fixture
def cup(tmp_path):
    """A tournament that is still to be written."""
    return Cup(tmp_path)


@pytest.mark.parametrize("forked", [True, False])
def test_a_process_has_its_limits_before_its_code_runs(tmp_path, forked):
    """Forked from the nursery or started as any command: memory in bytes, seconds and files, soft and hard."""
    (tmp_path / "show.py").write_text(SHOW)

    async def run():
        reaper, nursery = Reaper(), Nursery({})
        command = [sys.executable, "show.py"] if forked else [sys.executable, "-u", "show.py"]
        process = await BotProcess.start(
            command,
            name="b",
            address="",
            token="",
            output=tmp_path / "out",
            reaper=reaper,
            nursery=nursery,
            cwd=tmp_path,
            limits={"memory_mb": 300, "cpu_s": 50, "open_files": 40},
        )
        await process.ended()
        await process.end()
        await nursery.close()
        reaper.close()

    asyncio.run(run())
    assert json.loads((tmp_path / "out").read_text()) == [[300 << 20] * 2, [50] * 2, [40] * 2]


def test_a_bot_beyond_its_limits_loses_its_own_matches_only(cup):
    """Memory for all, processor time for one: each ends the bot, is counted as its crash, and explained."""
    busy = cup.bot("busy", BUSY) | {"limits": {"cpu_s": 2}}
    cup.write(cup.bot("greedy", GREEDY), busy, builtin("good"), deals=1, limits={"memory_mb": 600}, duplicate=False)
    cup.run("--workers", "3")
    cup.check_logs(3)
    assert {name: set(faults) for name, faults in cup.faults().items()} == {"greedy": {"crashed"}, "busy": {"crashed"}}
    assert "MemoryError" in (cup.out / "bots" / "greedy.log").read_text()
    killed = (cup.out / "bots" / "busy.log").read_text()
    assert "crashed: its process was ended by SIG" in killed


def test_a_pinned_bot_runs_on_one_processor(cup):
    """One of those that the runner may use; who is not pinned may use them all."""
    shows = "tell(*sorted(os.sched_getaffinity(0)))\nrun(first)"
    free = cup.bot("free", shows) | {"limits": {"pin": False}}
    cup.write(cup.bot("pinned", shows), free, deals=1, duplicate=False, limits={"pin": True})
    cup.run("--workers", "1")
    told = [{int(word) for word in cup.told()} for _ in range(2)]
    usable = os.sched_getaffinity(0)
    assert sorted(map(len, told)) == sorted([1, len(usable)])
    assert min(told, key=len) <= usable
    assert max(told, key=len) == usable


def test_where_a_bot_cannot_be_pinned_it_is_said(cup, monkeypatch):
    """On a system without the call: one line that names the key."""
    cup.write(cup.bot("a"), builtin("b"), limits={"pin": True})
    monkeypatch.delattr(os, "sched_setaffinity")
    with pytest.raises(SpecError, match=r"limits\.pin: is not possible on this system"):
        load(cup.file)


def test_limits_are_read_and_an_entrants_own_come_first(cup):
    """What it does not limit itself is as in the tournament; its own are part of who it is."""
    bot = cup.bot("a")
    spec = load(
        cup.write(bot | {"limits": {"cpu_s": 5}}, bot | {"name": "b"}, limits={"cpu_s": 9, "memory_mb": 64}).file
    )
    assert in_force(spec.limits, spec.entrants[0].limits) == LimitSpec(cpu_s=5, memory_mb=64)
    assert in_force(spec.limits, spec.entrants[1].limits) == spec.limits
    one, other = (identity(entrant, cup.folder) for entrant in spec.entrants)
    assert one != other


@pytest.mark.parametrize(
    ("keys", "limits", "said"),
    [
        ({}, {"memory": 5}, "limits.memory"),
        ({}, {"memory_mb": 1}, "limits.memory_mb"),
        ({}, {"cpu_s": 0.5}, "limits.cpu_s"),
        ({}, 5, "limits"),
        ({}, {"pin": 1}, "limits.pin"),
        ({"builtin": "medium", "command": None}, {"cpu_s": 5}, "entrants[0].limits"),
    ],
)
def test_limits_that_are_none_are_refused(cup, keys, limits, said):
    """Naming the key and what would be right."""
    entrant = {key: value for key, value in (cup.bot("a") | keys).items() if value is not None}
    own = {"limits": limits} if keys else {}
    general = {} if keys else {"limits": limits}
    with pytest.raises(SpecError) as refused:
        load(cup.write(entrant | own, builtin("b"), **general).file)
    assert refused.value.key == said
