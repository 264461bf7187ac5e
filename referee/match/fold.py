"""A match as the fold of its events.

Playing appends an event and applies it; replay, verification and resumption apply the same events with the same code.
`Match.due` names the event that must come next when no seat has anything to choose; `Match.act` is the one way an
action enters; `Match.apply` takes an event from a log. Nothing is kept here that the log could not rebuild.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from referee.match.clock import charge, turn_limit
from referee.match.deal import deck_order
from referee.match.events import FIXED, Event, LogFault, MatchSpec, action_fields, parse_action_fields, same
from referee.match.reconstruct import reconstructed_order
from referee.rules.actions import DRAW, PASS
from referee.rules.formats import Tally, rank
from referee.rules.game import Deal, Hand, HandEnd, IllegalAction, Result
from referee.rules.view import View

_CHARGED: Final = frozenset({"bot", "timeout"})
"""Whose time counts: the seat's own answers, and turns it let run out."""

_UNORDERED: Final = frozenset({"hands", "left", "laid"})
"""The fields that hold sets of pieces; the order in which each is written says nothing."""

_MOST: Final = 2**53 - 1
"""The largest number of a log (RFC 8785)."""


class Match:
    """The state of one match.

    Attributes:
        spec: what the match is.
        seed: the 32 bytes its deals come from; None where they are not known (a log whose seed is withheld).
        withheld: True if the seed must not be revealed at the end, since other matches use it.
        sides: the side of each seat, by seat.
        tally: what the format counts.
        state: the hand being played, if one is.
        hand: the number of the current or next hand.
        turn: the number of the last turn that was played, through the match.
        banks: the time (ms) left in each seat's bank, by seat.
        forfeited: the seats that forfeited, in order.
        ended: the `match_ended` event, once there is one.
    """

    def __init__(self, spec: MatchSpec, seed: bytes | None, withheld: bool = False) -> None:
        self.spec = spec
        self.seed = seed
        self.withheld = withheld
        players = len(spec.names)
        self.sides = spec.game.sides(players)
        self.tally = Tally(spec.format, self.sides)
        self.state: Hand | None = None
        self.hand = 0
        self.turn = 0
        self.banks = [spec.clock.bank_ms] * players
        self.forfeited: list[int] = []
        self._forfeited_at: dict[int, int] = {}
        self.ended: Event | None = None
        self._dealer = players - 1
        self._leader: int | None = None
        self._dealt: tuple[Event, Hand] | None = None
        self._names = spec.game.deck.names

    # What must come next -------------------------------------------------------------------------------------

    def due(self) -> Event | None:
        """The event that must come next; None while a seat is to act, and after the end."""
        if self.ended is not None:
            return None
        state = self.state
        if state is None and self.tally.over:
            return self._match_ended("completed")
        if self.forfeited and len(self._live_sides()) <= 1:
            return self._match_ended("forfeit")
        if state is not None:
            return None if state.result is None else self._hand_ended(state, state.result)
        return self._hand_started()

    def aborted(self) -> Event:
        """The event that ends the match without a winner, for no fault of a bot."""
        return self._match_ended("aborted")

    def forced(self) -> int | None:
        """The action of a turn that is not asked, because it is the only one and the game or an option says so."""
        state = self.state
        assert state is not None
        if len(state.legal) != 1:
            return None
        action = state.legal[0]
        if self.spec.options["auto_forced"] or (self.spec.game.passes_itself and action == PASS):
            return action
        return None

    def view(self) -> View:
        """What the seat whose turn it is may know."""
        assert self.state is not None
        return View(self.state, self.sides, self.tally.totals, self.hand, self.turn + 1)

    def limit_ms(self, seat: int) -> int:
        """How long the seat may take for a turn (ms)."""
        return turn_limit(self.spec.clock, self.banks[seat])

    def _live_sides(self) -> set[int]:
        """The sides that still have a seat of their own playing."""
        live = {side for seat, side in enumerate(self.sides) if seat not in self.forfeited}
        return live - self.tally.out.keys()

    def _seats_in(self) -> tuple[int, ...]:
        return tuple(seat for seat, side in enumerate(self.sides) if side not in self.tally.out)

    def _deal(self, order: list[int]) -> Hand | None:
        players = len(self.spec.names)
        return self.spec.game.deal(
            Deal(order, players, self._seats_in(), self._dealer, self.spec.options, self._leader)
        )

    def _hand_started(self) -> Event:
        if self._dealt is None:
            if self.seed is None:
                return {"event": "hand_started"}  # which one, nobody can tell
            attempt = 0
            while (hand := self._deal(deck_order(self.seed, self.hand, attempt, len(self._names)))) is None:
                attempt += 1
            self._dealt = (self._hand_event(hand, attempt), hand)
        return self._dealt[0]

    def _hand_event(self, hand: Hand, attempt: int) -> Event:
        names_of = self.spec.game.deck.names_of
        return {
            "event": "hand_started",
            "hand": self.hand,
            "attempt": attempt,
            "dealer": self._dealer,
            "hands": self._by_seat(hand),
            "stock": [self._names[piece] for piece in reversed(hand.stock)],
            "laid": names_of(hand.laid),
            "starter": hand.starter,
        }

    def _by_seat(self, hand: Hand) -> list[list[str] | None]:
        names_of = self.spec.game.deck.names_of
        return [names_of(pieces) if seat in hand.seats else None for seat, pieces in enumerate(hand.hands)]

    def _hand_ended(self, state: Hand, result: Result) -> Event:
        tally = self.tally
        return {
            "event": "hand_ended",
            "hand": self.hand,
            "reason": result.reason.value,
            "winners": list(result.winners),
            "left": self._by_seat(state),
            "points": list(result.points),
            "totals": tally.after(result),
        }

    def _match_ended(self, reason: str) -> Event:
        event: Event = {
            "event": "match_ended",
            "reason": reason,
            "places": list(self._places(reason)),
            "totals": list(self.tally.totals),
        }
        if self.withheld or self.seed is None:
            event["seed_withheld"] = True
        else:
            event["seed"] = self.seed.hex()
        return event

    def _places(self, reason: str) -> Sequence[int]:
        """Places by side.

        A side that forfeited comes after all that did not; of several, the one that held out longer is placed better,
        and those that went in the same turn (all that never came, for one) share a place.
        """
        standing = self.tally.places()
        if reason != "forfeit":
            return standing
        live = self._live_sides()
        return rank(
            [
                (0, place) if side in live or side in self.tally.out else (1, -self._forfeited_at[side])
                for side, place in enumerate(standing)
            ]
        )

    # What happens --------------------------------------------------------------------------------------------

    def act(self, action: int, by: str, took_ms: int = 0, lag_ms: int = 0) -> Event:
        """Check an action of the seat whose turn it is, carry it out, and name it as an event.

        Raises:
            IllegalAction: the rules refuse it; nothing has changed.
        """
        state = self.state
        assert state is not None
        seat = state.seat
        game = self.spec.game
        game.act(state, action)
        self.turn += 1
        if by in _CHARGED:
            self.banks[seat] = charge(self.spec.clock, self.banks[seat], took_ms, by == "bot")
        event: Event = {
            "event": "action",
            "hand": self.hand,
            "turn": self.turn,
            "seat": seat,
            "action": action_fields(action, self._names),
            "by": by,
            "took_ms": took_ms,
            "lag_ms": lag_ms,
        }
        if action == DRAW:
            event["drawn"] = self._names[state.drawn]
        if game.scores_in_play:
            event["scored"] = state.scored
            if self.tally.reached(state.points):
                state.finish(Result(HandEnd.TARGET, winners=(seat,), points=tuple(state.points)))
        if state.laid_now:
            event["laid"] = game.deck.names_of(state.laid_now)
        return event

    def take(self, event: Event) -> None:
        """Apply an event that `due` named, or one that is the referee's own word: a seat that forfeited."""
        kind = event["event"]
        if kind == "hand_started":
            assert self._dealt is not None
            self.state = self._dealt[1]
            self._dealt = None
        elif kind == "hand_ended":
            assert self.state is not None
            assert self.state.result is not None
            self.tally.add(self.state.result)
            self._leader = self.state.result.leader
            self.state = None
            self.hand += 1
            seats = self._seats_in()
            self._dealer = next((seat for seat in seats if seat > self._dealer), seats[0])
        elif kind == "forfeited":
            self.forfeited.append(event["seat"])
            self._forfeited_at[self.sides[event["seat"]]] = self.turn
        elif kind == "match_ended":
            self.ended = event

    def apply(self, event: Event) -> None:
        """Check that an event of a log follows from those before it, and apply it.

        Raises:
            LogFault: it does not; nothing has changed.
        """
        kind = event["event"]
        if self.ended is not None and kind in FIXED:
            raise LogFault(f"{kind} after the match has ended")
        if kind == "action":
            self._apply_action(event)
        elif kind == "forfeited":
            seat = event.get("seat")
            if type(seat) is not int or not 0 <= seat < len(self.sides) or seat in self.forfeited:
                raise LogFault(f"seat {seat!r} cannot forfeit")
            self.take(event)
        elif kind == "rejected":
            self._check_turn(event)
            for key in ("code", "message", "given"):
                if not isinstance(event.get(key), str):
                    raise LogFault(f"rejected: {key} is {event.get(key)!r}, no text")
        elif kind in FIXED:
            self._apply_due(kind, event)

    def _apply_due(self, kind: str, event: Event) -> None:
        if kind == "hand_started" and self.seed is None and self.state is None and not self.tally.over:
            order = reconstructed_order(self.spec.game, self.spec.options, event, self._seats_in(), self._dealer)
            hand = self._deal(order)
            if hand is None:
                raise LogFault("hand_started: a deal without any double is void")
            attempt = event.get("attempt")
            if type(attempt) is not int or attempt < 0 or (attempt and not self._may_be_void(hand)):
                raise LogFault(f"hand_started: attempt is {attempt!r}; there was no void deal before this one")
            self._dealt = (self._hand_event(hand, attempt), hand)
        due = self.aborted() if kind == "match_ended" and event.get("reason") == "aborted" else self.due()
        if due is None or due["event"] != kind:
            wanted = "an action" if due is None else due["event"]
            raise LogFault(f"{kind} where {wanted} must come")
        for key in FIXED[kind]:
            if not _agree(key, event.get(key), due[key]):
                raise LogFault(f"{kind}: {key} is {event.get(key)!r}; by the rules {due[key]!r}")
        self.take(event)

    def _may_be_void(self, hand: Hand) -> bool:
        """Whether a deal before this one, of the same hand, can have been void.

        It cannot if somebody leads with any piece, if every piece is dealt, or if the dealing goes on until somebody
        holds what is needed.
        """
        return self._leader is None and bool(hand.stock) and not self.spec.game.ends_dealing(self.spec.options)

    def _check_turn(self, event: Event) -> Hand:
        """The hand in which the event's seat has the event's turn."""
        kind = event["event"]
        state = self.state
        if state is None or state.result is not None:
            due = self.due()
            raise LogFault(f"{kind} where {due['event'] if due else 'no turn'} must come")
        expected = {"hand": self.hand, "turn": self.turn + 1, "seat": state.seat}
        for key, value in expected.items():
            if not same(event.get(key), value):
                raise LogFault(f"{kind}: {key} is {event.get(key)!r}; by the rules {value!r}")
        return state

    def _apply_action(self, event: Event) -> None:
        state = self._check_turn(event)
        action = parse_action_fields(event.get("action"), self.spec.game.deck)
        by = event.get("by")
        for key in ("took_ms", "lag_ms"):
            if type(event.get(key)) is not int or not 0 <= event[key] <= _MOST:
                raise LogFault(f"action: {key} is {event.get(key)!r}, no number of milliseconds")
        self._check_author(state, action, by)
        try:
            done = self.act(action, str(by), event["took_ms"])
        except IllegalAction as illegal:
            raise LogFault(f"action: {illegal} [{illegal.rule}]") from None
        if action >= DRAW and "scored" not in event:
            done.pop("scored", None)  # a draw or a pass scores nothing, and need not say so
        for key in ("drawn", "scored", "laid"):
            if not _agree(key, event.get(key), done.get(key)):
                raise LogFault(f"action: {key} is {event.get(key)!r}; by the rules {done.get(key)!r}")

    def _check_author(self, state: Hand, action: int, by: object) -> None:
        """Who chose the action must be who could: see `forced` and `stand_in`."""
        forced = self.forced()
        if (by == "forced") != (forced is not None):
            raise LogFault(f"action: by is {by!r}; a turn is `forced` if, and only if, it is not asked")
        if by in ("timeout", "forfeit"):
            if (by == "forfeit") != (state.seat in self.forfeited):
                raise LogFault(
                    f"action: by is {by!r} for a seat that {'has' if by == 'timeout' else 'has not'} forfeited"
                )
            if action != stand_in(state):
                raise LogFault("action: the stand-in plays the first legal action")
        elif by not in ("bot", "forced") or (by == "bot" and state.seat in self.forfeited):
            raise LogFault(f"action: by is {by!r}; it must be bot, forced, timeout or forfeit as the seat stands")


def _agree(key: str, given: object, wanted: object) -> bool:
    """Whether a field of a log says what it must; the order of the pieces in a hand says nothing."""
    if key in _UNORDERED:
        return same(_sorted(given), _sorted(wanted))
    return same(given, wanted)


def _sorted(pieces: object) -> object:
    """Lists of pieces, or of such lists, in one order."""
    if not isinstance(pieces, list):
        return pieces
    return sorted(pieces) if all(isinstance(piece, str) for piece in pieces) else [_sorted(part) for part in pieces]


def stand_in(state: Hand) -> int:
    """The action that the referee plays for a seat that does not: the first legal one, plays before draw and pass."""
    return state.legal[0]
