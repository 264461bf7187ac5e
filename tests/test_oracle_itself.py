"""The oracle held against the rulebook's worked examples, the deal vectors, and against itself.

Every expectation here is worked by hand from the rules; a helper puts the pieces where an example has them.
"""

# ruff: noqa: D103

import json
import math
import pathlib
import random

import pytest
from oracle import deals, games
from oracle.canonical import canonical, chained
from oracle.formats import Tally, fault_of
from oracle.playout import play_match
from oracle.verify import OracleError, check_log

VECTORS = json.loads((pathlib.Path(__file__).parent / "vectors" / "deals.json").read_text())

FORMATS = {
    "domino-cartas": [
        {"kind": "single"},
        {"kind": "best_of", "hands": 3},
        {"kind": "best_of", "hands": 5},
        {"kind": "points", "target": 100, "ending": "lowest"},
        {"kind": "points", "target": 100, "ending": "eliminate"},
    ],
    "domino-a-carte": [{"kind": "hands", "hands": 5}, {"kind": "single"}],
    "domino-classico": [{"kind": "best_of", "hands": 5}, {"kind": "single"}],
    "domino-belga": [{"kind": "points", "target": 100, "ending": "first"}],
    "domino-duplas": [{"kind": "points", "target": 50, "ending": "first"}, {"kind": "single"}],
}

COMBINATIONS = [
    pytest.param(game, n, form, id=f"{game}-{n}-{form['kind']}-{form.get('ending', form.get('hands', ''))}")
    for game in FORMATS
    for n in games.PLAYERS[game]
    for form in FORMATS[game]
]

# The 18 tiles dealt to two players from this seed hold no double (found by counting up from seed 0).
VOID_SEED = f"{0x52CA:064x}"


def plays(*texts):
    """Read "6-2 left" or "6O" as actions; "draw" and "pass" too."""
    actions = []
    for text in texts:
        piece, _, arm = text.partition(" ")
        actions.append({"type": text} if text in ("draw", "pass") else games.play(piece, arm or None))
    return actions


def same_actions(given, right):
    """Tell whether two lists hold the same actions in whatever order."""
    return sorted(map(canonical, given)) == sorted(map(canonical, right))


def assert_legal(state, *texts):
    """Assert that exactly these actions are legal."""
    assert same_actions(games.legal(state), plays(*texts)), games.legal(state)


def act(state, text):
    """Do an action written as text."""
    return games.apply(state, plays(text)[0])


def tiles_at(game, hands, line, stock=(), seat=0, **options):
    """Give a hand of tiles with no spinner, in progress: hands and stock as strings of tiles, the line as pairs."""
    state = games.State(game, len(hands), len(hands) - 1, options, {})
    state.hands = [hand.split() for hand in hands]
    state.stock = list(stock)
    state.line = list(line)
    state.first_turn = False
    state.seat = seat
    return state


def cards_at(game, hands, table, stock=(), seat=0, **options):
    """Give a hand of cards in progress."""
    state = games.State(game, len(hands), len(hands) - 1, options, {})
    state.hands = [hand.split() for hand in hands]
    state.table = table.split()
    state.stock = list(stock)
    state.first_turn = False
    state.seat = seat
    return state


def order_with(deck, first):
    """Give a deck order that begins with some pieces."""
    first = first.split()
    return first + [piece for piece in deck if piece not in first]


# Nine tiles with six of the seven fours; 6-4 on the right end closes it: ends 4 and 4, every four on the table.
ALMOST_CLOSED = [(4, 0), (0, 1), (1, 4), (4, 4), (4, 2), (2, 3), (3, 4), (4, 5), (5, 6)]


def almost_closed(game, hands, seat=3):
    """Give a hand in which `seat` closes the layout by playing 6-4 right."""
    state = tiles_at(game, hands, ALMOST_CLOSED, seat=seat)
    if game != "domino-duplas":
        state.spinner = 3
    return state


# ---------------------------------------------------------------------------------------------------------- deals


def test_decks_are_the_published_ones():
    assert VECTORS["decks"] == deals.DECKS


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: f"{case['deck']}-{case['seed'][:4]}")
def test_deal_vectors(case):
    assert deals.commitment(case["seed"]) == case["commitment"]
    assert deals.deck_order(deals.DECKS[case["deck"]], case["seed"], case["hand"], case["attempt"]) == case["order"]


def test_below_skips_what_would_be_uneven():
    # 2^32 mod 3 = 1: the one word 2^32 - 1 is skipped. No word is skipped for a power of two.
    assert deals.below(iter([2**32 - 1, 5]), 3) == 2
    assert deals.below(iter([2**32 - 1, 5]), 4) == 3


def test_set_seeds_differ_and_are_seeds():
    seeds = [deals.set_seed("00" * 32, k) for k in range(20)]
    assert len(set(seeds)) == 20
    assert all(len(bytes.fromhex(seed)) == 32 for seed in seeds)


def test_dealing_goes_round_from_the_seat_after_the_dealer():
    order = order_with(games.DOMINO_28, "6-6 5-5 4-4 3-3")
    state = games.start("domino-classico", order, 3, 1)
    assert [hand[0] for hand in state.hands] == ["5-5", "4-4", "6-6"]
    assert state.hands[2][1] == "3-3"
    assert state.stock == order[21:]


# ------------------------------------------------------------------------------------------------ domino-classico


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


# --------------------------------------------------------------------------------------------------- domino-belga


@pytest.mark.parametrize(
    ("tile", "scored"),
    [("5-5", 10), ("6-4", 10), ("5-0", 5), ("4-1", 5), ("3-2", 5), ("6-6", 0), ("0-0", 0), ("6-5", 0)],
)
def test_belga_1_openings(tile, scored):
    state = games.start_with("domino-belga", [[tile, "1-0"], ["1-1"]], ["2-0"], 1, None, {"starter": 0})
    assert act(state, tile) == {"scored": scored}
    assert games.belga_count(state) == sum(games.halves(tile))


def belga_line(moves, **options):
    """Play some tiles in a hand of two; give (count, scored) after each."""
    tiles = [move.split()[0] for move in moves]
    spare = [tile for tile in games.DOMINO_28 if tile not in tiles]
    hands = [[*tiles[0::2], spare[0]], [*tiles[1::2], spare[1]]]
    state = games.start_with("domino-belga", hands, spare[2:], 1, options, {"starter": 0})
    seen = []
    for move in moves:
        scored = act(state, move)["scored"]
        seen.append((games.belga_count(state), scored))
    return seen


def test_belga_2():
    moves = ["5-5", "5-1 left", "5-4 right", "5-0 up", "6-5 down", "0-0 up", "6-6 down"]
    assert belga_line(moves) == [(10, 10), (11, 0), (5, 5), (5, 5), (11, 0), (11, 0), (17, 0)]


def test_belga_3():
    moves = ["6-6", "6-3 left", "6-2 right", "3-3 left", "4-2 right"]
    assert belga_line(moves) == [(12, 0), (15, 15), (5, 5), (8, 0), (10, 10)]


def test_belga_spinner_played_onto_a_line():
    moves = ["6-5", "5-5 right", "5-4 right", "5-0 up", "4-4 right"]
    assert belga_line(moves) == [(11, 0), (16, 0), (10, 10), (10, 10), (14, 0)]
    moves = ["5-0", "5-5 left", "5-1 left"]
    assert belga_line(moves) == [(5, 5), (10, 10), (1, 0)]


def test_belga_spinner_counts_whatever_lies_on_its_side_arms():
    moves = ["5-5", "5-0 up", "5-1 down", "5-4 left", "6-5 right"]
    assert belga_line(moves, spinner_opens="at_once") == [(10, 10), (10, 10), (11, 0), (15, 15), (11, 0)]


def test_belga_4_the_target_ends_the_match_in_the_middle_of_a_hand():
    tally = Tally("domino-belga", 2, {"kind": "points", "target": 100, "ending": "first"})
    tally.totals = [93, 40]
    facts = {**tally.facts(), "starter": 0}
    state = games.start_with("domino-belga", [["5-5", "1-0"], ["5-0", "6-6"]], ["2-0"], 1, None, facts)
    act(state, "5-5")
    assert (state.result["reason"], state.result["winners"], state.result["points"]) == ("target", [0], [10, 0])
    tally.add(state.result)
    assert (tally.totals, tally.over, tally.places()) == ([103, 40], True, [1, 2])


def test_belga_4_the_target_with_the_last_tile():
    facts = {"totals": [90, 0], "target": 100, "starter": 0}
    state = games.start_with("domino-belga", [["5-5"], ["5-0", "6-6"]], ["2-0"], 1, None, facts)
    act(state, "5-5")
    assert (state.result["reason"], state.result["winners"]) == ("target", [0])


def test_belga_4_nothing_for_the_pips_left_elsewhere():
    # 6-6 opened, 6-3 is the last tile: 12 + 3 = 15.
    state = tiles_at("domino-belga", ["6-3", "6-1 4-1"], [(6, 6)])
    state.spinner = 0
    assert act(state, "6-3 left") == {"scored": 15}
    assert (state.result["reason"], state.result["winners"], state.result["points"]) == ("out", [0], [15, 0])
    assert state.result["next_starter"] == 0


def test_belga_draws_score_nothing_and_a_drawn_block_opens_anew():
    state = almost_closed("domino-belga", ["6-3", "6-6 2-0", "5-2 1-1", "6-4 6-2 5-3 3-1"])
    assert act(state, "6-4 right") == {"scored": 0}  # 4 + 4
    assert (state.result["winners"], state.result["next_starter"]) == ([], None)
    state = tiles_at("domino-belga", ["4-3 6-1", "3-3"], [(2, 0), (0, 5)], ["1-0"])
    assert act(state, "draw") == {"drawn": "1-0"}


# -------------------------------------------------------------------------------------------------- domino-duplas


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


# -------------------------------------------------------------------------------------------------- domino-cartas


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


# ------------------------------------------------------------------------------------------------- domino-a-carte

SEVENS = "7D 7H 7S 7C"


def test_a_carte_the_sevens_are_laid_by_the_deal():
    state = games.start("domino-a-carte", games.FRENCH_52, 4, 3)
    # 7D is the seventh piece: seat 2 has it. 7H, 7S, 7C are pieces 20, 33 and 46: seats 3, 0 and 1.
    assert state.starter == 2
    assert [len(hand) for hand in state.hands] == [12, 12, 12, 12]
    assert sorted(state.laid) == sorted(SEVENS.split())


def test_a_carte_1_rows():
    everything = " ".join(card for card in games.FRENCH_52 if card not in SEVENS.split())
    state = cards_at("domino-a-carte", [everything, "AD", "AH", "AS"], SEVENS)
    assert_legal(state, *[rank + suit for rank in "68" for suit in "DHSC"], "pass")
    row = SEVENS + " 5S 6S 8S 9S"
    state = cards_at("domino-a-carte", ["3S 4S TS JS", "AD", "AH", "AC"], row)
    assert_legal(state, "4S", "TS", "pass")


def test_a_carte_2_a_gap_and_its_filling():
    state = cards_at("domino-a-carte", ["4S 9S TS QS AS", "AD 2D", "AH 2H", "AC 2C"], SEVENS + " 5S 6S 8S JS")
    assert_legal(state, "4S", "9S", "pass")
    act(state, "9S")
    state.seat = 0
    assert_legal(state, "4S", "TS", "pass")
    act(state, "TS")
    state.seat = 0
    assert_legal(state, "4S", "QS", "pass")


def test_a_carte_3_nothing_wraps():
    state = cards_at("domino-a-carte", ["6C AC", "AD", "AH", "AS"], SEVENS + " 8C 9C TC JC QC KC")
    assert_legal(state, "6C", "pass")


def test_a_carte_4_the_fourth_pass():
    state = cards_at("domino-a-carte", ["6C AC", "AD 2D", "AH", "AS"], SEVENS)
    state.passes = [3, 0, 0, 0]
    assert_legal(state, "6C")
    state = cards_at("domino-a-carte", ["6S 9C AC", "AD 2D", "AH", "AS"], SEVENS + " 6S")
    state.hands[0].remove("6S")
    state.passes = [3, 0, 0, 0]
    assert_legal(state, "pass")
    assert act(state, "pass") == {"laid": ["9C", "AC"]}
    assert (state.hands[0], state.lost) == ([], [0])
    assert state.seat == 1
    # The nine lies beyond a gap; when the eight fills it, the run reaches to the nine.
    assert games.a_carte_run(state, "C") == (6, 6)
    state.hands[1].append("8C")
    act(state, "8C")
    assert games.a_carte_run(state, "C") == (6, 8)


def test_a_carte_4_three_passes_are_free():
    state = cards_at("domino-a-carte", ["6C AC", "6D 2D", "6H AH", "6S AS"], SEVENS)
    for _ in range(12):
        assert {"type": "pass"} in games.legal(state)
        assert act(state, "pass") == {}
    assert_legal(state, "6C")


def test_a_carte_5_places():
    state = cards_at("domino-a-carte", ["6D", "KH 2H", "8D", "KS"], SEVENS)
    state.passes = [0, 3, 0, 0]
    act(state, "6D")
    act(state, "pass")
    act(state, "8D")
    assert state.result["points"] == [3, 0, 2, 1]
    assert state.result["places"] == [1, 4, 2, 3]
    assert (state.result["reason"], state.result["winners"]) == ("last_player", [0])
    assert state.result["left"] == [[], [], [], ["KS"]]


def test_a_carte_5_the_last_one_playing_can_be_first():
    state = cards_at("domino-a-carte", ["KD", "KH", "KS", "KC QC"], SEVENS)
    state.passes = [3, 3, 3, 0]
    for _ in range(3):
        act(state, "pass")
    # Seat 0 lost first and is last; seat 3 never ran out, and takes the first place.
    assert state.result["places"] == [4, 3, 2, 1]
    assert state.result["winners"] == [3]
    assert state.result["left"] == [[], [], [], ["KC", "QC"]]


# -------------------------------------------------------------------------------------------------------- formats


def result_of(winners, points, **more):
    """Give what a tally needs of a hand's result."""
    return {"reason": "out", "winners": winners, "points": points, "next_starter": None, **more}


def tally_of(game, n, form, *results):
    """Give a tally after some results."""
    tally = Tally(game, n, form)
    for result in results:
        assert not tally.over
        tally.add(result)
    return tally


def test_single():
    form = {"kind": "single"}
    tally = tally_of("domino-cartas", 3, form, result_of([1], [8, 0, 9]))
    assert (tally.over, tally.totals, tally.places()) == (True, [0, 1, 0], [2, 1, 2])
    tally = tally_of("domino-classico", 3, form, result_of([], [0, 0, 0]))
    assert (tally.over, tally.totals, tally.places()) == (True, [0, 0, 0], [1, 1, 1])
    tally = tally_of("domino-duplas", 4, form, result_of([1, 3], [0, 12]))
    assert (tally.over, tally.totals, tally.places()) == (True, [0, 1], [2, 1])
    tally = tally_of("domino-a-carte", 4, form, result_of([2], [0, 1, 3, 2], places=[4, 3, 1, 2]))
    assert (tally.over, tally.totals, tally.places()) == (True, [0, 0, 1, 0], [4, 3, 1, 2])


def test_best_of():
    form = {"kind": "best_of", "hands": 3}
    hands = [result_of(w, [0, 0, 0]) for w in ([0], [], [2], [0])]
    tally = tally_of("domino-classico", 3, form, *hands[:3])
    assert (tally.over, tally.totals) == (False, [1, 0, 1])
    assert tally.places() == [1, 3, 1]
    tally.add(hands[3])
    assert (tally.over, tally.totals, tally.places()) == (True, [2, 0, 1], [1, 3, 2])


def test_hands_and_shared_places():
    form = {"kind": "hands", "hands": 2}
    tally = tally_of("domino-a-carte", 4, form, result_of([0], [3, 2, 1, 0]), result_of([1], [2, 3, 0, 1]))
    assert (tally.over, tally.totals, tally.places()) == (True, [5, 5, 1, 1], [1, 1, 3, 3])


def test_points_first():
    form = {"kind": "points", "target": 50, "ending": "first"}
    tally = tally_of("domino-duplas", 4, form, result_of([0, 2], [49, 0]), result_of([1, 3], [0, 50]))
    assert (tally.over, tally.totals, tally.places()) == (True, [49, 50], [2, 1])


def test_points_lowest():
    form = {"kind": "points", "target": 100, "ending": "lowest"}
    tally = tally_of("domino-cartas", 3, form, result_of([0], [0, 99, 20]), result_of([1], [20, 0, 80]))
    assert (tally.over, tally.totals, tally.places()) == (True, [20, 99, 100], [1, 2, 3])
    tally = tally_of("domino-cartas", 3, form, result_of([0], [0, 20, 20]), result_of([1], [20, 0, 90]))
    assert (tally.over, tally.totals, tally.places()) == (True, [20, 20, 110], [1, 1, 3])


def test_points_eliminate():
    form = {"kind": "points", "target": 100, "ending": "eliminate"}
    tally = tally_of(
        "domino-cartas",
        5,
        form,
        result_of([0], [0, 30, 120, 90, 101]),
        result_of([1], [60, 0, 0, 10, 0]),
    )
    assert (tally.over, tally.out) == (False, [2, 3, 4])
    # Seat 2 and seat 4 went first, seat 4 with less; seat 3 went later; seats 0 and 1 are still in.
    assert tally.places() == [2, 1, 5, 3, 4]
    assert tally.next_dealer(1) == 0
    assert tally.next_dealer(2) == 0
    tally.add(result_of([1], [40, 0, 0, 0, 0]))
    assert (tally.over, tally.out, tally.places()) == (True, [0, 2, 3, 4], [2, 1, 5, 3, 4])


def test_points_eliminate_shares_equal_totals_of_one_hand():
    form = {"kind": "points", "target": 100, "ending": "eliminate"}
    tally = tally_of("domino-cartas", 3, form, result_of([0], [0, 105, 105]))
    assert (tally.over, tally.places()) == (True, [1, 2, 2])


def test_max_hands_ends_any_format():
    form = {"kind": "best_of", "hands": 5, "max_hands": 2}
    tally = tally_of("domino-classico", 2, form, result_of([], [0, 0]), result_of([1], [0, 0]))
    assert (tally.over, tally.places()) == (True, [2, 1])


def test_formats_that_are_refused():
    assert fault_of("domino-belga", {"kind": "single"})
    assert fault_of("domino-cartas", {"kind": "points", "target": 100, "ending": "first"})
    assert fault_of("domino-cartas", {"kind": "best_of", "hands": 4})
    assert fault_of("domino-a-carte", {"kind": "hands"})
    assert fault_of("domino-duplas", {"kind": "points", "target": 0, "ending": "first"})
    assert fault_of("domino-duplas", {"kind": "points", "target": 30, "ending": "first"}) is None


# ------------------------------------------------------------------------------------------------------ whole logs


def random_match(game, n, form, number, auto_forced=False):
    """Play a match at random, with random options."""
    source = random.Random(f"{game} {n} {sorted(form.items())} {number}")
    options = {name: source.choice(values) for name, values in games.OPTIONS[game].items()}
    options["auto_forced"] = auto_forced
    return play_match(game, n, options, form, source.randbytes(32).hex(), source.choice)


def without_seed(log):
    """Give a log that keeps its seed to itself."""
    last = {key: value for key, value in log[-1].items() if key != "seed"}
    return chained([*log[:-1], {**last, "seed_withheld": True}])


def refuse(events, line, seed=None):
    """Assert that a log is refused at a line, though its chain is whole."""
    with pytest.raises(OracleError) as caught:
        check_log(chained(events), seed)
    assert caught.value.line == line, caught.value


@pytest.mark.parametrize(("game", "n", "form"), COMBINATIONS)
@pytest.mark.parametrize("auto_forced", [False, True])
def test_random_matches_check(game, n, form, auto_forced):
    log = random_match(game, n, form, 0, auto_forced)
    check_log(log)
    hidden = without_seed(log)
    check_log(hidden)
    check_log(hidden, log[-1]["seed"])
    for event in log:
        if event["event"] == "action" and auto_forced:
            assert event["by"] in ("bot", "forced")


def test_every_piece_is_somewhere_after_every_action():
    for game, forms in FORMATS.items():
        n = games.PLAYERS[game][0]
        for event in random_match(game, n, forms[0], 7):
            if event["event"] == "hand_started":
                pieces = [piece for hand in event["hands"] for piece in hand] + event["stock"] + event["laid"]
                assert sorted(pieces) == sorted(games.DECK_OF[game])


def test_a_log_is_read_from_a_file(tmp_path):
    log = random_match("domino-belga", 3, FORMATS["domino-belga"][0], 1)
    path = tmp_path / "match.jsonl"
    path.write_text("".join(json.dumps(event) + "\n" for event in log))
    check_log(path)
    check_log(str(path))
    check_log(path.read_text().splitlines())
    check_log(path.read_bytes().splitlines())


@pytest.mark.parametrize("game", list(FORMATS))
def test_a_changed_byte_is_refused(game, tmp_path):
    log = random_match(game, games.PLAYERS[game][-1], FORMATS[game][0], 2)
    raw = "".join(canonical(event) + "\n" for event in log).encode()
    path = tmp_path / "match.jsonl"
    path.write_bytes(raw)
    check_log(path)
    source = random.Random(game)
    for _ in range(60):
        place = source.randrange(len(raw) - 1)
        changed = bytearray(raw)
        changed[place] ^= source.randrange(1, 256)
        path.write_bytes(bytes(changed))
        with pytest.raises(OracleError):
            check_log(path)
    # A cut is refused too, wherever it is.
    path.write_bytes(b"\n".join(raw.split(b"\n")[:-2]) + b"\n")
    with pytest.raises(OracleError):
        check_log(path)


MATCHES = [
    pytest.param("domino-cartas", 2, {"kind": "points", "target": 30, "ending": "lowest"}, id="cartas-lowest"),
    pytest.param("domino-cartas", 4, {"kind": "points", "target": 30, "ending": "eliminate"}, id="cartas-eliminate"),
    pytest.param("domino-a-carte", 4, {"kind": "hands", "hands": 2}, id="a-carte"),
    pytest.param("domino-classico", 2, FORMATS["domino-classico"][0], id="classico-2"),
    pytest.param("domino-classico", 4, FORMATS["domino-classico"][0], id="classico-4"),
    pytest.param("domino-belga", 3, FORMATS["domino-belga"][0], id="belga"),
    pytest.param("domino-duplas", 4, FORMATS["domino-duplas"][0], id="duplas"),
]


def changed(log, place, **fields):
    """Give a log with some fields of one event changed."""
    return [*log[:place], {**log[place], **fields}, *log[place + 1 :]]


@pytest.mark.parametrize(("game", "n", "form"), MATCHES)
def test_a_changed_action_is_refused(game, n, form):
    log = random_match(game, n, form, 3)
    check_log(log)
    source = random.Random(3)
    places = [i for i, event in enumerate(log) if event["event"] == "action"]
    for place in source.sample(places, min(8, len(places))):
        event = log[place]
        refuse(changed(log, place, turn=event["turn"] + 1), place + 1)
        refuse(changed(log, place, hand=event["hand"] + 1), place + 1)
        refuse(changed(log, place, seat=(event["seat"] + 1) % n), place + 1)
        refuse(changed(log, place, by="forced" if event["by"] == "bot" else "bot"), place + 1)
        refuse(changed(log, place, took_ms=-1), place + 1)
        refuse(changed(log, place, action={"type": "play", "piece": "9-9", "arm": "left"}), place + 1)
        refuse(changed(log, place, action={**event["action"], "arm": "middle"}), place + 1)
        refuse(log[:place] + log[place + 1 :], place + 1)
        refuse([*log[: place + 1], *log[place:]], place + 2)
        if "drawn" in event:
            refuse(changed(log, place, drawn="9-9"), place + 1)
        if game == "domino-belga":
            refuse(changed(log, place, scored=event.get("scored", 0) + 5), place + 1)
        if "laid" in event:
            refuse(changed(log, place, laid=event["laid"][1:]), place + 1)


@pytest.mark.parametrize(("game", "n", "form"), MATCHES)
def test_a_changed_deal_is_refused(game, n, form):
    log = random_match(game, n, form, 4)
    check_log(log)
    for place, event in enumerate(log):
        if event["event"] != "hand_started":
            continue
        refuse(changed(log, place, starter=(event["starter"] + 1) % n), place + 1)
        refuse(changed(log, place, dealer=(event["dealer"] + 1) % n), place + 1)
        refuse(changed(log, place, attempt=event["attempt"] + 1), place + 1)
        refuse(changed(log, place, hand=event["hand"] + 1), place + 1)
        hands = [None if hand is None else list(hand) for hand in event["hands"]]
        first, second = [hand for hand in hands if hand is not None][:2]
        first[0], second[0] = second[0], first[0]
        refuse(changed(log, place, hands=hands), place + 1)
        if len(event["stock"]) > 1:
            refuse(changed(log, place, stock=event["stock"][::-1]), place + 1)
        # Without the seed, the deck must still be whole.
        first[0] = second[0]
        refuse(without_seed(changed(log, place, hands=hands)), place + 1)
        refuse(changed(log, place, laid=event["laid"][1:] or ["7D"]), place + 1)


@pytest.mark.parametrize(("game", "n", "form"), MATCHES)
def test_a_changed_end_is_refused(game, n, form):
    log = random_match(game, n, form, 5)
    check_log(log)
    for place, event in enumerate(log):
        if event["event"] != "hand_ended":
            continue
        for field in ("points", "totals"):
            wrong = list(event[field])
            wrong[0] += 1
            refuse(changed(log, place, **{field: wrong}), place + 1)
        refuse(changed(log, place, winners=[*event["winners"], 7]), place + 1)
        refuse(changed(log, place, reason="target" if event["reason"] == "out" else "out"), place + 1)
        left = [None if hand is None else hand[1:] for hand in event["left"]]
        refuse(changed(log, place, left=left), place + 1)
    last = len(log) - 1
    refuse(changed(log, last, places=[*log[last]["places"], 9]), last + 1)
    refuse(changed(log, last, places=[2 if place == 1 else 1 for place in log[last]["places"]]), last + 1)
    refuse(changed(log, last, totals=[total + 1 for total in log[last]["totals"]]), last + 1)
    refuse(changed(log, last, reason="won"), last + 1)
    refuse(changed(log, last, seed="0" * 64), 1)
    refuse(changed(log, last, seed_withheld=True), last + 1)
    refuse(log[:last], last)
    refuse([*log, log[last]], last + 2)
    # A match cannot be completed before its format says so, nor go on after.
    ends = [i for i, event in enumerate(log) if event["event"] == "hand_ended"]
    if len(ends) > 1:
        refuse([*log[: ends[-2] + 1], log[last]], ends[-2] + 2)


def test_a_changed_start_is_refused():
    log = random_match("domino-belga", 2, FORMATS["domino-belga"][0], 6)
    start = log[0]
    wrong = [
        {"schema": 2},
        {"game": "domino-inglese"},
        {"game": "domino-duplas"},
        {"rules_version": "1"},
        {"options": {"auto_forced": False}},
        {"options": {"spinner_opens": "never", "auto_forced": False}},
        {"options": {"spinner_opens": "at_once"}},
        {"format": {"kind": "single", "max_hands": 200}},
        {"format": {"kind": "points", "target": 100, "ending": "first"}},
        {"seats": start["seats"][:1]},
        {"seats": start["seats"][::-1]},
        {"seats": [{**seat, "side": 0} for seat in start["seats"]]},
        {"commitment": "0" * 64},
        {"clock": None},
    ]
    for fields in wrong:
        refuse(changed(log, 0, **fields), 1)
    for field in ("schema", "match", "game", "options", "format", "seats", "commitment", "clock"):
        refuse([{key: value for key, value in start.items() if key != field}, *log[1:]], 1)


def test_the_options_in_force_are_those_of_the_log():
    form = {"kind": "best_of", "hands": 5}
    log = play_match("domino-classico", 2, {"spinner_opens": "at_once"}, form, "0" * 64, play_up)
    check_log(log)
    place = next(i for i, event in enumerate(log) if event.get("action", {}).get("arm") == "up")
    refuse(changed(log, 0, options={"spinner_opens": "after_both_sides", "auto_forced": False}), place + 1)


def play_up(choices):
    """Choose a play on the upper side arm where there is one."""
    return next((choice for choice in choices if choice.get("arm") == "up"), choices[0])


def test_unknown_events_and_fields_are_skipped():
    log = random_match("domino-duplas", 4, FORMATS["domino-duplas"][0], 8)
    noise = {"event": "connected", "ts": log[0]["ts"], "anything": [None, True, {"ü": "€"}]}
    noisy = [noise]
    for event in log:
        noisy += [{**event, "colour": "red"}, noise]
    check_log(chained(noisy))
    chain = chained(noisy)
    chain[0]["anything"] = []
    with pytest.raises(OracleError, match="line 1: "):
        check_log(chain)


def test_rejected_answers_change_nothing():
    log = random_match("domino-classico", 3, FORMATS["domino-classico"][0], 9)
    place = next(i for i, event in enumerate(log) if event["event"] == "action")
    rejected = {key: log[place][key] for key in ("ts", "hand", "turn", "seat")}
    rejected |= {"event": "rejected", "code": "illegal", "message": "no", "given": {"type": "pass"}}
    check_log(chained([*log[:place], rejected, *log[place:]]))
    del rejected["code"]
    refuse([*log[:place], rejected, *log[place:]], place + 1)


def test_a_match_may_end_by_forfeit_in_the_middle_of_a_hand():
    log = random_match("domino-classico", 3, FORMATS["domino-classico"][0], 10)
    place = next(i for i, event in enumerate(log) if event["event"] == "action")
    end = {**log[-1], "reason": "forfeit", "places": [1, 1, 3], "totals": [0, 0, 0]}
    cut = [*log[: place + 2], end]
    check_log(chained(cut))
    refuse([*log[: place + 2], {**end, "places": [1, 1, 2]}], place + 3)
    refuse([*log[: place + 2], {**end, "reason": "completed"}], place + 3)
    check_log(chained([*log[: place + 2], {**end, "reason": "aborted"}]))


def test_what_may_not_occur_in_a_log():
    log = random_match("domino-duplas", 4, {"kind": "single"}, 11)
    lines = [canonical(event) for event in log]
    for bad in ("1.5", "NaN", "1e3", str(2**60), '"\\ud800"', '{"a":1,"a":1}'):
        line = lines[0][:-1] + f',"zz":{bad}}}'
        with pytest.raises(OracleError, match="line 1: "):
            check_log([line, *lines[1:]])
    with pytest.raises(OracleError):
        check_log([])
    with pytest.raises(OracleError, match="line 3: "):
        check_log([*lines[:2], "", *lines[2:]])


def test_canonical_json():
    assert canonical({"b": [1, True, None], "a": 'é"\n', "ä": {}}) == '{"a":"é\\"\\n","b":[1,true,null],"ä":{}}'
    # Keys are sorted by UTF-16 units: the surrogates of a face come before U+FB33.
    assert canonical({"\ufb33": 1, "\U0001f600": 2}) == '{"\U0001f600":2,"\ufb33":1}'
