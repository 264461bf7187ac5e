"""What the commands show on a terminal. It imports rich, so only commands that show something import it."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table


class Screen(Console):
    """A console for people: colours only where they are wanted, and no text of users taken for markup."""

    def __init__(self, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, emoji=False, highlight=False)

    def on_broken_pipe(self) -> None:
        """Leave it to the command line's one handler."""
        raise BrokenPipeError


def table(*columns: str, title: str | None = None) -> Table:
    """A table in the one style of this command line. A column that starts with ``>`` is set to the right."""
    made = Table(
        title=title, box=SIMPLE_HEAD, pad_edge=False, show_edge=False, title_justify="left", title_style="bold"
    )
    for column in columns:
        made.add_column(column.removeprefix(">"), justify="right" if column.startswith(">") else "left")
    return made
