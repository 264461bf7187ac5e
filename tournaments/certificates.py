"""Certificates of conformance, which a tournament may require of every bot that speaks the protocol."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import Any

import msgspec

from tournaments.entrants import Entrant, argv
from tournaments.spec import SpecError, TournamentSpec


def check_certificates(spec: TournamentSpec, base_dir: Path, file: str) -> None:
    """See that every entrant but the built-in ones has a certificate that counts, where the tournament requires it.

    Args:
        spec: the tournament.
        base_dir: its file's folder, in which the certificates' paths begin.
        file: the file's name, for errors.

    Raises:
        SpecError: an entrant has none, or one that does not show that it conforms.
    """
    if not spec.require_conformance:
        return
    for number, entrant in enumerate(spec.entrants):
        if entrant.builtin is None and (problem := _problem(entrant, spec.game, base_dir)):
            raise SpecError(file, f"entrants[{number}].certificate", f"{problem} (entrant {entrant.name!r})")


def _problem(entrant: Entrant, game: str, base_dir: Path) -> str:
    """Why an entrant may not play; empty if it may."""
    from referee.conformance.certificate import problem_with  # noqa: PLC0415  (only where it is required)

    how = "`referee conformance --certificate FILE -- COMMAND` makes one"
    if not entrant.certificate:
        return f"is missing, and require_conformance asks for it; {how}"
    try:
        content = msgspec.json.decode((base_dir / entrant.certificate).read_bytes())
    except OSError as error:
        return f"{entrant.certificate!r} cannot be read: {error.strerror}; {how}"
    except msgspec.MsgspecError:
        return f"{entrant.certificate!r} is no JSON; {how}"
    problem = problem_with(content, game)
    if not problem and entrant.version and content.get("version") != entrant.version:
        problem = f"it is for version {content.get('version')!r}, and {entrant.version!r} is entered"
    if not problem and entrant.command is not None and not _same(content.get("command"), argv(entrant)):
        problem = f"it is for the command {content.get('command')!r}, and {list(entrant.command)!r} is entered"
    return f"{entrant.certificate!r} does not count: {problem}; {how}" if problem else ""


def _same(certified: Any, entered: list[str]) -> bool:
    """Whether two commands start the same bot, as far as words tell: run in different folders, paths may differ.

    So may the interpreter: any Python is the same as another.
    """

    def names(words: list[Any]) -> list[str]:
        found = [PurePath(str(word)).name for word in words]
        return ["python" if place == 0 and name.startswith("python") else name for place, name in enumerate(found)]

    return isinstance(certified, list) and names(certified) == names(entered)
