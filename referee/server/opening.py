"""Opens a match so that it outlives the server: first what is kept beside its log, then the log, then the news."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from referee.match.events import MatchSpec
from referee.match.seat import Bot
from referee.server.admission import Ticket
from referee.server.host import MatchHost
from referee.server.hosted import HostedMatch
from referee.server.private import Player, Private, forget_private, write_private
from referee.server.sync import sync_folder


async def open_match(
    host: MatchHost,
    log: Path,
    spec: MatchSpec,
    seed: bytes,
    players: Sequence[Bot | Ticket],
    builtins: Sequence[str],
    owner: str,
    on_over: Callable[[], None],
) -> HostedMatch:
    """A match that may be announced.

    Args:
        host: where it is played.
        log: the log to be written.
        spec: what the match is.
        seed: what its deals come from.
        players: by seat, a built-in bot or the ticket of a bot that dials in.
        builtins: by seat, the name of the built-in bot, if it is one; it was made from `bot_seed`.
        owner: who creates it.
        on_over: called once the match is over.

    Raises:
        OSError: it cannot be written; there is no such match.
    """
    kept = [
        Player(token=player.key.hex())
        if isinstance(player, Ticket)
        else Player(builtin=builtins[seat], seed=bot_seed(spec.id, seat))
        for seat, player in enumerate(players)
    ]
    private = Private(spec.started(), seed.hex(), kept, time.time(), owner=owner)
    try:
        if host.safe:
            await asyncio.to_thread(write_private, log, private, safe=True)
        else:
            write_private(log, private)
        hosted = host.create(spec, seed, players, log, on_over=on_over, resumable=True)
        if host.safe:
            await asyncio.to_thread(sync_folder, log.parent)
            await hosted.announced()
            if hosted.problem:
                host.withdraw(hosted)
                raise OSError(0, hosted.problem)
    except OSError:
        with suppress(OSError):
            log.unlink(missing_ok=True)
        forget_private(log)
        raise
    return hosted


def bot_seed(match_id: str, seat: int) -> str:
    """The text that the built-in bot of a seat is made from."""
    return f"{match_id}/{seat}"
