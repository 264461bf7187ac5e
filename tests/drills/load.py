"""Bots of the SDK that play match after match on a server, and what must hold of these matches afterwards."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
from oracle.verify import check_log
from referee_bot import Action, BotError, Turn, run
from server_kit import BUILTIN, match_request

from referee.bots.registry import BOTS
from referee.match.deal import parse_seed
from referee.match.events import MatchSpec
from referee.match.fold import Match
from referee.match.log import MatchLog, read_log
from referee.match.loop import Table, play_local
from referee.match.seat import LocalSeat
from referee.match.verify import verify
from referee.rules.view import View
from referee.v1 import match_pb2, match_pb2_grpc, play_pb2

CLOCK = {"join_ms": 60_000, "ready_ms": 60_000, "move_ms": 60_000}
"""Clocks that play no part."""

SHAPES = (
    ("domino-belga", play_pb2.Format(kind="points", target=250), "rr"),
    ("domino-duplas", play_pb2.Format(kind="points", target=50), "rmrm"),
    ("domino-cartas", play_pb2.Format(kind="best_of", hands=5), "rem"),
    ("domino-a-carte", play_pb2.Format(kind="hands", hands=4), "rrrr"),
    ("domino-classico", play_pb2.Format(kind="best_of", hands=7), "rb"),
)
"""What is played: game, format, and by seat a bot that dials in or the first letter of a built-in bot."""


@dataclass
class Played:
    """A match that was created, as its bots saw it."""

    id: str
    seats: str
    told: set[tuple[int, int]] = field(default_factory=set)
    ended: list[list[int]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def remote_choice(turn: int, legal: int) -> int:
    """The place of the action that a bot that dials in chooses: it depends on nothing but the position."""
    return turn * 7 % legal


def choose(turn: Turn) -> Action:
    """Choose so, in the SDK."""
    return turn.legal[remote_choice(turn.turn_id, len(turn.legal))]


def choose_here(view: View) -> int:
    """Choose so, in this process."""
    return view.legal[remote_choice(view.turn, len(view.legal))]


class Load:
    """So many matches at any time, until it is told to stop: when one has ended, the next is created."""

    def __init__(self, address: str, matches: int) -> None:
        self.address = address
        self.played: list[Played] = []
        self.failed: list[str] = []
        self.acted = threading.Event()
        self._stop = threading.Event()
        self._back = threading.Condition()
        self._open: set[int] = set()
        self._away: set[int] = set()
        self._channel = grpc.insecure_channel(
            address, [("grpc.max_reconnect_backoff_ms", 200), ("grpc.min_reconnect_backoff_ms", 200)]
        )
        self._matches = match_pb2_grpc.MatchServiceStub(self._channel)
        self._threads = [threading.Thread(target=self._keep_on, args=(number,)) for number in range(matches)]
        for thread in self._threads:
            thread.start()

    def finish(self) -> list[Played]:
        """Create no more, and wait until all that were created have ended."""
        self._stop.set()
        for thread in self._threads:
            thread.join(90)
        assert not any(thread.is_alive() for thread in self._threads), "matches have not ended"
        assert not self.failed, self.failed
        self._channel.close()
        return self.played

    def _keep_on(self, number: int) -> None:
        try:
            while not self._stop.is_set():
                self._one(*SHAPES[number % len(SHAPES)])
                number += 1
        except BaseException as error:
            self.failed.append(f"{type(error).__name__}: {error}")
            raise

    def stop(self) -> None:
        """Create no more."""
        self._stop.set()

    def create(self, game: str, format: play_pb2.Format, seats: str) -> match_pb2.CreateMatchResponse:
        """A new match. Raises `grpc.RpcError`."""
        request = match_request(game, seats, CLOCK, format, seed=None)
        return self._matches.CreateMatch(request, timeout=120, wait_for_ready=True)

    def _one(self, game: str, format: play_pb2.Format, seats: str) -> None:
        try:
            made = self.create(game, format, seats)
        except grpc.RpcError as error:
            if error.code() not in {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED}:
                raise
            self._stop.wait(0.05)
            return
        match = Played(made.info.match_id, seats)
        self.played.append(match)
        bots = [threading.Thread(target=self._bot, args=(match, token.token, made.address)) for token in made.tokens]
        for bot in bots:
            bot.start()
        for bot in bots:
            bot.join()

    def _bot(self, match: Played, token: str, address: str) -> None:
        me = threading.get_ident()

        def heard(event: play_pb2.PlayEvent) -> None:
            if event.HasField("joined"):
                with self._back:
                    self._away.discard(me)
                    self._back.notify_all()
            elif event.HasField("action_taken"):
                match.told.add((event.action_taken.turn, event.action_taken.seat))
                self.acted.set()
            elif event.HasField("match_ended"):
                match.ended.append(list(event.match_ended.places))

        with self._back:
            self._open.add(me)
        try:
            run(choose, address=address, token=token, on_event=heard)
        except BotError as error:
            match.problems.append(f"{type(error).__name__}: {error}")
        finally:
            with self._back:
                self._open.discard(me)
                self._away.discard(me)
                self._back.notify_all()

    def until(self, actions: int, within_s: float = 300) -> None:
        """Wait until the bots have been told of so many actions."""
        end = time.monotonic() + within_s
        while sum(len(match.told) for match in list(self.played)) < actions:
            assert time.monotonic() < end, f"fewer than {actions} actions in {within_s} s"
            assert not self.failed, self.failed
            self.acted.clear()
            self.acted.wait(1)

    def killed(self) -> None:
        """Every bot has lost its stream."""
        with self._back:
            self._away = set(self._open)

    def all_back(self) -> None:
        """Wait until every bot has joined again: the SDK gives up if it cannot for 20 seconds."""
        with self._back:
            assert self._back.wait_for(lambda: not self._away, 60), "bots have not come back"


def check_all(data: Path, played: Iterable[Played]) -> int:
    """Check every match that was created, and that every log verifies; the actions that bots were told of."""
    actions = sum(check(data, match) for match in played)
    for log in data.glob("*.jsonl"):
        verify(log)
        check_log(log)
    return actions


def check(data: Path, match: Played) -> int:
    """Check one match against what its bots were told and against itself without a kill; the actions told."""
    path = data / f"{match.id}.jsonl"
    events = list(read_log(path))
    logged = {(event["turn"], event["seat"]) for event in events if event["event"] == "action"}
    assert match.told <= logged, (match.id, match.told - logged)
    ended = events[[event["event"] for event in events].index("match_ended")]
    assert ended["reason"] == "completed", ended
    assert not [event for event in events if event["event"] == "fault"], match.id
    assert not match.problems, (match.id, match.problems)
    assert match.ended, match.id
    assert all(places == ended["places"] for places in match.ended), match
    assert _game(events) == _game(unkilled(events, match.seats)), match.id
    return len(match.told)


def unkilled(events: list[dict[str, Any]], seats: str) -> list[dict[str, Any]]:
    """The same match, with the same seed and bots, played at a stretch."""
    spec = MatchSpec.from_started(events[0])
    ended = next(event for event in events if event["event"] == "match_ended")
    bots = [
        choose_here if one == "r" else BOTS[BUILTIN[one]].make(f"{spec.id}/{seat}") for seat, one in enumerate(seats)
    ]
    heard: list[dict[str, Any]] = []
    match = Match(spec, parse_seed(ended["seed"]))
    play_local(Table(match, MatchLog(None), [LocalSeat(bot) for bot in bots], heard.append))
    return heard


def _game(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    kinds = {"hand_started", "action", "hand_ended", "match_ended"}
    times = {"seq", "ts", "prev", "hash", "took_ms", "lag_ms"}
    return [
        {key: value for key, value in event.items() if key not in times} for event in events if event["event"] in kinds
    ]
