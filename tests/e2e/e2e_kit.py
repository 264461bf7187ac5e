"""The real command line in processes of its own."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from oracle.verify import check_log

from referee.match.log import read_log
from referee.match.verify import verify

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "clients" / "python" / "examples"
REFEREE = [sys.executable, "-m", "referee.cli.main"]
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("REFEREE_")},
    "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "clients" / "python")]),
    "PYTHONUNBUFFERED": "1",
}
PATIENCE_S = 30.0


def bot(example: str = "first_legal_bot", *words: str) -> str:
    """The seat of a bot process: one of the SDK's examples."""
    return f"cmd:{sys.executable} {EXAMPLES / example}.py {' '.join(words)}".strip()


def script(folder: Path, text: str) -> str:
    """The seat of a bot process that runs this Python text."""
    path = folder / "bot.py"
    path.write_text(text)
    return f"cmd:{sys.executable} {path}"


def referee(*words: str, timeout_s: float = 60.0, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the referee to its end."""
    return subprocess.run(
        [*REFEREE, *words], capture_output=True, text=True, timeout=timeout_s, env=ENVIRONMENT, check=False, **options
    )


class Running:
    """The referee, running: its lines are waited for."""

    def __init__(self, *words: str, **options: Any) -> None:
        self.process = subprocess.Popen(
            [*REFEREE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT, bufsize=0, **options
        )
        self._pending = b""

    def line(self, pattern: str) -> re.Match[str]:
        """The next line of its output in which this is found."""
        assert self.process.stdout is not None
        end = time.monotonic() + PATIENCE_S
        while True:
            text, newline, self._pending = self._pending.partition(b"\n")
            if newline:
                if found := re.search(pattern, text.decode()):
                    return found
                continue
            self._pending = text
            ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, end - time.monotonic()))
            data = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            assert data, f"no line with {pattern!r}; stderr: {self._errors()}"
            self._pending += data

    def _errors(self) -> str:
        self.process.kill()
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()

    def end(self) -> tuple[int, str, str]:
        """Wait for its end: its exit status and what it has written since to both outputs."""
        out, err = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, (self._pending + out).decode(), err.decode()

    def close(self) -> None:
        """Leave nothing running."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


def checked(path: Path) -> list[dict[str, Any]]:
    """The events of a log that verifies and agrees with the oracle."""
    verify(path)
    check_log(path)
    return list(read_log(path))
