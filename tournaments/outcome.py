"""What a match came to, read from its log; and the seeds that may be told once a deal set is done."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from referee.match.deal import commitment, set_seed
from referee.match.log import MatchLog
from referee.rules.formats import rank
from tournaments.faults import FAULT_OF
from tournaments.result import MatchResult
from tournaments.schedule import PlannedMatch

_FAULT_MARK: Final = b'"event":"fault"'
_TAIL_BYTES: Final = 1 << 14


class WrongLog(Exception):
    """A log that is of another match than the one that is planned under its name; the text says what differs."""


def log_path(folder: Path, match_id: str) -> Path:
    """The log of a match in a tournament's folder."""
    return folder / "matches" / f"{match_id}.jsonl"


def read_result(
    folder: Path, planned: PlannedMatch, sides: Sequence[int], seed: bytes | None = None
) -> MatchResult | None:
    """The result of a planned match from its log; None if it has not been played to an end that counts.

    A match that was aborted was no bot's fault, and is played again. A side that forfeited is placed after all that did
    not, whatever the stand-in has reached for it.

    Args:
        folder: the tournament's folder.
        planned: the match.
        sides: the side of each seat.
        seed: the tournament's seed, to see that the log is of the planned match: its seats and its deals.

    Raises:
        WrongLog: it is of another.
    """
    try:
        data = log_path(folder, planned.id).read_bytes()
    except FileNotFoundError:
        return None
    ended = _ended(data)
    if ended is None or ended["reason"] == "aborted":
        return None
    if seed is not None and not _begun_as_planned(data, planned, seed):
        return None
    faults: dict[str, Counter[str]] = {}
    playing = set(sides)
    out: tuple[str, ...] = ()
    if _FAULT_MARK in data:
        events = [msgspec.json.decode(line) for line in data.splitlines()]
        for event in events:
            if event["event"] == "fault":
                faults.setdefault(planned.seats[event["seat"]], Counter())[FAULT_OF[event["kind"]]] += 1
        forfeited = {event["seat"] for event in events if event["event"] == "forfeited"}
        playing = {side for seat, side in enumerate(sides) if seat not in forfeited}
        # Of a pair, both seats are one entrant, who is out with the second.
        out = tuple(dict.fromkeys(planned.seats[seat] for seat, side in enumerate(sides) if side not in playing))
    places = rank([(side not in playing, place) for side, place in enumerate(ended["places"])])
    return MatchResult(planned.id, planned.deal_set, planned.seats, tuple(sides), places, faults, out)


def _begun_as_planned(data: bytes, planned: PlannedMatch, seed: bytes) -> bool:
    """Whether a log begins at all. Raises `WrongLog` where it begins as another match."""
    try:
        started = msgspec.json.decode(data[: data.index(b"\n")], type=dict[str, Any])
        found = started["match"], tuple(seat["name"] for seat in started["seats"]), started["commitment"]
    except (msgspec.MsgspecError, LookupError, TypeError, ValueError):
        return False
    wanted = planned.id, planned.seats, commitment(set_seed(seed, planned.deal_set))
    for what, is_, should in zip(("match", "seats", "deals"), found, wanted, strict=True):
        if is_ != should:
            raise WrongLog(f"{planned.id}: its {what}: {is_}, planned: {should}")
    return True


def _ended(data: bytes) -> dict[str, Any] | None:
    """The `match_ended` event of a log, if it has one; a torn last line is none, and a damaged log has none."""
    for line in reversed(data[-_TAIL_BYTES:].splitlines(keepends=True)[1:]):
        if not line.endswith(b"\n"):
            continue
        try:
            event = msgspec.json.decode(line, type=dict[str, Any])
        except msgspec.MsgspecError:
            return None
        if event.get("event") == "match_ended":
            return event
        if event.get("event") != "seed_revealed":
            return None
    return None


def reveal(folder: Path, matches: Sequence[PlannedMatch], seed: bytes) -> None:
    """Append the seed of a deal set whose matches are all done to each of their logs, where it is not told yet.

    What an earlier attempt has torn is cut off.
    """
    for planned in matches:
        with log_path(folder, planned.id).open("r+b", buffering=0) as file:
            lines = file.read().splitlines(keepends=True)
            if not lines[-1].endswith(b"\n"):
                file.seek(-len(lines.pop()), os.SEEK_END)
                file.truncate()
            last = msgspec.json.decode(lines[-1])
            if "seed" in last:
                continue
            log = MatchLog(file)
            log.continue_from(last)
            log.append({"event": "seed_revealed", "seed": seed.hex()})
