"""The versions that bots declare when they join, and that results of different ones are not mixed.

An entrant's identity covers the version that its tournament file states. What its bot declares is in the logs: it must
be the one that is stated, and where none is stated, the same in all matches of the tournament. A bot that declares none
is taken at its entrant's word.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from tournaments.spec import TournamentSpec

_MARK: Final = b'"event":"seat_joined"'


class WrongVersion(Exception):
    """A bot that declares another version than its entrant has here; the text says which, and what to do."""


def declared(log: bytes, seats: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The versions that bots declared in a match, each once: the entrant and the version.

    Args:
        log: the match's log.
        seats: the entrant's name, by seat.
    """
    if _MARK not in log:
        return ()
    found: dict[tuple[str, str], None] = {}
    for line in log.splitlines(keepends=True):
        if _MARK in line and line.endswith(b"\n"):
            event: dict[str, Any] = msgspec.json.decode(line)
            if event["event"] == "seat_joined" and event.get("version"):
                found[seats[event["seat"]], event["version"]] = None
    return tuple(found)


class Versions:
    """The version of each entrant, as far as it is known.

    Args:
        stated: what the tournament file states, by entrant; empty where it states none.
    """

    def __init__(self, stated: Mapping[str, str]) -> None:
        self._stated = {name: version for name, version in stated.items() if version}
        self._seen: dict[str, tuple[str, str]] = {}

    @classmethod
    def of(cls, spec: TournamentSpec) -> Versions:
        """Those of a tournament, before its first match."""
        return cls({entrant.name: entrant.version for entrant in spec.entrants})

    def check(self, match: str, versions: Iterable[tuple[str, str]]) -> None:
        """See that the versions declared in a match may be counted with those before, and remember them.

        Raises:
            WrongVersion: one may not, and none was remembered.
        """
        seen = dict(self._seen)
        for name, version in versions:
            said = f"{match}: the bot of {name!r} declares version {version!r}"
            stated = self._stated.get(name)
            if stated is not None and version != stated:
                raise WrongVersion(
                    f"{said}, and the tournament file states {stated!r}; the match does not count: "
                    f"start version {stated!r}, or state the other one"
                )
            before, where = seen.setdefault(name, (version, match))
            if stated is None and version != before:
                raise WrongVersion(
                    f"{said}, and declared {before!r} in match {where}; results of different versions are not mixed, "
                    f'and the match does not count: start version {before!r} again, or state version = "{version}" '
                    'with rerun = "changed" to play all its matches again'
                )
        self._seen = seen
