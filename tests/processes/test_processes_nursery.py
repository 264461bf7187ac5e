"""Python bots are forked from a process that has imported what they need, and do not notice."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from referee.processes.bot_process import MARK, BotProcess, Reaper
from referee.processes.nursery import Forked, Nursery

SCRIPT = """
import json, os, signal, sys
import neighbour
print(json.dumps({
    "name": __name__, "argv": sys.argv, "cwd": os.getcwd(), "bot": os.environ["REFEREE_NAME"],
    "leader": os.getsid(0) == os.getpid(), "interrupt": signal.getsignal(signal.SIGINT) is signal.default_int_handler,
    "input": sys.stdin.read(), "neighbour": neighbour.WORD,
}))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a script and a module beside it."""
    (tmp_path / "bot.py").write_text(SCRIPT)
    (tmp_path / "neighbour.py").write_text("WORD = 'here'")
    (tmp_path / "fails.py").write_text("def f():\n    raise ValueError('boom')\nf()\n")
    (tmp_path / "exits.py").write_text("import atexit, sys\natexit.register(print, 'bye')\nsys.exit(7)\n")
    return tmp_path


def run(folder: Path, *commands: Sequence[str]) -> list[tuple[int | None, str]]:
    """Run scripts one after the other in one nursery: the exit status and output of each."""

    async def main() -> list[tuple[int | None, str]]:
        reaper = Reaper()
        nursery = Nursery({MARK: reaper.mark})
        found = []
        for number, command in enumerate(commands):
            output = folder / f"{number}.out"
            process = await BotProcess.start(
                [sys.executable, *command],
                name=f"bot {number}",
                address="",
                token="",
                output=output,
                reaper=reaper,
                nursery=nursery,
                cwd=folder,
            )
            await process.ended()
            told: list[str] = []
            process.on_exit(told.append)
            found.append((int(told[0].rsplit(" ", 1)[1]), output.read_text()))
            await process.end()
        await nursery.close()
        reaper.close()
        return found

    return asyncio.run(main())


def test_a_forked_bot_sees_what_it_would_see_if_it_had_been_started(folder: Path) -> None:
    """Name, arguments, folder, environment, session, signals, input and neighbouring modules are a script's own."""
    for status, output in run(folder, ["bot.py"], ["bot.py", "--deep"]):
        assert status == 0
        told = json.loads(output)
        number = told["bot"].removeprefix("bot ")
        assert told == {
            "name": "__main__",
            "argv": ["bot.py"] if number == "0" else ["bot.py", "--deep"],
            "cwd": str(folder.resolve()),
            "bot": f"bot {number}",
            "leader": True,
            "interrupt": True,
            "input": "",
            "neighbour": "here",
        }


def test_a_forked_bot_that_fails_shows_its_own_traceback_only(folder: Path) -> None:
    """The author of a bot reads where the bot went wrong, and nothing of how it was started."""
    [(status, output), (left, said)] = run(folder, ["fails.py"], ["exits.py"])
    assert status == 1
    assert output.endswith("ValueError: boom\n")
    assert "fails.py" in output
    assert "nursery" not in output
    assert "runpy" not in output
    assert (left, said) == (7, "bye\n")


def test_only_scripts_for_our_own_interpreter_are_forked(folder: Path) -> None:
    """Other commands are started as they are."""
    assert Nursery.takes([sys.executable, "bot.py"], folder)
    assert not Nursery.takes([sys.executable, "-u", "bot.py"], folder)
    assert not Nursery.takes([sys.executable, "missing.py"], folder)
    assert not Nursery.takes(["/usr/bin/other-python", "bot.py"], folder)


CANNOT_FORK_TWICE = """
import os, sys
if "referee.processes.nursery" in sys.orig_argv:
    fork, forks = os.fork, iter([True, False, True])
    def once():
        if not next(forks):
            raise BlockingIOError(11, "Resource temporarily unavailable")
        return fork()
    os.fork = once
"""


def test_where_there_is_no_room_for_another_process_the_bots_that_run_go_on(folder: Path) -> None:
    """The one that cannot be started is an `OSError`; the nursery, the bot before it and the one after it live."""
    (folder / "sitecustomize.py").write_text(CANNOT_FORK_TWICE)
    (folder / "waits.py").write_text("import signal\nsignal.pause()\n")
    argv = [sys.executable, str(folder / "waits.py")]

    async def main() -> None:
        paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
        nursery = Nursery({"PYTHONPATH": os.pathsep.join(paths)})

        async def fork(name: str) -> Forked:
            return await nursery.fork(argv, dict(os.environ), folder, folder / f"{name}.out", {})

        first = await fork("first")
        with pytest.raises(BlockingIOError):
            await fork("second")
        third = await fork("third")
        for bot in (first, third):
            assert bot.returncode is None
            os.kill(bot.pid, signal.SIGKILL)
            assert await asyncio.wait_for(bot.wait(), 20) == -signal.SIGKILL
        await nursery.close()

    asyncio.run(main())
