"""`referee serve --data` is killed with SIGKILL, and loses nothing."""

import os

import pytest
from crash_kit import drill


@pytest.mark.timeout(400)
@pytest.mark.parametrize("durability", ["process", "power"])
def test_kills_at_random_moments_lose_nothing_and_change_no_result(tmp_path, durability):
    """Every match goes on; no acknowledged action is lost; every result is that of a match that was never disturbed."""
    kills = int(os.environ.get("REFEREE_KILLS", "20")) // (1 if durability == "process" else 4)
    drill(tmp_path / "data", kills, 8, 6, "--durability", durability)
