"""What stands in a match log: the events' vocabulary, the spec in the first of them, and actions as fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import msgspec

from referee.match.clock import ClockSpec
from referee.match.policy import DEFAULT_POLICY, POLICIES
from referee.rules.actions import ARM_BITS, ARM_MASK, ARM_NAMES, DRAW, NO_ARM, PASS, play
from referee.rules.game import FormatSpec, Game, OptionValue
from referee.rules.pieces import Deck
from referee.rules.registry import RULES_VERSION, find_game, resolve_format, resolve_options, resolve_players, unknown

Event = dict[str, Any]
"""A log event without its `seq`, `ts`, `prev` and `hash`."""

SCHEMA: Final = 1

FIXED: Final[Mapping[str, tuple[str, ...]]] = {
    "hand_started": ("hand", "attempt", "dealer", "hands", "stock", "laid", "starter"),
    "action": (),
    "hand_ended": ("hand", "reason", "winners", "left", "points", "totals"),
    "match_ended": ("reason", "places", "totals"),
}
"""The events that the rules decide, and the fields of each that follow from what came before."""

canonical: Final[Callable[[Any], bytes]] = msgspec.json.Encoder(order="sorted").encode
"""The canonical JSON (RFC 8785) of a value that holds no floats."""

_CLOCKS: Final = ClockSpec().as_dict().keys()

_PLAY_FIELDS: Final = frozenset({"type", "piece", "arm"})


_COMMITMENT: Final = re.compile(r"[0-9a-f]{64}")


def same(given: object, wanted: object) -> bool:
    """Whether a value in a log is the one that must stand there: `true` is not 1."""
    return given == wanted and canonical(given) == canonical(wanted)


class LogFault(ValueError):
    """Something in a log that does not follow from what stands before it. The message names the rule."""


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """What a match is, before its first deal.

    Attributes:
        id: the match's id.
        game: the game.
        options: every option of the game with its value in force.
        format: the match format.
        names: the name of each seat's player, by seat.
        clock: the clocks.
        policy: the name of the fault policy.
        commitment: the hex SHA-256 of the seed.
    """

    id: str
    game: Game
    options: Mapping[str, OptionValue]
    format: FormatSpec
    names: tuple[str, ...]
    clock: ClockSpec
    commitment: str
    policy: str = DEFAULT_POLICY

    def started(self) -> Event:
        """The first event of the match's log."""
        sides = self.game.sides(len(self.names))
        return {
            "event": "match_started",
            "schema": SCHEMA,
            "match": self.id,
            "game": self.game.id,
            "rules_version": RULES_VERSION,
            "options": dict(self.options),
            "format": self.format.parameters(),
            "seats": [{"seat": seat, "name": name, "side": sides[seat]} for seat, name in enumerate(self.names)],
            "commitment": self.commitment,
            "clock": self.clock.as_dict(),
            "policy": self.policy,
        }

    @classmethod
    def from_started(cls, event: Mapping[str, Any]) -> MatchSpec:
        """The spec in a log's first event.

        Raises:
            LogFault: it is no such event, or of a schema or rules version that this referee does not know.
        """
        try:
            if event["event"] != "match_started":
                raise LogFault("a log begins with match_started")
            if event["schema"] != SCHEMA or event["rules_version"] != RULES_VERSION:
                raise LogFault(
                    f"schema {event['schema']}, rules version {event['rules_version']}; "
                    f"this referee knows schema {SCHEMA}, rules version {RULES_VERSION}"
                )
            for key in event["clock"].keys() - _CLOCKS:
                raise LogFault(f"match_started: clock.{key} is no clock that this referee keeps")
            game, _ = find_game(event["game"])
            spec = cls(
                id=event["match"],
                game=game,
                options=resolve_options(game, event["options"]),
                format=resolve_format(game, event["format"]),
                names=tuple(seat["name"] for seat in event["seats"]),
                clock=ClockSpec(**event["clock"]),
                commitment=event["commitment"],
                policy=event.get("policy", DEFAULT_POLICY),
            )
            resolve_players(game, len(spec.names))
            if spec.policy not in POLICIES:
                raise LogFault(unknown("policy", spec.policy, POLICIES))
        except LogFault:
            raise
        except KeyError as error:
            raise LogFault(f"match_started: {error.args[0]} is missing") from None
        except (TypeError, AttributeError, ValueError) as error:
            raise LogFault(f"match_started: {type(error).__name__}: {error}") from None
        spec._check_texts()
        for key, value in spec.started().items():
            if key not in event and key == "policy":
                continue
            # A clock may leave out what is as usual: `ClockSpec` has checked the rest of it.
            if key != "clock" and not same(event.get(key), value):
                raise LogFault(f"match_started: {key} is {event.get(key)!r}; it must be {value!r}")
        return spec

    def _check_texts(self) -> None:
        """Check what may be any text. Raises `LogFault`."""
        if not isinstance(self.id, str) or not self.id:
            raise LogFault(f"match_started: match is {self.id!r}; it must be an id")
        for name in self.names:
            if not isinstance(name, str):
                raise LogFault(f"match_started: seats: {name!r} is no name")
        if not isinstance(self.commitment, str) or not _COMMITMENT.fullmatch(self.commitment):
            raise LogFault(f"match_started: commitment is {self.commitment!r}; it must be 64 hex digits")


@cache
def action_fields(action: int, names: tuple[str, ...]) -> dict[str, str]:
    """An action as it stands in the log. The dict is shared: do not change it."""
    if action == DRAW:
        return {"type": "draw"}
    if action == PASS:
        return {"type": "pass"}
    arm = action & ARM_MASK
    fields = {"type": "play", "piece": names[action >> ARM_BITS]}
    if arm:
        fields["arm"] = ARM_NAMES[arm]
    return fields


def parse_action_fields(fields: object, deck: Deck) -> int:
    """The action that stands in the log as ``fields``. Raises `LogFault`."""
    if fields == {"type": "draw"}:
        return DRAW
    if fields == {"type": "pass"}:
        return PASS
    try:
        if not isinstance(fields, dict) or fields["type"] != "play" or not fields.keys() <= _PLAY_FIELDS:
            raise LogFault(f"{fields!r} is no action")
        arm = ARM_NAMES.index(fields["arm"], 1) if "arm" in fields else NO_ARM
        return play(deck.piece(fields["piece"]), arm)
    except (KeyError, ValueError) as error:
        raise LogFault(f"{fields!r} is no action: {error}") from None
