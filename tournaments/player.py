"""Plays the matches of a tournament, one at a time, in the process that it lives in."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog

from referee.bots.registry import find_bot
from referee.match.deal import commitment, set_seed
from referee.match.events import MatchSpec
from referee.match.fold import Match
from referee.match.log import MatchLog
from referee.match.loop import Table, play_local
from referee.match.seat import Bot, LocalSeat
from referee.rules.registry import GAMES
from referee.server.transport import LOOPBACK, Transport
from tournaments.entrants import Entrant
from tournaments.faults import Breakdown
from tournaments.outcome import log_path
from tournaments.schedule import PlannedMatch
from tournaments.spec import TournamentSpec

if TYPE_CHECKING:
    from referee.server.admission import Ticket
    from referee.server.app import RefereeServer
    from tournaments.bots import BotPool, RunningBot

LISTEN: Final = "127.0.0.1:0"

PART_S: Final = 2.0
"""So long the end of a tournament waits for its remote bots to take leave (seconds)."""


class MatchFailed(Exception):
    """A match that could not be played through, for no fault of a bot; it is to be played again.

    Attributes:
        cause: whose fault it was.
    """

    def __init__(self, text: str, cause: Breakdown = Breakdown.HOST) -> None:
        super().__init__(text)
        self.cause = cause

    def __reduce__(self) -> tuple[type[MatchFailed], tuple[str, Breakdown]]:
        return MatchFailed, (str(self), self.cause)


@dataclass(frozen=True, slots=True)
class Setting:
    """What every process of a tournament's run needs to know.

    Attributes:
        spec: the tournament.
        seed: its seed.
        folder: where its logs go.
        base_dir: the folder of the tournament file, in which commands run.
    """

    spec: TournamentSpec
    seed: bytes
    folder: Path
    base_dir: Path

    @property
    def sides(self) -> tuple[int, ...]:
        """The side of each seat, by seat."""
        return GAMES[self.spec.game].sides(self.spec.table)


def match_spec(setting: Setting, planned: PlannedMatch) -> MatchSpec:
    """What a planned match is."""
    spec = setting.spec
    return MatchSpec(
        id=planned.id,
        game=GAMES[spec.game],
        options=spec.options,
        format=spec.format,
        names=planned.seats,
        clock=spec.clock,
        commitment=commitment(set_seed(setting.seed, planned.deal_set)),
        policy=spec.policy,
    )


class Player:
    """Plays planned matches.

    Matches between built-in bots are played without a server; the first other match starts one.

    Args:
        setting: the tournament.
        listen: where bots dial in.
        tokens: the tokens of remote entrants, by name; without them remote entrants cannot play here.
        transport: whether remote entrants dial in with TLS.
    """

    def __init__(
        self,
        setting: Setting,
        listen: str = LISTEN,
        tokens: Mapping[str, str] | None = None,
        transport: Transport = LOOPBACK,
    ) -> None:
        self._setting = setting
        self._listen = listen
        self._transport = transport
        self._tokens = tokens or {}
        self._entrants = {entrant.name: entrant for entrant in setting.spec.entrants}
        self._server: RefereeServer | None = None
        self._pool: BotPool | None = None
        self.tickets: dict[str, Ticket] = {}

    @property
    def address(self) -> str:
        """Where bots dial in, once a server has been started."""
        return self._server.address if self._server else ""

    async def play(self, planned: PlannedMatch) -> None:
        """Play a match to its end.

        Raises:
            MatchFailed: it could not be played through.
            StartError: a bot's command cannot be started.
        """
        seed = set_seed(self._setting.seed, planned.deal_set)
        match = match_spec(self._setting, planned)
        entrants = [self._entrants[name] for name in planned.seats]
        if all(entrant.builtin is not None for entrant in entrants):
            self._play_here(match, seed, planned, entrants)
        else:
            await self._play_on_server(match, seed, planned, entrants)

    def _play_here(self, match: MatchSpec, seed: bytes, planned: PlannedMatch, entrants: list[Entrant]) -> None:
        seats = [LocalSeat(_builtin(entrant, planned, seat)) for seat, entrant in enumerate(entrants)]
        try:
            with log_path(self._setting.folder, planned.id).open("wb") as file:
                log = MatchLog(file, hold_back=True)
                play_local(Table(Match(match, seed, self._setting.spec.duplicate), log, seats))
        except OSError as error:
            raise MatchFailed(f"{planned.id}: the log cannot be written: {error.strerror}") from error
        except Exception as error:
            # Built-in bots are the referee's own.
            raise MatchFailed(f"{planned.id}: {type(error).__name__}: {error}", Breakdown.REFEREE) from error

    async def _play_on_server(
        self, match: MatchSpec, seed: bytes, planned: PlannedMatch, entrants: list[Entrant]
    ) -> None:
        server, pool = await self.start()
        players: list[Bot | Ticket] = []
        running: dict[int, tuple[Entrant, int, RunningBot]] = {}
        hosted = None
        problem, cause = "it was not begun", Breakdown.HOST
        seats_of: Counter[str] = Counter()
        try:
            for seat, entrant in enumerate(entrants):
                if entrant.builtin is not None:
                    players.append(_builtin(entrant, planned, seat))
                elif entrant.remote:
                    players.append(self.tickets[entrant.name])
                else:
                    number = seats_of[entrant.name]
                    seats_of[entrant.name] += 1
                    bot = await pool.take(entrant, planned.rotation, number)
                    running[seat] = (entrant, number, bot)
                    players.append(bot.ticket)
            path = log_path(self._setting.folder, planned.id)
            hosted = server.host.create(match, seed, players, path, withheld=self._setting.spec.duplicate)
            for seat, (_, _, bot) in running.items():
                bot.process.on_exit(lambda how, seat=seat: hosted.crashed(seat, how))  # type: ignore[misc]
            problem = await server.host.finished(hosted)
            cause = Breakdown.HOST if hosted.unwritable else Breakdown.REFEREE
            del server.host.matches[match.id]
        except OSError as error:
            problem = f"the log cannot be written: {error.strerror}"
        finally:
            for seat, (entrant, number, bot) in running.items():
                sound = hosted is not None and not problem and seat not in hosted.match.forfeited
                await pool.give_back(entrant, planned.rotation, number, bot, sound)
                pool.gather(entrant, bot, log_path(self._setting.folder, planned.id), seat)
        if problem:
            raise MatchFailed(f"{planned.id}: {problem}", cause)

    async def start(self) -> tuple[RefereeServer, BotPool]:
        """Start the server, if it has not been. Raises `ListenError`."""
        from referee.server.app import RefereeServer, embedded  # noqa: PLC0415  (built-in bots need no gRPC)
        from tournaments.bots import BotPool  # noqa: PLC0415

        if self._server is None or self._pool is None:
            # What goes wrong with a match is said once, by who runs the tournament.
            structlog.configure(
                wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
                logger_factory=structlog.PrintLoggerFactory(sys.stderr),
            )
            policy = embedded(self._transport)
            server = RefereeServer(self._setting.folder / "matches", self._listen, policy=policy)
            await server.start()
            for name, token in self._tokens.items():
                _, self.tickets[name] = server.admission.issue(name, open=True, token=token)
            self._server = server
            self._pool = BotPool(
                server,
                self._setting.base_dir,
                self._setting.folder,
                self._setting.spec.clock.join_ms,
                self._setting.spec.limits,
            )
        return self._server, self._pool

    async def part(self) -> None:
        """Let remote bots come back from their last match, to be told that there is nothing more to play."""
        waits = [asyncio.create_task(ticket.came()) for ticket in self.tickets.values()]
        if waits:
            _, late = await asyncio.wait(waits, timeout=PART_S)
            for wait in late:
                wait.cancel()

    def kill(self) -> None:
        """Kill the bots, as the last thing that this process does."""
        if self._pool is not None:
            self._pool.kill()

    async def close(self) -> None:
        """End the bots and stop the server."""
        if self._server is not None and self._pool is not None:
            self._server.drain_streams()
            await self._pool.close()
            await self._server.stop()


def _builtin(entrant: Entrant, planned: PlannedMatch, seat: int) -> Bot:
    assert entrant.builtin is not None
    return find_bot(entrant.builtin).make(f"{planned.id}/{seat}")
