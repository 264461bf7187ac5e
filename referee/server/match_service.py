"""The service `referee.v1.MatchService`: games, matches, watching and logs."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

import grpc

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
from referee.server.admission import Admission, Ticket
from referee.server.codec import info
from referee.server.errors import abort
from referee.server.host import HostedMatch, MatchHost
from referee.server.tokens import new_token
from referee.v1 import match_pb2, match_pb2_grpc

_Context = grpc.aio.ServicerContext[Any, Any]

MOST_NAME_CHARACTERS: Final = 200
DEFAULT_PAGE: Final = 50
MOST_PAGE: Final = 500
_CHUNK: Final = 1 << 16


class MatchService(match_pb2_grpc.MatchServiceServicer):
    """Creates matches and tells of them.

    Attributes:
        address: where the bots of its matches dial in.
    """

    def __init__(self, admission: Admission, host: MatchHost, data: Path, prefix: str = "") -> None:
        self.address = ""
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
        if self._host.draining:
            await abort(context, grpc.StatusCode.UNAVAILABLE, "DRAINING", "the server is shutting down")
        try:
            spec, seed, bots = _planned(request, self._prefix + secrets.token_hex(8))
        except SettingError as error:
            code = grpc.StatusCode.INVALID_ARGUMENT
            await abort(context, code, "BAD_SETTING", str(error), key=error.key, problem=error.problem)
        tokens = []
        players: list[Bot | Ticket] = []
        for seat, (name, bot) in enumerate(zip(spec.names, bots, strict=True)):
            if bot is not None:
                players.append(bot)
                continue
            token, ticket = self._admission.issue(name, token=self._prefix + new_token())
            players.append(ticket)
            tokens.append(match_pb2.SeatToken(seat=seat, token=token))
        try:
            hosted = self._host.create(spec, seed, players, self._data / f"{spec.id}.jsonl")
        except OSError as error:
            self._forget_tokens(players)
            message = f"the match log cannot be written: {error.strerror}"
            await abort(context, grpc.StatusCode.RESOURCE_EXHAUSTED, "LOG_UNWRITABLE", message)
        assert hosted.task is not None
        hosted.task.add_done_callback(lambda _: self._forget_tokens(players))
        return match_pb2.CreateMatchResponse(info=info.match_info(hosted), tokens=tokens, address=self.address)

    async def GetMatch(self, request: match_pb2.GetMatchRequest, context: _Context) -> match_pb2.GetMatchResponse:
        """One match as it stands, as anybody may know it."""
        hosted = await self._find(request.match_id, context)
        return match_pb2.GetMatchResponse(info=info.match_info(hosted))

    async def ListMatches(
        self, request: match_pb2.ListMatchesRequest, context: _Context
    ) -> match_pb2.ListMatchesResponse:
        """The matches of this server, the newest first. A page's token is the number of the match before it."""
        size = min(request.page_size or DEFAULT_PAGE, MOST_PAGE)
        given = request.page_token
        before = self._host.created + 1
        if given:
            before = int(given) if given.isascii() and given.isdigit() and len(given) < 10 else 0
            if not 0 < before <= self._host.created:
                message = "page_token is none that this server gave"
                await abort(context, grpc.StatusCode.INVALID_ARGUMENT, "BAD_PAGE_TOKEN", message)
        older = (hosted for hosted in reversed(self._host.matches.values()) if hosted.number < before)
        page = list(islice(older, size))
        more = str(page[-1].number) if next(older, None) is not None else ""
        return match_pb2.ListMatchesResponse(matches=[info.match_info(hosted) for hosted in page], next_page_token=more)

    async def WatchMatch(
        self, request: match_pb2.WatchMatchRequest, context: _Context
    ) -> AsyncIterator[match_pb2.WatchMatchResponse]:
        """The events of a match as they happen, without anything hidden."""
        hosted = await self._find(request.match_id, context)
        async for event in hosted.follow(request.from_seq):
            response = match_pb2.WatchMatchResponse()
            response.MergeFromString(info.watched(hosted.events, event))
            response.seq = event["seq"]
            yield response

    async def FetchMatchLog(
        self, request: match_pb2.FetchMatchLogRequest, context: _Context
    ) -> AsyncIterator[match_pb2.FetchMatchLogResponse]:
        """The log of a finished match; while it runs, the log holds what players must not know."""
        hosted = await self._find(request.match_id, context)
        if not hosted.over:
            message = f"match {hosted.spec.id} is still running; its log is given out when it has ended"
            await abort(context, grpc.StatusCode.FAILED_PRECONDITION, "MATCH_RUNNING", message)
        if hosted.match.withheld:
            message = f"match {hosted.spec.id}: its deals are still used by other matches, so its log is not given out"
            await abort(context, grpc.StatusCode.FAILED_PRECONDITION, "SEED_WITHHELD", message)
        with hosted.path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                yield match_pb2.FetchMatchLogResponse(chunk=chunk)

    def _forget_tokens(self, players: Sequence[Bot | Ticket]) -> None:
        for player in players:
            if isinstance(player, Ticket):
                self._admission.revoke(player)

    async def _find(self, match_id: str, context: _Context) -> HostedMatch:
        hosted = self._host.matches.get(match_id)
        if hosted is None:
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
        bots.append(BOTS[seat.builtin].make(f"{match_id}/{number}") if player == "builtin" else None)
    spec = MatchSpec(match_id, game, options, format, tuple(names), clock, commitment(seed), policy)
    return spec, seed, bots
