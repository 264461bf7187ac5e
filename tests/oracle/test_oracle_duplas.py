"""The oracle's `domino-duplas`, held against the rulebook's worked examples."""

# ruff: noqa: D103

import random

from oracle import games
from oracle.playout import play_match
from oracle.rulebook import act, almost_closed, assert_legal, tiles_at


def test_duplas_1_first_hand():
    state = games.start_with("domino-duplas", [["6-5", "1-0"], ["6-6", "2-0"], ["5-5", "1-1"], ["6-1", "3-0"]], [], 3)
    assert state.starter == 1
    assert_legal(state, "6-6")
    act(state, "6-6")
    assert state.seat == 2
    assert_legal(state, "pass")
    log = play_match("domino-duplas", 4, {}, {"kind": "single"}, "0" * 64, random.Random(1).choice)
    actions = [event for event in log if event["event"] == "action"]
    passes = [event for event in actions if event["action"] == {"type": "pass"}]
    assert passes
    assert all(event["by"] == "forced" for event in passes)
    assert all(event["by"] == "bot" for event in actions if event not in passes)


def test_duplas_2_ends():
    state = tiles_at("domino-duplas", ["5-2 6-6 4-1", "0-0", "1-1", "2-2"], [(5, 0), (0, 2)])
    assert_legal(state, "5-2 left", "5-2 right")


def test_duplas_there_is_no_spinner():
    state = tiles_at("domino-duplas", ["6-5 4-1", "0-0", "1-1", "2-2"], [(6, 6)])
    assert_legal(state, "6-5 left", "6-5 right")
    state = tiles_at("domino-duplas", ["6-5 4-1", "0-0", "1-1", "2-2"], [(5, 6), (6, 6), (6, 1)])
    assert_legal(state, "6-5 left", "4-1 right")


def test_duplas_3_going_out():
    state = tiles_at("domino-duplas", ["5-2", "6-4 2-1", "6-6", "0-0"], [(5, 0), (0, 3)])
    act(state, "5-2 left")
    assert state.result["points"] == [13, 0]
    assert (state.result["reason"], state.result["winners"]) == ("out", [0, 2])
    assert state.result["next_starter"] == 0


def test_duplas_4_the_partners_tiles_count_for_nobody():
    # Seat 2: 6-6, 5-5, 6-5 and 4-3 = 12 + 10 + 11 + 7 = 40.
    state = tiles_at("domino-duplas", ["5-2", "3-1", "6-6 5-5 6-5 4-3", "1-0"], [(5, 0), (0, 3)])
    act(state, "5-2 left")
    assert state.result["points"] == [5, 0]


def test_duplas_5_blocked():
    # 6-3 and 5-0 = 14 against 5-5 and 6-0 = 16.
    state = almost_closed("domino-duplas", ["6-3", "5-5", "5-0", "6-4 6-0"])
    state.plays = [1, 2, 3, 0]
    act(state, "6-4 right")
    assert (state.result["reason"], state.result["winners"]) == ("blocked", [0, 2])
    assert state.result["points"] == [16, 0]
    assert state.result["next_starter"] == 0


def test_duplas_5_after_a_block_the_winning_pairs_last_play_starts():
    state = almost_closed("domino-duplas", ["6-3", "5-5", "5-0", "6-4 6-0"])
    state.plays = [0, 2, 3, 1]
    act(state, "6-4 right")
    assert state.result["next_starter"] == 2
    # The locker's own pair wins: 15 against 6-3 and 5-2 = 16, and the lock was its last play.
    state = almost_closed("domino-duplas", ["6-3", "5-5", "5-2", "6-4 5-0"])
    state.plays = [0, 2, 3, 1]
    act(state, "6-4 right")
    assert (state.result["points"], state.result["next_starter"]) == ([0, 16], 3)


def test_duplas_5_a_winning_pair_that_laid_no_tile():
    for locker, starter in [(1, 2), (3, 0)]:
        hands = ["0-0", "5-5 3-0", "2-0", "5-0 6-0"]
        hands[locker] += " 6-4"
        state = almost_closed("domino-duplas", hands, seat=locker)
        state.plays = [1, 3, 1]
        act(state, "6-4 right")
        assert (state.result["winners"], state.result["next_starter"]) == ([0, 2], starter)


def test_duplas_5_equal_pairs():
    # 6-3 and 5-1 = 15; 5-5 and 5-0 = 15: the pair of seat 3, which locked, loses.
    state = almost_closed("domino-duplas", ["6-3", "5-5", "5-1", "6-4 5-0"])
    state.plays = [1, 2, 3, 0]
    act(state, "6-4 right")
    assert (state.result["winners"], state.result["points"]) == ([0, 2], [15, 0])


def test_duplas_6_all_fours_on_the_table():
    state = almost_closed("domino-duplas", ["6-3", "5-5", "5-1", "6-4 5-0"])
    assert state.result is None
    act(state, "6-4 right")
    assert games.open_ends(state) == {"left": 4, "right": 4}
    assert state.result["reason"] == "blocked"


def test_duplas_later_hands_start_with_any_tile():
    hands = [["6-5", "1-0"], ["6-6", "2-0"], ["5-5", "1-1"], ["6-1", "3-0"]]
    state = games.start_with("domino-duplas", hands, [], 3, None, {"starter": 2})
    assert_legal(state, "5-5", "1-1")
