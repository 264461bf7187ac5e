"""The service `referee.v1.MatchService`: games, matches, watching and logs."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

import grpc
from google.protobuf.message import Message

from referee.bots.registry import BOTS
from referee.match.clock import ClockSpec
from referee.match.deal import commitment, new_seed, parse_seed
from referee.match.events import MatchSpec
from referee.match.policy import DEFAULT_POLICY, POLICIES
from referee.match.seat import Bot
from referee.rules.registry import (
    GAMES,
    SettingError,
    find_game,
    resolve_format,
    resolve_options,
    resolve_players,
    unknown,
)
from referee.server.access import Access, caller
from referee.server.admission import Admission, Ticket
from referee.server.codec import info
from referee.server.errors import abort
from referee.server.host import HostedMatch, MatchHost
from referee.server.limits import Holders, Limits
from referee.server.opening import bot_seed, open_match
from referee.server.paging import before_of, page_of, page_size
from referee.server.tokens import new_token
from referee.v1 import match_pb2, match_pb2_grpc

_Context = grpc.aio.ServicerContext[Any, Any]

MOST_NAME_CHARACTERS: Final = 200
_CHUNK: Final = 1 << 16


class _Stalled(Exception):
    """A watcher does not read."""


class MatchService(match_pb2_grpc.MatchServiceServicer):
    """Creates matches and tells of them.

    Attributes:
        address: where the bots of its matches dial in.
    """

    def __init__(
        self,
        admission: Admission,
        host: MatchHost,
        data: Path,
        prefix: str = "",
        access: Access | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.address = ""
        self._access = access or Access()
        self._limits = limits = limits or Limits()
        self._open = Holders(limits.matches_per_organiser)
        self._watching = Holders(limits.watchers_per_peer)
        self._prefix = prefix
        self._admission = admission
        self._host = host
        self._data = data

    async def ListGames(self, request: match_pb2.ListGamesRequest, context: _Context) -> match_pb2.ListGamesResponse:
        """All games with their options and formats."""
        return match_pb2.ListGamesResponse(games=[info.game_info(game) for game in GAMES.values()])

    async def CreateMatch(
        self, request: match_pb2.CreateMatchRequest, context: _Context
    ) -> match_pb2.CreateMatchResponse:
        """A new match, with a token for every seat whose bot dials in."""
        organiser = await self._access.organiser(context)
        if self._host.draining:
            await abort(context, grpc.StatusCode.UNAVAILABLE, "DRAINING", "the server is shutting down")
        try:
            spec, seed, bots = _planned(request, self._prefix + secrets.token_hex(8))
        except SettingError as error:
            code = grpc.StatusCode.INVALID_ARGUMENT
            await abort(context, code, "BAD_SETTING", str(error), key=error.key, problem=error.problem)
        if not self._open.take(organiser):
            self._host.operations.refused("TOO_MANY_MATCHES", caller(context))
            message = f"{self._limits.matches_per_organiser} of your matches are not over yet; let some end first"
            await abort(context, grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_MATCHES", message)
        tokens = []
        players: list[Bot | Ticket] = []
        for seat, (name, bot) in enumerate(zip(spec.names, bots, strict=True)):
            if bot is not None:
                players.append(bot)
                continue
            token, ticket = self._admission.issue(name, token=self._prefix + new_token())
            players.append(ticket)
            tokens.append(match_pb2.SeatToken(seat=seat, token=token))
        builtins = [seat.builtin for seat in request.seats]
        log = self._data / f"{spec.id}.jsonl"

        def over() -> None:
            self._forget_tokens(players)
            self._open.give_back(organiser)

        try:
            hosted = await open_match(self._host, log, spec, seed, players, builtins, organiser, over)
        except OSError as error:
            message = f"the match log cannot be written: {error.strerror}"
            await abort(context, grpc.StatusCode.RESOURCE_EXHAUSTED, "LOG_UNWRITABLE", message)
        return match_pb2.CreateMatchResponse(info=info.match_info(hosted), tokens=tokens, address=self.address)

    async def GetMatch(self, request: match_pb2.GetMatchRequest, context: _Context) -> match_pb2.GetMatchResponse:
        """One match as it stands, as anybody may know it."""
        await self._access.spectator(context)
        hosted = await self._find(request.match_id, context)
        return match_pb2.GetMatchResponse(info=info.match_info(hosted))

    async def ListMatches(
        self, request: match_pb2.ListMatchesRequest, context: _Context
    ) -> match_pb2.ListMatchesResponse:
        """The matches of this server, the newest first."""
        await self._access.spectator(context)
        try:
            before = before_of(request.page_token)
        except ValueError as error:
            await abort(context, grpc.StatusCode.INVALID_ARGUMENT, "BAD_PAGE_TOKEN", str(error))
        size = page_size(request)
        known = [hosted for hosted in self._host.matches.values() if hosted.synced != 0]
        known.sort(key=attrgetter("place"), reverse=True)
        older = known if before is None else [hosted for hosted in known if hosted.place < before]
        return page_of([info.match_info(hosted) for hosted in older[: size + 1]], size)

    # A handler may be a coroutine that writes, too, which can be told from one that a client does not read.
    async def WatchMatch(  # type: ignore[override]
        self, request: match_pb2.WatchMatchRequest, context: _Context
    ) -> None:
        """The events of a match as they happen, without anything hidden."""
        async with self._looking_on(context):
            hosted = await self._find(request.match_id, context)
            async with aclosing(hosted.follow(request.from_seq)) as events:
                async for event in events:
                    response = match_pb2.WatchMatchResponse()
                    response.MergeFromString(info.watched(hosted.events, event))
                    response.seq = event["seq"]
                    await self._give(response, context)

    async def FetchMatchLog(  # type: ignore[override]
        self, request: match_pb2.FetchMatchLogRequest, context: _Context
    ) -> None:
        """The log of a finished match; while it runs, the log holds what players must not know."""
        async with self._looking_on(context):
            hosted = await self._find(request.match_id, context)
            if not hosted.over:
                message = f"match {hosted.spec.id} is still running; its log is given out when it has ended"
                await abort(context, grpc.StatusCode.FAILED_PRECONDITION, "MATCH_RUNNING", message)
            if hosted.sealed:
                message = f"match {hosted.spec.id} has failed: {hosted.problem}; its log stays here"
                await abort(context, grpc.StatusCode.FAILED_PRECONDITION, "LOG_DAMAGED", message)
            if hosted.match.withheld:
                message = f"match {hosted.spec.id}: its deals are used by other matches still, so its log stays here"
                await abort(context, grpc.StatusCode.FAILED_PRECONDITION, "SEED_WITHHELD", message)
            with hosted.path.open("rb") as file:
                while chunk := file.read(_CHUNK):
                    await self._give(match_pb2.FetchMatchLogResponse(chunk=chunk), context)

    @asynccontextmanager
    async def _looking_on(self, context: _Context) -> AsyncIterator[None]:
        """A call that may take long, of somebody who may look on and does not so too often already."""
        await self._access.spectator(context)
        peer = caller(context)
        if not self._watching.take(peer):
            self._host.operations.refused("TOO_MANY_WATCHERS", peer)
            message = f"{self._limits.watchers_per_peer} calls of this address watch or fetch already"
            await abort(context, grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_WATCHERS", message)
        self._host.operations.watchers += 1
        stalled = False
        try:
            yield
        except _Stalled:
            stalled = True
        finally:
            self._host.operations.watchers -= 1
            self._watching.give_back(peer)
        if stalled:
            self._host.operations.refused("WATCHER_TOO_SLOW", peer)
            message = f"you have read nothing for {self._limits.stall_s:g} s; watch again from the last seq"
            await abort(context, grpc.StatusCode.RESOURCE_EXHAUSTED, "WATCHER_TOO_SLOW", message)

    async def _give(self, response: Message, context: _Context) -> None:
        """Send a response; who does not take it in time is dropped."""
        try:
            async with asyncio.timeout(self._limits.stall_s):
                await context.write(response)
        except TimeoutError:
            raise _Stalled from None

    def owned(self, hosted: HostedMatch, owner: str) -> None:
        """A match goes on that somebody created before the server was started again."""
        counted = self._open.take(owner)
        forget = hosted.on_over

        def over() -> None:
            forget()
            if counted:
                self._open.give_back(owner)

        hosted.on_over = over

    def _forget_tokens(self, players: Sequence[Bot | Ticket]) -> None:
        for player in players:
            if isinstance(player, Ticket):
                self._admission.revoke(player)

    async def _find(self, match_id: str, context: _Context) -> HostedMatch:
        hosted = self._host.matches.get(match_id)
        if hosted is None or hosted.synced == 0:
            shown = match_id[:60]
            message = f"no match {shown!r} on this server; ListMatches lists them"
            await abort(context, grpc.StatusCode.NOT_FOUND, "NO_SUCH_MATCH", message, match_id=shown)
        return hosted


def _planned(request: match_pb2.CreateMatchRequest, match_id: str) -> tuple[MatchSpec, bytes, list[Bot | None]]:
    """What a request asks for, and by seat its built-in bot (None: a bot that dials in). Raises `SettingError`."""
    game, preset = find_game(request.game)
    resolve_players(game, len(request.seats))
    options = resolve_options(game, preset | info.options_of(request.options))
    format = resolve_format(game, info.format_of(request.format) if request.HasField("format") else None)
    policy = request.policy or DEFAULT_POLICY
    if policy not in POLICIES:
        raise SettingError("policy", unknown("policy", policy, POLICIES))
    try:
        clock = ClockSpec(**{field.name: value for field, value in request.clock.ListFields()})
    except ValueError as error:
        key, _, problem = str(error).partition(": ")
        raise SettingError(key, problem) from None
    try:
        seed = parse_seed(request.seed) if request.seed else new_seed()
    except ValueError as error:
        raise SettingError("seed", str(error)) from None
    names: list[str] = []
    bots: list[Bot | None] = []
    for number, seat in enumerate(request.seats):
        key = f"seats[{number}]"
        if len(seat.name) > MOST_NAME_CHARACTERS:
            raise SettingError(f"{key}.name", f"more than {MOST_NAME_CHARACTERS} characters")
        player = seat.WhichOneof("player")
        if player == "builtin" and seat.builtin not in BOTS:
            raise SettingError(f"{key}.builtin", unknown("built-in bot", seat.builtin, BOTS))
        if player is None:
            raise SettingError(key, "one of `builtin` and `remote` must be set")
        names.append(seat.name or (seat.builtin if player == "builtin" else f"seat {number}"))
        bots.append(BOTS[seat.builtin].make(bot_seed(match_id, number)) if player == "builtin" else None)
    spec = MatchSpec(match_id, game, options, format, tuple(names), clock, commitment(seed), policy)
    return spec, seed, bots
