"""Opens a match so that it outlives the server: first what is kept beside its log, then the log, then the news."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from referee.match.events import MatchSpec
from referee.match.seat import Bot
from referee.server.admission import Ticket
from referee.server.host import MatchHost
from referee.server.hosted import HostedMatch
from referee.server.private import Player, Private, forget_private, write_private
from referee.server.sync import sync_folder

OnOver = Callable[[], None]


async def open_match(
    host: MatchHost,
    log: Path,
    spec: MatchSpec,
    seed: bytes,
    players: Sequence[Bot | Ticket],
    builtins: Sequence[str],
    owner: str,
    on_over: OnOver,
) -> HostedMatch:
    """A match that may be announced. Whoever asks for it may go before it is there: then it does not come to be.

    Args:
        host: where it is played.
        log: the log to be written.
        spec: what the match is.
        seed: what its deals come from.
        players: by seat, a built-in bot or the ticket of a bot that dials in.
        builtins: by seat, the name of the built-in bot, if it is one; it was made from `bot_seed`.
        owner: who creates it.
        on_over: called once the match is over, or it is certain that there will be none.

    Raises:
        OSError: it cannot be written; there is no such match.
    """
    opened = _open(host, log, spec, seed, players, builtins, owner, on_over)
    if not host.safe:
        return await opened  # without waiting for anything
    opening = asyncio.create_task(opened)
    try:
        # Cancelled in the middle, it would leave a thread that writes on, and nobody to clear up behind it.
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        taking_back = asyncio.create_task(_take_back(host, log, opening, on_over))
        _taking_back.add(taking_back)
        taking_back.add_done_callback(_taking_back.discard)
        raise


_taking_back: Final[set[asyncio.Task[None]]] = set()
"""The event loop itself does not hold its tasks."""


async def _take_back(host: MatchHost, log: Path, opening: asyncio.Task[HostedMatch], on_over: OnOver) -> None:
    """See to it that nothing is left of a match that nobody was told of."""
    with suppress(OSError):
        hosted = await opening
        hosted.stop()
        await host.finished(hosted)
        if not hosted.over:  # the disk is full, and it would wait to go on
            on_over()
        host.withdraw(hosted)
        _remove(log)


async def _open(
    host: MatchHost,
    log: Path,
    spec: MatchSpec,
    seed: bytes,
    players: Sequence[Bot | Ticket],
    builtins: Sequence[str],
    owner: str,
    on_over: OnOver,
) -> HostedMatch:
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
    except Exception:
        on_over()
        _remove(log)
        raise
    return hosted


def _remove(log: Path) -> None:
    with suppress(OSError):
        log.unlink(missing_ok=True)
    forget_private(log)


def bot_seed(match_id: str, seat: int) -> str:
    """The text that the built-in bot of a seat is made from."""
    return f"{match_id}/{seat}"
