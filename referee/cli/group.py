"""Groups of commands: imported when asked for, near names offered, every error said in one line."""

from __future__ import annotations

import difflib
import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, Final

import click

from referee.cli.common import one_line, said_of, say

INTERRUPTED: Final = 130
"""The exit status after Ctrl-C, as a shell would say it."""
PIPE_CLOSED: Final = 141
"""The exit status when whoever read the output went away, as a shell would say it."""


class NearGroup(click.Group):
    """A group that offers the nearest command for one that it does not have."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which one may have been meant."""
        name = args[0]
        names = self.list_commands(ctx)
        if name not in names and not name.startswith("-") and not ctx.resilient_parsing:
            near = difflib.get_close_matches(name, names, 1)
            guess = f"did you mean {near[0]!r}? " if near else ""
            raise click.UsageError(f"no such command {name!r}; {guess}commands: {', '.join(names)}", ctx)
        return super().resolve_command(ctx, args)


class LazyGroup(NearGroup):
    """The root: its commands are named in a table and imported only when they are run.

    A command called ``name`` is the object ``name`` of the module ``referee.cli.name``.

    Args:
        lazy: the short help of each command, by name, in the order of the help page.
    """

    def __init__(self, *args: Any, lazy: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands, in the order of the table."""
        return list(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in self.lazy:
            return None
        command = getattr(import_module(f"referee.cli.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table, importing none of them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.lazy.items()))

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command line and leave with its exit status; errors of users are one line on standard error."""
        run = partial(super().main, args, prog_name or self.name, complete_var, False, **extra)
        if not standalone_mode:
            return run()
        sys.exit(_status(run))


def _status(run: Callable[[], Any]) -> int:
    """Run a command and give its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = run()
        sys.stdout.flush()
        return status if type(status) is int else 0
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        return _pipe_closed()
    except click.ClickException as error:
        return _click_error(error)
    except Exception as error:
        said = said_of(error)
        if said is None:
            raise
        say(said.text)
        return said.status


def _click_error(error: click.ClickException) -> int:
    """Say what was asked wrongly, in one line; a group without a command shows its help instead."""
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    if type(error).__name__ == "NoArgsIsHelpError" and ctx is not None:
        click.echo(ctx.get_help())
        return 0
    path = ctx.command_path if ctx is not None else "referee"
    text = one_line(error.format_message()).rstrip(".")
    say(f"{path}: {text}" + (f" (see {path} --help)" if ctx is not None else ""), prefix="")
    return 2


def _pipe_closed() -> int:
    """Leave quietly when nobody reads any more."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            # Else the interpreter complains when it flushes for the last time.
            os.dup2(devnull, stream.fileno())
    return PIPE_CLOSED
