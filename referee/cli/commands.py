"""Commands of bots, as words from outside: what can be seen to be wrong with them before anything is started."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

_SCRIPTS = (".py", ".sh", ".js", ".mjs", ".ts", ".rb", ".jar")
"""A word of a command that ends so names a file, which has to be there."""


def command_problem(argv: Sequence[str], base_dir: Path) -> str | None:
    """What is wrong with a command that would be run in a folder; None if nothing is seen to be."""
    program, *words = argv
    if shutil.which(base_dir / program if "/" in program else program) is None:
        return f"{program!r} is no program that can be executed"
    for word in words:
        if _names_file(word) and not _there(base_dir / word):
            return f"{word!r} is not there; files are looked for from {base_dir.resolve()}"
    return None


def _names_file(word: str) -> bool:
    """Whether a word of a command can only name a file: a script, or a path, and no option, URL or list of paths."""
    if word.startswith("-") or any(one.isspace() or one in ":=" for one in word):
        return False
    return word.endswith(_SCRIPTS) or "/" in word


def _there(path: Path) -> bool:
    """Whether there is a file or a folder of this name; True where that cannot be known."""
    try:
        path.stat()
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return True
