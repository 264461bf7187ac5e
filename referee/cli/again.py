"""``referee again``: a bot is asked one turn of a match again."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from referee.cli.common import fail, one_line, print_json, printable
from referee.cli.screen import Screen, table
from referee.cli.verify import existing_file
from referee.match.events import Event, action_fields
from referee.processes.bot_process import StartError
from referee.server.again import Answer, AskedTurn, NoSuchTurn, ask, find_turn
from referee.server.app import ListenError

_BY = {"timeout": "the stand-in", "forfeit": "the stand-in"}


@click.command()
@click.argument("log")
@click.option("--seat", required=True, type=int, metavar="S", help="Whose turn it was; seats count from 0.")
@click.option("--turn", required=True, type=int, metavar="N", help="Which; turns count from 1, through the match.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def again(log: str, seat: int, turn: int, as_json: bool, command: tuple[str, ...]) -> int:
    """Ask a bot one turn of a match again, and show its answer beside the recorded one.

    The bot (COMMAND, after --) is started and told exactly what the seat knew: the match, the current hand up to the
    turn, and the turn itself, under the match's clocks. What it prints goes to standard error.

    Exit status: 0 it answers what is recorded; 1 it answers something else, or nothing legal.
    """
    existing_file(log)
    try:
        asked = find_turn(Path(log), seat, turn)
    except NoSuchTurn as error:
        fail(str(error))
    try:
        with tempfile.TemporaryDirectory(prefix="referee-") as folder:
            answer = asyncio.run(ask(asked, command, Path(folder)))
    except (StartError, ListenError) as error:
        fail(str(error))
    found = _found(asked, answer, turn)
    if as_json:
        print_json(found)
    else:
        _show(found, asked)
    return int(not found["same"])


def _found(asked: AskedTurn, answer: Answer, turn: int) -> dict[str, Any]:
    """The two answers and how they compare, for programs; times in milliseconds."""
    reply, spec = answer.reply, asked.match.spec
    action = None if reply.action is None else action_fields(reply.action, spec.game.deck.names)
    recorded = asked.recorded
    return {
        "match": spec.id,
        "seat": asked.seat,
        "turn": turn,
        "recorded": {
            "action": recorded["action"] if recorded else None,
            "by": recorded["by"] if recorded else None,
            "took_ms": recorded["took_ms"] if recorded else None,
            "refused": [{key: event[key] for key in ("code", "message", "given")} for event in asked.refused],
            "faults": [{key: event[key] for key in ("kind", "remedy", "detail")} for event in asked.faults],
        },
        "answer": {
            "action": action,
            "given": reply.given,
            "took_ms": reply.took_ms,
            "legal": answer.problem is None,
            "fault": None if answer.problem is None else reply.fault or "illegal",
            "problem": answer.problem,
        },
        "same": answer.problem is None and recorded is not None and recorded["action"] == action,
    }


def _show(found: dict[str, Any], asked: AskedTurn) -> None:
    screen = Screen()
    spec, recorded, answer = asked.match.spec, found["recorded"], found["answer"]
    name = printable(spec.names[asked.seat])
    screen.print(f"{printable(spec.id)}, turn {found['turn']}: seat {asked.seat}, {name}")
    rows = table("", "answer", ">ms", "")
    for event in recorded["refused"]:
        rows.add_row("recorded", Text(one_line(event["given"])), "", Text(f"refused: {one_line(event['message'])}"))
    for event in recorded["faults"]:
        if event["kind"] not in {"illegal", "malformed"} or not recorded["refused"]:
            rows.add_row("recorded", "–", "", Text(f"{event['kind']}: {one_line(event['detail'])}"))
    if recorded["action"] is not None:
        by = _BY.get(recorded["by"], "")
        rows.add_row("recorded", _text(recorded["action"]), str(recorded["took_ms"]), by and f"played by {by}")
    elif not recorded["refused"] and not recorded["faults"]:
        rows.add_row("recorded", "–", "", "the match ended in this turn")
    said = _text(answer["action"]) if answer["action"] else Text(one_line(answer["given"]) or "–")
    verdict = Text("the same", "green") if found["same"] else Text("another one; it is legal", "yellow")
    if answer["problem"] is not None:
        verdict = Text(f"{answer['fault'].replace('_', ' ')}: {one_line(answer['problem'])}", "red")
    rows.add_row("now", said, str(answer["took_ms"]), verdict)
    screen.print(rows)


def _text(action: Event) -> Text:
    if action["type"] != "play":
        return Text(action["type"])
    return Text(f"{action['piece']} {action['arm']}" if "arm" in action else action["piece"])
