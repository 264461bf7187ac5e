"""What the commands share: errors in one line, text of users made harmless, JSON."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from dataclasses import dataclass
from typing import Any, Final, NoReturn

_PLAIN: Final = re.compile(r"[ -~]*")
_HARMFUL: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""The Unicode categories that a terminal may obey, or that nobody can see."""
_RAW_IN_JSON: Final = re.compile("[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


def printable(text: str) -> str:
    """Text from outside with every control, format and invisible character escaped, such as the escape."""
    if _PLAIN.fullmatch(text):
        return text
    return "".join(_escaped(char) if unicodedata.category(char) in _HARMFUL else char for char in text)


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def one_line(text: str) -> str:
    """Text from outside as one harmless line."""
    return printable(" ".join(text.split()))


def counted(number: int, noun: str) -> str:
    """A number of things: ``1 hand``, ``2 hands``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def say(text: str, prefix: str = "referee: ") -> None:
    """Write one line to standard error."""
    sys.stdout.flush()
    print(prefix + one_line(text), file=sys.stderr, flush=True)


def fail(message: str, status: int = 2) -> NoReturn:
    """Leave with a status (2: it was asked wrongly). ``message`` says what, where and what would be right."""
    say(message)
    raise SystemExit(status)


@dataclass(frozen=True, slots=True)
class Said:
    """An error as the command line says it."""

    text: str
    status: int


def said_of(error: Exception) -> Said | None:
    """An error that is the user's to mend, in one line; None for a defect of the referee, which keeps its traceback.

    A module that was never imported has raised nothing, so nothing is imported for the question.
    """
    if _is(error, "referee.match.log", "LogError"):
        return Said(str(error), 1)
    if _is(error, "referee.rules.registry", "SettingError"):
        return Said(str(error), 2)
    if isinstance(error, OSError) and error.strerror:
        name = error.filename
        return Said(f"{name}: {error.strerror}" if name is not None else error.strerror, 2)
    return None


def _is(error: Exception, module: str, name: str) -> bool:
    kind = getattr(sys.modules.get(module), name, None)
    return kind is not None and isinstance(error, kind)


def print_json(value: Any) -> None:
    """Write a value as JSON for programs, with what a terminal would obey escaped."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    print(_RAW_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text))
