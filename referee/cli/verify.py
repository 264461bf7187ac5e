"""``referee verify``: the log's own referee, again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
from rich.progress import Progress, track
from rich.text import Text

from referee.cli.common import fail, print_json, printable
from referee.cli.screen import Screen, table
from referee.match.deal import parse_seed
from referee.match.log import LogError
from referee.match.verify import Verdict
from referee.match.verify import verify as referee_again

_MANY = 20
"""From so many logs on, a progress bar is worth its line."""


@click.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOG|DIR...")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
@click.option("--partial", is_flag=True, help="Accept logs that end before their match does.")
@click.option("--seed", metavar="HEX", help="The seed, where it is known but the log withholds it.")
@click.option("--commitment", metavar="HEX", help="DIR: what was published before the first match.")
def verify(logs: tuple[str, ...], as_json: bool, partial: bool, seed: str | None, commitment: str | None) -> int:
    """Referee logs again from the first line: deals from the seed, every action's legality, every score.

    A tournament's DIR is refereed as a whole: its deals, its schedule, every log, and the standings from the logs.
    What bots printed, superseded logs and report.html (made anew by `tournament report`) are not part of it.

    On a fault it prints the file, the line and the rule, and leaves with status 1.
    """
    if len(logs) == 1 and (Path(logs[0]) / "tournament.json").is_file():
        if partial or seed:
            fail("--partial and --seed are for logs; a tournament's folder has its own seed")
        return _tournament(Path(logs[0]), as_json, commitment)
    if commitment:
        fail("--commitment is for a tournament's folder; a log has its own")
    for log in logs:
        existing_file(log)
    try:
        known = None if seed is None else parse_seed(seed)
    except ValueError as error:
        fail(f"--seed: {error}, not {seed!r}")
    bar = Screen(stderr=True)
    quiet = len(logs) < _MANY or not bar.is_terminal
    found: list[Verdict | LogError] = []
    for log in track(logs, "verifying", console=bar, transient=True, disable=quiet):
        try:
            found.append(referee_again(log, known, partial))
        except LogError as error:
            found.append(error)
    if as_json:
        print_json([as_dict(one) for one in found])
    else:
        _show(found)
    return int(any(isinstance(one, LogError) for one in found))


def _tournament(folder: Path, as_json: bool, published: str | None) -> int:
    """Referee a tournament again and say what was found."""
    from tournaments.proof import prove  # noqa: PLC0415  (slow, and only needed here)

    count = sum(1 for _ in (folder / "matches").glob("*.jsonl"))
    bar = Screen(stderr=True)
    quiet = count < _MANY or not bar.is_terminal
    with Progress(console=bar, transient=True, disable=quiet) as progress:
        logs = progress.add_task("verifying", total=count)
        proof = prove(folder, published, lambda: progress.advance(logs))
    if as_json:
        faults = [{"file": one.path, "line": one.line or None, "problem": one.problem} for one in proof.faults]
        print_json(
            {
                "tournament": proof.name,
                "ok": proof.ok,
                "matches_planned": proof.planned,
                "matches_played": proof.played,
                "finished": proof.finished,
                "faults": faults,
                "notes": [{"file": one.path, "problem": one.problem} for one in proof.notes],
            }
        )
        return int(not proof.ok)
    screen = Screen()
    for fault in proof.faults:
        screen.print(Text.assemble(("fault ", "bold red"), printable(str(fault))), soft_wrap=True)
    for note in proof.notes:
        screen.print(Text.assemble(("note ", "yellow"), printable(str(note))), soft_wrap=True)
    left = "" if proof.finished else ", not finished yet"
    said = f"{proof.played} of {proof.planned} matches{left}"
    if proof.ok:
        what = "deals, schedule and logs" if proof.behind else "deals, schedule, logs and standings"
        screen.print(f"{printable(proof.name)}: {said}; {what} verify", style="green")
    else:
        count = len(proof.faults)
        screen.print(f"{printable(proof.name)}: {said}; {count} fault{'s' * (count > 1)}", style="red")
    return int(not proof.ok)


def existing_file(path: str) -> None:
    """Leave with status 2 if there is no file of this name that could be read."""
    if Path(path).is_dir():
        fail(f"{path}: a directory, and no tournament's; a match log is a file, such as {Path(path) / '*.jsonl'}")
    try:
        Path(path).open("rb").close()
    except OSError as error:
        fail(f"{path}: {error.strerror or error}; a match log is a file that can be read")


def as_dict(one: Verdict | LogError) -> dict[str, Any]:
    """What was found, for programs."""
    if isinstance(one, LogError):
        return {"log": one.path, "ok": False, "line": one.line or None, "problem": one.problem}
    return {
        "log": one.path,
        "ok": True,
        "match": one.match.spec.id,
        "game": one.match.spec.game.id,
        "ended": one.match.ended is not None,
        "lines": one.lines,
        "actions": one.actions,
        "hands": one.match.tally.hands,
        "deals_checked": one.deals_checked,
    }


def _show(found: list[Verdict | LogError]) -> None:
    """Good logs as a table on standard output, then each fault on a line of its own."""
    screen = Screen()
    good = [one for one in found if isinstance(one, Verdict)]
    bad = [one for one in found if isinstance(one, LogError)]
    if good:
        made = table("log", "", ">lines", ">hands", ">actions", "deals")
        made.columns[0].overflow = "fold"
        for one in good:
            made.add_row(
                printable(one.path),
                Text("ok", "green") if one.match.ended is not None else Text("ok so far", "yellow"),
                str(one.lines),
                str(one.match.tally.hands),
                str(one.actions),
                "from the seed" if one.deals_checked else Text("seed withheld", "yellow"),
            )
        screen.print(made)
    for fault in bad:
        # Not wrapped: programs and editors find file:line in it.
        screen.print(Text.assemble(("fault ", "bold red"), printable(str(fault))), soft_wrap=True)
    if len(found) > 1:
        screen.print(f"{len(good)} of {len(found)} logs verify", style="green" if not bad else "red")
    sys.stdout.flush()
