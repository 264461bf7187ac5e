"""The games that can be played, and the one place that turns names and settings from outside into them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, Final

from referee.rules.game import FormatSpec, Game, Option, OptionValue
from referee.rules.games import domino_a_carte, domino_belga, domino_cartas, domino_classico, domino_duplas

RULES_VERSION: Final = 1
"""Grows only when the outcome of some match could change."""

GAMES: Final[Mapping[str, Game]] = {
    module.GAME.id: module.GAME
    for module in (domino_cartas, domino_a_carte, domino_classico, domino_belga, domino_duplas)
}

AUTO_FORCED: Final = Option(
    "auto_forced", False, (False, True), "whether a turn with exactly one legal action is played without being asked"
)
"""The option that every game has."""

_FORMAT_LIMITS: Final = {"hands": 1001, "target": 1_000_000, "max_hands": 10_000}


class SettingError(ValueError):
    """A name, key or value from outside that is not accepted.

    Attributes:
        key: where it stands, such as ``format.kind``.
        problem: what is wrong and what would be accepted.
    """

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(f"{key}: {problem}")
        self.key = key
        self.problem = problem


def unknown(what: str, given: object, accepted: Iterable[object]) -> str:
    """``unknown game 'x'; did you mean 'y'? accepted: …``: for a name that is not on a list."""
    names = [str(value).lower() if isinstance(value, bool) else str(value) for value in accepted]
    shown = str(given)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    near = difflib.get_close_matches(shown, names, 1)
    guess = f"; did you mean {near[0]!r}?" if near else ";"
    return f"unknown {what} {shown!r}{guess} accepted: {', '.join(names)}"


def find_game(name: str) -> tuple[Game, dict[str, OptionValue]]:
    """The game of this id, or the game and the option values of this preset.

    Raises:
        SettingError: nothing is called so.
    """
    if name in GAMES:
        return GAMES[name], {}
    for game in GAMES.values():
        if name in game.presets:
            return game, dict(game.presets[name])
    presets = [preset for game in GAMES.values() for preset in game.presets]
    raise SettingError("game", unknown("game", name, [*GAMES, *presets]))


def resolve_players(game: Game, players: int, key: str = "seats") -> int:
    """``players`` if the game can be played by so many. Raises `SettingError`."""
    if players not in game.players:
        numbers = ", ".join(map(str, game.players))
        raise SettingError(key, f"{game.id} is played by {numbers}, not by {players}")
    return players


def resolve_options(game: Game, given: Mapping[str, Any]) -> dict[str, OptionValue]:
    """Every option of the game with its value in force. Raises `SettingError`."""
    known = {option.name: option for option in (*game.options, AUTO_FORCED)}
    values = {name: option.default for name, option in known.items()}
    for name, value in given.items():
        if name not in known:
            raise SettingError(f"options.{name}", unknown("option", name, known))
        accepted = known[name].accepted
        # True == 1 in Python, but not to the person who wrote it.
        if not any(value == one and type(value) is type(one) for one in accepted):
            raise SettingError(f"options.{name}", unknown("value", value, accepted))
        values[name] = value
    return values


def resolve_format(game: Game, given: Mapping[str, Any] | None) -> FormatSpec:
    """The match format: one of the game's, with its parameters as given. Raises `SettingError`."""
    if not given:
        return game.formats[0]
    known = [field.name for field in fields(FormatSpec)]
    for key in given:
        if key not in known:
            raise SettingError(f"format.{key}", unknown("parameter", key, known))
    kinds = {spec.kind: None for spec in game.formats}
    kind = given.get("kind", game.formats[0].kind)
    if kind not in kinds:
        raise SettingError("format.kind", f"{unknown('format', kind, kinds)} (for {game.id})")
    candidates = [spec for spec in game.formats if spec.kind == kind]
    ending = given.get("ending", candidates[0].ending)
    endings = [spec.ending for spec in candidates]
    if ending not in endings:
        if endings == [None]:
            raise SettingError("format.ending", f"the format {kind!r} has no ending")
        raise SettingError("format.ending", f"{unknown('ending', ending, endings)} (for {game.id})")
    spec = next(spec for spec in candidates if spec.ending == ending)
    for key, most in _FORMAT_LIMITS.items():
        if given.get(key) is None:
            continue
        value = given[key]
        if getattr(spec, key) is None:
            raise SettingError(f"format.{key}", f"the format {kind!r} has no {key}")
        if type(value) is not int or not 1 <= value <= most:
            raise SettingError(f"format.{key}", f"{value!r} is not a whole number from 1 to {most}")
        if kind == "best_of" and key == "hands" and value % 2 == 0:
            raise SettingError("format.hands", f"best of {value} can be drawn; an odd number is needed")
        changes: dict[str, Any] = {key: value}
        spec = replace(spec, **changes)
    return spec
