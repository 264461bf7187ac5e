"""Checks of single values from a tournament file: each raises `SettingError` with what would be right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from referee.rules.registry import SettingError, unknown

MAX_NAME: Final = 64
"""The most characters in the name of an entrant or a tournament, or in a version."""
MAX_PATH: Final = 4096
"""The most characters in the path of a file."""

_MAX_SHOWN: Final = 60
_KINDS: Final[Mapping[type, str]] = {
    str: "text in quotes",
    bool: "true or false",
    dict: "table, such as { key = value }",
}


def accept(prefix: str, given: Iterable[str], accepted: Iterable[str]) -> None:
    """Refuse keys that are not on the list. Raises `SettingError`."""
    names = list(accepted)
    for key in given:
        if key not in names:
            raise SettingError(f"{prefix}{key}", unknown("key", key, names))


def typed(given: Mapping[str, Any], key: str, kind: type, default: Any = None, prefix: str = "") -> Any:
    """The value of a key, which must be of this kind (str, bool or dict), or the default. Raises `SettingError`."""
    if key not in given:
        return default
    value = given[key]
    if type(value) is not kind:
        raise SettingError(f"{prefix}{key}", f"{shown(value)} is no {_KINDS[kind]}")
    return value


def whole(key: str, value: object, least: int, most: int) -> int:
    """A whole number in a range, both ends included; true and false are none. Raises `SettingError`."""
    if type(value) is not int or not least <= value <= most:
        raise SettingError(key, f"{shown(value)} is not a whole number from {least} to {most}")
    return value


def number(key: str, value: object, low: float, high: float) -> float:
    """A number between two others, neither of them included. Raises `SettingError`."""
    # Compared as it is: not every whole number is small enough to be made a float.
    if not isinstance(value, int | float) or isinstance(value, bool) or not low < value < high:
        raise SettingError(key, f"{shown(value)} is not a number above {low:g} and below {high:g}")
    return float(value)


def text(key: str, given: object, most: int = MAX_NAME) -> str:
    """A short text of characters that can be seen. Raises `SettingError`."""
    if not isinstance(given, str):
        raise SettingError(key, f"{shown(given)} is no {_KINDS[str]}")
    if len(given) > most:
        raise SettingError(key, f"is {len(given)} characters long; at most {most} are accepted")
    if not given.isprintable():
        raise SettingError(key, f"{given!a} has a control character or another that cannot be seen; leave it out")
    return given


def name(key: str, given: object) -> str:
    """A name: a short text that is not empty and can be told apart from others. Raises `SettingError`."""
    found = text(key, given)
    if not found.strip():
        raise SettingError(key, f"is empty; 1 to {MAX_NAME} characters are needed")
    if found != found.strip() or found in (".", ".."):
        raise SettingError(key, f"{found!r} is not accepted: no blank at either end, and neither '.' nor '..'")
    return found


def shown(value: object) -> str:
    """A value from a file as it is quoted in a message: as TOML writes it, and short."""
    if isinstance(value, bool):
        return "true" if value else "false"
    content = str(value)
    if len(content) > _MAX_SHOWN:
        content = f"{content[: _MAX_SHOWN - 3]}..."
    return repr(content) if isinstance(value, str) else content


def printable(content: str) -> str:
    """A text made safe for one line of a terminal: what cannot be seen is escaped."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in content)
