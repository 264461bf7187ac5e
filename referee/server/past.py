"""Matches that will not go on, as the logs in a server's folder tell them."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec
import structlog

from referee.match.events import Event, LogFault, MatchSpec
from referee.match.fold import Match
from referee.server.codec.info import match_info
from referee.server.hosted import HostedMatch, MatchStage, Standing

_TAIL: Final = 1 << 16
"""The end of a log in which its last events are looked for (bytes)."""

_log = structlog.get_logger(__name__)


def past_match(log: Path) -> HostedMatch | None:
    """A match that will not go on, as its log's first and last lines tell it; None if the first tells of none.

    It is FINISHED if the log says how it has ended. Else it is FAILED, and its problem says why; if a line is damaged,
    which one.
    """
    try:
        with log.open("rb") as file:
            started: Event = msgspec.json.decode(file.readline())
            file.seek(max(file.tell(), file.seek(0, 2) - _TAIL))
            tail = file.read().splitlines()
        spec = MatchSpec.from_started(started)
        if spec.id != log.stem:
            raise ValueError(f"it is of match {spec.id!r}")
        created_at = datetime.fromisoformat(started["ts"]).timestamp()
        hosted = HostedMatch(spec, Match(spec, None), log, created_at)
    except (OSError, ValueError, KeyError, TypeError, LogFault) as error:
        _log.warning("no match log", file=log.name, problem=f"{type(error).__name__}: {error}"[:200])
        return None
    last: dict[str, tuple[Event, bytes]] = {}
    for line in tail:
        with suppress(msgspec.DecodeError, KeyError, TypeError):
            event = msgspec.json.decode(line)
            last[event["event"]] = (event, line)
    hosted.stage = MatchStage.FAILED
    hosted.stands()
    for kind in ("action", "match_ended"):
        if kind not in last:
            continue
        event, line = last[kind]
        before = hosted.standing
        try:
            hosted.stands(_after(event, before))
            match_info(hosted)  # which is all that will be told of it
        except (LookupError, TypeError, ValueError) as error:
            hosted.stands(before)
            hosted.sealed = True
            hosted.problem = f"the log is damaged: {log}:{_number(log, line)}: {kind}: {type(error).__name__}: {error}"
            _log.error("match failed", match=spec.id, problem=hosted.problem)
            return hosted
    hosted.match.ended = ended = hosted.standing.ended
    hosted.match.withheld = ended is not None and "seed" not in ended and "seed_revealed" not in last
    if ended is None:
        hosted.problem = "the log ends before match_ended, and nothing is kept to go on with"
    else:
        hosted.stage = MatchStage.FINISHED
    return hosted


def _after(event: Event, standing: Standing) -> Standing:
    """How far a match is after an event of its log. Raises `KeyError`."""
    if event["event"] == "action":
        return standing._replace(hand=event["hand"], turn=event["turn"])
    return standing._replace(totals=event["totals"], ended=event)


def _number(log: Path, line: bytes) -> int:
    """The number of a line, counted from 1; of several that are alike, of the last."""
    data = log.read_bytes()
    return data[: data.rfind(line)].count(b"\n") + 1
