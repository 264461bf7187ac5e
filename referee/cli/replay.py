"""``referee replay``: a match from its log."""

from __future__ import annotations

from pathlib import Path

import click

from referee.cli.common import counted, fail, printable, say
from referee.cli.screen import Screen
from referee.cli.verify import existing_file
from referee.replay.page import page
from referee.replay.story import Frame, Story, read_events, read_story
from referee.replay.terminal import Teller


@click.command()
@click.argument("log")
@click.option("--hand", type=int, metavar="N", help="Only this hand; hands count from 0.")
@click.option("--turn", type=int, metavar="N", help="The table exactly after this turn; turns count from 1.")
@click.option("--seat", type=int, metavar="S", help="Only what this seat could see; seats count from 0.")
@click.option("--html", metavar="FILE", help="Write one HTML page to step through instead.")
def replay(log: str, hand: int | None, turn: int | None, seat: int | None, html: str | None) -> int:
    """Show a match from its LOG, hand by hand. The match may still be running.

    A log that does not verify is shown up to its fault, with status 1.
    """
    existing_file(log)
    events, fault = read_events(log)
    seats = len(events[0]["seats"])
    if seat is not None and not 0 <= seat < seats:
        fail(f"--seat {seat}: this match has seats 0 to {seats - 1}")
    story = read_story(events, fault, seat)
    frames = _chosen(story, hand, turn)
    if html is not None:
        _write(html, story, hand, turn)
    else:
        _tell(story, frames, hand, turn)
    if fault is not None:
        say(f"{fault}; shown up to the line before")
        return 1
    return 0


def _chosen(story: Story, hand: int | None, turn: int | None) -> list[Frame]:
    """The hand that was asked for by its number or by a turn in it; without either, none in particular."""
    hands = story.hands()
    if hand is not None and not 0 <= hand < len(hands):
        fail(f"--hand {hand}: this log has " + (f"hands 0 to {len(hands) - 1}" if hands else "no hand yet"))
    if turn is not None and not 1 <= turn <= story.turns:
        fail(f"--turn {turn}: this log has " + (f"turns 1 to {story.turns}" if story.turns else "no turn yet"))
    if turn is None:
        return [] if hand is None else hands[hand]
    played = next(frames for frames in hands if frames[-1].turn >= turn)
    if hand is not None and played is not hands[hand]:
        first, last = _turns_of(hands[hand])
        has = f"has turns {first} to {last}" if last >= first else "has no turn yet"
        fail(f"--turn {turn}: hand {hand} {has}; turn {turn} is in hand {played[0].table.hand}")
    return played


def _turns_of(frames: list[Frame]) -> tuple[int, int]:
    return frames[0].turn + 1, frames[-1].turn


def _tell(story: Story, frames: list[Frame], hand: int | None, turn: int | None) -> None:
    teller = Teller(story, Screen())
    if turn is not None:
        teller.turn(frames, turn)
    elif hand is not None:
        teller.hand(frames)
    else:
        teller.match()


def _write(html: str, story: Story, hand: int | None, turn: int | None) -> None:
    text = page(story, hand, turn)
    try:
        Path(html).write_text(text, encoding="utf-8")
    except OSError as error:
        fail(f"--html {html}: {error.strerror or error}; it must be a file that can be written")
    hands, turns = counted(len(story.hands()), "hand"), counted(story.turns, "turn")
    click.echo(f"wrote {printable(html)}: {hands}, {turns}", err=True)
