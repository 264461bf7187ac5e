"""The standings as text: CSV for programs, Markdown for people. Made from the figures of ``standings.json``."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tournaments.faults import FAULTS
from tournaments.passing import pass_lines

CSV_COLUMNS: Final = (
    *("place", "place_best", "place_worst", "name", "identity", "played", "won", "drawn", "lost", "score"),
    *("mean", "ci95_low", "ci95_high", "rating", "rating_low", "rating_high", *FAULTS),
    "disqualified",
)
"""The columns of ``standings.csv``."""

_MEANT: Final = re.compile(r"([\\`*_{}\[\]()<>#+!|~&$^:@])")


def to_csv(figures: Mapping[str, Any]) -> str:
    """The entrants as a table with a head line, a line each; empty where JSON has null."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for entrant in figures["entrants"]:
        flat = entrant | entrant["faults"]
        flat["place_best"], flat["place_worst"] = entrant["places"]
        flat["ci95_low"], flat["ci95_high"] = entrant["ci95"]
        flat["rating_low"], flat["rating_high"] = entrant["rating_ci95"]
        flat["disqualified"] = int(bool(entrant.get("disqualified")))
        writer.writerow([flat[column] for column in CSV_COLUMNS])
    return table.getvalue()


def to_markdown(figures: Mapping[str, Any]) -> str:
    """The standings, the cross table and the seats as Markdown tables."""
    played, planned = figures["matches_played"], figures["matches_planned"]
    entrants = figures["entrants"]
    standings = [
        [
            place_text(one),
            plain(one["name"]),
            mean_text(one["mean"]),
            range_text(one["ci95"]),
            f"{one['rating']:.0f}",
            range_text(one["rating_ci95"], 0),
            *(str(one[key]) for key in ("played", "won", "drawn", "lost")),
            status_text(one) or "–",
        ]
        for one in entrants
    ]
    heads = (">place", "entrant", ">mean", "95 %", ">rating", "95 %", ">played", ">won", ">drawn", ">lost", "faults")
    parts = [
        f"# {plain(figures['name'])}",
        f"{plain(figures['game'])}, {played} of {planned} matches played. "
        "A place is a range until it is settled at 95 %.",
        _table(heads, standings),
    ]
    means = cross_means(figures)
    if means:
        names = [one["name"] for one in entrants]
        rows = [
            [
                str(number),
                plain(name),
                *(mean_text(means.get((name, other))) if name != other else "·" for other in names),
            ]
            for number, name in enumerate(names, start=1)
        ]
        parts += [
            "## Mean against each other",
            _table((">", "entrant", *(f">{number}" for number in range(1, len(names) + 1))), rows),
        ]
    seats = [[str(one["seat"]), mean_text(one["mean"]), range_text(one["ci95"])] for one in figures["seats"]]
    parts += ["## Seats", _table((">seat", ">mean", "95 %"), seats)]
    head, *lines = [*pass_lines(figures)] or [""]
    if head:
        parts += ["## Who has passed", plain(head), "\n".join(f"- {plain(line)}" for line in lines)]
    said = [plain(figures.get("verdict", "")), worth_text(figures["deals_worth"])]
    return "\n\n".join([*parts, *filter(None, said)]) + "\n"


def cross_means(figures: Mapping[str, Any]) -> dict[tuple[str, str], float]:
    """The mean of one against another, both ways, for those that have met."""
    found = {}
    for pair in figures["pairs"]:
        if pair["a_mean"] is not None:
            found[pair["a"], pair["b"]] = pair["a_mean"]
            found[pair["b"], pair["a"]] = 1 - pair["a_mean"]
    return found


def place_text(entrant: Mapping[str, Any]) -> str:
    """A place, with its range until it is settled; none for who is disqualified."""
    if entrant.get("disqualified"):
        return "–"
    best, worst = entrant["places"]
    return str(entrant["place"]) if best == worst else f"{entrant['place']} ({best}–{worst})"


def mean_text(value: float | None) -> str:
    """A mean with three digits, or a dash."""
    return "–" if value is None else f"{value:.3f}"


def range_text(bounds: Sequence[float], digits: int = 3) -> str:
    """An interval."""
    return f"{bounds[0]:.{digits}f}–{bounds[1]:.{digits}f}"


def status_text(entrant: Mapping[str, Any]) -> str:
    """The faults of an entrant of the standings in words, and whether it is disqualified for them."""
    faults = faults_text(entrant["faults"])
    return f"disqualified; {faults}" if entrant.get("disqualified") else faults


def faults_text(faults: Mapping[str, int]) -> str:
    """The faults that there were, in words."""
    return ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in faults.items() if count)


def worth_text(worth: Mapping[str, Any] | None) -> str:
    """What duplicate deals were worth, in a sentence; empty where nothing is known."""
    if worth is None:
        return ""
    low, high = worth["ci95"]
    return (
        f"The {worth['matches']} matches of duplicate deal sets told as much as {worth['random_deals']:.0f} matches "
        f"with random deals would have (95 %: {low:.0f}–{high:.0f})."
    )


def plain(text: str) -> str:
    """Text from outside that Markdown takes as it stands."""
    return _MEANT.sub(r"\\\1", " ".join(text.split()))


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [[head.removeprefix(">") for head in heads], ["--:" if head.startswith(">") else ":--" for head in heads]]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [*lines, *rows])
