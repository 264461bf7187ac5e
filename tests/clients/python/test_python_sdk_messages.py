"""The Python SDK reads the referee's messages as they are meant."""

from dataclasses import FrozenInstanceError

import pytest
from referee_bot import Action, MatchInfo, Turn, piece_name

from referee.rules.pieces import DOMINO_28, FRENCH_52, SPANISH_40
from referee.v1 import play_pb2, table_pb2

PIECE = table_pb2.Piece


def match(**fields):
    """A match of pairs, seen from seat 3."""
    seats = [play_pb2.Seat(seat=seat, name=f"p{seat}", side=seat % 2) for seat in range(4)]
    return MatchInfo(play_pb2.MatchStarted(match_id="m1", game="domino-duplas", seats=seats, seat=3, **fields))


def turn(*legal, clock=None, **view):
    """A turn as it comes from the wire."""
    message = play_pb2.Turn(
        turn_id=9,
        view=table_pb2.View(**view),
        legal=[table_pb2.Action(notation=notation) for notation in legal],
        clock=clock,
    )
    return Turn(play_pb2.Turn.FromString(message.SerializeToString()), match())


@pytest.mark.parametrize(
    ("deck", "first"), [(DOMINO_28, 1), (SPANISH_40, 31), (FRENCH_52, 71)], ids=lambda value: getattr(value, "id", "")
)
def test_every_piece_of_every_deck_has_the_referees_notation(deck, first):
    """Piece numbers of the protocol are the decks in canonical order."""
    numbers = range(first, first + len(deck))
    assert tuple(piece_name(number) for number in numbers) == deck.names
    assert set(numbers) <= set(PIECE.values())


def test_every_piece_of_the_protocol_is_known():
    """A piece added to the protocol must be added here."""
    unknown = [number for number in PIECE.values() if number and piece_name(number).startswith("#")]
    assert unknown == []
    assert piece_name(999) == "#999"


@pytest.mark.parametrize(
    ("notation", "kind", "piece", "arm"),
    [
        ("6-5 left", "play", "6-5", "left"),
        ("6-6", "play", "6-6", None),
        ("10O", "play", "10O", None),
        ("TD", "play", "TD", None),
        ("draw", "draw", None, None),
        ("pass", "pass", None, None),
        ("swap 6-5", "other", None, None),
    ],
)
def test_an_action_is_read_from_its_notation(notation, kind, piece, arm):
    """Also one that this SDK does not know: it can still be chosen by its place."""
    action = Action.of(notation)
    assert (str(action), action.kind, action.piece, action.arm) == (notation, kind, piece, arm)
    assert Action.of(notation) is action
    with pytest.raises(FrozenInstanceError):
        action.piece = "0-0"


def test_a_domino_turn():
    """All of a domino turn's parts."""
    history = table_pb2.History(seats=[3, 0, 1], kinds=[1, 2, 3], pieces=[28, 0, 0], arms=[0, 0, 0])
    asked = turn(
        "6-5 left",
        "6-5 up",
        clock=table_pb2.ClockState(move_ms=0, bank_ms=70),
        seat=3,
        hand=0,
        dealer=2,
        starter=3,
        turn=9,
        pieces=[1, 27],
        piece_counts=[7, 6, 5, 2],
        stock_size=0,
        table=[28],
        line=table_pb2.Line(left_end=6, right_end=0, down_end=4, spinner=PIECE.PIECE_TILE_6_6),
        hand_points=[5, 0],
        totals=[-5, 10],
        history=history,
        drawn=PIECE.PIECE_TILE_0_0,
        seats_in=[0, 1, 2, 3],
    )
    assert [str(action) for action in asked.legal] == ["6-5 left", "6-5 up"]
    assert asked.hand == ("0-0", "6-5")
    assert asked.ends == {"left": 6, "right": 0, "down": 4}
    assert (asked.spinner, asked.rows, asked.drawn) == ("6-6", {}, "0-0")
    assert (asked.table, asked.counts, asked.stock, asked.players) == (("6-6",), (7, 6, 5, 2), 0, 4)
    assert asked.history == ((3, Action.of("6-6")), (0, Action.of("draw")), (1, Action.of("pass")))
    assert (asked.points, asked.totals, asked.passes_used) == ((5, 0), (-5, 10), ())
    assert (asked.seat, asked.dealer, asked.starter, asked.hand_number) == (3, 2, 3, 0)
    assert (asked.move_ms, asked.bank_ms, asked.turn_id, asked.refusal) == (0, 70, 9, None)
    assert asked.seats_in == (0, 1, 2, 3)


def test_a_history_has_the_notation_of_the_legal_actions():
    """So that one can be looked up among the others."""
    log = table_pb2.History(seats=[0] * 5, kinds=[1] * 5, pieces=[27, 27, 27, 27, 40], arms=[1, 2, 3, 4, 0])
    assert [str(action) for _, action in turn(history=log).history] == [
        "6-5 left",
        "6-5 right",
        "6-5 up",
        "6-5 down",
        "12O",
    ]


def test_a_card_turn():
    """The rows that are open, by suit; a game without a clock, a spinner, a draw."""
    rows = table_pb2.Rows(low=[34, 0, 55, 0], high=[37, 0, 55, 0])
    asked = turn("8O", "pass", rows=rows, passes_used=[1, 0, 3])
    assert asked.rows == {"O": ("4O", "7O"), "E": ("5E", "5E")}
    assert (asked.ends, asked.spinner, asked.drawn) == ({}, None, None)
    assert asked.passes_used == (1, 0, 3)
    assert (asked.move_ms, asked.bank_ms) == (None, None)


def test_what_holds_for_the_match():
    """Options with their own kinds of value, and the side of a pair."""
    options = [
        play_pb2.Option(name="opener", number=0),
        play_pb2.Option(name="spinner_opens", text="at_once"),
        play_pb2.Option(name="auto_forced", flag=False),
    ]
    info = match(options=options, format=play_pb2.Format(kind="points", target=100))
    assert info.options == {"opener": 0, "spinner_opens": "at_once", "auto_forced": False}
    assert (info.format.kind, info.format.target) == ("points", 100)
    assert (info.id, info.game, info.seat, info.side) == ("m1", "domino-duplas", 3, 1)
    assert (info.names, info.sides) == (("p0", "p1", "p2", "p3"), (0, 1, 0, 1))
