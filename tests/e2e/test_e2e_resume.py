"""`referee serve --data` is killed with SIGKILL, and loses nothing."""

import contextlib
import os
import shutil
import signal
import subprocess

import grpc
import pytest
from crash_kit import SHAPES, Load, Server, check, drill

KILLS = int(os.environ.get("REFEREE_KILLS", "20"))


@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    ("words", "share"), [(["--durability", "process"], 1), (["--durability", "power"], 4), (["--processes", "2"], 5)]
)
def test_kills_at_random_moments_lose_nothing_and_change_no_result(tmp_path, words, share):
    """Every match goes on; no acknowledged action is lost; every result is that of a match that was never disturbed."""
    drill(tmp_path / "data", KILLS // share, 8, 6, *words)


@pytest.fixture
def small_disk(tmp_path):
    """A file system of its own with little room."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a file system")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_file_system_that_is_full_costs_nothing_but_time(tmp_path, small_disk):
    """Matches wait while there is no room, none is created, and all end as if there had always been room."""
    data = small_disk / "data"
    data.mkdir()
    ballast = small_disk / "ballast"
    server = Server(data, errors=tmp_path / "errors")
    server.start()
    load = Load(server.address, 4)
    try:
        assert load.acted.wait(30)
        with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while file.write(bytes(4096)):
                pass
        with pytest.raises(grpc.RpcError) as refused:
            load.create(*SHAPES[0])
        assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        while "match suspended" not in (tmp_path / "errors").read_text():
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.process.wait(0.05)
            assert server.process.poll() is None
        ballast.unlink()
        played = load.finish()
        assert sum(check(data, match) for match in played)
        server.kill(signal.SIGTERM)
    finally:
        load.stop()
        server.close()
