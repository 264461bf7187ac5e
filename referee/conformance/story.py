"""What a referee would send: a match that the real rules play and the real encoders tell, for one seat."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from referee.match.clock import ClockSpec
from referee.match.deal import commitment
from referee.match.events import Event, MatchSpec
from referee.match.fold import Match
from referee.match.policy import FaultKind, Remedy
from referee.match.seat import Reply
from referee.rules.actions import ARM_BITS, ARM_MASK, ARM_NAMES, DRAW, PASS
from referee.rules.game import FormatSpec, Game
from referee.rules.pieces import Deck, NotationError
from referee.rules.registry import GAMES, resolve_options
from referee.rules.view import View
from referee.server.codec import notices
from referee.server.codec.events import EventCodec
from referee.server.codec.turns import TurnCodec
from referee.v1 import play_pb2

_FAR: Final = 5_000
"""A turn that does not come up in so many is not to be had."""

_UNKNOWN_FIELD: Final = b"\xd2\x3e\x05later"
"""Field 1002, five bytes: a kind of event or action that only a newer server has."""


class NoSuchTurnError(Exception):
    """The game has no turn such as the script wants."""


class Asked:
    """A turn as it was sent.

    Attributes:
        turn_id: its number.
        data: the encoded response.
        message: the turn in it.
        view: what it was made from; its legal actions are the first of the message's, in order.
    """

    def __init__(self, data: bytes, view: View) -> None:
        self.data = data
        self.view = view
        self.message = play_pb2.PlayResponse.FromString(data).events[0].turn
        self.turn_id = self.message.turn_id

    def change(self, data: bytes) -> None:
        """The turn was sent with changes."""
        self.data = data
        self.message = play_pb2.PlayResponse.FromString(data).events[0].turn


class Story:
    """A match, told to one seat.

    The other seats play by chance. The seat itself plays what the client answers, where it is asked.

    Attributes:
        seat: the client's seat.
        asked: the turn that was made last.
    """

    def __init__(self, game_id: str, told: Mapping[str, Any], number: int) -> None:
        game = GAMES[game_id]
        seats = told.get("seats", game.players[0])
        self.seat: int = told.get("seat", 0)
        names = told.get("names") or [f"player {seat}" for seat in range(seats)]
        seed = bytes([number + 1]) * 32
        clock = ClockSpec(**told.get("clock", {}))
        self._spec = MatchSpec(
            f"conformance-{number}",
            game,
            resolve_options(game, {}),
            _longest(game),
            tuple(names),
            clock,
            commitment(seed),
        )
        self.name: str = names[self.seat]
        self.match = Match(self._spec, seed)
        self.asked: Asked | None = None
        self._events = EventCodec(self._spec)
        self._turns = TurnCodec(self._spec)
        self._chance = random.Random(number)
        self._news: list[bytes] = []
        self._hand: list[bytes] = []

    def joined(self, resumed: bool) -> bytes:
        """The seat is taken."""
        return notices.joined(self._spec.id, self.seat, self.name, resumed)

    def match_started(self) -> bytes:
        """The match starts."""
        return self._events.encode(self._spec.started(), self.seat)

    def hand(self) -> list[bytes]:
        """The hand under way, for a client that has joined again."""
        self._news.clear()
        return list(self._hand)

    def turn(self, only: str | None, unknown_actions: int) -> list[bytes]:
        """All that happens until the seat's next turn, and the turn.

        Args:
            only: the one kind of action to be asked for; a turn is looked for that has it.
            unknown_actions: so many actions that no client knows are legal besides; -1: one, and no other.

        Raises:
            NoSuchTurnError: no such turn comes up.
        """
        self._advance(only)
        view = self.match.view()
        if only in _KINDS:
            view.legal = tuple(action for action in view.legal if _KINDS[only](action, view.deck))[:1]
        clock = self._spec.clock
        self.asked = Asked(self._turns.turn(view, clock.move_ms, clock.bank_ms), view)
        if unknown_actions:
            self.asked.change(_with_unknown(self.asked.data, unknown_actions))
        news, self._news = self._news, []
        return [*news, self.asked.data]

    def turn_again(self) -> bytes:
        """The turn that was made last, as it was sent."""
        assert self.asked is not None
        return self.asked.data

    def answered(self, answer: play_pb2.Answer) -> str:
        """What is wrong with an answer to the turn asked last; empty if it is legal."""
        assert self.asked is not None
        view, legal = self.asked.view, self.asked.message.legal
        if answer.WhichOneof("choice") == "index":
            most = len(legal) - 1
            return "" if answer.index <= most else f"index {answer.index}, where 0 to {most} are legal"
        notations = [action.notation for action in legal]
        wrong = f"{self._turns.given(answer) or 'no choice'!r}, where {', '.join(notations)} are legal"
        if answer.action.WhichOneof("kind") is None and answer.action.notation in notations:
            return ""
        try:
            return "" if self._turns.answered(answer, view) in view.legal else wrong
        except NotationError:
            return wrong

    def play(self, answer: play_pb2.Answer | None) -> None:
        """Let the seat act: as it answered, or (None, or an action that is not of the game) by the stand-in."""
        assert self.asked is not None
        view = self.asked.view
        action = view.legal[0]
        by = "timeout"
        if answer is not None:
            by = "bot"
            known = answer.WhichOneof("choice") == "action" or answer.index < len(view.legal)
            if known and not answer.action.notation.startswith("flip"):
                action = self._turns.answered(answer, view)
        self._tell(self.match.act(action, by, 1))

    def timeout(self) -> list[bytes]:
        """The stand-in plays the turn asked last."""
        self.play(None)
        news, self._news = self._news, []
        return news

    def refusal(self, code: str, remedy: str) -> bytes:
        """The refusal of the answer to the turn asked last."""
        assert self.asked is not None
        message = f"the script refuses this answer: {code}"
        if remedy == "ignore":
            return notices.ignored(code, message, self.asked.turn_id)
        reply = Reply(fault=FaultKind.ILLEGAL, detail=message, code=code)
        return self._turns.refusal(reply, Remedy(remedy), self.asked.view)

    def fault(self, kind: str, remedy: str) -> bytes:
        """A fault of the seat."""
        detail = f"the script says: {kind}"
        event = {"event": "fault", "seat": self.seat, "kind": kind, "count": 1, "remedy": Remedy(remedy)}
        return self._events.encode({**event, "detail": detail}, self.seat)

    def match_ended(self) -> list[bytes]:
        """The match ends."""
        news, self._news = self._news, []
        event = self.match.aborted() | {"reason": "completed"}
        return [*news, self._events.encode(event, self.seat)]

    def _tell(self, event: Event) -> None:
        data = self._events.encode(event, self.seat)
        if event["event"] == "hand_started":
            self._hand.clear()
        self._news.append(data)
        self._hand.append(data)

    def _advance(self, only: str | None) -> None:
        match = self.match
        for _ in range(_FAR):
            due = match.due()
            if due is not None:
                match.take(due)
                self._tell(due)
                continue
            state, forced = match.state, match.forced()
            assert state is not None
            if state.seat == self.seat and forced is None and _suits(match.view(), only):
                return
            action = self._chance.choice(state.legal) if forced is None else forced
            self._tell(match.act(action, "bot" if forced is None else "forced", 1))
        raise NoSuchTurnError(f"no turn with {only} in {self._spec.game.id}")


def _longest(game: Game) -> FormatSpec:
    """The format of a game that goes on the longest."""
    spec = game.formats[-1] if game.formats[-1].kind == "points" else game.formats[0]
    hands = None if spec.hands is None else 1001
    target = None if spec.target is None else 1_000_000
    return replace(spec, hands=hands, target=target, max_hands=10_000)


def _arm(name: str) -> Callable[[int, Deck], bool]:
    arm = ARM_NAMES.index(name)
    return lambda action, _: action < DRAW and action & ARM_MASK == arm


_KINDS: Final[Mapping[str | None, Callable[[int, Deck], bool]]] = {
    "play": lambda action, _: action < DRAW,
    "draw": lambda action, _: action == DRAW,
    "pass": lambda action, _: action == PASS,
    "left": _arm("left"),
    "right": _arm("right"),
    "up": _arm("up"),
    "down": _arm("down"),
    "first tile": lambda action, _: action < DRAW and not action & ARM_MASK,
    "first tile 0-0": lambda action, _: action == 0,
    "0-0": lambda action, _: action >> ARM_BITS == 0,
}
"""The kinds of action that a script can ask for alone."""


def _suits(view: View, only: str | None) -> bool:
    """Whether a turn is such as the script wants."""
    if only is None:
        return True
    if only == "forced":
        return len(view.legal) == 1
    if only == "choice":
        return len(view.legal) > 1
    if only == "long history":
        return len(view.history) > 3 * len(view.counts)
    if only not in _KINDS:
        raise NoSuchTurnError(f"a turn cannot be asked for as {only!r}")
    return any(_KINDS[only](action, view.deck) for action in view.legal)


def _with_unknown(data: bytes, number: int) -> bytes:
    """A turn with so many actions more that nobody knows; -1: with one, and nothing else."""
    response = play_pb2.PlayResponse.FromString(data)
    turn = response.events[0].turn
    if number < 0:
        del turn.legal[:]
    for place in range(abs(number)):
        action = turn.legal.add()
        action.notation = f"flip {place}"
        action.MergeFromString(_UNKNOWN_FIELD)
    return response.SerializeToString()


def unknown_event() -> bytes:
    """An event that only a newer server has."""
    response = play_pb2.PlayResponse()
    response.events.add().MergeFromString(_UNKNOWN_FIELD)
    return response.SerializeToString()
