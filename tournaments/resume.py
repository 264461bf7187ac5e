"""What a tournament that was begun may become: finished matches keep their meaning, or are moved out of the way."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Container, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from tournaments.layers import Layer
from tournaments.spec import TournamentSpec

SUPERSEDED: Final = "superseded"
"""The folder beside the logs for those that count no more."""

_MAY_DIFFER: Final = ("entrants", "deals", "rounds", "challengers", "rerun", "pass_if", "require_conformance")


def layer(spec: TournamentSpec) -> Layer:
    """What a tournament file asks for."""
    names = tuple(entrant.name for entrant in spec.entrants)
    return Layer(entrants=names, deals=spec.deals, challengers=spec.challengers)


def grown(
    was: TournamentSpec, now: TournamentSpec, layers: Sequence[Layer]
) -> tuple[TournamentSpec, tuple[Layer, ...]]:
    """What is played from now on: the file, its new entrants after those of before, and its layers.

    Raises:
        ValueError: finished matches do not fit it; the text says what differs, and what would be right.
    """
    before, after = _plain(was), _plain(now)
    if now.seed is None:
        after["seed"] = before["seed"]
    for key, value in after.items():
        if key not in _MAY_DIFFER and before[key] != value:
            raise ValueError(_differs(key, before[key], value))
    spec = _with_entrants(was, now)
    fixed = was.schedule in ("swiss", "knockout")
    old, new = layer(was), layer(spec)
    if fixed and len(new.entrants) > len(old.entrants):
        added = ", ".join(repr(name) for name in new.entrants[len(old.entrants) :])
        raise ValueError(
            f"schedule = {was.schedule!r} takes no entrant once begun, and here is {added}; another folder is needed"
        )
    if (fixed and new.deals != old.deals) or new.deals < old.deals:
        advice = f"write {old.deals} again" if fixed else f"write {old.deals} or more"
        raise ValueError(_differs("deals", old.deals, new.deals, advice))
    if now.rounds < was.rounds:
        raise ValueError(_differs("rounds", was.rounds, now.rounds, f"write {was.rounds} or more"))
    if set(new.challengers) & set(old.entrants) != set(old.challengers):
        raise ValueError(_differs("challengers", list(old.challengers), list(new.challengers)))
    so_far = tuple(layers) or (old,)
    return spec, so_far if new == so_far[-1] else (*so_far, new)


def _differs(key: str, before: Any, after: Any, advice: str = "another folder is needed") -> str:
    return (
        f"its matches were played with another `{key}`: {json.dumps(before)[:200]}, now {json.dumps(after)[:200]}; "
        f"{advice}"
    )


def _with_entrants(was: TournamentSpec, now: TournamentSpec) -> TournamentSpec:
    """The new file with the entrants of before first, in their order."""
    given = {entrant.name: entrant for entrant in now.entrants}
    names = [entrant.name for entrant in was.entrants]
    for name in names:
        if name not in given:
            raise ValueError(
                f"its matches were played with the entrant {name!r}, who is not among the `entrants` now; "
                "another folder is needed"
            )
    names += [name for name in given if name not in names]
    return msgspec.structs.replace(
        now,
        entrants=tuple(given[name] for name in names),
        challengers=tuple(name for name in names if name in now.challengers),
    )


def _plain(spec: TournamentSpec) -> dict[str, Any]:
    return dict(msgspec.to_builtins(spec))


def set_aside(folder: Path, log: Path) -> None:
    """Move a log to `SUPERSEDED`; one that lies there under its name stays."""
    (folder / SUPERSEDED).mkdir(exist_ok=True)
    place, number = folder / SUPERSEDED / log.name, 1
    while place.exists():
        number += 1
        place = folder / SUPERSEDED / f"{log.stem}.{number}{log.suffix}"
    log.rename(place)


def set_aside_unplanned(folder: Path, planned: Container[int]) -> list[str]:
    """Move the logs of all deal sets but those that are planned; their matches' ids."""
    found = []
    for log in sorted((folder / "matches").glob("*.jsonl")):
        number = log.stem.partition("-")[0]
        if number.isdecimal() and int(number) not in planned:
            set_aside(folder, log)
            found.append(log.stem)
    return found


def set_aside_matches_of(folder: Path, names: Collection[str]) -> None:
    """Move all logs of matches in which one of these entrants sat: so whole deal sets."""
    for entry in sorted(os.scandir(folder / "matches"), key=lambda entry: entry.name):
        log = Path(entry.path)
        if not names_of(log).isdisjoint(names):
            set_aside(folder, log)


def names_of(log: Path) -> set[str]:
    """Who sat in a match, from the first line of its log; empty where that cannot be read."""
    try:
        with log.open("rb") as file:
            return {seat["name"] for seat in msgspec.json.decode(file.readline())["seats"]}
    except (msgspec.MsgspecError, LookupError, TypeError):
        return set()
