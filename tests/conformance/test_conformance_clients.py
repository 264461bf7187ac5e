"""Every client of this repository conforms; where its tools are missing it is skipped, but not in CI."""
# ruff: noqa: D103

import asyncio
import sys
from pathlib import Path

import pytest
from conformance.clients import ALL, CLIENTS, built

from referee.conformance.run import run_scenarios
from referee.conformance.scenario import load_scenarios

WITHOUT_A_NAME = {"real_wrong_token", "missing_address", "missing_token"}
"""Scenarios in which the client never comes to say who it is."""


def departures(command):
    """What a client does otherwise than it should, by scenario."""
    results = asyncio.run(run_scenarios(command, load_scenarios(), 6))
    assert all(result.client or result.name in WITHOUT_A_NAME for result in results)
    return {result.name: (result.expected, result.came, result.output) for result in results if not result.passed}


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("language", ALL)
def test_a_client_conforms(language):
    assert departures(built(language).command) == {}


def test_the_smallest_bot_conforms():
    assert departures([sys.executable, str(CLIENTS / "python" / "examples" / "first_legal_bot.py")]) == {}


def test_every_client_of_the_repository_is_tried():
    assert {path.name for path in Path(CLIENTS).iterdir() if (path / "README.md").is_file()} == set(ALL)
