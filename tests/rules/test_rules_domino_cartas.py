"""`domino-cartas`: every line of the rulebook, worked by hand."""
# ruff: noqa: D103

import pytest
from support.positions import act, at, dealt, holds, legal, refused, texts

from referee.rules.game import HandEnd
from referee.rules.games.domino_cartas import points_of
from referee.rules.pieces import SPANISH_40

GAME = "domino-cartas"


@pytest.mark.parametrize(("players", "stock"), [(2, 30), (3, 25), (4, 20), (5, 15), (6, 10), (7, 5), (8, 0)])
def test_five_cards_each(players, stock):
    hand = dealt(GAME, ["7O"] + [""] * (players - 1))
    assert [cards.bit_count() for cards in hand.hands] == [5] * players
    assert len(hand.stock) == stock


def test_the_holder_of_the_opener_of_oros_starts_with_it():
    hand = dealt(GAME, ["7C 1O", "7E", "7O 7B", "2O"])
    assert hand.starter == 2
    assert legal(hand) == {"7O"}
    illegal = refused(hand, "7B")
    assert illegal.code == "opening_required"
    assert "plays the opener of oros" in illegal.rule
    assert refused(hand, "draw").code == refused(hand, "pass").code == "must_play"


def test_without_the_opener_of_oros_the_first_holder_of_another_starts():
    hand = dealt(GAME, ["1O", "7C", "7E", "1C"], "7O")
    assert hand.starter == 1
    hand = dealt(GAME, ["1O", "7C 7B 2C", "7E", "1C"], "7O")
    assert hand.starter == 1
    assert legal(hand) == texts("7C, 7B")
    assert refused(hand, "2C").code == "opening_required"


def test_the_dealer_is_last_but_not_left_out():
    assert dealt(GAME, ["7C", "7E", "1O"], "7O 7B", dealer=0).starter == 1
    assert dealt(GAME, ["7C", "1E", "1O"], "7O 7B 7E", dealer=0).starter == 0


def test_without_any_opener_a_whole_round_of_one_more_card_is_dealt():
    # The fourth further card, seat 3's, is the 7O; no seven is in the hands.
    hand = dealt(GAME, ["", "", "", ""], "12B 11B 10B 7O 7C 7E 7B")
    assert [cards.bit_count() for cards in hand.hands] == [6, 6, 6, 6]
    assert len(hand.stock) == 16
    assert (hand.starter, legal(hand)) == (3, {"7O"})
    # The round is finished also after the card that ends the search, and 7O beats who came first.
    hand = dealt(GAME, ["", "", "", ""], "7C 11B 7O 10B 7E 7B")
    assert [cards.bit_count() for cards in hand.hands] == [6, 6, 6, 6]
    assert (hand.starter, legal(hand)) == (2, {"7O"})
    assert "7C" in holds(hand, 0)


def test_two_further_rounds():
    hand = dealt(GAME, ["", "", ""], "12B 11B 10B 7C 6B 5B 7O 7E 7B", dealer=0)
    # Dealing starts after the dealer, seat 0: seats 1 2 0, 1 2 0.
    assert [cards.bit_count() for cards in hand.hands] == [7, 7, 7]
    assert (hand.starter, legal(hand)) == (1, {"7C"})
    assert {"12B", "7C"} <= holds(hand, 1)
    assert {"10B", "5B"} <= holds(hand, 0)


def test_the_last_round_goes_as_far_as_the_stock():
    # Seven players: 35 cards without a seven, then 12B 7O 7C 7E 7B are left for seven seats.
    hand = dealt(GAME, [""] * 7, "12B 7O 7C 7E 7B")
    assert [cards.bit_count() for cards in hand.hands] == [6, 6, 6, 6, 6, 5, 5]
    assert (hand.stock, hand.starter) == ([], 1)


@pytest.mark.parametrize(("preset", "opener"), [(4, "4O"), (5, "5O"), (6, "6O")])
def test_another_opener_is_what_starts_and_opens_rows(preset, opener):
    hand = dealt(GAME, ["7O 7C", f"{opener} 1E"], opener=preset)
    assert (hand.starter, legal(hand)) == (1, {opener})
    others = " ".join(f"{preset}{suit}" for suit in "CEB")
    hand = at(GAME, [f"{others} {preset - 1}O {preset + 1}O 12O 1C", "1B"], opener, opener=preset)
    assert legal(hand) == {*others.split(), f"{preset - 1}O", f"{preset + 1}O"}


def test_seisillo_grows_from_its_six():
    # After 6O come 5O and 7O; a seven opens nothing now.
    hand = at(GAME, ["7C 7O 5O", "1B 6E"], "6O", opener=6)
    assert legal(hand) == texts("7O, 5O")
    assert refused(hand, "7C").code == "does_not_fit"
    act(hand, "7O")
    assert legal(hand) == {"6E"}
    # After the 7 comes the valete.
    hand = at(GAME, ["10O 11O", "1B"], "6O, 7O", opener=6)
    assert legal(hand) == {"10O"}


@pytest.mark.parametrize(
    ("moves", "fitting"),
    [
        ("7O", "6O, 10O, 7C, 7E, 7B"),
        ("7O, 6O, 10O, 5O", "4O, 11O, 7C, 7E, 7B"),
        ("7O, 6O, 5O, 4O, 3O, 2O, 1O", "10O, 7C, 7E, 7B"),  # nothing wraps: not the 12O
        ("7O, 10O, 11O, 12O", "6O, 7C, 7E, 7B"),  # nor the 1O
        ("7O, 6O, 5O, 4O, 3O, 2O, 1O, 10O, 11O, 12O", "7C, 7E, 7B"),
        ("7O, 7C, 6O, 10C", "5O, 10O, 6C, 11C, 7E, 7B"),
    ],
)
def test_rows_grow_at_both_ends_and_openers_open_them(moves, fitting):
    done = {move.strip() for move in moves.split(",")}
    everything = " ".join(card for card in SPANISH_40.names if card not in done)
    hand = at(GAME, [everything, everything], moves, seat=moves.count(",") % 2 ^ 1)
    assert legal(hand) == texts(fitting)


def test_a_player_who_can_play_must_play():
    hand = at(GAME, ["6O 12C", "1B"], "7O", stock="7C")
    assert legal(hand) == {"6O"}
    for answer in ("draw", "pass"):
        illegal = refused(hand, answer)
        assert illegal.code == "must_play"
        assert str(illegal).endswith("; legal: `6O`")
    assert "drawing is for those who cannot play" in refused(hand, "draw").rule
    assert "a player who can play must play" in refused(hand, "pass").rule


def test_who_cannot_play_draws_and_may_keep_what_fits():
    hand = at(GAME, ["12C 2E", "1B 2B"], "7O", stock="7C 3B")
    assert legal(hand) == {"draw"}
    assert refused(hand, "pass").code == "must_draw"
    act(hand, "draw")
    assert hand.deck.names[hand.drawn] == "7C"
    assert legal(hand) == texts("7C, pass")
    illegal = refused(hand, "draw")
    assert (illegal.code, illegal.rule) == ("already_drew", f"{GAME}: one draw a turn")
    assert refused(hand, "12C").code == "does_not_fit"
    act(hand, "pass")
    assert (hand.seat, hand.drawn) == (1, -1)
    act(hand, "draw")
    assert legal(hand) == {"pass"}  # 3B does not fit
    assert refused(hand, "draw").code == "already_drew"
    assert refused(hand, "3B").code == "does_not_fit"
    act(hand, "pass")
    assert legal(hand) == {"7C"}  # kept before; now it must be played


def test_the_drawn_card_can_be_played_at_once():
    hand = act(at(GAME, ["12C 2E", "1B 2B"], "7O", stock="7C 3B"), "draw", "7C")
    assert holds(hand, 0) == {"12C", "2E"}
    assert (hand.seat, hand.drawn) == (1, -1)


def test_with_an_empty_stock_who_cannot_play_passes():
    hand = at(GAME, ["12C 2E", "1B 6O"], "7O")
    assert legal(hand) == {"pass"}
    illegal = refused(hand, "draw")
    assert (illegal.code, illegal.rule) == (
        "stock_empty",
        f"{GAME}: who cannot play passes once the stock is empty",
    )
    act(hand, "pass")
    assert legal(hand) == {"6O"}


@pytest.mark.parametrize(
    ("cards", "points"),
    [("3O 5C 11E", 16), ("1C 7C 12B", 16), ("10O 11O 12O", 24), ("", 0), ("1O 2C 3E 4B 5O 6C 7E", 28), ("10B", 8)],
)
def test_cards_left_in_hand_count_their_number_and_figures_eight(cards, points):
    assert points_of(SPANISH_40.mask(cards.split())) == points


def test_the_hand_ends_the_moment_a_player_has_no_cards():
    hand = act(at(GAME, ["6O", "3O 5C 11E", "1C 7C 12B", "10O 11O 12O"], "7O"), "6O")
    assert (hand.result.reason, hand.result.winners) == (HandEnd.OUT, (0,))
    assert hand.result.points == (0, 16, 16, 24)
    assert hand.result.leader is None
    assert hand.legal == ()


def test_seats_that_are_out_of_the_match_are_not_dealt_to_and_skipped():
    hand = dealt(GAME, ["", "7O", "", "7C 6O"], seats=(1, 3), dealer=3)
    assert [cards.bit_count() for cards in hand.hands] == [0, 5, 0, 5]
    assert len(hand.stock) == 30
    act(hand, "7O")
    assert hand.seat == 3
    act(hand, "6O")
    assert hand.seat == 1


def test_a_dealer_who_is_out_still_marks_where_the_dealing_starts():
    # Seats 0 and 2 play; after dealer 0 comes seat 2.
    hand = dealt(GAME, ["7E", "", "7C"], "7O 7B", seats=(0, 2), dealer=0)
    assert hand.starter == 2


@pytest.mark.parametrize(
    ("answer", "code", "said"),
    [
        ("6C", "does_not_fit", "`6C` does not touch the copas row, not open yet"),
        ("12O", "does_not_fit", "`12O` does not touch the oros row, 6..7"),
        ("5O", "not_in_hand", "`5O` is not in your hand"),
        ("draw", "must_play", "`draw` while a card fits"),
        ("pass", "must_play", "`pass` while a card fits"),
    ],
)
def test_refusals_name_the_rule_and_what_is_legal(answer, code, said):
    hand = at(GAME, ["10O 6C 12O 7E", "5O 1B"], "7O, 6O")
    illegal = refused(hand, answer)
    assert illegal.code == code
    assert str(illegal) == f"{said}; legal: `10O`, `7E`"
    assert illegal.rule.startswith("domino-cartas: ")
