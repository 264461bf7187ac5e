"""The oracle's `domino-classico`, held against the rulebook's worked examples."""

# ruff: noqa: D103

import math
import random

from oracle import games
from oracle.formats import Tally
from oracle.playout import play_match
from oracle.rulebook import ALMOST_CLOSED, VOID_SEED, act, almost_closed, assert_legal, order_with, refuse, tiles_at
from oracle.verify import check_log


def test_classico_1_stock():
    order = order_with(games.DOMINO_28, "6-6")
    assert [len(games.start("domino-classico", order, n, n - 1).stock) for n in (2, 3, 4)] == [10, 7, 0]


def test_classico_2_first_hand_opens_with_the_highest_double():
    state = games.start_with("domino-classico", [["6-5", "5-5"], ["6-6", "1-0"]], ["2-0"], 1)
    assert state.starter == 1
    assert_legal(state, "6-6")
    state = games.start_with("domino-classico", [["4-4", "1-0"], ["5-5", "2-0"]], ["6-6"], 1)
    assert state.starter == 1
    assert_legal(state, "5-5")


def test_classico_3_void_deal():
    doubles = ["0-0", "1-1", "2-2", "3-3", "4-4", "5-5", "6-6"]
    order = [tile for tile in games.DOMINO_28 if tile not in doubles] + doubles
    assert games.start("domino-classico", order, 2, 1) == "void"
    assert games.start("domino-belga", order, 2, 1) == "void"
    # A later hand opens with any tile, so the same deal counts.
    assert games.start("domino-classico", order, 2, 1, None, {"starter": 0}).starter == 0
    assert round(math.comb(28, 18) / math.comb(21, 18)) == 9867


def test_classico_3_the_next_attempt_is_dealt_by_the_same_dealer():
    log = play_match("domino-classico", 2, {}, {"kind": "single"}, VOID_SEED, random.Random(1).choice)
    assert (log[1]["hand"], log[1]["attempt"], log[1]["dealer"]) == (0, 1, 1)
    check_log(log)
    log[1]["attempt"] = 0
    refuse(log, 2)


def test_classico_4_two_sides_of_the_first_double():
    state = games.start_with("domino-classico", [["6-6", "4-0"], ["6-2", "5-1"]], ["3-3"], 1)
    act(state, "6-6")
    assert state.seat == 1
    assert_legal(state, "6-2 left", "6-2 right")
    state = games.start_with("domino-classico", [["6-6", "4-0"], ["6-2", "5-1"]], [], 1, {"spinner_opens": "at_once"})
    act(state, "6-6")
    assert_legal(state, "6-2 left", "6-2 right", "6-2 up", "6-2 down")


def test_classico_5_draw_until_a_tile_fits():
    state = tiles_at("domino-classico", ["4-3 6-1", "3-3"], [(2, 0), (0, 5)], ["1-0", "5-4", "2-2"])
    assert_legal(state, "draw")
    assert act(state, "draw") == {"drawn": "1-0"}
    assert_legal(state, "draw")
    assert act(state, "draw") == {"drawn": "5-4"}
    assert_legal(state, "5-4 right")
    assert state.stock == ["2-2"]
    act(state, "5-4 right")
    assert state.seat == 1


def test_classico_5_pass_when_the_stock_is_empty():
    state = tiles_at("domino-classico", ["4-3 6-1", "5-3"], [(2, 0), (0, 5)], ["1-0"])
    act(state, "draw")
    assert_legal(state, "pass")
    act(state, "pass")
    assert_legal(state, "5-3 right")


def test_classico_6_closed():
    # 6-3 = 9; 6-6 and 2-0 = 14; 5-5 = 10; 6-2, 5-3 and 3-1 = 8 + 8 + 4 = 20.
    state = almost_closed("domino-classico", ["6-3", "6-6 2-0", "5-5", "6-4 6-2 5-3 3-1"])
    act(state, "6-4 right")
    assert (state.result["reason"], state.result["winners"]) == ("blocked", [0])
    assert state.result["points"] == [0, 0, 0, 0]
    assert state.result["next_starter"] == 0
    # 5-2 and 1-1 = 9 as well.
    state = almost_closed("domino-classico", ["6-3", "6-6 2-0", "5-2 1-1", "6-4 6-2 5-3 3-1"])
    act(state, "6-4 right")
    assert (state.result["reason"], state.result["winners"]) == ("blocked", [])
    assert state.result["next_starter"] is None


def test_classico_6_after_a_drawn_hand_the_highest_double_opens():
    tally = Tally("domino-classico", 4, {"kind": "best_of", "hands": 5})
    tally.add({"reason": "blocked", "winners": [], "points": [0] * 4, "next_starter": None})
    assert (tally.totals, tally.over) == ([0, 0, 0, 0], False)
    state = games.start_with("domino-classico", [["1-0"], ["5-5"], ["2-2"], ["6-5"]], [], 0, None, tally.facts())
    assert state.starter == 1
    assert_legal(state, "5-5")
    tally.add({"reason": "out", "winners": [2], "points": [0] * 4, "next_starter": 2})
    hands = [["1-0"], ["5-5"], ["2-2", "3-1"], ["6-6"]]
    state = games.start_with("domino-classico", hands, [], 1, None, tally.facts())
    assert state.starter == 2
    assert_legal(state, "2-2", "3-1")


def test_classico_7_one_tile_on_both_ends():
    for arm in ("left", "right"):
        state = tiles_at("domino-classico", ["5-2", "5-3 6-6"], [(2, 0), (0, 5)])
        assert_legal(state, "5-2 left", "5-2 right")
        act(state, f"5-2 {arm}")
        assert games.open_ends(state) == ({"left": 5, "right": 5} if arm == "left" else {"left": 2, "right": 2})
        assert (state.result["reason"], state.result["winners"]) == ("out", [0])
        assert state.result["left"] == [[], ["5-3", "6-6"]]


def test_classico_spinner_in_the_middle_of_a_line():
    hands = [["6-5", "5-4", "5-1", "2-1"], ["5-5", "4-4", "6-6", "6-0"]]
    state = games.start_with("domino-classico", hands, [], 1, None, {"starter": 0})
    act(state, "6-5")
    assert games.open_ends(state) == {"left": 6, "right": 5}
    act(state, "5-5 right")
    assert games.open_ends(state) == {"left": 6, "right": 5}
    act(state, "5-4 right")
    assert games.open_ends(state) == {"left": 6, "right": 4, "up": 5, "down": 5}
    act(state, "4-4 right")  # no second spinner
    assert games.open_ends(state) == {"left": 6, "right": 4, "up": 5, "down": 5}
    assert_legal(state, "5-1 up", "5-1 down")
    act(state, "5-1 up")
    assert games.open_ends(state) == {"left": 6, "right": 4, "up": 1, "down": 5}
    act(state, "6-6 left")
    assert_legal(state, "2-1 up")


def test_classico_spinner_sides_can_be_open_before_the_long_sides():
    hands = [["6-5", "5-1", "5-4"], ["5-5", "2-2"]]
    state = games.start_with("domino-classico", hands, ["0-0"], 1, {"spinner_opens": "at_once"}, {"starter": 0})
    act(state, "6-5")
    act(state, "5-5 right")
    assert_legal(state, *[f"{tile} {arm}" for tile in ("5-1", "5-4") for arm in ("right", "up", "down")])


def test_classico_a_last_tile_that_blocks_goes_out():
    state = almost_closed("domino-classico", ["0-0", "6-6 2-0", "5-5", "6-4"])
    act(state, "6-4 right")
    assert (state.result["reason"], state.result["winners"]) == ("out", [3])


def test_classico_no_block_while_there_is_a_stock_and_a_draw_can_cause_it():
    state = tiles_at("domino-classico", ["6-4 1-1", "3-0"], ALMOST_CLOSED, ["5-0", "6-6"])
    state.spinner = 3
    act(state, "6-4 right")
    assert state.result is None
    assert_legal(state, "draw")
    act(state, "draw")
    assert (state.seat, state.result) == (1, None)
    act(state, "draw")
    assert (state.result["reason"], state.result["winners"]) == ("blocked", [0])
    assert state.result["left"] == [["1-1"], ["3-0", "5-0", "6-6"]]


def test_classico_the_spinners_open_sides_keep_a_hand_alive():
    # 6-4 and 4-4 as spinner: its open sides still ask for a four, which seat 1 holds.
    state = tiles_at("domino-classico", ["6-6 2-2", "4-0"], [(6, 4), (4, 4), (4, 6)])
    state.spinner = 1
    act(state, "6-6 left")
    assert state.result is None
    assert_legal(state, "4-0 up", "4-0 down")
