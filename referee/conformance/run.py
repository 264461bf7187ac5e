"""The run: every scenario, several at a time, each with a client of its own."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from referee.conformance.client import Client
from referee.conformance.director import DepartureError, Director
from referee.conformance.endpoint import Endpoint
from referee.conformance.real import RealMatches
from referee.conformance.scenario import Scenario
from referee.processes.bot_process import Reaper
from referee.server.tokens import new_token

LIMIT_S: Final = 100.0
"""No scenario may take longer."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a scenario.

    Attributes:
        name: the scenario.
        promise: what a client does in it.
        game: what was played.
        passed: whether it did.
        expected: what it should have done where it went wrong; empty if it passed.
        came: what it did there; if it passed, what it did in all.
        seconds: how long it took.
        client: the SDK, as it said.
        version: the bot's version, as it said.
        output: the end of what it printed.
    """

    name: str
    promise: str
    game: str
    passed: bool
    expected: str
    came: str
    seconds: float
    client: str
    version: str
    output: str


async def run_scenarios(
    command: Sequence[str],
    scenarios: Sequence[Scenario],
    jobs: int,
    heard: Callable[[Result], None] | None = None,
    patience: float = 1.0,
) -> list[Result]:
    """Lead a client through scenarios.

    Args:
        command: what starts the client.
        scenarios: the scenarios.
        jobs: how many at a time.
        heard: told of each result when it is there.
        patience: how long to wait for the client, as a multiple of what is fair.

    Returns:
        The results, in the order of the scenarios.

    Raises:
        StartError: the client cannot be started.
    """
    reaper = Reaper()
    turns = asyncio.Semaphore(jobs)

    async def one(scenario: Scenario, folder: Path) -> Result:
        async with turns:
            result = await _Trial(command, scenario, folder, reaper, patience).run()
        if heard is not None:
            heard(result)
        return result

    try:
        with tempfile.TemporaryDirectory(prefix="referee-") as folder:
            tasks = [one(scenario, Path(folder)) for scenario in scenarios]
            # All of them end, and their servers with them, before what went wrong in one is told.
            found = await asyncio.gather(*tasks, return_exceptions=True)
        results = []
        for result in found:
            if isinstance(result, BaseException):
                raise result
            results.append(result)
        return results
    finally:
        reaper.close()


class _Trial:
    """One client in one scenario."""

    def __init__(
        self, command: Sequence[str], scenario: Scenario, folder: Path, reaper: Reaper, patience: float
    ) -> None:
        self._command = ["env", "-u", scenario.without, *command] if scenario.without else command
        self._scenario = scenario
        self._folder = folder / scenario.name
        self._reaper = reaper
        self._patience = patience
        self._clients: list[Client] = []

    async def run(self) -> Result:
        scenario = self._scenario
        self._folder.mkdir()
        begun = time.monotonic()
        token = new_token()
        leader: Director | RealMatches
        expected = came = ""
        endpoint = None
        if scenario.real is not None:
            leader = RealMatches(scenario, self._folder, token, self._patience)
            leading: Coroutine[Any, Any, object] = leader.lead(self._start)
        else:
            endpoint = Endpoint()
            leader = Director(scenario, endpoint, token, self._patience)
            leading = self._scripted(leader, endpoint, token)
        try:
            async with asyncio.timeout(LIMIT_S):
                await leading
        except DepartureError as departure:
            expected, came = departure.expected, departure.came
        except TimeoutError:
            expected, came = f"an end within {LIMIT_S:g} s", "none"
        finally:
            await asyncio.gather(*[client.kill() for client in self._clients])
            if endpoint is not None:
                await endpoint.stop()
        passed = not expected
        return Result(
            name=scenario.name,
            promise=scenario.promise,
            game=scenario.game,
            passed=passed,
            expected=expected,
            came=came or f"{_count(leader.streams, 'stream')}, {_count(leader.answers, 'answer')}",
            seconds=round(time.monotonic() - begun, 3),
            client=leader.client_says[0],
            version=leader.client_says[1],
            output="" if passed else "".join(client.output() for client in self._clients),
        )

    async def _scripted(self, director: Director, endpoint: Endpoint, token: str) -> None:
        await endpoint.start()
        await director.lead(await self._start(director.name, endpoint.network.address, token))

    async def _start(self, name: str, address: str, token: str) -> Client:
        output = self._folder / f"client-{len(self._clients)}.out"
        client = await Client.start(
            self._command, name=name, address=address, token=token, output=output, reaper=self._reaper
        )
        self._clients.append(client)
        return client


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
