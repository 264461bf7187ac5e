"""Matches and their logs for tests: whole matches in a few lines, with bots that choose at random."""

import io
import random
from collections.abc import Callable
from typing import Any

from referee.match.clock import ClockSpec
from referee.match.deal import commitment
from referee.match.events import MatchSpec
from referee.match.fold import Match, stand_in
from referee.match.log import MatchLog
from referee.rules.registry import find_game, resolve_format, resolve_options

Choose = Callable[[Match], int]


def new_match(
    name: str,
    players: int,
    seed: int | bytes,
    *,
    format: dict[str, Any] | None = None,
    withheld: bool = False,
    replayed: bool = False,
    **options: Any,
) -> Match:
    """A match before its first deal. A seed that is a number stands for 32 bytes drawn from it."""
    secret = seed if isinstance(seed, bytes) else random.Random(seed).randbytes(32)
    game, preset = find_game(name)
    spec = MatchSpec(
        f"m-{secret.hex()[:8]}",
        game,
        resolve_options(game, {**preset, **options}),
        resolve_format(game, format),
        tuple(f"seat {seat}" for seat in range(players)),
        ClockSpec(),
        commitment(secret),
    )
    return Match(spec, secret, withheld, replayed)


def play(match: Match, log: MatchLog, choose: Choose, faults: random.Random | None = None) -> None:
    """Play a match to its end as the turn loop does. With ``faults``, some turns time out and some seats forfeit."""
    log.append(match.spec.started())
    while match.ended is None:
        due = match.due()
        if due is not None:
            match.take(due)
            log.append(due)
            continue
        assert match.state is not None
        seat = match.state.seat
        forced = match.forced()
        if forced is not None:
            log.append(match.act(forced, "forced"))
        elif seat in match.forfeited:
            log.append(match.act(stand_in(match.state), "forfeit"))
        elif faults is not None and faults.random() < 0.01:
            event = {"event": "forfeited", "seat": seat, "cause": "late"}
            match.take(event)
            log.append(event)
        elif faults is not None and faults.random() < 0.1:
            log.append(match.act(stand_in(match.state), "timeout", 2000))
        else:
            log.append(match.act(choose(match), "bot", 5, 1))


def log_of(match: Match, choose: Choose, faults: random.Random | None = None) -> bytes:
    """The bytes of the log of a match that is played now."""
    file = io.BytesIO()
    play(match, MatchLog(file, now=lambda: 1_000_000_000.25), choose, faults)
    return file.getvalue()


def at_random(source: random.Random) -> Choose:
    """A bot for every seat that takes any legal action."""
    return lambda match: source.choice(match.state.legal)  # type: ignore[union-attr]
