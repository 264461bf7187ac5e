"""A tournament file: read, checked to the last key, and turned into a `TournamentSpec`.

The file is TOML. Nothing in it is ignored and nothing is guessed: whatever is not understood is a `SpecError` that
names the file and the key and says what would be right.

A command's relative paths are relative to the tournament file's folder, and ``{python}`` in it stands for the
interpreter that runs the referee (`argv`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import msgspec

from referee.match.clock import MOST_MS, ClockSpec
from referee.match.deal import parse_seed
from referee.rules.game import FormatSpec, Game, OptionValue
from referee.rules.registry import (
    SettingError,
    find_game,
    resolve_format,
    resolve_options,
    resolve_players,
    unknown,
)
from tournaments import checks
from tournaments.entrants import PYTHON, Entrant, argv, identity, read_entrants
from tournaments.passing import read_pass_if
from tournaments.scheduling import SCHEDULES, DisqualifySpec, Scheduling, StopSpec, read_scheduling
from tournaments.supervision import NONE, LimitSpec, read_limits

__all__ = [
    "MAX_DEALS",
    "POLICIES",
    "PYTHON",
    "Entrant",
    "SpecError",
    "TournamentSpec",
    "argv",
    "entrants_needed",
    "identity",
    "load",
    "parse",
]

MAX_DEALS: Final = 1_000_000
"""The most deal sets that a meeting can have."""
POLICIES: Final = ("lenient", "strict")
"""What may be asked for faults: ``lenient`` lets a stand-in play on, ``strict`` ends the match."""

_MAX_FILE: Final = 4 << 20


class SpecError(SettingError):
    """A tournament file that is not accepted; its text is one line.

    Attributes:
        file: the file, as it was named.
        key: where in it, such as ``clock.move_ms`` or ``entrants[0].name`` (counted from 0); empty: the file itself.
        problem: what is wrong and what would be right.
    """

    def __init__(self, file: str, key: str, problem: str) -> None:
        key, problem = checks.printable(key), checks.printable(problem)
        super().__init__(key, problem)
        self.file = file
        self.args = (f"{file}: {key}: {problem}" if key else f"{file}: {problem}",)

    def __reduce__(self) -> tuple[type[SpecError], tuple[str, str, str]]:
        return SpecError, (self.file, self.key, self.problem)


class TournamentSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What a tournament file says, with every default filled in.

    Attributes:
        name: the tournament's name.
        game: the game's id; a preset's name in the file has become its options.
        table: seats a match.
        format: the match format.
        options: every option of the game with its value in force.
        deals: deal sets for each meeting of entrants.
        duplicate: whether each deal set is played once for every rotation of the entrants over the seats.
        seed: 64 hex digits in lower case, or None: to be drawn.
        clock: the time limits.
        policy: what is done about faults, ``lenient`` or ``strict``.
        limits: what each process of a bot may use.
        pass_if: what an entrant needs to pass (`tournaments.passing`); empty: there is nothing to pass.
        require_conformance: whether every bot that is not built in needs a certificate (`tournaments.certificates`).
        schedule: who meets whom, one of `tournaments.scheduling.SCHEDULES`.
        challengers: in a gauntlet, those that meet the rest.
        rounds: how many rounds a Swiss tournament has; else 0.
        stop: when to stop before all deal sets are played, or None.
        disqualify: when an entrant is out for its faults, or None: never.
        rerun: whose matches are played again on the same folder: nobody's (``never``), or those of entrants whose
            identity ``changed``.
        entrants: who plays, in the file's order.
    """

    name: str
    game: str
    table: int
    format: FormatSpec
    options: dict[str, OptionValue]
    deals: int = 10
    duplicate: bool = True
    seed: str | None = None
    clock: ClockSpec = ClockSpec()
    policy: str = "lenient"
    limits: LimitSpec = NONE
    pass_if: str = ""
    require_conformance: bool = False
    schedule: str = SCHEDULES[0]
    challengers: tuple[str, ...] = ()
    rounds: int = 0
    stop: StopSpec | None = None
    disqualify: DisqualifySpec | None = None
    rerun: str = "never"
    entrants: tuple[Entrant, ...]


def load(path: Path | str) -> TournamentSpec:
    """Read a tournament file.

    Raises:
        SpecError: it cannot be read, is no TOML, or says something that is not accepted.
    """
    file = str(path)
    try:
        with Path(path).open("rb") as stream:
            data = stream.read(_MAX_FILE + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SpecError(file, "", f"cannot be read: {reason}; a tournament file (TOML) is needed") from None
    if len(data) > _MAX_FILE:
        raise SpecError(file, "", f"is longer than {_MAX_FILE} bytes; a tournament file (TOML) is needed")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SpecError(file, "", f"line {line} is not UTF-8 text; a tournament file (TOML) is needed") from None
    return parse(text, file)


def parse(text: str, file: str = "tournament") -> TournamentSpec:
    """Read the text of a tournament file; ``file`` names it in errors.

    Raises:
        SpecError: it is no TOML, or says something that is not accepted.
    """
    if not text.strip():
        raise SpecError(file, "", "is empty; a tournament file (TOML) with name, game and [[entrants]] is needed")
    if "\0" in text:
        raise SpecError(file, "", "is a binary file; a tournament file (TOML) is needed")
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        where = str(error) if isinstance(error, ValueError) else "nested too deeply"
        if "at end of document" in where:
            where = where.replace("at end of document", f"at line {len(text.splitlines())}, the end of the file")
        raise SpecError(file, "", f"is not TOML: {where}") from None
    try:
        return _tournament(document)
    except SettingError as error:
        raise SpecError(file, error.key, error.problem) from None


def entrants_needed(game: Game, table: int) -> int:
    """How many different entrants a match needs: one a seat, or one a pair."""
    return game.side_count(table)


def _tournament(document: Mapping[str, Any]) -> TournamentSpec:
    checks.accept("", document, TournamentSpec.__struct_fields__)
    for key in ("name", "game", "entrants"):
        if key not in document:
            raise SettingError(key, "is missing; " + _NEEDED[key])
    game, preset = find_game(checks.typed(document, "game", str))
    table = _table(game, document)
    entrants = read_entrants(document["entrants"])
    needed = entrants_needed(game, table)
    if len(entrants) < needed:
        who = "one for each pair" if game.pairs else f"table = {table}, one for each seat"
        raise SettingError("entrants", f"{len(entrants)} given; a match needs at least {needed} ({who})")
    policy = checks.typed(document, "policy", str, POLICIES[0])
    if policy not in POLICIES:
        raise SettingError("policy", unknown("policy", policy, POLICIES))
    scheduling: Scheduling = read_scheduling(document, [entrant.name for entrant in entrants], needed)
    return TournamentSpec(
        name=checks.name("name", document["name"]),
        game=game.id,
        table=table,
        format=_format(game, checks.typed(document, "format", dict, {})),
        options=_options(game, preset, checks.typed(document, "options", dict, {})),
        deals=checks.whole("deals", document.get("deals", 10), 1, MAX_DEALS),
        duplicate=checks.typed(document, "duplicate", bool, True),
        seed=_seed(document.get("seed")),
        clock=_clock(checks.typed(document, "clock", dict, {})),
        policy=policy,
        limits=read_limits("limits", document.get("limits", {})),
        pass_if=read_pass_if("pass_if", document.get("pass_if", ""), [entrant.name for entrant in entrants]),
        require_conformance=checks.typed(document, "require_conformance", bool, False),
        **{key: getattr(scheduling, key) for key in Scheduling.__struct_fields__},
        entrants=entrants,
    )


def _table(game: Game, document: Mapping[str, Any]) -> int:
    if "table" not in document:
        if len(game.players) == 1:
            return game.players[0]
        raise SettingError("table", f"is missing; {game.id} is played by {', '.join(map(str, game.players))}")
    return resolve_players(game, checks.whole("table", document["table"], 1, 1000), "table")


def _format(game: Game, given: Mapping[str, Any]) -> FormatSpec:
    for key in ("kind", "ending"):
        checks.typed(given, key, str, "", "format.")
    return resolve_format(game, given)


def _options(game: Game, preset: Mapping[str, OptionValue], given: Mapping[str, Any]) -> dict[str, OptionValue]:
    values = resolve_options(game, given)
    for key, value in preset.items():
        if given.get(key, value) != value:
            raise SettingError(
                f"options.{key}",
                f"{given[key]!r} is not what the preset sets it to; leave it out, or name the game {game.id!r}",
            )
        values[key] = value
    return values


def _clock(given: Mapping[str, Any]) -> ClockSpec:
    checks.accept("clock.", given, [field.name for field in fields(ClockSpec)])
    clock = ClockSpec(**{key: checks.whole(f"clock.{key}", value, 0, MOST_MS) for key, value in given.items()})
    if not clock.move_ms + clock.bank_ms:
        raise SettingError("clock.move_ms", "is 0 and so is bank_ms, so that no turn has any time; one must be above 0")
    return clock


def _seed(given: object) -> str | None:
    if given is None:
        return None
    try:
        return parse_seed(given).hex()
    except ValueError as error:
        length = f" ({len(given)} characters)" if isinstance(given, str) else ""
        raise SettingError("seed", f"is not accepted{length}; {error}, in quotes") from None


_NEEDED: Final = {
    "name": f"a text of 1 to {checks.MAX_NAME} characters is needed",
    "game": "the id of a game is needed (see `referee games`)",
    "entrants": "[[entrants]] tables, one for each, are needed",
}
