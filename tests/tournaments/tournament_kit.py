"""Tournaments with real processes: files, bots, runs, and what a run leaves behind."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from oracle.verify import check_log
from support.processes import ended

ROOT = Path(__file__).parents[2]

SEED = "5e" * 32
TIMEOUT_S = 60
QUICK = {"join_ms": 20_000, "ready_ms": 20_000, "move_ms": 20_000, "bank_ms": 0}

_BOT = """
import os, signal, sys, time
from referee_bot import Action, run

def tell(*words):
    '''A line to whoever reads the pipe.'''
    with open(os.environ["TELL"], "a", encoding="utf-8") as pipe:
        pipe.write(" ".join(map(str, words)) + "\\n")

def first(turn):
    return turn.legal[0]

def on_match(call):
    '''For `run`: call a function with the id of every match that begins.'''
    return lambda event: call(event.match_started.match_id) if event.HasField("match_started") else None

"""


class Cup:
    """A tournament file in a folder of its own, and runs of it in processes that can be told from all others."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "cup.toml"
        self.out = folder / "out"
        self.mark = f"CUP_MARK={folder}"
        self.pipe = folder / "pipe"
        os.mkfifo(self.pipe)
        # Open at both ends, so that nobody who writes or reads it ever waits for the other side to come.
        self._told = os.fdopen(os.open(self.pipe, os.O_RDWR), "rb", buffering=0)
        paths = [str(ROOT), str(ROOT / "clients" / "python"), os.environ.get("PYTHONPATH", "")]
        self.env = os.environ | {
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "CUP_MARK": str(folder),
            "TELL": str(self.pipe),
            "COLUMNS": "80",
            "no_proxy": "*",
        }

    def bot(self, name: str, body: str = "run(first)") -> dict[str, Any]:
        """An entrant whose command is a Python program with this body."""
        path = self.folder / f"{name}.py"
        path.write_text(_BOT + textwrap.dedent(body) + "\n", encoding="utf-8")
        return {"name": name, "command": ["{python}", path.name]}

    def write(self, *entrants: dict[str, Any], **keys: Any) -> Cup:
        """Write the tournament file."""
        usual = {"name": "cup", "game": "domino-classico", "table": 2, "deals": 2, "seed": SEED, "clock": QUICK}
        values = usual | keys
        lines = [f"{key} = {_toml(value)}" for key, value in values.items() if value is not None]
        for entrant in entrants:
            lines += ["[[entrants]]", *(f"{key} = {_toml(value)}" for key, value in entrant.items())]
        self.file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return self

    def start(self, *args: str, out: Path | None = None, **options: Any) -> subprocess.Popen[str]:
        """Start a run, in a process group of its own."""
        words = ["tournament", "run", str(self.file), "--out", str(out or self.out), *args]
        return self.referee(*words, **options)

    def referee(self, *words: str, **options: Any) -> subprocess.Popen[str]:
        """Start the command line."""
        command = [sys.executable, "-m", "referee.cli.main", *words]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(
            command, env=self.env, cwd=self.folder, text=True, start_new_session=True, **(pipes | options)
        )

    def run(self, *args: str, status: int = 0, out: Path | None = None, **options: Any) -> str:
        """Run to the end: what stood on standard output. Nothing of the run is left."""
        return self.end(self.start(*args, out=out, **options), status)[0]

    def end(self, process: subprocess.Popen[str], status: int) -> tuple[str, str]:
        """Wait for the end of a run and of all that it started; its two outputs, without a traceback in either."""
        try:
            printed, said = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        assert process.returncode == status, (process.returncode, printed, said)
        assert "Traceback" not in printed + said, printed + said
        assert "Error" not in said, said
        wait_for(self.processes())
        assert self.processes() == {}
        return printed, said

    def asked(self, *words: str, status: int = 0) -> tuple[str, str]:
        """Run another command."""
        return self.end(self.referee(*words), status)

    def told(self) -> list[str]:
        """The next line that a bot has told, in words."""
        data = b""
        while not data.endswith(b"\n"):
            ready, _, _ = select.select([self._told], [], [], TIMEOUT_S)
            assert ready, "nobody tells anything"
            data += self._told.read(1)
        return data.decode().split()

    def processes(self) -> dict[int, str]:
        """The processes of this tournament: their commands, by id."""
        found = {}
        for folder in Path("/proc").iterdir():
            with suppress(OSError):
                if folder.name.isdigit() and self.mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                    found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        return found

    def standings(self, out: Path | None = None) -> dict[str, Any]:
        """What is in standings.json."""
        found: dict[str, Any] = json.loads(((out or self.out) / "standings.json").read_text(encoding="utf-8"))
        return found

    def faults(self) -> dict[str, dict[str, int]]:
        """The faults of those that have any."""
        entrants = self.standings()["entrants"]
        found = {one["name"]: {kind: count for kind, count in one["faults"].items() if count} for one in entrants}
        return {name: faults for name, faults in found.items() if faults}

    def logs(self) -> list[Path]:
        """The logs of the matches."""
        return sorted((self.out / "matches").iterdir())

    def check_logs(self, planned: int) -> None:
        """Every planned match has a log that verifies, deals and all, and that the oracle agrees with."""
        from referee.match.verify import verify

        assert len(self.logs()) == planned
        for path in self.logs():
            assert verify(path).deals_checked
            check_log(path)


def builtin(name: str, bot: str = "beginner") -> dict[str, Any]:
    """An entrant that is built in."""
    return {"name": name, "builtin": bot}


def events(path: Path) -> Iterator[dict[str, Any]]:
    """The events of a log."""
    return map(json.loads, path.read_bytes().splitlines())


def wait_for(processes: dict[int, str], timeout_s: float = 10) -> None:
    """Wait until these processes have ended."""
    for pid, command in processes.items():
        assert ended(pid, timeout_s), f"{command} has survived"


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)
