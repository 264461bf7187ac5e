"""A tournament as a user sees it: on a terminal, and in numbers that do not grow."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TIMEOUT_S = 60
FILE = """
name = "{name}"
game = "domino-classico"
deals = {deals}
seed = "{seed}"
table = 2
format = {{ kind = "single" }}
[[entrants]]
name = "a name of sixty-four characters, the most that there are allowed"
builtin = "beginner"
[[entrants]]
name = "[bold]b[/bold] :smile:"
builtin = "beginner"
"""
MEASURED = """
import resource, sys
from referee.cli.main import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
    print(resource.getrusage(who).ru_maxrss, file=sys.stderr)
"""


@pytest.fixture
def env():
    """The environment of a user with the referee installed."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "TERM": "xterm-256color"}


def written(folder, deals):
    """A tournament file of so many deal sets."""
    path = folder / f"{deals}.toml"
    path.write_text(FILE.format(name=f"{deals} deals", deals=deals, seed="5e" * 32))
    return str(path)


def on_terminal(words, env):
    """What a terminal of eighty columns is sent, and the exit status."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env=env, start_new_session=True)
    os.close(theirs)
    shown = b""
    while select.select([ours], [], [], TIMEOUT_S)[0]:
        try:
            shown += os.read(ours, 1 << 16)
        except OSError:
            break
    os.close(ours)
    return shown.decode(), process.wait(TIMEOUT_S)


@pytest.mark.parametrize("colour", [True, False])
def test_a_run_on_a_terminal(tmp_path, env, colour):
    """The standings fit eighty columns, names are taken as they are, NO_COLOR is respected, the cursor comes back."""
    words = [sys.executable, "-m", "referee.cli.main", "tournament", "run", written(tmp_path, 3)]
    env = env | {"COLUMNS": "80"} | ({} if colour else {"NO_COLOR": "1"})
    shown, status = on_terminal([*words, "--out", str(tmp_path / "out")], env)
    assert status == 0
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")
    coloured = re.findall(r"\x1b\[[\d;]*(?:3\d|4\d|9\d)(?:;[\d;]*)?m", shown)
    assert colour or not coloured
    table = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", shown).replace("\r", "").splitlines()
    # A digest and a folder's name are as long as they are.
    table = [line for line in table if not line.startswith(("commitment", "the report and the standings"))]
    assert "3 deals: domino-classico, 6 of 6 matches" in "\n".join(table)
    assert "[bold]b[/bold] :smile:" in "\n".join(table)
    assert max(len(line.rstrip()) for line in table[-8:]) <= 80


def test_memory_does_not_grow_with_the_matches(tmp_path, env):
    """Ten times the matches, planned and finished, take no more memory, in the runner or in a worker."""
    most = []
    for deals in (100, 1_000):
        words = [sys.executable, "-c", MEASURED, "tournament", "run", written(tmp_path, deals)]
        begun = time.monotonic()
        done = subprocess.run(
            [*words, "--out", str(tmp_path / str(deals)), "--workers", "2"],
            env=env, capture_output=True, text=True, check=True,
        )  # fmt: skip
        print(f"{2 * deals} matches: {(time.monotonic() - begun) * 500 / deals:.1f} ms a match")
        assert f"{2 * deals} of {2 * deals} matches" in done.stdout
        most.append([int(line) for line in done.stderr.split()[-2:]])
    for few, many in zip(*most, strict=True):
        assert many < few + 4_096, most
