"""``referee bots``: the built-in bots."""

from __future__ import annotations

import click

from referee.bots.registry import BOTS
from referee.cli.common import print_json
from referee.cli.screen import Screen, table


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def bots(as_json: bool) -> None:
    """Show the built-in bots: what `--seats` and a tournament file's `builtin` accept."""
    if as_json:
        print_json([{"name": info.name, "description": info.description} for info in BOTS.values()])
        return
    made = table("bot", "plays")
    for info in BOTS.values():
        made.add_row(info.name, info.description)
    Screen().print(made)
