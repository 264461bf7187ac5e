"""The wheel with compiled rules, built from the source as it stands and unpacked where it disturbs nobody."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def install_compiled(folder: Path) -> Path:
    """Build the wheel in a folder and install it there; what has to come first in `PYTHONPATH`.

    Raises:
        subprocess.CalledProcessError: it cannot be built, for instance for want of a C compiler.
    """
    # The compiler leaves what it makes beside the source, so it works on a copy.
    copy = folder / "source"
    for part in ("referee", "tournaments", "clients/python", "tests/conformance/scenarios"):
        shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / part, copy)
    environment = {**os.environ, "HATCH_BUILD_HOOK_ENABLE_MYPYC": "1"}
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    build = [*pip, "wheel", "--no-deps", "--wheel-dir", str(folder), str(copy)]
    subprocess.run(build, check=True, env=environment, stdin=subprocess.DEVNULL)
    wheel = next(folder.glob("*.whl"))
    target = folder / "site"
    subprocess.run([*pip, "install", "--no-deps", "--target", str(target), str(wheel)], check=True)
    return target
