"""What a terminal shows while a tournament runs."""

import io
import os
import pty
import select
from collections import Counter

import pytest
from tournament_kit import TIMEOUT_S, Cup, builtin

from referee.cli.screen import Screen
from referee.cli.tournament_live import ROWS, RunDisplay
from tournaments.faults import Breakdown
from tournaments.incidents import Incidents


def entrant(number, **faults):
    """A line of the standings."""
    return {
        "name": f"e{number}", "place": number, "places": [1, 30], "mean": 1 / number, "ci95": [0.0, 1.0],
        "played": 7, "faults": {"illegal": 0, "late": 0} | faults,
    }  # fmt: skip


@pytest.fixture
def shown(monkeypatch):
    """The display as text, so many lines high."""

    def show(display, height):
        monkeypatch.setenv("COLUMNS", "80")
        screen = Screen()
        screen.file = io.StringIO()
        screen.print(display, height=height)
        return screen.file.getvalue().splitlines()

    return show


def test_it_shows_how_it_stands_and_who_has_faults(shown):
    """The first rows of the table, and what is left out in a line."""
    display = RunDisplay("cup\x1b[31m", lambda: 60)
    with display:
        assert "cup\\x1b[31m" in shown(display, 40)[0]
        assert "0/60" in shown(display, 40)[0]
        display.on_standings({"matches_played": 0, "entrants": [entrant(1)]}, Incidents())
        assert len(shown(display, 40)) == 1
        entrants = [entrant(number, late=number % 2) for number in range(1, ROWS + 4)]
        display.on_standings({"matches_played": 7, "entrants": entrants}, Incidents())
        lines = shown(display, 40)
        assert lines[-1] == "and 3 more, 2 of them with faults"
        assert any("e3 " in line and "0.333" in line and "1 late" in line for line in lines)
        assert not any("e11" in line for line in lines)
        assert all(len(line) <= 80 for line in lines)
        display.on_standings({"matches_played": 7, "entrants": entrants[:2]}, Incidents())
        assert "more" not in shown(display, 40)[-1]


def test_a_terminal_sees_it_and_it_goes_away(tmp_path):
    """Progress and table while it runs; at the end only the standings are left, and the cursor is back."""
    cup = Cup(tmp_path)
    cup.write(cup.bot("a"), builtin("m", "medium"), deals=4)
    ours, theirs = pty.openpty()
    run = cup.start("--workers", "1", stderr=theirs)
    os.close(theirs)
    seen = b""
    while select.select([ours], [], [], TIMEOUT_S)[0]:
        try:
            seen += os.read(ours, 1 << 16)
        except OSError:
            break
    os.close(ours)
    printed, _ = run.communicate(timeout=TIMEOUT_S)
    assert run.returncode == 0
    assert b"/8" in seen
    assert b"played" in seen
    assert seen.rindex(b"\x1b[?25h") > seen.rindex(b"\x1b[?25l")
    assert "8 of 8 matches" in printed
    assert "\x1b" not in printed


def test_it_shows_restarts_and_matches_played_again_once_there_are_some(shown):
    """A column of restarts, and a line of what was nobody's fault."""
    display = RunDisplay("cup", lambda: 60)
    figures = {"matches_played": 7, "entrants": [entrant(1), entrant(2)]}
    incidents = Incidents(breakdowns=Counter({Breakdown.HOST: 2}), restarts=Counter(e2=31))
    with display:
        display.on_standings(figures, Incidents())
        assert not any("restarts" in line or "again" in line for line in shown(display, 40))
        display.on_standings(figures, incidents)
        lines = shown(display, 40)
    assert any("restarts" in line for line in lines)
    assert [line.split()[-1] for line in lines if "e1 " in line or "e2 " in line] == ["0", "31"]
    assert "2 times a match had to be played again" in lines[-1]
