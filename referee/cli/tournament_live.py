"""What a terminal shows while a tournament runs: how far it is, how fast, and how it stands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Final, Self

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from referee.cli.common import printable
from referee.cli.screen import Screen, table
from tournaments.incidents import Incidents, breakdowns_text
from tournaments.result import MatchResult
from tournaments.tables import mean_text, place_text, range_text, status_text

ROWS: Final = 10
"""So many entrants are shown."""


class Rate(ProgressColumn):
    """Matches a second, lately."""

    def render(self, task: Task) -> Text:
        """The rate, once there is one."""
        speed = task.finished_speed or task.speed
        return Text(f"{speed:.1f} matches/s" if speed else "", style="progress.data.speed")


class RunDisplay:
    """Shows a run on standard error if that is a terminal, and takes itself away at the end.

    Args:
        name: the tournament's name.
        total: tells how many matches there are, as far as is known.
    """

    def __init__(self, name: str, total: Callable[[], int]) -> None:
        self._total = total
        self._figures: Mapping[str, Any] | None = None
        self._incidents = Incidents()
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(20),
            MofNCompleteColumn(),
            Rate(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        self._task = self._progress.add_task(printable(name), total=None)
        self._live = Live(self, console=Screen(stderr=True), transient=True) if sys.stderr.isatty() else None

    def on_result(self, _result: MatchResult) -> None:
        """A match is done."""
        if self._live is not None:
            self._progress.update(self._task, advance=1, total=self._total())

    def on_standings(self, figures: Mapping[str, Any], incidents: Incidents) -> None:
        """The standings were made anew: shown from now on, with what has happened besides."""
        self._figures = figures
        self._incidents = incidents
        # Fewer than were told of, once an entrant is disqualified and its matches do not count.
        self._progress.update(self._task, completed=figures["matches_played"])

    def __enter__(self) -> Self:
        self._progress.update(self._task, total=self._total())
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self._progress
        figures = self._figures
        if figures is None or not figures["matches_played"]:
            return
        restarts = self._incidents.restarts
        heads = (">restarts",) if restarts else ()
        rows = table(">place", "entrant", ">mean", "95 %", ">played", "faults", *heads)
        entrants = figures["entrants"]
        shown = max(1, min(ROWS, options.max_height - 6))
        for one in entrants[:shown]:
            rows.add_row(
                place_text(one), Text(printable(one["name"])), mean_text(one["mean"]), range_text(one["ci95"]),
                str(one["played"]), status_text(one),
                *([str(restarts[one["name"]])] if restarts else []),
            )  # fmt: skip
        yield rows
        left = entrants[shown:]
        if left:
            faulty = sum(any(one["faults"].values()) for one in left)
            yield Text(f"and {len(left)} more" + (f", {faulty} of them with faults" if faulty else ""))
        if broken := breakdowns_text(self._incidents):
            yield Text(broken)
