"""Takes a match up again from its log: the same fold that played it, to the state that the last whole line left."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from referee.match.deal import commitment
from referee.match.events import Event, LogFault, MatchSpec
from referee.match.fold import Match
from referee.match.log import GENESIS, LogError, parse_line


@dataclass(frozen=True, slots=True)
class Resumption:
    """A match as its log leaves it.

    Attributes:
        match: the match, in the state after the last whole line.
        events: the whole lines.
        end: how many bytes they take.
        torn: what stands behind them: the beginning of a line that was never acknowledged.
    """

    match: Match
    events: list[Event]
    end: int
    torn: bytes


def resume(path: Path, seed: bytes, withheld: bool = False) -> Resumption | None:
    """Fold a log that ends before its match does, every line checked; None if not even its first line is whole.

    Args:
        path: the log.
        seed: what the deals come from.
        withheld: True if the seed must not be revealed at the end.

    Raises:
        LogError: a whole line is not what must stand there.
        OSError: the log cannot be read.
    """
    data = path.read_bytes()
    end = data.rfind(b"\n") + 1
    name = str(path)
    events: list[Event] = []
    match: Match | None = None
    prev = GENESIS
    for number, line in enumerate(data[:end].split(b"\n")[:-1], start=1):
        try:
            event = parse_line(line, number - 1, prev)
            prev = event["hash"]
            if match is None:
                spec = MatchSpec.from_started(event)
                if spec.commitment != commitment(seed):
                    raise LogFault("match_started: the commitment is not that of the seed")
                match = Match(spec, seed, withheld)
            else:
                match.apply(event)
        except LogFault as fault:
            raise LogError(name, number, str(fault)) from None
        events.append(event)
    return None if match is None else Resumption(match, events, end, data[end:])
