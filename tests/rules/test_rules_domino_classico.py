"""`domino-classico`: every line of the rulebook, worked by hand."""
# ruff: noqa: D103

import pytest
from support.positions import act, at, dealt, holds, legal, order_of, refused, texts

from referee.rules.game import HandEnd

GAME = "domino-classico"
DOUBLES = "0-0 1-1 2-2 3-3 4-4 5-5 6-6"
ALMOST_CLOSED = "4-0, 1-0 right, 4-1 right, 4-4 right, 4-2 right, 3-2 right, 4-3 right, 5-4 right, 6-5 right"
"""Six of the seven fours lie; 6-4 on the right end closes it: ends 4 and 4, and 4 on the spinner's sides."""


@pytest.mark.parametrize(("players", "each", "stock"), [(2, 9, 10), (3, 7, 7), (4, 7, 0)])
def test_nine_tiles_for_two_players_else_seven(players, each, stock):
    hand = dealt(GAME, ["6-6"] + [""] * (players - 1))
    assert [tiles.bit_count() for tiles in hand.hands] == [each] * players
    assert len(hand.stock) == stock


def test_tiles_are_dealt_round_the_table_after_the_dealer():
    hand = dealt(GAME, ["6-6 1-1", "5-5 2-2", "4-4 3-3"], "6-0 6-1", dealer=0)
    assert hand.dealer == 0
    assert [sorted(holds(hand, seat) & {"6-6", "5-5", "4-4"}) for seat in range(3)] == [["6-6"], ["5-5"], ["4-4"]]
    assert hand.deck.names[hand.stock[-1]] == "6-0"  # the top of the stock is the next tile that was not dealt
    deck = hand.deck
    first = [deck.names[tile] for tile in order_of(GAME, ["6-6", "5-5", "4-4"], dealer=0)[:3]]
    assert first == ["5-5", "4-4", "6-6"]


def test_the_first_hand_opens_with_the_6_6_by_its_holder():
    hand = dealt(GAME, ["5-5 6-5", "6-6 1-0", "4-4"])
    assert (hand.starter, hand.seat) == (1, 1)
    assert legal(hand) == {"6-6"}


@pytest.mark.parametrize("game", [GAME, "domino-belga"])
def test_without_the_6_6_the_highest_double_dealt_opens(game):
    hand = dealt(game, ["4-4 1-0", "5-5 2-0"], "6-6")
    assert hand.starter == 1
    assert legal(hand) == {"5-5"}
    hand = dealt(game, ["4-4 1-0", "3-3 2-0"], "6-6 5-5")
    assert hand.starter == 0
    assert legal(hand) == {"4-4"}
    others = DOUBLES.replace("0-0 ", "")
    hand = dealt(game, ["6-5 1-0", "0-0 2-0"], others)
    assert hand.starter == 1
    assert legal(hand) == {"0-0"}


def test_the_opening_that_is_required_is_named_in_a_refusal():
    hand = dealt(GAME, ["6-6 6-5", "4-4", "3-3"])
    for answer, code in [
        ("6-5", "opening_required"),
        ("6-6 left", "arm_closed"),
        ("4-4", "not_in_hand"),
        ("pass", "must_play"),
        ("draw", "must_play"),
    ]:
        illegal = refused(hand, answer)
        assert illegal.code == code
        assert str(illegal).endswith("; legal: `6-6`")
    assert refused(hand, "6-5").rule == f"{GAME}: the first hand opens with the 6-6, or else the highest double dealt"


@pytest.mark.parametrize("game", [GAME, "domino-belga"])
@pytest.mark.parametrize("players", [2, 3])
def test_a_deal_without_any_double_is_void(game, players):
    # 21 tiles are no doubles: 18 or all 21 of them are dealt.
    assert dealt(game, [""] * players, DOUBLES) is None
    assert dealt(game, [""] * players, DOUBLES, leader=0).starter == 0, "a later hand opens with any tile"


def test_in_a_later_hand_the_winner_before_starts_with_any_tile():
    hand = dealt(GAME, ["6-6", "5-4 3-3 2-1 1-0 6-0 6-1 6-2", "5-5"], leader=1)
    assert hand.starter == 1
    assert legal(hand) == texts("5-4, 3-3, 2-1, 1-0, 6-0, 6-1, 6-2")
    assert refused(hand, "6-6").code == "not_in_hand"


def test_a_tile_that_fits_must_be_played():
    hand = at(GAME, ["6-2 5-1", "3-0"], "6-6", stock="0-0")
    assert legal(hand) == texts("6-2 left, 6-2 right")
    assert refused(hand, "draw").code == refused(hand, "pass").code == "must_play"


def test_who_cannot_play_draws_until_a_tile_fits_which_must_be_played():
    hand = at(GAME, ["4-3 6-1", "3-3"], "2-0, 5-0 right", stock="1-0 5-4 2-2")
    assert legal(hand) == {"draw"}
    act(hand, "draw")
    assert (hand.seat, hand.deck.names[hand.drawn]) == (0, "1-0")
    assert legal(hand) == {"draw"}
    assert refused(hand, "pass").code == "must_draw"
    act(hand, "draw")
    assert legal(hand) == {"5-4 right"}
    assert refused(hand, "draw").code == refused(hand, "pass").code == "must_play"
    assert hand.deck.names_of(1 << hand.stock[0]) == ["2-2"]
    assert len(hand.stock) == 1
    act(hand, "5-4 right")
    assert (hand.seat, hand.drawn) == (1, -1)
    assert holds(hand, 0) == {"4-3", "6-1", "1-0"}


def test_who_cannot_play_passes_once_the_stock_is_empty():
    hand = at(GAME, ["4-3 6-1", "5-3"], "2-0, 5-0 right", stock="1-0")
    act(hand, "draw")
    assert legal(hand) == {"pass"}
    act(hand, "pass")
    assert (hand.seat, hand.drawn) == (1, -1)
    assert legal(hand) == {"5-3 right"}


@pytest.mark.parametrize(("arm", "left"), [("left", [5, 5]), ("right", [2, 2])])
def test_one_tile_that_fits_both_ends_is_two_actions(arm, left):
    hand = at(GAME, ["5-2", "5-3 6-6"], "2-0, 5-0 right")
    assert legal(hand) == texts("5-2 left, 5-2 right")
    act(hand, f"5-2 {arm}")
    assert hand.ends[1:3] == left
    assert (hand.result.reason, hand.result.winners, hand.result.leader) == (HandEnd.OUT, (0,), 0)
    assert hand.legal == ()
    assert (holds(hand, 0), holds(hand, 1)) == (set(), {"5-3", "6-6"})


@pytest.mark.parametrize(
    ("hands", "winners", "leader"),
    [
        # 6-3: 9. 6-6 2-0: 14. 5-5: 10. 6-2 5-3 3-1: 20.
        (["6-3", "6-6 2-0", "5-5", "6-4 6-2 5-3 3-1"], (0,), 0),
        # 5-2 1-1: 9 as well.
        (["6-3", "6-6 2-0", "5-2 1-1", "6-4 6-2 5-3 3-1"], (), None),
        # Who locked the table may have the fewest: 2-1 is 3.
        (["6-3", "6-6", "5-2", "6-4 2-1"], (3,), 3),
        # Three share the fewest: 6-3, 6-0 3-0 and 5-2 2-0 are 9.
        (["6-3", "6-0 3-0", "5-2 2-0", "6-4 6-6"], (), None),
        # 0-0 is no pips at all.
        (["6-3", "0-0", "5-2", "6-4 6-6"], (1,), 1),
    ],
)
def test_a_closed_hand_goes_to_the_fewest_pips_and_is_drawn_when_they_are_shared(hands, winners, leader):
    hand = act(at(GAME, hands, ALMOST_CLOSED, seat=3), "6-4 right")
    assert hand.result.reason is HandEnd.BLOCKED
    assert (hand.result.winners, hand.result.leader) == (winners, leader)
    assert hand.result.points == (0, 0, 0, 0)


def test_the_hand_after_a_drawn_one_opens_like_a_first_hand():
    hand = act(at(GAME, ["6-3", "6-6 2-0", "5-2 1-1", "6-4 6-2 5-3 3-1"], ALMOST_CLOSED, seat=3), "6-4 right")
    following = dealt(GAME, ["1-0", "6-6", "2-0", "3-0"], dealer=0, leader=hand.result.leader)
    assert following.starter == 1
    assert legal(following) == {"6-6"}


def test_a_last_tile_that_also_blocks_counts_as_going_out():
    # Seat 0 would have fewer pips (none), yet seat 3 went out.
    hand = act(at(GAME, ["0-0", "6-6 2-0", "5-5", "6-4"], ALMOST_CLOSED, seat=3), "6-4 right")
    assert (hand.result.reason, hand.result.winners) == (HandEnd.OUT, (3,))


def test_while_the_stock_holds_tiles_there_is_no_block_and_drawing_can_change_who_wins():
    # When 6-4 closes the table seat 0 has 4 pips and seat 1 has 3; but seat 1 must draw 5-0 and 6-6 first.
    hand = act(at(GAME, ["6-4 2-2", "3-0"], ALMOST_CLOSED, stock="5-0 6-6"), "6-4 right")
    assert hand.result is None
    assert legal(hand) == {"draw"}
    act(hand, "draw")
    assert (hand.seat, hand.result) == (1, None)
    act(hand, "draw")
    assert (hand.result.reason, hand.result.winners, hand.result.leader) == (HandEnd.BLOCKED, (0,), 0)
    assert holds(hand, 1) == {"3-0", "5-0", "6-6"}


def test_a_block_is_seen_at_the_draw_that_causes_it_and_no_round_of_passes_follows():
    # Nobody has a 2 or a 5; the last tile of the stock, 1-0, does not fit.
    hand = at(GAME, ["4-3 6-1", "3-3"], "2-0, 5-0 right", stock="1-0")
    act(hand, "draw")
    assert (hand.result.reason, hand.result.winners) == (HandEnd.BLOCKED, (1,))  # 15 pips against 6
    assert hand.legal == ()


def test_the_spinners_open_sides_keep_a_hand_alive():
    moves = "6-4, 4-4 right, 4-0 right"
    hand = act(at(GAME, ["3-0 2-2", "4-1"], moves), "3-0 right")
    assert hand.result is None
    assert legal(hand) == texts("4-1 up, 4-1 down")
    hand = act(at(GAME, ["3-0 2-2", "5-1"], moves), "3-0 right")
    assert (hand.result.reason, hand.result.winners) == (HandEnd.BLOCKED, (0,))  # 4 pips against 6


def test_a_seat_that_cannot_play_is_asked_to_pass_even_if_others_can():
    hand = at(GAME, ["3-3", "4-0", "6-5"], "6-6", seat=0)
    assert legal(hand) == {"pass"}
    act(hand, "pass")
    assert legal(hand) == {"pass"}
    act(hand, "pass")
    assert legal(hand) == texts("6-5 left, 6-5 right")


def test_nothing_may_be_done_after_a_hand_has_ended():
    hand = act(at(GAME, ["5-2", "5-3 6-6"], "2-0, 5-0 right"), "5-2 left")
    for answer in ("5-3 left", "draw", "pass", "5-2 left"):
        refused(hand, answer)
