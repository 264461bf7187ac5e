"""A server that is started again: it takes up what stands in its folder, and tries again what could not be written."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Final

import structlog

from referee.bots.registry import find_bot
from referee.match.deal import parse_seed
from referee.match.events import MatchSpec
from referee.match.fold import Match
from referee.match.log import LogError
from referee.match.seat import Bot
from referee.server.admission import Admission, Ticket
from referee.server.host import MOST_KEPT, MatchHost
from referee.server.hosted import HostedMatch, MatchStage
from referee.server.past import past_match
from referee.server.private import Player, forget_private, private_path, read_private

RETRY_S: Final = 2.0
"""So long between attempts to go on with matches whose logs cannot be written."""

_log = structlog.get_logger(__name__)


class Resumer:
    """Takes up the matches of a folder.

    Args:
        admission: where their bots' tokens are made good again.
        host: where they go on.
        data: the folder.
        claims: whether the match of an id is this process's.
        owned: told of every match that goes on, and of who created it.
    """

    def __init__(
        self,
        admission: Admission,
        host: MatchHost,
        data: Path,
        claims: Callable[[str], bool] = lambda _: True,
        owned: Callable[[HostedMatch, str], None] = lambda _match, _owner: None,
    ) -> None:
        self._admission = admission
        self._host = host
        self._data = data
        self._claims = claims
        self._owned = owned
        self._retrying: asyncio.Task[None] | None = None

    def restore(self) -> None:
        """Take up every match of the folder: those that were running go on, those that are over are listed."""
        logs = {path.stem: path for path in self._data.glob("*.jsonl") if self._claims(path.stem)}
        running: list[HostedMatch] = []
        for path in sorted(self._data.glob("*.private")):
            if not self._claims(path.stem):
                continue
            log = logs.pop(path.stem, None)
            if log is None or not _announced(log):
                self._never_announced(path.with_suffix(".jsonl"))
                continue
            hosted = self._kept(log)
            if hosted is not None:
                running.append(hosted)
        newest = sorted(logs.values(), key=_changed, reverse=True)
        over = [hosted for path in islice(newest, MOST_KEPT) if (hosted := past_match(path)) is not None]
        for hosted in sorted([*running, *over], key=lambda hosted: hosted.created_at):
            self._host.add(hosted)
        for hosted in running:
            if not hosted.over:
                self._go_on(hosted)
        if running or over:
            stages = [hosted.stage for hosted in running]
            _log.info(
                "matches restored",
                resumed=sum(stage in {MatchStage.WAITING, MatchStage.RUNNING} for stage in stages),
                suspended=stages.count(MatchStage.SUSPENDED),
                damaged=stages.count(MatchStage.FAILED),
                over=len(over) + stages.count(MatchStage.FINISHED),
            )

    def start(self) -> None:
        """From now on try again, every few seconds, to go on with what is suspended."""
        self._retrying = asyncio.get_running_loop().create_task(self._retry_for_ever(), name="resume")

    def stop(self) -> None:
        """Try no more."""
        if self._retrying is not None:
            self._retrying.cancel()

    async def _retry_for_ever(self) -> None:
        while True:
            await asyncio.sleep(RETRY_S)
            self.retry()

    def retry(self) -> None:
        """Go on with the matches that are suspended, until one of them still cannot."""
        waiting = self._host.suspended
        while waiting and not self._host.draining:
            hosted = waiting.pop(0)
            self._go_on(hosted)
            if hosted.stage is MatchStage.SUSPENDED:
                return
            if hosted.stage is not MatchStage.FAILED:
                _log.info("match goes on", match=hosted.spec.id)

    def _go_on(self, hosted: HostedMatch) -> None:
        """Go on with a match, now or later, or say why it cannot."""
        try:
            self._host.resume(hosted)
        except OSError as error:
            self._host.suspend(hosted, error)
        except LogError as error:
            self._fail(hosted, f"the log is damaged: {error}")
        except Exception as error:
            # Whatever is wrong with one match, the others go on.
            self._fail(hosted, f"{hosted.path}: {type(error).__name__}: {error}")

    def _fail(self, hosted: HostedMatch, problem: str) -> None:
        """Stop a match whose log is damaged: all stays on the disk, for whoever may mend it."""
        hosted.stage = MatchStage.FAILED
        hosted.problem = problem
        hosted.sealed = True
        for player in hosted.players:
            if isinstance(player, Ticket):
                self._admission.revoke(player)
        hosted.on_over()
        hosted.pulse()
        _log.error("match failed", match=hosted.spec.id, problem=problem)

    def _never_announced(self, log: Path) -> None:
        """The server was killed while it made a match that nobody was told of."""
        _log.warning("a match that was not announced yet is dropped", match=log.stem)
        with suppress(OSError):
            log.unlink(missing_ok=True)
        forget_private(log)

    def _kept(self, log: Path) -> HostedMatch | None:
        """The match of a log that was running, before its log is read; if what was kept of it is damaged, it is over.

        None if its log tells of no match either.
        """
        try:
            kept = read_private(log)
            spec = MatchSpec.from_started(kept.started)
            if spec.id != log.stem:
                raise ValueError(f"it is of match {spec.id!r}")
            hosted = HostedMatch(spec, Match(spec, parse_seed(kept.seed)), log, kept.created_at)
            if len(kept.players) != len(spec.names):
                raise ValueError(f"{len(kept.players)} players for {len(spec.names)} seats")
            players = [_player(player) for player in kept.players]
        except Exception as error:
            # A damaged file may hold anything: it stops its own match, and no other.
            return self._without_private(log, f"{private_path(log)}: {type(error).__name__}: {error}")
        for player, name in zip(players, spec.names, strict=True):
            hosted.players.append(self._admission.restore(name, player) if isinstance(player, bytes) else player)
        hosted.resumable = True
        hosted.on_over = lambda: self._forget_tokens(hosted)
        self._owned(hosted, kept.owner)
        return hosted

    @staticmethod
    def _without_private(log: Path, problem: str) -> HostedMatch | None:
        """The match of a log, where what was kept to go on with it is damaged."""
        hosted = past_match(log)
        if hosted is not None and hosted.stage is MatchStage.FINISHED:
            forget_private(log)  # nobody needs it any more
            return hosted
        if hosted is not None:
            hosted.problem = problem
            # It goes on if the file is mended: till then nobody may know the hands.
            hosted.sealed = True
        _log.error("match failed", match=log.stem, problem=problem)
        return hosted

    def _forget_tokens(self, hosted: HostedMatch) -> None:
        for player in hosted.players:
            if isinstance(player, Ticket):
                self._admission.revoke(player)


def claims_of(number: int, processes: int) -> Callable[[str], bool]:
    """Which matches are those of one of several processes: ids that begin with its number.

    The first one takes those of no other, as well: whatever was created when there were more processes, or one.
    """
    others = tuple(f"{other}-" for other in range(1, processes + 1) if other != number)
    return lambda match_id: match_id.startswith(f"{number}-") or (number == 1 and not match_id.startswith(others))


def _player(player: Player) -> Bot | bytes:
    """A built-in bot as it was made, or the hash of the token of one that dials in."""
    return find_bot(player.builtin).make(player.seed) if player.builtin else bytes.fromhex(player.token)


def _announced(log: Path) -> bool:
    """Whether a match may have been announced: its log's first line is whole, or cannot be read now."""
    try:
        with log.open("rb") as file:
            return file.readline().endswith(b"\n")
    except OSError:
        return True


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
