"""Card rows: how they grow, and what is said of them."""
# ruff: noqa: D103

from hypothesis import given
from hypothesis import strategies as st
from support.positions import at

from referee.rules.pieces import FRENCH_52, SPANISH_40, pieces_of
from referee.rules.rows import NOT_OPEN

RANKS = "A23456789TJQK"


def test_a_row_is_named_by_its_suit_and_ends():
    hand = at("domino-cartas", ["1B", "2B"], "7O, 10O, 6O, 11O")
    assert hand.row_name(0) == "the oros row, 6..11"
    assert hand.row_name(2) == "the espadas row, not open yet"
    assert (hand.low, hand.high) == ([5, NOT_OPEN, NOT_OPEN, NOT_OPEN], [8, NOT_OPEN, NOT_OPEN, NOT_OPEN])
    hand = at("domino-a-carte", ["AD", "AH", "AS", "AC"], "8S, 6S, 9S, TS")
    assert hand.row_name(2) == "the spades row, 6..T"
    assert hand.row_name(1) == "the hearts row, 7..7"


def test_a_row_reaches_from_the_first_rank_to_the_last():
    hand = at("domino-a-carte", ["AD", "AH", "AS", "2C"], "8C, 9C, TC, JC, QC, KC, 6C, 5C, 4C, 3C")
    assert (hand.row_name(3), hand.low[3], hand.high[3]) == ("the clubs row, 3..K", 2, 12)
    hand = at("domino-a-carte", ["AD", "AH", "AS", "2D"], "6C, 5C, 4C, 3C, 2C, AC")
    assert (hand.row_name(3), hand.low[3], hand.high[3]) == ("the clubs row, A..7", 0, 6)
    hand = at("domino-cartas", ["1B", "2B"], "7E, 10E, 11E, 12E")
    assert (hand.row_name(2), hand.low[2], hand.high[2]) == ("the espadas row, 7..12", 6, 9)


def run_of(ranks):
    """The unbroken run of ranks around the seven, counted card by card."""
    low = high = RANKS.index("7")
    while low - 1 in ranks:
        low -= 1
    while high + 1 in ranks:
        high += 1
    return low, high


@given(st.sets(st.integers(0, 51)), st.sets(st.integers(0, 51), min_size=35))
def test_a_row_is_the_unbroken_run_around_its_seven_whatever_is_laid_and_in_whatever_order(first, second):
    hand = at("domino-a-carte", ["AD", "AH", "AS", "AC"])
    for cards in (first, second):
        hand.lay(FRENCH_52.mask(FRENCH_52.names[card] for card in cards))
    table = first | second
    fits = set()
    for suit in range(4):
        ranks = {card % 13 for card in table if card // 13 == suit} | {6}
        low, high = run_of(ranks)
        assert (hand.low[suit], hand.high[suit]) == (low, high)
        fits |= {suit * 13 + rank for rank in (low - 1, high + 1) if 0 <= rank < 13}
    assert set(pieces_of(hand.fits)) == fits


@given(st.permutations(range(40)))
def test_rows_of_domino_cartas_fit_what_lies_next_to_them(order):
    hand = at("domino-cartas", ["1O", "1C"])
    table = set()
    for card in order:
        suit, rank = divmod(card, 10)
        on_row = {other % 10 for other in table if other // 10 == suit}
        fits = rank == 6 if not on_row else rank in (min(on_row) - 1, max(on_row) + 1)
        assert bool(hand.fits >> card & 1) == fits
        if fits:
            hand.put(card)
            table.add(card)
    assert hand.table == sum(1 << card for card in table)
    assert len(SPANISH_40) == 40
