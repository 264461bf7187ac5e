"""Referees a log again from its first line: the same fold that played it, with every event checked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from referee.match.deal import commitment, parse_seed
from referee.match.events import Event, LogFault, MatchSpec
from referee.match.fold import Match
from referee.match.log import LogError, read_log

_TS: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a log that verifies holds.

    Attributes:
        path: the file.
        lines: its lines.
        actions: the actions among them.
        match: the match as its log leaves it.
        deals_checked: True if the deals were recomputed from the seed; False while the seed is withheld.
    """

    path: str
    lines: int
    actions: int
    match: Match
    deals_checked: bool


def verify(path: str | Path, seed: bytes | None = None, partial: bool = False) -> Verdict:
    """Referee a log again.

    Args:
        path: the log.
        seed: the seed, where it is known but not in the log yet.
        partial: accept a log that ends before its match does.

    Raises:
        LogError: with the file, the line and the rule that the log breaks.
    """
    return verify_events(str(path), list(read_log(path)), seed, partial)


def verify_events(name: str, events: list[Event], seed: bytes | None = None, partial: bool = False) -> Verdict:
    """Referee the events of a log again: at least one, their chain checked. Like `verify`."""
    match = opened(name, events, seed)
    actions = 0
    for number, event in enumerate(events, start=1):
        if not isinstance(event.get("ts"), str) or not _TS.fullmatch(event["ts"]):
            raise LogError(name, number, f"ts is {event.get('ts')!r}, no RFC 3339 time in UTC with milliseconds")
        if number == 1:
            continue
        try:
            match.apply(event)
        except LogFault as fault:
            raise LogError(name, number, str(fault)) from None
        actions += event["event"] == "action"
    if match.ended is None and not partial:
        raise LogError(name, len(events), "the log ends before match_ended: the match is running, or the log was cut")
    return Verdict(name, len(events), actions, match, match.seed is not None)


def opened(name: str, events: list[Event], seed: bytes | None) -> Match:
    """The match of a log, with its seed if the log (or the caller) tells it."""
    try:
        spec = MatchSpec.from_started(events[0])
    except LogFault as fault:
        raise LogError(name, 1, str(fault)) from None
    for number, event in enumerate(events, start=1):
        kind = event["event"]
        if kind == "match_ended" and ("seed" in event) == (event.get("seed_withheld") is True):
            raise LogError(name, number, "match_ended: either a seed or `seed_withheld`: true must stand there")
        if kind in {"match_ended", "seed_revealed"} and "seed" in event:
            try:
                seed = parse_seed(event["seed"])
            except ValueError as error:
                raise LogError(name, number, f"{kind}: {error}") from None
            if commitment(seed) != spec.commitment:
                raise LogError(name, number, f"{kind}: the seed is not the one that was committed to")
    if seed is not None and commitment(seed) != spec.commitment:
        raise LogError(name, 1, "match_started: the commitment is not that of the seed")
    return Match(spec, seed)
