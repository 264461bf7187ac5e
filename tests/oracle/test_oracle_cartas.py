"""The oracle's `domino-cartas`, held against the rulebook's worked examples."""

# ruff: noqa: D103

from oracle import games
from oracle.rulebook import act, assert_legal, cards_at, order_with


def test_cartas_1_stock():
    for n, stock in zip(range(2, 9), [30, 25, 20, 15, 10, 5, 0], strict=True):
        assert len(games.start("domino-cartas", order_with(games.SPANISH_40, "7O"), n, n - 1).stock) == stock


def test_cartas_2_starter():
    state = games.start_with("domino-cartas", [["7C", "1O"], ["7E", "1C"], ["7O", "7B"]], ["1E"], 2)
    assert state.starter == 2
    assert_legal(state, "7O")
    state = games.start_with("domino-cartas", [["1O"], ["7C"], ["7E"], ["1C"]], ["7O"], 3)
    assert state.starter == 1
    state = games.start_with("domino-cartas", [["1O"], ["7C", "7B", "2C"], ["7E"], ["1C"]], ["7O"], 3)
    assert state.starter == 1
    assert_legal(state, "7C", "7B")


def test_cartas_2_the_dealer_is_last_but_not_left_out():
    state = games.start_with("domino-cartas", [["7C"], ["7E"], ["1O"]], ["7O"], 0)
    assert state.starter == 1
    state = games.start_with("domino-cartas", [["7C"], ["1E"], ["1O"]], ["7O"], 0)
    assert state.starter == 0


def test_cartas_3_one_more_card_each():
    no_sevens = [card for card in games.SPANISH_40 if games.rank(card) != "7"]
    order = [*no_sevens[:23], "7O", *no_sevens[23:], "7C", "7E", "7B"]
    state = games.start("domino-cartas", order, 4, 3)
    assert [len(hand) for hand in state.hands] == [6, 6, 6, 6]
    assert len(state.stock) == 16
    assert state.starter == 3
    assert_legal(state, "7O")
    # A whole round is dealt, also after the card that ends the search.
    order = [*no_sevens[:20], "7C", *no_sevens[20:], "7O", "7E", "7B"]
    state = games.start("domino-cartas", order, 4, 3)
    assert ([len(hand) for hand in state.hands], state.starter) == ([6, 6, 6, 6], 0)


def test_cartas_3_the_last_round_goes_as_far_as_the_stock():
    no_sevens = [card for card in games.SPANISH_40 if games.rank(card) != "7"]
    order = [*no_sevens, "7O", "7C", "7E", "7B"]
    state = games.start("domino-cartas", order, 7, 6)  # five are left for seven: 12B, then the sevens
    assert [len(hand) for hand in state.hands] == [6, 6, 6, 6, 6, 5, 5]
    assert (state.stock, state.starter) == ([], 1)


def test_cartas_4_rows():
    everything = " ".join(card for card in games.SPANISH_40 if card != "7O")
    state = cards_at("domino-cartas", [everything, "1B"], "7O")
    assert_legal(state, "6O", "10O", "7C", "7E", "7B")
    row = "5O 6O 7O 10O"
    state = cards_at("domino-cartas", ["4O 3O 11O 12O 1O", "1B"], row)
    assert_legal(state, "4O", "11O")
    row = " ".join(card for card in games.SPANISH_40 if games.suit(card) == "O")
    state = cards_at("domino-cartas", ["1C 12C", "1B"], row, ["2B"])
    assert_legal(state, "draw")


def test_cartas_4_other_openers():
    state = cards_at("domino-cartas", ["7C 4C 3O 5O 10O", "1B"], "4O", opener=4)
    assert_legal(state, "4C", "3O", "5O")
    state = games.start_with("domino-cartas", [["7O", "5C"], ["6O", "5E"]], ["5O"], 1, {"opener": 5})
    assert_legal(state, "5C")


def test_cartas_5_draw():
    state = cards_at("domino-cartas", ["6O 12C", "1B"], "7O", ["7C"])
    assert_legal(state, "6O")
    state = cards_at("domino-cartas", ["12C 2E", "1B 2B"], "7O", ["7C", "1E"])
    assert_legal(state, "draw")
    assert act(state, "draw") == {"drawn": "7C"}
    assert_legal(state, "7C", "pass")
    act(state, "pass")
    assert state.seat == 1
    act(state, "draw")
    assert_legal(state, "pass")
    act(state, "pass")
    assert_legal(state, "7C")  # kept, but a player who can play must play
    state = cards_at("domino-cartas", ["12C 2E", "1B"], "7O", ["3B", "6O"])
    act(state, "draw")
    assert_legal(state, "pass")


def test_cartas_5_pass_when_the_stock_is_empty():
    assert_legal(cards_at("domino-cartas", ["12C 2E", "1B"], "7O"), "pass")


def test_cartas_6_points():
    state = cards_at("domino-cartas", ["6O", "3O 5C 11E", "1C 7C 12B", "10O 11O 12O"], "7O")
    act(state, "6O")
    assert state.result["points"] == [0, 16, 16, 24]
    assert (state.result["reason"], state.result["winners"]) == ("out", [0])


def test_cartas_a_seat_that_is_out_is_skipped():
    order = order_with(games.SPANISH_40, "7O")
    state = games.start("domino-cartas", order, 4, 3, None, {"out": [0, 2]})
    assert state.hands[0] is None
    assert state.hands[2] is None
    assert (state.starter, len(state.stock)) == (1, 30)
    act(state, "7O")
    assert state.seat == 3
