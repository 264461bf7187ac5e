"""What a server tells those who run it: a line of JSON and a number for what happens, and never a secret.

Match logs are apart from this: they hold the pieces. Here nothing of an event is told but its kind.
"""

from __future__ import annotations

import logging
import sys
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import structlog

from referee.match.events import Event
from referee.match.log import MatchLog
from referee.server.limits import Rate
from referee.server.meters import Meters

if TYPE_CHECKING:
    from referee.server.host import HostedMatch

_log = structlog.get_logger(__name__)

STAGES: Final = ("waiting", "running", "finished", "failed", "suspended")


REFUSALS_A_SECOND: Final = 10
"""So many refusals of a kind are logged in a second; all are counted."""


def configure_logging() -> None:
    """Send every structlog event of this process to standard error as a JSON line."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        # Each line in one write: several processes share this stream.
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )


class Operations:
    """Told of what happens on a server.

    Args:
        telling: whether to log it.
        counting: whether to count it, for who asks for the numbers.

    Attributes:
        meters: the numbers.
        streams: open Play streams.
        watchers: open WatchMatch and FetchMatchLog calls.
    """

    def __init__(self, telling: bool = False, counting: bool = True) -> None:
        self.meters = Meters(counting)
        self.streams = 0
        self.watchers = 0
        self._telling = telling
        self._refusals = Rate(REFUSALS_A_SECOND)
        self.meters.watch("streams", "Open Play streams.", lambda: self.streams)
        self.meters.watch("watchers", "Open calls that watch a match or fetch its log.", lambda: self.watchers)

    def watch_matches(self, matches: Iterable[HostedMatch]) -> None:
        """Count matches by stage whenever the numbers are asked for; `matches` may grow and shrink."""

        def stages() -> Counter[str]:
            # A copy: the numbers are asked for from another thread.
            return Counter(str(hosted.stage) for hosted in list(matches))

        self.meters.watch_each("matches", "Matches that the server knows, by stage.", "stage", STAGES, stages)

    def say(self, event: str, **fields: Any) -> None:
        """Log something that happened."""
        if self._telling:
            _log.info(event, **fields)

    def created(self, hosted: HostedMatch) -> None:
        """A match has been created."""
        self.meters.count("matches_created")
        self.say("match created", match=hosted.spec.id, game=hosted.spec.game.id, seats=len(hosted.spec.names))

    def over(self, hosted: HostedMatch) -> None:
        """A match is over. That one has failed is logged by the host, with the reason."""
        ended = hosted.match.ended
        result = ended["reason"] if ended is not None and hosted.stage == "finished" else "failed"
        self.meters.count("matches_ended", result)
        if result != "failed":
            self.say("match ended", match=hosted.spec.id, reason=result, turns=hosted.match.turn)

    def heard(self, event: Event) -> None:
        """A line was written to a match log."""
        kind = event["event"]
        if kind == "action":
            self.meters.turn(event["by"], event.get("took_ms", 0), event.get("lag_ms", 0))
        elif kind == "fault":
            self.meters.count("faults", event["kind"])

    def joined(self) -> None:
        """A stream has joined."""
        self.meters.count("joins")

    def refused(self, reason: str, peer: str, **fields: Any) -> None:
        """A stream or a call was refused, or a limit was reached. Who asks for it endlessly fills no disk."""
        self.meters.count("refused", reason.lower())
        if self._telling and self._refusals.take(reason):
            _log.warning("refused", reason=reason.lower(), peer=peer, **fields)


class CountedLog(MatchLog):
    """A match log whose lines are counted as they are written."""

    def __init__(self, file: BinaryIO, operations: Operations) -> None:
        super().__init__(file)
        self._operations = operations

    def append(self, event: Event) -> Any:
        """Write an event: see `MatchLog.append`."""
        line = super().append(event)
        self._operations.heard(event)
        return line
