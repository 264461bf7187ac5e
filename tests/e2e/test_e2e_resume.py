"""`referee serve --data` is killed with SIGKILL, and loses nothing."""

import os

import pytest
from crash_kit import drill

KILLS = int(os.environ.get("REFEREE_KILLS", "20"))


@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    ("words", "share"), [(["--durability", "process"], 1), (["--durability", "power"], 4), (["--processes", "2"], 5)]
)
def test_kills_at_random_moments_lose_nothing_and_change_no_result(tmp_path, words, share):
    """Every match goes on; no acknowledged action is lost; every result is that of a match that was never disturbed."""
    drill(tmp_path / "data", KILLS // share, 8, 6, *words)
