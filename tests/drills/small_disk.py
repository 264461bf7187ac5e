"""The log's file system is full for a while, which costs nothing but time."""

from __future__ import annotations

import contextlib
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from tests.drills.load import SHAPES, Load, check_all
from tests.drills.row import CannotRun, Row
from tests.drills.server import Server


@contextlib.contextmanager
def mounted(folder: Path) -> Iterator[Path]:
    """A file system of its own with little room. Raises `CannotRun`."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        raise CannotRun("needs the right to mount a file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def rows(full: bool) -> list[Row]:
    """The rows of this drill."""
    with tempfile.TemporaryDirectory() as name, mounted(Path(name) / "small") as disk:
        return [_drill(Path(name), disk, 5 if full else 1)]


def _drill(folder: Path, disk: Path, times: int) -> Row:
    """Matches wait while there is no room, none is created, and all end as if there had always been room."""
    data = disk / "data"
    data.mkdir()
    server = Server(data, errors=folder / "errors")
    server.start()
    load = Load(server.address, 4)
    waited_s = []
    try:
        for _ in range(times):
            load.acted.clear()
            assert load.acted.wait(30), "nobody has acted since there is room again"
            before = _suspended(server)
            _fill(disk / "ballast")
            with pytest.raises(grpc.RpcError) as refused:
                load.create(*SHAPES[0])
            assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            _until_suspended(server, before)
            (disk / "ballast").unlink()
            load.acted.clear()
            begun = time.monotonic()
            assert load.acted.wait(30), "nobody has acted since there is room again"
            waited_s.append(time.monotonic() - begun)
        load.finish()
        server.kill(signal.SIGTERM)
    finally:
        load.stop()
        server.close()
    actions = check_all(data, load.played)
    done = f"{times} times full, {len(load.played)} matches"
    figure = f"{actions} acknowledged actions, 0 lost; goes on {max(waited_s):.1f} s after there is room"
    return Row("log on a full file system", done, figure, "0 lost, 0 changed", True)


def _fill(ballast: Path) -> None:
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(4096)):
            pass


def _suspended(server: Server) -> int:
    """How often the server has said of a match that it waits."""
    return server.errors.read_text().count("match suspended")


def _until_suspended(server: Server, more_than: int) -> None:
    """Wait until the server has said so again."""
    process, end = server.process, time.monotonic() + 30
    assert process is not None
    while _suspended(server) <= more_than:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.05)
        assert process.poll() is None, "the server has ended by itself"
        assert time.monotonic() < end, "no match was suspended"
