"""One turn of a match, asked again: what its seat saw is read from the log and told to a bot over a real stream."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from referee.match.events import Event, LogFault
from referee.match.fold import Match
from referee.match.log import LogError, read_log
from referee.match.loop import REFUSED
from referee.match.policy import FaultKind, Remedy
from referee.match.seat import Reply
from referee.match.verify import opened
from referee.processes.bot_process import BotProcess, Reaper
from referee.rules.game import IllegalAction
from referee.server.app import RefereeServer
from referee.server.codec.events import EventCodec
from referee.server.codec.turns import TurnCodec
from referee.server.remote import RemoteSeat
from referee.v1 import play_pb2

_ANSWERS: Final = frozenset({"action", "rejected", "fault", "forfeited"})
"""The events that can be what became of a turn."""


class NoSuchTurn(ValueError):
    """A turn that the seat was not asked; the text says why."""


@dataclass(frozen=True, slots=True)
class AskedTurn:
    """A turn as it was asked.

    Attributes:
        match: the match just before the turn.
        seat: whose turn it is.
        told: the events that the seat needs to have been told: the match's first and those of the current hand.
        recorded: the log's `action` event of the turn; None if none came of it.
        refused: the `rejected` events of the turn, in order.
        faults: the `fault` events of the turn, in order.
    """

    match: Match
    seat: int
    told: list[Event]
    recorded: Event | None
    refused: list[Event]
    faults: list[Event]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a bot made of a turn.

    Attributes:
        reply: what came of asking.
        problem: why it does not count; None if it is legal.
    """

    reply: Reply
    problem: str | None


def find_turn(path: Path, seat: int, turn: int) -> AskedTurn:
    """The turn of a log (counted from 1, through the match) as its seat (counted from 0) was asked it.

    Raises:
        LogError: the log is damaged before the turn's end.
        NoSuchTurn: the seat was not asked it.
    """
    events = _readable(path, turn)
    match = opened(str(path), events, None)
    if not 0 <= seat < len(match.sides):
        raise NoSuchTurn(f"--seat {seat}: this match has seats 0 to {len(match.sides) - 1}")
    if turn < 1:
        raise NoSuchTurn(f"--turn {turn}: turns count from 1")
    told = [match.spec.started()]
    for place, event in enumerate(events[1:], start=1):
        if match.turn == turn - 1 and event["event"] in _ANSWERS and match.state is not None and not match.state.result:
            return _asked(match, seat, told, events[place:])
        try:
            match.apply(event)
        except LogFault as fault:
            raise LogError(str(path), place + 1, str(fault)) from None
        kind = event["event"]
        if kind == "hand_started":
            del told[1:]
        if not (kind == "fault" and event["kind"] in REFUSED):
            told.append(event)
    raise NoSuchTurn(f"--turn {turn}: this log has " + (f"turns 1 to {match.turn}" if match.turn else "no turn yet"))


def _readable(path: Path, turn: int) -> list[Event]:
    """The events of a log; damage that comes after the turn does not matter. Raises `LogError`."""
    events: list[Event] = []
    try:
        events.extend(read_log(path))
    except LogError:
        if not any(event["event"] == "action" and event.get("turn") == turn for event in events):
            raise
    return events


def _asked(match: Match, seat: int, told: list[Event], rest: Sequence[Event]) -> AskedTurn:
    state = match.state
    assert state is not None
    turn = match.turn + 1
    if state.seat != seat:
        raise NoSuchTurn(f"--turn {turn}: that was the turn of seat {state.seat}, not of seat {seat}")
    if match.forced() is not None:
        raise NoSuchTurn(f"--turn {turn}: it was not asked: there was one action only")
    if seat in match.forfeited:
        raise NoSuchTurn(f"--turn {turn}: it was not asked: seat {seat} had lost the match by its faults before")
    of_turn: list[Event] = []
    for event in rest:
        if event["event"] in {"hand_started", "hand_ended", "match_ended"}:
            break
        of_turn.append(event)
        if event["event"] == "action":
            break
    recorded = of_turn[-1] if of_turn and of_turn[-1]["event"] == "action" else None
    mine = [event for event in of_turn if event.get("seat") == seat]
    return AskedTurn(
        match,
        seat,
        told,
        recorded,
        [event for event in mine if event["event"] == "rejected"],
        [event for event in mine if event["event"] == "fault"],
    )


async def ask(asked: AskedTurn, argv: Sequence[str], folder: Path) -> Answer:
    """Start a bot, ask it the turn under the match's clocks, and end it. What it prints goes to standard error.

    Args:
        asked: the turn.
        argv: the command's words.
        folder: an empty folder for the server.

    Raises:
        StartError: the command cannot be started.
        ListenError: there is no port to listen on.
    """
    match = asked.match
    spec = match.spec
    server = RefereeServer(folder)
    await server.start()
    reaper = Reaper()
    try:
        token, ticket = server.admission.issue(spec.names[asked.seat])
        seat = RemoteSeat(asked.seat, spec, EventCodec(spec), TurnCodec(spec), lambda _: None, server.lateness)
        for event in asked.told:
            seat.tell(event)
        ticket.offer(seat)
        process = await BotProcess.start(
            argv, name=spec.names[asked.seat], address=server.address, token=token, output=None, reaper=reaper
        )
        try:
            process.on_exit(lambda how: seat.leaves(FaultKind.CRASHED, how))
            reply = await seat.prepare()
            if reply is None:
                reply = await seat.ask(match.view(), spec.clock.move_ms, match.banks[asked.seat])
            answer, refused = _judged(match, reply)
            process.on_exit(None)
            if refused is not None:
                seat.refuse(refused, Remedy.FORFEIT)
            ticket.done(seat)
            seat.dismiss(play_pb2.CLOSE_REASON_MATCH_OVER, "this one turn was all that was asked", False)
        finally:
            await process.end()
    finally:
        await server.stop()
        await asyncio.to_thread(reaper.close)
    return answer


def _judged(match: Match, reply: Reply) -> tuple[Answer, IllegalAction | Reply | None]:
    """The answer, and what the bot is to be told if it is refused. The match is played on if it is legal."""
    if reply.action is None:
        return Answer(reply, reply.detail or "no action"), reply if reply.fault in REFUSED else None
    try:
        match.act(reply.action, "bot", reply.took_ms, reply.lag_ms)
    except IllegalAction as illegal:
        return Answer(reply, f"{illegal} [{illegal.rule}]"), illegal
    return Answer(reply, None), None
