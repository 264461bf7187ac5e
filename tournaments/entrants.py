"""Who plays in a tournament: the ``[[entrants]]`` of its file, the commands that start them, and their identity."""

from __future__ import annotations

import hashlib
import importlib.metadata
import sys
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from referee.rules.registry import RULES_VERSION, SettingError
from tournaments import checks
from tournaments.supervision import NONE, LimitSpec, read_limits

MAX_ENTRANTS: Final = 1_000
"""The most entrants that a tournament can have."""
PYTHON: Final = "{python}"
"""In a command: the interpreter that runs the referee."""
IDENTITY_DIGITS: Final = 16
"""Hex digits of an identity: 64 bits of a SHA-256."""

_KINDS: Final = ("builtin", "command", "remote")
_DISTRIBUTION: Final = "domino-referee"


class Entrant(msgspec.Struct, frozen=True, kw_only=True):
    """Who plays. Exactly one of `builtin`, `command` and `remote` says what.

    Attributes:
        name: what it is known by, 1 to 64 printable characters, unique in the tournament whatever the case.
        builtin: the name of a built-in bot, or None.
        command: the words of a command that starts a bot, as in the file (see `argv`), or None.
        remote: whether it dials in by itself.
        reuse: for a command: whether its process is kept from match to match.
        version: what the entrant declares itself to be; part of its identity.
        certificate: the file of its certificate of conformance, for tournaments that require one.
        limits: for a command: what its processes may use, where that is not as in the tournament; part of its identity.
    """

    name: str
    builtin: str | None = None
    command: tuple[str, ...] | None = None
    remote: bool = False
    reuse: bool = True
    version: str = ""
    certificate: str = ""
    limits: LimitSpec = NONE


def argv(entrant: Entrant) -> list[str]:
    """The command that starts a bot, with `PYTHON` filled in. It is to be run in the tournament file's folder.

    Raises:
        ValueError: the entrant has no command.
    """
    if entrant.command is None:
        raise ValueError(f"the entrant {entrant.name!r} has no command")
    return [word.replace(PYTHON, sys.executable) for word in entrant.command]


def identity(entrant: Entrant, base_dir: Path) -> str:
    """What tells one version of an entrant from another: `IDENTITY_DIGITS` hex digits of a SHA-256.

    It covers what was entered, not the name it was entered under: a built-in bot's name with the versions of the
    rules and of the referee; a command's words and the content of every word that names a file; of a remote bot only
    the version it declares. A change in a file that the command does not name is not seen: declare a `version`.

    Args:
        entrant: who was entered.
        base_dir: the tournament file's folder, in which a command's relative paths begin.

    Raises:
        SettingError: a file of the command cannot be read.
    """
    digest = hashlib.sha256()

    def add(part: str | bytes) -> None:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(b"%d:" % len(data) + data)

    add(entrant.version)
    if entrant.builtin is not None:
        for part in ("builtin", entrant.builtin, str(RULES_VERSION), _referee_version()):
            add(part)
    elif entrant.command is not None:
        add("command")
        for word in entrant.command:
            add("word")
            add(word)
            content = _content(base_dir / word, entrant)
            if content is not None:
                add("file")
                add(content)
        for kind, value in entrant.limits.laid().items():
            add(f"{kind} = {value}")
    else:
        add("remote")
    return digest.hexdigest()[:IDENTITY_DIGITS]


def read_entrants(given: object) -> tuple[Entrant, ...]:
    """The entrants as they stand in a file. Raises `SettingError`."""
    if not isinstance(given, list) or not all(isinstance(item, dict) for item in given):
        raise SettingError("entrants", f"{checks.shown(given)} is no list of tables; write [[entrants]] above each one")
    if not 2 <= len(given) <= MAX_ENTRANTS:
        raise SettingError("entrants", f"{len(given)} given; a tournament has from 2 to {MAX_ENTRANTS}")
    found: list[Entrant] = []
    places: dict[str, int] = {}
    for place, item in enumerate(given):
        entrant = _entrant(f"entrants[{place}]", item)
        folded = unicodedata.normalize("NFKC", entrant.name).casefold()
        if folded in places:
            problem = f"{entrant.name!r} is the name of entrants[{places[folded]}] too (case does not count)"
            raise SettingError(f"entrants[{place}].name", f"{problem}; every entrant needs one of its own")
        places[folded] = place
        found.append(entrant)
    return tuple(found)


def _entrant(key: str, given: Mapping[str, Any]) -> Entrant:
    checks.accept(f"{key}.", given, Entrant.__struct_fields__)
    if "name" not in given:
        raise SettingError(f"{key}.name", f"is missing; 1 to {checks.MAX_NAME} characters are needed")
    name = checks.name(f"{key}.name", given["name"])
    try:
        return _bot(f"{key}.", name, given)
    except SettingError as error:
        raise SettingError(error.key, f"{error.problem} (entrant {name!r})") from None


def _bot(prefix: str, name: str, given: Mapping[str, Any]) -> Entrant:
    remote = checks.typed(given, "remote", bool, False, prefix)
    kinds = [kind for kind in _KINDS if kind in given and (kind != "remote" or remote)]
    if len(kinds) != 1:
        had = " and ".join(kinds) or "nothing"
        raise SettingError(
            prefix[:-1], f'{had} given; exactly one of builtin = "NAME", command = ["…"], remote = true is needed'
        )
    builtin = checks.typed(given, "builtin", str, None, prefix)
    if builtin is not None:
        _check_builtin(f"{prefix}builtin", builtin)
    if builtin is not None and "certificate" in given:
        raise SettingError(f"{prefix}certificate", "is not for built-in bots; leave it out")
    for key in ("reuse", "limits"):
        if key in given and kinds != ["command"]:
            raise SettingError(f"{prefix}{key}", "is for a command only; leave it out")
    return Entrant(
        name=name,
        builtin=builtin,
        command=_command(f"{prefix}command", given["command"]) if "command" in given else None,
        remote=remote,
        reuse=checks.typed(given, "reuse", bool, True, prefix),
        version=checks.text(f"{prefix}version", given.get("version", "")),
        certificate=checks.text(f"{prefix}certificate", given.get("certificate", ""), checks.MAX_PATH),
        limits=read_limits(f"{prefix}limits", given.get("limits", {})),
    )


def _check_builtin(key: str, name: str) -> None:
    # Here and not above: the bots are loaded only where one is entered.
    from referee.bots.registry import find_bot  # noqa: PLC0415

    try:
        find_bot(name)
    except SettingError as error:
        raise SettingError(key, error.problem) from None


def _command(key: str, given: object) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(word, str) for word in given):
        raise SettingError(key, f'{checks.shown(given)} is no list of texts, such as ["{PYTHON}", "bot.py"]')
    if not given or not given[0].strip():
        raise SettingError(key, f'is empty; the words of a command, such as ["{PYTHON}", "bot.py"], are needed')
    if any("\0" in word for word in given):
        raise SettingError(key, "has a NUL character, which no command can be given; leave it out")
    return tuple(given)


def _content(path: Path, entrant: Entrant) -> bytes | None:
    """The SHA-256 of a file's content; None if it is no file."""
    try:
        if not path.is_file():
            return None
    except OSError:
        # Too long or too odd for a path, or in a folder closed to us: a word that names no file.
        return None
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").digest()
    except OSError as error:
        problem = f"{path} cannot be read ({error.strerror}); its content is part of who {entrant.name!r} is"
        raise SettingError("command", problem) from None


def _referee_version() -> str:
    try:
        return importlib.metadata.version(_DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
