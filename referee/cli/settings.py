"""``--set KEY=VALUE``: the settings of a match from flags, by the names that files use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from referee.match.clock import ClockSpec
from referee.match.deal import new_seed, parse_seed
from referee.match.policy import DEFAULT_POLICY, POLICIES
from referee.rules.game import FormatSpec, Game, OptionValue
from referee.rules.registry import (
    AUTO_FORCED,
    SettingError,
    find_game,
    resolve_format,
    resolve_options,
    unknown,
)

_WORDS: Final[dict[str, OptionValue]] = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Settings:
    """What a match is to be played as, with every default filled in."""

    game: Game
    options: dict[str, OptionValue]
    format: FormatSpec
    clock: ClockSpec
    policy: str


def parse_settings(game_name: str, words: Sequence[str]) -> Settings:
    """Settings from a game's or preset's name and ``KEY=VALUE`` words.

    Raises:
        SettingError: a word, key or value that is not accepted.
    """
    game, options = find_game(game_name)
    format: dict[str, Any] = {}
    clock: dict[str, Any] = {}
    policy = DEFAULT_POLICY
    clock_names = [field.name for field in fields(ClockSpec)]
    format_names = [field.name for field in fields(FormatSpec)]
    option_names = [option.name for option in (*game.options, AUTO_FORCED)]
    keys = [
        *option_names,
        *(f"format.{name}" for name in format_names),
        *(f"clock.{name}" for name in clock_names),
        "policy",
    ]
    for word in words:
        key, equals, text = word.partition("=")
        if not equals:
            raise SettingError(f"--set {word}", "KEY=VALUE is needed, such as format.kind=single")
        value = _value(text)
        section, _, name = key.rpartition(".")
        if key == "policy":
            policy = text
        elif section == "format" and name in format_names:
            format[name] = value
        elif section == "clock" and name in clock_names:
            clock[name] = value
        elif section in {"", "options"} and name in option_names:
            options[name] = value
        else:
            raise SettingError(f"--set {key}", unknown("key", key, keys))
    if policy not in POLICIES:
        raise SettingError("--set policy", unknown("policy", policy, POLICIES))
    try:
        times = ClockSpec(**clock)
    except ValueError as error:
        raise SettingError("--set", str(error)) from None
    return Settings(game, resolve_options(game, options), resolve_format(game, format), times, policy)


def _value(text: str) -> OptionValue:
    if text.isascii() and text.isdigit() and len(text) <= 18:
        return int(text)
    return _WORDS.get(text, text)


def seed_of(text: str | None) -> bytes:
    """The seed that was given, or a new one. Raises `SettingError`."""
    if text is None:
        return new_seed()
    try:
        return parse_seed(text)
    except ValueError as error:
        raise SettingError("--seed", f"{text[:80]!r}: {error}") from None
