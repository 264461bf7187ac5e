"""A match on the terminal: its progress while it is played, and its result."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.progress import Progress as Bar
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from referee.cli.common import counted, printable
from referee.cli.faults import SeatFaults
from referee.cli.screen import Screen, table
from referee.match.events import Event, MatchSpec
from referee.match.fold import Match


class Progress:
    """Hears a match's events: shows a line on standard error while it is played, and keeps what the result needs.

    Attributes:
        quiet: whether nothing is shown while it is played.
        hands: the `hand_ended` events.
        stood_in: actions chosen by the referee's stand-in, by seat.
    """

    def __init__(self, spec: MatchSpec, quiet: bool) -> None:
        self.quiet = quiet
        self.hands: list[Event] = []
        self.stood_in = [0] * len(spec.names)
        self._title = f"{spec.game.title}: {', '.join(printable(name) for name in spec.names)}"
        self._bar = Bar(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            TextColumn("{task.fields[state]}"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            disable=quiet or not sys.stderr.isatty(),
            transient=True,
        )
        self._task = self._bar.add_task(self._title, total=None, state="waiting for the bots")

    def heard(self, event: Event) -> None:
        """Take note of an event."""
        kind = event["event"]
        if kind == "hand_ended":
            self.hands.append(event)
        elif kind == "action":
            if event["by"] in {"timeout", "forfeit"}:
                self.stood_in[event["seat"]] += 1
            self._bar.update(self._task, state=f"hand {event['hand']}, turn {event['turn']}")

    def __enter__(self) -> Progress:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()


def show_result(spec: MatchSpec, match: Match, progress: Progress, faults: Sequence[SeatFaults]) -> None:
    """Print what a match came to: a line a hand, the places, then what the seats did wrong."""
    assert match.ended is not None
    screen = Screen()
    if progress.hands:
        hands = table("hand", "ended", "won by", "points", "totals")
        for event in progress.hands:
            winners = ", ".join(printable(spec.names[seat]) for seat in event["winners"]) or "nobody"
            hands.add_row(
                str(event["hand"]), event["reason"], Text(winners), _numbers(event["points"]), _numbers(event["totals"])
            )
        screen.print(hands)
    places = table(">place", "seats", "name", ">total", ">played by stand-in")
    ended = match.ended
    order = sorted(range(len(ended["places"])), key=lambda side: (ended["places"][side], side))
    for side in order:
        seats = [seat for seat, one in enumerate(match.sides) if one == side]
        names = dict.fromkeys(printable(spec.names[seat]) for seat in seats)
        stood_in = sum(progress.stood_in[seat] for seat in seats)
        places.add_row(
            str(ended["places"][side]),
            ", ".join(map(str, seats)),
            Text(" & ".join(names)),
            str(ended["totals"][side]),
            str(stood_in) if stood_in else "",
        )
    screen.print(places)
    for fault in faults:
        text = f"seat {fault.seat}, {printable(spec.names[fault.seat])}: {printable(fault.words())}"
        screen.print(Text(text, "red" if fault.forfeited else "yellow"), soft_wrap=True)
    played = f"{counted(len(progress.hands), 'hand')} and {counted(match.turn, 'turn')}"
    screen.print(f"{ended['reason']} after {played}")
    screen.print(f"seed {ended.get('seed', 'withheld')}", soft_wrap=True)


def _numbers(values: list[Any]) -> str:
    return " ".join(map(str, values))
