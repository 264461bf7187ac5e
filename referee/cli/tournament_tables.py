"""The standings of a tournament as a terminal shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table
from rich.text import Text

from referee.cli.common import printable
from referee.cli.screen import Screen, table
from tournaments.incidents import Incidents, incident_lines
from tournaments.passing import pass_lines
from tournaments.tables import cross_means, mean_text, place_text, range_text, status_text


def said(figures: Mapping[str, Any], incidents: Incidents) -> list[Table | Text]:
    """Who has passed, what has come of the tournament and what happened besides, as far as there is any of it."""
    lines = [*pass_lines(figures), figures.get("verdict", ""), *incident_lines(incidents)]
    return [Text(printable(line)) for line in lines if line]


def tables(screen: Screen, figures: Mapping[str, Any]) -> list[Table]:
    """The standings and, where there is room for it, the cross table."""
    played, planned = figures["matches_played"], figures["matches_planned"]
    title = f"{printable(figures['name'])}: {figures['game']}, {played} of {planned} matches"
    rows = _standings_table(figures, title, rated=True)
    if screen.measure(rows, options=screen.options.update(width=1000)).maximum > screen.width:
        rows = _standings_table(figures, title, rated=False)
    names = [one["name"] for one in figures["entrants"]]
    means = cross_means(figures)
    if not means or len(names) * 7 + 20 > screen.width:
        return [rows]
    cross = table(">", "mean against", *(f">{number}" for number in range(1, len(names) + 1)))
    for number, name in enumerate(names, start=1):
        cells = [mean_text(means.get((name, other))) if name != other else "·" for other in names]
        cross.add_row(str(number), Text(printable(name)), *cells)
    return [rows, cross]


def _standings_table(figures: Mapping[str, Any], title: str, rated: bool) -> Table:
    """The standings, with the rating or without."""
    rating = (">rating",) if rated else ()
    rows = table(">place", "entrant", ">mean", "95 %", *rating, ">won", ">drawn", ">lost", "faults", title=title)
    for one in figures["entrants"]:
        rows.add_row(
            place_text(one), Text(printable(one["name"])), mean_text(one["mean"]), range_text(one["ci95"]),
            *([f"{one['rating']:.0f}"] if rated else []),
            str(one["won"]), str(one["drawn"]), str(one["lost"]), status_text(one),
        )  # fmt: skip
    return rows
