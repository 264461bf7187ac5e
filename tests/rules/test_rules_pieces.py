"""Decks, their notation, and sets of pieces."""
# ruff: noqa: D103

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.rules.actions import DRAW, PASS, format_action, format_actions, parse_action, play
from referee.rules.pieces import (
    DOMINO_28,
    DOUBLES,
    FRENCH_52,
    SPANISH_40,
    Deck,
    NotationError,
    mask_of,
    pieces_of,
    pips_in,
)

DECKS = (DOMINO_28, SPANISH_40, FRENCH_52)
ARMS = ("left", "right", "up", "down")


def test_the_canonical_orders_are_those_of_the_rulebook():
    tiles = (
        "0-0 1-0 1-1 2-0 2-1 2-2 3-0 3-1 3-2 3-3 4-0 4-1 4-2 4-3 4-4 "
        "5-0 5-1 5-2 5-3 5-4 5-5 6-0 6-1 6-2 6-3 6-4 6-5 6-6"
    )
    assert list(DOMINO_28.names) == tiles.split()
    oros = "1O 2O 3O 4O 5O 6O 7O 10O 11O 12O"
    assert list(SPANISH_40.names) == [card for suit in "OCEB" for card in oros.replace("O", suit).split()]
    diamonds = "AD 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD"
    assert list(FRENCH_52.names) == [card for suit in "DHSC" for card in diamonds.replace("D", suit).split()]


@pytest.mark.parametrize("deck", DECKS, ids=lambda deck: deck.id)
def test_every_piece_is_read_back_from_its_name(deck):
    assert [deck.piece(name) for name in deck.names] == list(range(len(deck)))
    assert deck.names_of(deck.mask(deck.names)) == list(deck.names)


@pytest.mark.parametrize(
    ("deck", "name"),
    [
        (DOMINO_28, "5-6"),  # the high half comes first
        (DOMINO_28, "7-0"),
        (DOMINO_28, "6-6 "),
        (DOMINO_28, "6–6"),
        (DOMINO_28, "7O"),
        (SPANISH_40, "8O"),
        (SPANISH_40, "O7"),
        (SPANISH_40, "7o"),
        (SPANISH_40, "AO"),
        (FRENCH_52, "10D"),
        (FRENCH_52, "1D"),
        (FRENCH_52, "td"),
        (FRENCH_52, ""),
        (FRENCH_52, None),
        (FRENCH_52, []),
    ],
)
def test_a_text_that_names_no_piece_is_refused_and_quoted(deck: Deck, name):
    with pytest.raises(NotationError) as caught:
        deck.piece(name)
    assert repr(name) in str(caught.value)
    assert deck.id in str(caught.value)


def test_doubles_and_pips_by_hand():
    assert DOMINO_28.names_of(DOUBLES) == ["0-0", "1-1", "2-2", "3-3", "4-4", "5-5", "6-6"]
    assert pips_in(DOMINO_28.mask(["6-4", "2-1", "0-0"])) == 13
    # Every number lies on eight halves: 8 * (0 + 1 + 2 + 3 + 4 + 5 + 6).
    assert pips_in((1 << 28) - 1) == 168
    assert pips_in(0) == 0


@given(st.sets(st.integers(0, 51)))
def test_sets_of_pieces_round_trip(pieces):
    assert pieces_of(mask_of(pieces)) == sorted(pieces)


def test_actions_are_written_as_in_the_contract():
    tile = DOMINO_28.piece
    assert format_action(play(tile("6-5"), 1), DOMINO_28) == "6-5 left"
    assert format_action(play(tile("6-5"), 2), DOMINO_28) == "6-5 right"
    assert format_action(play(tile("6-5"), 3), DOMINO_28) == "6-5 up"
    assert format_action(play(tile("6-5"), 4), DOMINO_28) == "6-5 down"
    assert format_action(play(tile("6-6")), DOMINO_28) == "6-6"
    assert format_action(play(SPANISH_40.piece("12E")), SPANISH_40) == "12E"
    assert format_action(DRAW, FRENCH_52) == "draw"
    assert format_action(PASS, FRENCH_52) == "pass"
    assert format_actions((play(FRENCH_52.piece("TS")), PASS), FRENCH_52) == "`TS`, `pass`"


@st.composite
def written_actions(draw):
    deck = draw(st.sampled_from(DECKS))
    name = draw(st.sampled_from(deck.names))
    arms = ["", *(f" {arm}" for arm in ARMS)] if deck is DOMINO_28 else [""]
    return deck, draw(st.sampled_from(["draw", "pass", *(name + arm for arm in arms)]))


@given(written_actions())
def test_every_action_is_printed_as_it_was_read(written):
    deck, text = written
    assert format_action(parse_action(text, deck), deck) == text


@given(st.sampled_from(DECKS), st.text(alphabet="0123456-7ACDEHOST leftrighupdownpassraw\t", max_size=12))
def test_any_text_is_an_action_printed_the_same_or_no_action(deck, text):
    try:
        action = parse_action(text, deck)
    except NotationError:
        return
    assert format_action(action, deck) == text


@pytest.mark.parametrize(
    ("deck", "text"),
    [
        (DOMINO_28, "6-5 middle"),
        (DOMINO_28, "6-5 "),
        (DOMINO_28, "6-5  left"),
        (DOMINO_28, "6-5 left "),
        (DOMINO_28, "6-5 LEFT"),
        (DOMINO_28, "left"),
        (DOMINO_28, " pass"),
        (DOMINO_28, "Draw"),
        (SPANISH_40, "7O left"),
        (FRENCH_52, "7D up"),
    ],
)
def test_notation_is_read_to_the_letter(deck, text):
    with pytest.raises(NotationError):
        parse_action(text, deck)
