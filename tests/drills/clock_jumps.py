"""The wall clock jumps by two days, forth and back, five times a second: nobody's time is taken from it."""

from __future__ import annotations

import signal
import tempfile
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from referee.match.log import read_log
from tests.drills.load import Load, check_all
from tests.drills.row import Row
from tests.drills.server import Server
from tests.drills.watched_server import DAY_S

SECOND_MS = 1000


def rows(full: bool) -> list[Row]:
    """The rows of this drill."""
    actions = 20_000 if full else 500
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        server = Server(data, watched=True, env={"DRILL_JUMPS": "1"})
        server.start()
        # A kill in between: what is taken up again was written at another time of the wall clock.
        load = Load(server.address, 4)
        try:
            load.until(actions // 2)
            server.kill()
            load.killed()
            server.start()
            load.all_back()
            load.until(actions)
            load.finish()
            server.kill(signal.SIGTERM)
        finally:
            load.stop()
            server.close()
        told = check_all(data, load.played)
        logs = [list(read_log(data / f"{match.id}.jsonl")) for match in load.played]
        jumps = sum(_jumps(log) for log in logs)
        assert jumps, "the clock has not jumped in any log"
        charged = [event["took_ms"] for log in logs for event in log if event["event"] == "action"]
        assert max(charged) < 20 * SECOND_MS, f"{max(charged)} ms charged to a bot that answered at once"
    done = f"{jumps} jumps of {2 * DAY_S / 3600:.0f} hours within {len(logs)} matches, one kill -9"
    figure = f"{told} actions, at most {max(charged)} ms charged for one, 0 results changed"
    return [Row("wall clock jumps", done, figure, "0 faults", True)]


def _jumps(log: list[dict[str, str]]) -> int:
    """How often the time in a log jumps."""
    times = [datetime.fromisoformat(event["ts"]) for event in log]
    return sum(abs((after - before).total_seconds()) > DAY_S for before, after in pairwise(times))
