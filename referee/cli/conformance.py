"""``referee conformance``: a client in any language, led through every scenario of the protocol."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import click
from rich.text import Text

from referee.cli.common import fail, print_json, printable
from referee.cli.screen import Screen
from referee.conformance.certificate import certificate, write_certificate
from referee.conformance.run import Result, run_scenarios
from referee.conformance.scenario import ScenarioError, load_scenarios
from referee.processes.bot_process import StartError


def _list(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        for one in load_scenarios():
            click.echo(f"{one.name}: {one.promise}")
        context.exit()


@click.command()
@click.argument("command", nargs=-1, required=True, metavar="-- COMMAND...")
@click.option("--game", metavar="GAME", help="For a bot that plays one game only: all in this game.")
@click.option("--scenario", "names", multiple=True, metavar="NAME", help="Only this one; may be given several times.")
@click.option("--list", is_flag=True, is_eager=True, expose_value=False, callback=_list, help="Only name them.")
@click.option("--certificate", "path", type=click.Path(dir_okay=False, path_type=Path), help="Write a certificate.")
@click.option("--jobs", type=click.IntRange(1), help="How many scenarios at a time.  [default: 3 a processor]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def conformance(
    command: tuple[str, ...],
    game: str | None,
    names: tuple[str, ...],
    path: Path | None,
    jobs: int | None,
    as_json: bool,
) -> int:
    """Try a client: lead it through every scenario of the protocol.

    COMMAND starts the client. It is run once or more for each scenario, and finds REFEREE_ADDRESS, REFEREE_TOKEN and
    REFEREE_NAME in its environment. Leaves with status 1 if it departs from the protocol in any of them.
    """
    if path is not None and not path.parent.is_dir():
        fail(f"--certificate {path}: there is no folder {path.parent}")
    try:
        scenarios = load_scenarios(game, names)
    except ScenarioError as error:
        fail(str(error))
    for name in ("REFEREE_CA", "REFEREE_CERT", "REFEREE_KEY"):
        os.environ.pop(name, None)  # the scenarios are on loopback, without TLS
    screen = Screen()
    bar = screen.status("") if screen.is_terminal and not as_json else None
    done: list[Result] = []

    def heard(result: Result) -> None:
        done.append(result)
        if bar is not None:
            bar.update(f"{len(done)} of {len(scenarios)} scenarios")

    if bar is not None:
        bar.start()
    try:
        results = asyncio.run(run_scenarios(command, scenarios, jobs or 3 * (os.cpu_count() or 1), heard))
    except StartError as error:
        fail(str(error))
    finally:
        if bar is not None:
            bar.stop()
    found = certificate(command, game, not names, results)
    if path is not None:
        write_certificate(path, found)
    if as_json:
        print_json(found)
    else:
        _show(screen, results, found["client"])
    return 0 if found["passed"] else 1


def _show(screen: Screen, results: list[Result], client: str) -> None:
    """A line by scenario, then what each client that failed should have done, did, and has printed."""
    wide = max(len(one.name) for one in results)
    for one in results:
        mark = Text("ok    ", "green") if one.passed else Text("FAILED", "bold red")
        screen.print(mark + Text(f"  {one.name:{wide}}  {one.seconds:4.1f} s"), soft_wrap=True)
    failed = [one for one in results if not one.passed]
    for one in failed:
        screen.print(Text(f"\n{one.name}", "bold"), printable(one.promise), sep=": ", soft_wrap=True)
        screen.print(f"  expected: {printable(one.expected)}", soft_wrap=True)
        screen.print(f"  came: {printable(one.came)}", soft_wrap=True)
        if one.output:
            lines = [printable(line) for line in one.output.splitlines()[-12:]]
            screen.print("  the client printed:", *lines, sep="\n    ", soft_wrap=True)
    kept = len(results) - len(failed)
    who = printable(client) or "a client without a name"
    screen.print(f"{who}: {kept} of {len(results)} scenarios", style="red" if failed else "green")
