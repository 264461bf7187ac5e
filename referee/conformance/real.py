"""Scenarios that are whole matches on the real server, against built-in bots."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from referee.bots.registry import find_bot
from referee.conformance.client import Client
from referee.conformance.director import FIRST_JOIN_MS, DepartureError
from referee.conformance.network import Network
from referee.conformance.scenario import Scenario
from referee.match.clock import ClockSpec
from referee.match.deal import commitment
from referee.match.events import Event, MatchSpec
from referee.match.seat import Bot
from referee.rules.registry import GAMES, resolve_format, resolve_options, resolve_players
from referee.server.admission import Ticket
from referee.server.app import RefereeServer
from referee.server.host import HostedMatch
from referee.server.tokens import new_token

START = Callable[[str, str, str], Awaitable[Client]]
"""Starts the client: its name, the address, the token."""

_MATCH_S: Final = 60.0
_EXIT_S: Final = 10.0
_BAD: Final = frozenset({"fault", "rejected", "forfeited"})


class RealMatches:
    """Plays the matches of one scenario.

    Args:
        scenario: what is to be played.
        folder: for the match logs.
        token: the token of the client's first seat.
        patience: how long to wait for the client, as a multiple of what is fair.

    Attributes:
        client_says: what the client said of itself: the SDK, and the bot's version.
        streams: how many streams took a seat.
        answers: how many turns the client has answered.
    """

    def __init__(self, scenario: Scenario, folder: Path, token: str, patience: float = 1.0) -> None:
        assert scenario.real is not None
        self.client_says = ("", "")
        self.streams = 0
        self.answers = 0
        self._scenario = scenario
        self._told = scenario.real
        self._folder = folder
        self._token = token
        self._patience = patience
        self._server = RefereeServer(folder)
        self._network: Network
        self._clients: list[Client] = []
        self._seats: list[int] = []
        self._draining: asyncio.Task[None] | None = None

    async def lead(self, start: START) -> list[Client]:
        """Start the client for each of its seats and play. Raises `DepartureError`."""
        await self._server.start()
        self._network = Network(self._server.address)
        await self._network.up()
        try:
            await self._play(start)
            return self._clients
        finally:
            await self._network.close()
            await self._server.stop()
            if self._draining is not None:
                await self._draining

    async def _play(self, start: START) -> None:
        words = self._told["seats"]
        resolve_players(GAMES[self._scenario.game], len(words), f"{self._scenario.name}: seats")
        self._seats = [seat for seat, word in enumerate(words) if word == "client"]
        matches = self._told.get("matches", 1)
        tickets: dict[int, Ticket] = {}
        for seat in self._seats:
            token = self._token if seat == self._seats[0] else new_token()
            token, tickets[seat] = self._server.admission.issue(f"client {seat}", open=matches > 1, token=token)
            given = new_token() if self._told.get("wrong_token") else token
            self._clients.append(await start(f"client {seat}", self._network.address, given))
        if self._told.get("wrong_token"):
            await self._end(False, "unknown token")
            return
        for number in range(matches):
            players = [
                tickets[seat] if seat in tickets else find_bot(word).make(f"{self._scenario.name}/{number}/{seat}")
                for seat, word in enumerate(words)
            ]
            await self._match(number, players)
        self._server.drain_streams()
        await self._end(True, "")

    async def _match(self, number: int, players: list[Bot | Ticket]) -> None:
        scenario, told = self._scenario, self._told
        game = GAMES[scenario.game]
        seed = bytes([number + 1]) * 32
        spec = MatchSpec(
            f"{scenario.name}-{number}",
            game,
            resolve_options(game, told.get("options", {})),
            resolve_format(game, told.get("format")),
            tuple(f"player {seat}" for seat in range(len(players))),
            ClockSpec(
                **{
                    "join_ms": FIRST_JOIN_MS,
                    "move_ms": int(10_000 * self._patience),
                    "bank_ms": 0,
                    **told.get("clock", {}),
                }
            ),
            commitment(seed),
        )
        events: list[Event] = []
        hosted = self._server.host.create(
            spec, seed, players, self._folder / f"{spec.id}.jsonl", listener=lambda event: self._heard(event, events)
        )
        limit_s = self._patience * _MATCH_S
        try:
            await asyncio.wait_for(self._server.host.finished(hosted), limit_s)
        except TimeoutError:
            raise DepartureError("the match is played", f"after {limit_s:g} s it is not over") from None
        await self._check(hosted)

    def _heard(self, event: Event, events: list[Event]) -> None:
        """Do what the scenario does after so many actions of the client."""
        if event["event"] != "action" or event["seat"] not in self._seats or event["by"] != "bot":
            return
        events.append(event)
        loop = asyncio.get_running_loop()
        if len(events) in self._told.get("cut_after", ()):
            # A moment later, when the next turn has been sent and may be being answered.
            loop.call_later(0.002, self._network.cut)
        if len(events) == self._told.get("drain_after"):
            self._draining = loop.create_task(self._server.stop())

    async def _check(self, hosted: HostedMatch) -> None:
        drained = "drain_after" in self._told
        assert hosted.match.ended is not None, hosted.problem
        actions = 0
        async for event in hosted.follow():
            if event.get("seat") not in self._seats:
                continue
            kind = event["event"]
            if kind in _BAD:
                said = event.get("detail") or event.get("message") or event.get("cause")
                raise DepartureError("no fault of the client", f"{kind} at seat {event['seat']}: {said}")
            if kind == "seat_joined":
                self.streams += 1
                self.client_says = (event["client"], event["version"])
            elif kind == "action" and event["by"] == "bot":
                actions += 1
            elif kind == "action" and event["by"] != "forced":
                raise DepartureError("every turn answered by the client", f"turn {event['turn']}: {event['by']}")
        self.answers += actions
        wanted = "aborted" if drained else "completed"
        if hosted.match.ended["reason"] != wanted or not actions:
            raise DepartureError(f"a match that is {wanted}", f"{hosted.match.ended['reason']}, {actions} answers")

    async def _end(self, well: bool, says: str) -> None:
        """Every client must end by itself."""
        limit_s = self._patience * (_EXIT_S if well else FIRST_JOIN_MS / 1000)
        expected = "exit with status 0" if well else "exit with a status that is not 0"
        _, running = await asyncio.wait([client.ended for client in self._clients], timeout=limit_s)
        if running:
            raise DepartureError(expected, f"after {limit_s:g} s it still runs")
        for client in self._clients:
            if (client.status == 0) != well:
                raise DepartureError(expected, client.how())
            if says not in client.output():
                raise DepartureError(f"it prints the referee's message, {says!r}", f"{client.output()!r}")
