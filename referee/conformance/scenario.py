"""Scenarios: what one is, and how it is read from its file."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from referee.rules.registry import GAMES, SettingError, unknown

DEFAULT_GAME: Final = "domino-classico"
"""What a scenario that is about no game is played in."""

_STEPS: Final[Mapping[str, frozenset[str]]] = {
    "expect": frozenset({"within_ms", "for_ms", "most", "status", "says", "lost"}),
    "send": frozenset({"apart", "strange", "pause_ms"}),
    "drop": frozenset(),
    "server": frozenset(),
    "wait_ms": frozenset(),
    "repeat": frozenset({"steps"}),
    "next_match": frozenset(),
}
"""What a step can be, and what may stand beside it."""

_VALUES: Final[Mapping[str, Collection[str]]] = {
    "expect": ("join", "ready", "answer", "nothing", "attempts", "exit"),
    "drop": ("connection", "unavailable", "unimplemented", "end"),
    "server": ("down", "up"),
}

_EVENTS: Final[Mapping[str, frozenset[str]]] = {
    "joined": frozenset({"resumed"}),
    "match_started": frozenset(),
    "hand": frozenset(),
    "turn": frozenset({"only", "unknown_actions"}),
    "turn_again": frozenset(),
    "refusal": frozenset({"code", "remedy"}),
    "fault": frozenset({"kind", "remedy"}),
    "timeout": frozenset(),
    "match_ended": frozenset(),
    "closed": frozenset({"reason", "join_again", "message"}),
    "unknown_event": frozenset(),
    "garbage": frozenset(),
}
"""What can be sent, and what may be said of it besides `set`."""

_MATCH: Final = frozenset({"seats", "seat", "name", "names", "clock"})
_REAL: Final = frozenset({"seats", "format", "options", "matches", "cut_after", "drain_after", "wrong_token", "clock"})
_TOP: Final = frozenset({"promise", "games", "catches", "match", "without", "steps", "real"})


class ScenarioError(ValueError):
    """A scenario's file is wrong; the text says where."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a script.

    Attributes:
        verb: what it does: one of the keys that README.md beside the scenarios explains.
        value: with what.
        more: what stands beside it.
        steps: what is repeated.
    """

    verb: str
    value: Any
    more: Mapping[str, Any]
    steps: tuple[Step, ...] = ()

    def __str__(self) -> str:
        if self.verb == "send":
            return "send " + ", ".join(one if isinstance(one, str) else one["event"] for one in self.value)
        return f"{self.verb} {self.value}"


@dataclass(frozen=True, slots=True)
class Scenario:
    """One promise of the protocol, and how a client is brought to keep it.

    Attributes:
        name: the name of its file.
        promise: what a conforming client does, in a sentence or two.
        game: what it is played in.
        games: the games that it can be played in; empty: any.
        catches: the faults that it must find in a client that has them.
        match: seats, names and clock of a scripted match.
        without: the environment variable that the client is not given; empty: it has all.
        steps: the script; empty in a real match.
        real: a match on the real server; None in a script.
    """

    name: str
    promise: str
    game: str
    games: tuple[str, ...]
    catches: tuple[str, ...]
    match: Mapping[str, Any] = field(default_factory=dict)
    without: str = ""
    steps: tuple[Step, ...] = ()
    real: Mapping[str, Any] | None = None


def scenarios_folder() -> Path:
    """Where the scenarios are: in the installed package, or in the tests of the repository it is run from."""
    packaged = Path(__file__).with_name("scenarios")
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / "tests" / "conformance" / "scenarios"


def load_scenarios(game: str | None = None, names: Collection[str] = ()) -> list[Scenario]:
    """The scenarios, by name.

    Args:
        game: only those that can be played in this game, all in it.
        names: only these.

    Raises:
        SettingError: there is no such game or scenario, or none of them is played in that game.
        ScenarioError: a file is wrong.
    """
    if game is not None and game not in GAMES:
        raise SettingError("--game", unknown("game", game, GAMES))
    paths = {path.stem: path for path in sorted(scenarios_folder().glob("*.toml"))}
    for name in names:
        if name not in paths:
            raise SettingError("--scenario", unknown("scenario", name, paths))
    found = [read_scenario(path, game) for name, path in paths.items() if not names or name in names]
    suitable = [one for one in found if game is None or not one.games or game in one.games]
    if not suitable:
        raise SettingError("--game", f"none of these scenarios is played in {game}")
    return suitable


def read_scenario(path: Path, game: str | None = None) -> Scenario:
    """A scenario from its file. Raises `ScenarioError`."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ScenarioError(f"{path}: {error}") from None
    try:
        return _scenario(path.stem, data, game)
    except (KeyError, TypeError, ValueError) as error:
        raise ScenarioError(f"{path}: {error}") from None


def _scenario(name: str, data: dict[str, Any], game: str | None) -> Scenario:
    _only(data, _TOP, "")
    games = tuple(data.get("games", ()))
    for one in games:
        if one not in GAMES:
            raise ValueError(unknown("game", one, GAMES))
    match, real = data.get("match", {}), data.get("real")
    _only(match, _MATCH, "match.")
    if real is not None:
        _only(real, _REAL, "real.")
    if (real is None) == ("steps" not in data):
        raise ValueError("either `steps` or `real` is needed")
    return Scenario(
        name=name,
        promise=" ".join(data["promise"].split()),
        game=game if game is not None and (not games or game in games) else (games or (DEFAULT_GAME,))[0],
        games=games,
        catches=tuple(data["catches"]),
        match=match,
        without=data.get("without", ""),
        steps=tuple(_step(step) for step in data.get("steps", ())),
        real=real,
    )


def _step(data: dict[str, Any]) -> Step:
    verb = next((key for key in data if key in _STEPS), "")
    if not verb:
        raise ValueError(f"{data!r} is no step; a step begins with one of {', '.join(_STEPS)}")
    value = data[verb]
    more = {key: one for key, one in data.items() if key != verb}
    _only(more, _STEPS[verb], f"{verb} {value}: ")
    if verb in _VALUES and value not in _VALUES[verb]:
        raise ValueError(unknown(verb, value, _VALUES[verb]))
    if verb == "send":
        for one in value:
            item = {"event": one} if isinstance(one, str) else one
            if item["event"] not in _EVENTS:
                raise ValueError(unknown("event", item["event"], _EVENTS))
            _only(item, _EVENTS[item["event"]] | {"event", "set"}, f"{item['event']}: ")
    return Step(verb, value, more, tuple(_step(step) for step in more.pop("steps", ())))


def _only(data: Mapping[str, Any], known: Collection[str], where: str) -> None:
    for key in data:
        if key not in known:
            raise ValueError(f"{where}{unknown('key', key, sorted(known))}")
