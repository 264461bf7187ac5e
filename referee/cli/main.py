"""The console script ``referee``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

import click

from referee.cli.group import LazyGroup

COMMANDS: Final[Mapping[str, str]] = {
    "games": "The games: players, options, match formats.",
    "bots": "The built-in bots.",
    "play": "Play one match and show its result.",
    "serve": "Run the long-running server.",
    "tournament": "Run a tournament; its standings and report.",
    "replay": "Show a match from its log.",
    "again": "Ask a bot one turn of a match again.",
    "verify": "Referee logs again from the first line.",
    "certificate": "TLS for trying, without a certificate authority.",
    "conformance": "Lead a client in any language through every scenario of the protocol.",
}
"""The short help of each command; a command called ``name`` is ``referee.cli.name:name``."""


def _version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  (slow, and seldom asked for)

    try:
        click.echo(f"referee {version('domino-referee')}")
    except PackageNotFoundError:
        click.echo("referee (not installed: run from its sources)")
    ctx.exit()


class _Referee(LazyGroup):
    """The commands, and what one of them needs before it is imported."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name == "serve":
            # gRPC has a line for every frame that it cannot read, which strangers would fill a disk with, in words of
            # their own. It looks at this when it is imported.
            os.environ.setdefault("GRPC_VERBOSITY", "NONE")
        return super().get_command(ctx, cmd_name)


@click.group(
    "referee",
    cls=_Referee,
    lazy=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 done; 1 it ran and the answer is no; 2 it was asked wrongly.",
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version and exit."
)
def main() -> None:
    """The referee that domino bots play under."""


if __name__ == "__main__":
    main()
