"""Games and matches as messages, for calls outside the Play stream."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from referee.match.events import Event
from referee.rules.game import FormatSpec, Game, OptionValue
from referee.rules.registry import AUTO_FORCED, SettingError
from referee.server.codec.events import EventCodec, options_messages
from referee.v1 import match_pb2, play_pb2

if TYPE_CHECKING:
    from referee.server.hosted import HostedMatch

_STATES: Final = {
    "waiting": match_pb2.MATCH_STATE_WAITING,
    "running": match_pb2.MATCH_STATE_RUNNING,
    "finished": match_pb2.MATCH_STATE_FINISHED,
    "failed": match_pb2.MATCH_STATE_FAILED,
    "suspended": match_pb2.MATCH_STATE_WAITING,
}


def _text(value: OptionValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _format(spec: FormatSpec) -> play_pb2.Format:
    return play_pb2.Format(**spec.parameters())  # type: ignore[arg-type]


def game_info(game: Game) -> match_pb2.GameInfo:
    """A game as a message."""
    return match_pb2.GameInfo(
        id=game.id,
        title=game.title,
        source=game.source,
        min_players=game.players[0],
        max_players=game.players[-1],
        options=[
            match_pb2.OptionInfo(
                name=option.name,
                description=option.description,
                default_value=_text(option.default),
                accepted=[_text(value) for value in option.accepted],
            )
            for option in (*game.options, AUTO_FORCED)
        ],
        formats=[_format(spec) for spec in game.formats],
        presets=[
            match_pb2.Preset(name=name, options=options_messages(options)) for name, options in game.presets.items()
        ],
    )


def match_info(hosted: HostedMatch) -> match_pb2.MatchInfo:
    """A match as it stands, as anybody may know it."""
    spec, match = hosted.spec, hosted.match
    info = match_pb2.MatchInfo(
        match_id=spec.id,
        game=spec.game.id,
        state=_STATES[hosted.stage],
        seats=[play_pb2.Seat(seat=seat, name=name, side=match.sides[seat]) for seat, name in enumerate(spec.names)],
        format=_format(spec.format),
        options=options_messages(spec.options),
        commitment=spec.commitment,
        created_at=hosted.created,
    )
    hand, turn, totals, ended = hosted.standing
    if hand >= 0:
        info.hand = hand
        info.totals.extend(totals)
    if turn:
        info.turn = turn
    if ended is not None:
        info.places.extend(ended["places"])
        info.end_reason = play_pb2.MatchEndReason.Value(f"MATCH_END_REASON_{ended['reason'].upper()}")
    return info


def watched(codec: EventCodec, event: Event) -> bytes:
    """An event as anybody may see it, as an encoded `WatchMatchResponse`."""
    response = play_pb2.PlayResponse.FromString(codec.encode(event, None))
    return match_pb2.WatchMatchResponse(events=response.events).SerializeToString()


def options_of(options: Iterable[play_pb2.Option]) -> dict[str, OptionValue]:
    """Options from messages; one without a value is left to be refused as unknown. Raises `SettingError`."""
    found: dict[str, OptionValue] = {}
    for option in options:
        if option.name in found:
            raise SettingError(f"options.{option.name}", "is set twice; once is right")
        kind = option.WhichOneof("value")
        found[option.name] = "" if kind is None else getattr(option, kind)
    return found


def format_of(message: play_pb2.Format) -> dict[str, OptionValue]:
    """A match format from a message: what is not set is left out."""
    return {field.name: value for field, value in message.ListFields()}
