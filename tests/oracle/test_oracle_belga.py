"""The oracle's `domino-belga`, held against the rulebook's worked examples."""

# ruff: noqa: D103

import pytest

from oracle import games
from oracle.formats import Tally
from oracle.rulebook import act, almost_closed, tiles_at


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
