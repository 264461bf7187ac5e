"""The clients of this repository: what each needs, how it is built, and how its random bot is run."""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLIENTS = ROOT / "clients"
BUILD_S = 900
"""The first build may have to download what it needs."""


def tool(*command, **environment):
    """Run a tool in the repository's root; what it prints is what the failure says."""
    ended = subprocess.run(
        command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=False, timeout=BUILD_S
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


@contextmanager
def alone(lock):
    """One test process at a time: with the tests of the client itself, too, which take the same lock."""
    lock.parent.mkdir(exist_ok=True)
    with lock.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def build_go():
    """Build the Go bots."""
    with alone(CLIENTS / "go" / "build" / ".lock"):
        tool("go", "build", "-C", "clients/go", "-p", "2", "-o", "build/", "./examples/...")


def build_rust():
    """Build the Rust bots."""
    target = CLIENTS / "rust" / "target"
    with alone(target / ".lock-of-tests"):
        environment = {"CARGO_BUILD_JOBS": "2", "CARGO_TARGET_DIR": str(target)}
        tool("cargo", "build", "--locked", "--manifest-path", "clients/rust/Cargo.toml", "--examples", **environment)


def build_cpp():
    """Build the C++ bots."""
    with alone(CLIENTS / "cpp" / "build" / ".lock"):
        tool("cmake", "-S", "clients/cpp", "-B", "clients/cpp/build")
        tool("cmake", "--build", "clients/cpp/build")


def build_java():
    """Build the Java bots, unless they are newer than all they are made from."""
    client = CLIENTS / "java"
    built = client / "target" / "built-by-tests"
    with alone(client / "target" / "lock-of-tests"):
        folders = [client / "src", client / "examples", ROOT / "proto"]
        sources = [client / "pom.xml", *(path for folder in folders for path in folder.rglob("*.*"))]
        if not built.exists() or built.stat().st_mtime < max(path.stat().st_mtime for path in sources):
            tool("mvn", "-B", "-q", "-f", "clients/java", "package")
            built.touch()


def build_typescript():
    """Build the TypeScript bots, unless they are newer than all they are made from."""
    client = CLIENTS / "typescript"
    bot = client / "dist" / "examples" / "random_bot.js"
    with alone(client / "package.json"):
        folders = [client / "src", client / "examples", ROOT / "proto"]
        sources = [client / "package-lock.json", *(path for folder in folders for path in folder.rglob("*.*"))]
        sources = [path for path in sources if client / "src" / "gen" not in path.parents]
        if not bot.exists() or bot.stat().st_mtime < max(path.stat().st_mtime for path in sources):
            tool("npm", "ci", "--prefix", "clients/typescript")


@dataclass(frozen=True)
class Client:
    """A client: the tools that it needs, what builds it, and its random bot."""

    tools: tuple[str, ...]
    build: Callable[[], None]
    command: tuple[str, ...]

    def missing(self):
        """The first tool that is not there, if any."""
        return next((tool for tool in self.tools if shutil.which(tool) is None), None)


JAVA = CLIENTS / "java" / "target"
ALL = {
    "python": Client((), lambda: None, (sys.executable, str(CLIENTS / "python" / "examples" / "random_bot.py"))),
    "typescript": Client(
        ("node", "npm"), build_typescript, ("node", str(CLIENTS / "typescript" / "dist" / "examples" / "random_bot.js"))
    ),
    "go": Client(("go",), build_go, (str(CLIENTS / "go" / "build" / "random_bot"),)),
    "java": Client(
        ("mvn", "javac", "java"),
        build_java,
        (
            *("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
            *("-cp", f"{JAVA / 'referee-bot-all.jar'}:{JAVA / 'examples'}", "RandomBot"),
        ),
    ),
    "rust": Client(
        ("cargo", "rustc"), build_rust, (str(CLIENTS / "rust" / "target" / "debug" / "examples" / "random_bot"),)
    ),
    "cpp": Client(
        ("cmake", "c++", "protoc", "grpc_cpp_plugin"), build_cpp, (str(CLIENTS / "cpp" / "build" / "random_bot"),)
    ),
}


def built(language):
    """A client, built; where a tool is missing, the test is skipped, but not in CI."""
    client = ALL[language]
    if tool := client.missing():
        reason = f"the {language} client needs `{tool}`, which is not on the PATH"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    client.build()
    return client
