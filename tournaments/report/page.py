"""Puts a report together and writes it."""

from __future__ import annotations

import html
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, NamedTuple

from referee.replay.page import fill, in_script, page_parts
from tournaments.checks import printable
from tournaments.folder import State, write_atomically
from tournaments.report import sections
from tournaments.report.gather import Gathered, gather
from tournaments.report.pages import pages
from tournaments.report.replays import packs
from tournaments.tables import faults_text

REPORT: Final = "report.html"
REPLAYS: Final = 400
"""So many matches can be replayed in a report, if nothing else is asked for: each takes some 8 ms to pack."""


class Written(NamedTuple):
    """What a report has.

    Attributes:
        path: where it is.
        matches: how many matches have been played.
        replays: how many of them can be replayed in it.
    """

    path: Path
    matches: int
    replays: int


def write_report(folder: Path, state: State, replays: int = REPLAYS) -> Written:
    """Write the report of the tournament in a folder, from its logs.

    Args:
        folder: the tournament's folder.
        state: the tournament.
        replays: the most matches that can be replayed in it.

    Raises:
        OSError: it cannot be written.
    """
    found = gather(folder, state)
    mentioned = {match for one in found.details.values() for match in one.matches()}
    packed: list[str] = []

    def noted() -> Iterator[tuple[str, str]]:
        for match, data in packs(folder, found.matches, replays, mentioned):
            packed.append(match)
            yield match, data

    path = folder / REPORT
    write_atomically(path, _page(found, noted()))
    return Written(path, found.played, len(packed))


def _page(found: Gathered, packed: Iterator[tuple[str, str]]) -> Iterator[str]:
    """The page in pieces: with its replays it is long."""
    parts = {
        "title": html.escape(printable(found.figures["name"])),
        "style": _part("report.css"),
        "script": _part("report.js"),
        "summary": sections.summary(found),
        "standings": sections.standings(found),
        "places": sections.places(found),
        "cross": sections.cross(found),
        "ratings": sections.ratings(found),
        "seats": sections.seats(found),
        "faults": sections.faults(found),
        "clocks": sections.clocks(found),
        "conditions": sections.conditions(found),
        "entrants": in_script(pages(found)),
        "matches": in_script(_matches(found)),
        "replay": in_script(page_parts()),
    }
    before, _, after = _part("report.html").partition("{{replays}}")
    yield fill(before, parts)
    for number, (match, data) in enumerate(packed):
        yield f'{"," if number else ""}{in_script(match)}:"{data}"'
    yield fill(after, parts)


def _matches(found: Gathered) -> dict[str, Any]:
    """The list of matches as the script reads it: names by number, in the order of the standings."""
    names = [one["name"] for one in found.figures["entrants"]]
    numbers = {name: number for number, name in enumerate(names)}
    return {
        "names": [printable(name) for name in names],
        "played": found.played,
        "out": [numbers[name] for name in found.out],
        "matches": [
            [
                match.id,
                [numbers[name] for name in match.seats],
                [match.places[side] for side in match.sides],
                {numbers[name]: faults_text(kinds) for name, kinds in match.faults.items() if any(kinds.values())},
            ]
            for match in found.matches
        ],
    }


def _part(name: str) -> str:
    return files("tournaments.report").joinpath(name).read_text(encoding="utf-8")
