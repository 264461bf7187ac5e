"""``referee tournament``: run one, and show its standings."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from referee.cli.commands import command_problem
from referee.cli.common import fail, print_json, printable, say
from referee.cli.group import NearGroup
from referee.cli.policy import told_line, transport_of, transport_options
from referee.cli.screen import Screen
from referee.cli.tournament_live import RunDisplay
from referee.cli.tournament_tables import said, tables
from referee.rules.registry import SettingError, unknown
from referee.server.transport import Transport
from tournaments.certificates import check_certificates
from tournaments.cluster import Cluster, ClusterError
from tournaments.entrants import argv
from tournaments.executors import Executor, Processes
from tournaments.folder import FolderError, State, begin, locked, read_state
from tournaments.incidents import IncidentReader
from tournaments.player import LISTEN, Setting
from tournaments.report import REPLAYS, write_report
from tournaments.resume import SUPERSEDED
from tournaments.runner import RunFailed, Runner
from tournaments.spec import SpecError, TournamentSpec, load
from tournaments.tables import to_markdown

EXECUTORS = ("processes", "dask")

REFRESHED = 20_000
"""Up to so many logs are counted again for standings that are behind them: some seconds."""

Folder = click.Path(file_okay=False, path_type=Path)


@click.group(cls=NearGroup)
def tournament() -> None:
    """Run a tournament, and show its standings."""


@tournament.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=Folder, metavar="DIR", help="Where logs and standings go.")
@click.option("--workers", type=click.IntRange(1, 1024), help="Processes that play.  [default: one a processor]")
@click.option("--executor", default="processes", show_default=True, help="Who plays: processes, or dask (a cluster).")
@click.option("--scheduler", metavar="ADDRESS", help="The dask scheduler, such as tcp://10.0.0.1:8786.")
@click.option("--listen", default=LISTEN, show_default=True, metavar="HOST:PORT", help="Where remote entrants dial in.")
@transport_options
@click.option("--json", "as_json", is_flag=True, help="Print the standings as JSON.")
def run(
    file: Path,
    out: Path,
    workers: int | None,
    executor: str,
    scheduler: str | None,
    listen: str,
    as_json: bool,
    **tls: Any,
) -> None:
    """Run the tournament of FILE and print its standings.

    Run again on the same DIR, it goes on where it stopped.
    """
    if executor not in EXECUTORS:
        raise SettingError("--executor", unknown("executor", executor, EXECUTORS))
    if (executor == "dask") != (scheduler is not None):
        fail("--scheduler: --executor dask needs the address of its scheduler, and no other executor has one")
    transport = transport_of(tls, listen)
    spec = load(file)
    base_dir = file.parent
    _check_commands(spec, base_dir, str(file))
    check_certificates(spec, base_dir, str(file))
    try:
        with locked(out):
            state = begin(out, spec, base_dir, str(file))
            status = _run(state, out, _executor(state.setting(out), workers, scheduler), (listen, transport), as_json)
    except (FolderError, ClusterError) as error:
        fail(str(error))
    raise SystemExit(status)


@tournament.command()
@click.argument("folder", type=Folder, metavar="DIR")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
@click.option("--markdown", is_flag=True, help="Print Markdown.")
def standings(folder: Path, as_json: bool, markdown: bool) -> None:
    """Show the standings and the cross table of the tournament in DIR."""
    path = folder / "standings.json"
    try:
        _refresh(folder, read_state(folder))
        figures = json.loads(path.read_text(encoding="utf-8"))
        screen = Screen()
        shown = [*tables(screen, figures), *said(figures, IncidentReader(folder).read())]
        text = to_markdown(figures) if markdown else ""
    except FolderError as error:
        fail(str(error))
    except FileNotFoundError:
        fail(f"{path}: not there yet: no match has been played")
    except (ValueError, LookupError, TypeError):
        fail(f"{path}: damaged: these are no standings; run the tournament again to write it anew")
    if as_json:
        print_json(figures)
    elif markdown:
        click.echo("\n".join(map(printable, text.split("\n"))), nl=False)
    else:
        screen.print(*shown, sep="\n")


@tournament.command()
@click.argument("folder", type=Folder, metavar="DIR")
@click.option(
    "--replays", default=REPLAYS, show_default=True, type=click.IntRange(0), help="So many matches can be replayed."
)
def report(folder: Path, replays: int) -> None:
    """Write DIR/report.html, one page that needs nothing else, from the logs of the tournament in DIR."""
    try:
        state = read_state(folder)
    except FolderError as error:
        fail(str(error))
    _refresh(folder, state)
    written = write_report(folder, state, replays)
    say(f"wrote {printable(str(written.path))}: {written.matches} matches, {written.replays} can be replayed", "")


def _refresh(folder: Path, state: State) -> None:
    """Bring standings up to date that a killed run has left behind its logs, where that is soon done."""
    try:
        played = json.loads((folder / "standings.json").read_bytes())["matches_played"]
    except FileNotFoundError:
        played = 0
    except (OSError, ValueError, LookupError, TypeError):
        # Damaged, which is not ours to hide.
        return
    logs = sum(1 for _ in (folder / "matches").glob("*.jsonl"))
    if logs > REFRESHED or not isinstance(played, int) or logs <= played:
        return
    # Of a run at work the standings are as they should be; in a folder of others they stay as they are.
    with contextlib.suppress(FolderError, OSError), locked(folder):
        Runner(state, folder, executor=Processes(state.setting(folder), 1)).refresh()


def _check_commands(spec: TournamentSpec, base_dir: Path, file: str) -> None:
    """See that every entrant's command exists. Raises `SpecError`."""
    for number, entrant in enumerate(spec.entrants):
        problem = command_problem(argv(entrant), base_dir) if entrant.command is not None else None
        if problem is not None:
            raise SpecError(file, f"entrants[{number}].command", f"of {entrant.name!r}: {problem}")


def _executor(setting: Setting, workers: int | None, scheduler: str | None) -> Executor:
    """Who plays. Raises `ClusterError`."""
    if scheduler is None:
        return Processes(setting, workers or os.cpu_count() or 1)
    return Cluster(setting, scheduler)


def _run(state: State, out: Path, executor: Executor, listen: tuple[str, Transport], as_json: bool) -> int:
    """Run the tournament and show its standings; the exit status."""
    screen = Screen(stderr=True)

    def on_waiting(address: str, tokens: Mapping[str, str]) -> None:
        if line := told_line(listen[1], listen[0], address):
            say(line)
        for name, token in tokens.items():
            say(f"{name!r} is waited for: REFEREE_ADDRESS={address} REFEREE_TOKEN={token}")
        wait = f"{state.spec.clock.join_ms / 1000:g} s"
        say(f"until all have dialled in nothing is played; waited for up to {wait} before the first match")

    display = RunDisplay(state.spec.name, lambda: runner.course.total())  # noqa: PLW0108  (the runner is still to come)
    runner = Runner(
        state, out, executor=executor, listen=listen[0], transport=listen[1],
        on_result=display.on_result, on_standings=display.on_standings, on_waiting=on_waiting,
    )  # fmt: skip
    if not as_json:
        _announce(state, runner)
    problem = ""
    stop = Stop()
    try:
        with display:
            asyncio.run(stop.run(runner))
    except RunFailed as error:
        problem = str(error)
    except OSError as error:
        problem = f"{error.filename or out}: {error.strerror}"
    except asyncio.CancelledError:
        played = f"{runner.standings.matches_played} of {runner.course.total()} matches played"
        say(f"stopped with {played}; run it again to go on")
        return 128 + stop.number
    try:
        write_report(out, state)
    except OSError as error:
        # What ended the run has most likely stopped the report too, and is said below.
        if not problem:
            say(f"the report cannot be written: {error.filename or out}: {error.strerror}")
    figures = runner.standings.to_json()
    if as_json:
        print_json(figures)
    else:
        screen = Screen()
        screen.print(*tables(screen, figures), *said(figures, runner.incidents.read()), sep="\n")
        files = ("report.html", "standings.json")
        there = [printable(str(out / name)) for name in files if (out / name).exists()]
        say(f"the report and the standings: {' and '.join(there)}", "")
    for line in runner.set_aside:
        say(f"a log did not fit and was moved to {out / SUPERSEDED}: {line}")
    if problem:
        say(f"the tournament could not be finished: {problem}; run it again to go on")
    return 1 if problem else 0


class Stop:
    """Ctrl-C and SIGTERM end a run in good order, however often they come; `number` is the first that came."""

    def __init__(self) -> None:
        self.number = 0

    async def run(self, runner: Runner) -> None:
        """Run. Raises `asyncio.CancelledError` once it was stopped and the standings are written."""
        task = asyncio.current_task()
        assert task is not None
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, self._stop, number, task)
        await runner.run()

    def _stop(self, number: int, task: asyncio.Task[None]) -> None:
        if not self.number:
            # A second one would stop the stopping.
            self.number = number
            task.cancel()


def _announce(state: State, runner: Runner) -> None:
    """Say what will be played, and commit to the deals."""
    spec, schedule = state.spec, runner.schedule
    screen = Screen(stderr=True)
    deal_sets = runner.course.total() // schedule.rotations
    sets = "deal set" if deal_sets == 1 else "deal sets"
    most = "at most " if spec.stop else ""
    rotations = f" in {schedule.rotations} rotations" if spec.duplicate else ""
    screen.print(
        f"{printable(spec.name)}: {spec.game}, {len(spec.entrants)} entrants, table of {spec.table}, "
        f"{most}{deal_sets} {sets}{rotations}: {most}{runner.course.total()} matches"
        + (", fewer or more as the ties go" if spec.schedule == "knockout" else "")
    )
    if spec.schedule in ("round_robin", "gauntlet") and schedule.imbalance():
        screen.print(
            f"the pairs of entrants do not meet equally often: they differ by up to {schedule.imbalance()} meetings"
        )
    if level := schedule.level_over():
        screen.print(
            f"who sits next after whom is level only over {level} deal sets of a meeting: "
            f"deals = {level}, or a multiple of it, would make it so"
        )
    screen.print(f"commitment to the deals: {state.commitment}", soft_wrap=True)
