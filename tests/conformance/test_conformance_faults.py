"""Every scenario catches what it is there to catch, and nothing in a client that keeps every promise."""
# ruff: noqa: D103

import asyncio
import sys
from pathlib import Path

import pytest
from conformance.faulty_client import FAULTS

from referee.conformance.run import run_scenarios
from referee.conformance.scenario import load_scenarios

CLIENT = Path(__file__).with_name("faulty_client.py")
SCENARIOS = {scenario.name: scenario for scenario in load_scenarios()}
IMPATIENT = 0.3
"""A faulty client is not waited for as long as an honest one on a slow machine."""


def results_of(scenarios, fault, patience=1.0):
    """What comes of scenarios with the client that has this fault."""
    command = [sys.executable, str(CLIENT), *(["--fault", fault] if fault else [])]
    return run_scenarios(command, scenarios, 6, patience=patience)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_catches_its_faults(name):
    scenario = SCENARIOS[name]

    async def all_faults():
        return await asyncio.gather(*[results_of([scenario], fault, IMPATIENT) for fault in scenario.catches])

    found = asyncio.run(all_faults())
    missed = [fault for fault, (result,) in zip(scenario.catches, found, strict=True) if result.passed]
    assert scenario.catches
    assert not missed
    for (result,) in found:
        assert result.expected
        assert result.came


def test_a_client_without_a_fault_passes_every_scenario():
    results = asyncio.run(results_of(list(SCENARIOS.values()), ""))
    assert {result.name: (result.expected, result.came) for result in results if not result.passed} == {}
    assert {result.client for result in results if result.client} == {"faulty client"}


def test_every_fault_is_caught_somewhere():
    assert {fault for scenario in SCENARIOS.values() for fault in scenario.catches} == set(FAULTS)
