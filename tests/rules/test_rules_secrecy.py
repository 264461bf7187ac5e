"""What a seat may know, proved by non-interference: what is hidden from it changes no byte that it receives.

Every check here is run against encoders that leak, too: a checker that cannot see a leak proves nothing.
"""
# ruff: noqa: D103

import random
from collections.abc import Callable
from typing import Any

import pytest
from support.matches import new_match
from support.playouts import IDS, TABLES, clone, random_deal

from referee.match import fold
from referee.match.deal import deck_order
from referee.match.fold import Match
from referee.match.log import MatchLog
from referee.match.loop import Table, play_local
from referee.match.seat import LocalSeat, Reply
from referee.rules.actions import DRAW
from referee.rules.pieces import mask_of, pieces_of
from referee.rules.registry import GAMES
from referee.rules.view import View, told
from referee.server.codec.events import EventCodec
from referee.server.codec.turns import TurnCodec


class Codec:
    """All that makes bytes of one match for its seats."""

    def __init__(self, spec) -> None:
        self.event = EventCodec(spec).encode
        self.turn = TurnCodec(spec).turn


Encode = Callable[[Any, Codec], bytes]
"""What a seat is sent in a position (whose turn it is), as bytes."""


def shuffled(hand, seat, source):
    """The same position with all that is hidden from a seat in other places: other hands and the stock."""
    other = clone(hand)
    hidden = [piece for place, pieces in enumerate(hand.hands) if place != seat for piece in pieces_of(pieces)]
    hidden += hand.stock
    source.shuffle(hidden)
    for place, pieces in enumerate(hand.hands):
        if place != seat:
            size = pieces.bit_count()
            other.hands[place] = mask_of(hidden[:size])
            hidden = hidden[size:]
    other.stock = hidden
    if hasattr(other, "held"):
        other.held = mask_of(piece for pieces in other.hands for piece in pieces_of(pieces))
    return other


def asked(hand, codec):
    """The turn that the seat whose turn it is receives."""
    sides = GAMES[hand.game].sides(len(hand.hands))
    view = View(hand, sides, [0] * (max(sides) + 1), 0, len(hand.history) + 1)
    return codec.turn(view, 2000, 10_000)


def names(hand, pieces):
    return hand.deck.names_of(pieces)


def started(hand):
    """The log's event of this deal."""
    return {
        "event": "hand_started",
        "hand": 0,
        "attempt": 0,
        "dealer": hand.dealer,
        "hands": [names(hand, pieces) if seat in hand.seats else None for seat, pieces in enumerate(hand.hands)],
        "stock": [hand.deck.names[piece] for piece in reversed(hand.stock)],
        "laid": names(hand, hand.laid),
        "starter": hand.starter,
    }


def told_of_the_deal(hand, codec):
    """What the seat in turn is told of a deal with these hands."""
    return codec.event(started(hand), hand.seat)


def told_of_anothers_draw(hand, codec):
    """What the seat in turn is told when the seat before drew the piece on top of the stock."""
    if not hand.stock:
        return b""
    event = {
        "event": "action",
        "hand": 0,
        "turn": 9,
        "seat": (hand.seat + 1) % len(hand.hands),
        "action": {"type": "draw"},
        "by": "bot",
        "took_ms": 3,
        "lag_ms": 1,
        "drawn": hand.deck.names[hand.stock[-1]],
    }
    return codec.event(event, hand.seat)


HONEST = [asked, told_of_the_deal, told_of_anothers_draw]


def leak_of_the_stock(hand, codec):
    return asked(hand, codec) + bytes(hand.stock[-1:])


def leak_of_a_hand(hand, codec):
    return asked(hand, codec) + str(hand.hands[(hand.seat + 1) % len(hand.hands)]).encode()


def leak_of_what_others_can_do(hand, codec):
    following = hand.hands[(hand.seat + 1) % len(hand.hands)]
    return asked(hand, codec) + bytes([len(hand.plays(following))])


def leak_of_the_deal(hand, codec):
    return codec.event(started(hand), hand.seats[hand.seats.index(hand.seat) - 1])


def leak_of_a_draw(hand, codec):
    return told_of_anothers_draw(hand, codec) and bytes(hand.stock[-1:])


LEAKING = [leak_of_the_stock, leak_of_a_hand, leak_of_what_others_can_do, leak_of_the_deal, leak_of_a_draw]


def interferes(encode: Encode, game: str, players: int, tries: int) -> int:
    """In how many random positions something hidden from the seat in turn changes what it receives."""
    source = random.Random(f"{game} {players}")
    spec = new_match(game, players, seed=1).spec
    found = 0
    for _ in range(tries):
        hand = random_deal(GAMES[game], players, source)
        for _ in range(source.randrange(30)):
            choice = source.choice(hand.legal)
            before = clone(hand)
            GAMES[game].act(hand, choice)
            if hand.result is not None:
                hand = before
                break
        right = encode(hand, Codec(spec))
        others = (shuffled(hand, hand.seat, source) for _ in range(4))
        found += any(encode(other, Codec(spec)) != right for other in others)
    return found


@pytest.mark.parametrize("encode", HONEST, ids=lambda encode: encode.__name__)
@pytest.mark.parametrize(("game", "players"), TABLES, ids=IDS)
def test_what_is_hidden_from_a_seat_changes_no_byte_that_it_receives(game, players, encode):
    assert interferes(encode, game, players, 60) == 0


@pytest.mark.parametrize("encode", LEAKING, ids=lambda encode: encode.__name__)
def test_the_same_checker_catches_encoders_that_leak(encode):
    assert interferes(encode, "domino-cartas", 3, 60) > 0
    assert interferes(encode, "domino-belga", 2, 60) > 0


# Whole matches ---------------------------------------------------------------------------------------------------


class WatchedSeat(LocalSeat):
    """A seat of a bot that depends on its view alone; what it receives is written down, event by event."""

    def __init__(self, codec: Codec, seat: int, leak: bool = False) -> None:
        super().__init__(self.choose)
        self.seat = seat
        self.codec = codec
        self.leak = leak
        self.public: list[str] = []
        self.received: list[bytes] = []

    def choose(self, view: View) -> int:
        """Any of the legal actions, as the position has it: the same view, the same action."""
        seen = [view.seat, view.pieces, view.legal, view.counts, view.stock, view.history, view.totals, view.hand]
        return random.Random(repr(seen)).choice(view.legal)

    def tell(self, event: dict[str, Any]) -> None:
        """Note what this seat may know of the event, in words of this test, and what it received."""
        known = {key: value for key, value in event.items() if key not in ("hands", "stock", "drawn")}
        if event["event"] == "hand_started":
            known |= {"own": event["hands"][self.seat], "stock": len(event["stock"])}
            known["sizes"] = [None if hand is None else len(hand) for hand in event["hands"]]
        elif event.get("seat") == self.seat:
            known["drawn"] = event.get("drawn")
        self.public.append(repr(known))
        self.received.append(self.codec.event(event, event["seat"] if self.leak and "drawn" in event else self.seat))

    async def ask(self, view: View, move_ms: int, bank_ms: int) -> Reply:
        """Note the turn that this seat is asked."""
        self.received[-1] += self.codec.turn(view, move_ms, bank_ms)
        return await super().ask(view, move_ms, bank_ms)


def watch(game, players, seat, orders, leak=False):
    """A match with these deck orders, as one seat lives through it."""
    match: Match = new_match(game, players, seed=1, format={"max_hands": 2})
    codec = Codec(match.spec)
    seats = [WatchedSeat(codec, place, leak) for place in range(players)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fold, "deck_order", lambda seed, hand, attempt, size: list(orders[hand, attempt]))
        play_local(Table(match, MatchLog(None), seats))
    return seats[seat]


class Orders(dict):
    """Deck orders by hand and attempt, made when they are asked for."""

    def __init__(self, seed: bytes, size: int) -> None:
        super().__init__()
        self.seed = seed
        self.size = size

    def __missing__(self, key: tuple[int, int]) -> list[int]:
        self[key] = deck_order(self.seed, *key, self.size)
        return self[key]


def compare(game, players, source, leak=False):
    """Play a match twice, with deals that differ in what one seat cannot know.

    Returns:
        How many events are the same for that seat before its two lives part, and in how many of them the bytes differ.
    """
    seat = source.randrange(players)
    size = len(GAMES[game].deck)
    orders = Orders(source.randbytes(32), size)
    first = watch(game, players, seat, orders, leak)
    other = Orders(orders.seed, size)
    # Two places of the first hand's order trade their pieces, somewhere in the other hands or the stock.
    attempt = max(attempt for hand, attempt in orders if hand == 0)
    order = list(orders[0, attempt])
    own = {order.index(piece) for piece in range(size) if GAMES[game].deck.names[piece] in first.public[1]}
    one, two = source.sample([place for place in range(size) if place not in own], 2)
    order[one], order[two] = order[two], order[one]
    other[0, attempt] = order
    second = watch(game, players, seat, other, leak)
    same = differ = 0
    for place, (known, also) in enumerate(zip(first.public, second.public, strict=False)):
        if known != also:
            break
        same += 1
        differ += first.received[place] != second.received[place]
    return same, differ


@pytest.mark.parametrize(("game", "players"), TABLES, ids=IDS)
def test_two_matches_are_the_same_to_a_seat_until_what_it_may_know_differs(game, players):
    source = random.Random(f"{game} {players}")
    found = [compare(game, players, source) for _ in range(12)]
    assert sum(differ for _, differ in found) == 0
    assert sum(same for same, _ in found) > 12 * 4, "the two matches parted too early to prove anything"


def test_a_match_that_tells_everybody_what_was_drawn_is_caught():
    source = random.Random(1)
    found = [compare("domino-cartas", 3, source, leak=True) for _ in range(30)]
    assert sum(differ for _, differ in found) > 0


def test_a_spectator_is_shown_no_hand_and_no_draw():
    hand = random_deal(GAMES["domino-cartas"], 3, random.Random(1))
    spec = new_match("domino-cartas", 3, seed=1).spec
    source = random.Random(2)
    everyone = {Codec(spec).event(started(shuffled(hand, None, source)), None) for _ in range(20)}
    assert len(everyone) == 1
    event = {"hand": 0, "turn": 1, "seat": 0, "action": {"type": "draw"}, "by": "bot", "took_ms": 0, "lag_ms": 0}
    drawn = {Codec(spec).event({"event": "action", **event, "drawn": name}, None) for name in hand.deck.names}
    assert len(drawn) == 1
    assert DRAW not in hand.history


@pytest.mark.parametrize(
    ("kind", "fields"),
    [("rejected", {"message": "legal: `6-6`", "given": "6-6"}), ("fault", {"detail": "legal: `6-6`"})],
)
def test_what_another_answered_wrongly_is_its_own(kind, fields):
    """A refusal lists what would have been legal, and so pieces of a hand: in replays, too, it is for its own seat."""
    event = {"event": kind, "seat": 1, **fields}
    assert told(event, 1) == event
    for seat in (0, None):
        assert told(event, seat) == {"event": kind, "seat": 1}
