"""`domino-belga`: the count of the ends by hand, and the target in the middle of a hand."""
# ruff: noqa: D103

import pytest
from support.matches import new_match
from support.positions import act, at, dealt, legal, refused, texts

from referee.rules.game import HandEnd
from referee.rules.line import count_of
from referee.rules.pieces import DOMINO_28

GAME = "domino-belga"
ALMOST_CLOSED = "4-0, 1-0 right, 4-1 right, 4-4 right, 4-2 right, 3-2 right, 4-3 right, 5-4 right, 6-5 right"


def scores(moves, **options):
    """What each of these moves of two players scores; every other tile is still to be drawn or held."""
    tiles = [move.split()[0] for move in moves]
    spare = [name for name in DOMINO_28.names if name not in tiles]
    hands = [" ".join([*tiles[0::2], spare[0]]), " ".join([*tiles[1::2], spare[1]])]
    hand = at(GAME, hands, stock=" ".join(spare[2:]), **options)
    seen = []
    for move in moves:
        act(hand, move)
        seen.append((count_of(hand.ends, hand.tips, hand.spinner), hand.scored))
    assert hand.points == [sum(s for _, s in seen[0::2]), sum(s for _, s in seen[1::2])]
    return seen


@pytest.mark.parametrize(
    ("tile", "count", "scored"),
    [
        ("5-5", 10, 10),
        ("6-4", 10, 10),
        ("5-0", 5, 5),
        ("4-1", 5, 5),
        ("3-2", 5, 5),
        ("6-6", 12, 0),
        ("0-0", 0, 0),  # nought is a multiple of five, but not a positive one
        ("6-5", 11, 0),
        ("1-1", 2, 0),
    ],
)
def test_an_opening_tile_counts_both_its_halves(tile, count, scored):
    assert scores([tile]) == [(count, scored)]


@pytest.mark.parametrize(
    "course",
    [
        [("5-5", 10, 10), ("5-1 left", 11, 0), ("5-4 right", 5, 5), ("5-0 up", 5, 5), ("6-5 down", 11, 0)],
        [("6-6", 12, 0), ("6-3 left", 15, 15), ("6-2 right", 5, 5), ("3-3 left", 8, 0), ("4-2 right", 10, 10)],
        # 5-5 and 5-0: the double still counts 10, the blank nothing.
        [("5-5", 10, 10), ("5-0 left", 10, 10)],
        # The spinner played onto a line: 6 + 10; then it is covered on both sides: 6 + 4; an arm of 0: 6 + 4 + 0.
        [("6-5", 11, 0), ("5-5 right", 16, 0), ("5-4 right", 10, 10), ("5-0 up", 10, 10), ("4-4 right", 14, 0)],
        [("5-0", 5, 5), ("5-5 left", 10, 10), ("5-1 left", 1, 0)],
        # A double at an end counts twice its number, and once only from the tile after it on.
        [("6-5", 11, 0), ("6-6 left", 17, 0), ("5-5 right", 22, 0), ("5-3 right", 15, 15), ("3-3 right", 18, 0)],
        # A side arm counts from its first tile on, by its own last tile: 1 + 2, then + 3, then + 6 instead of 3.
        [
            ("4-4", 8, 0),
            ("4-1 left", 9, 0),
            ("4-2 right", 3, 0),
            ("4-3 up", 6, 0),
            ("3-3 up", 9, 0),
            ("6-3 up", 9, 0),
            ("5-4 down", 14, 0),
            ("5-5 down", 19, 0),
            ("1-1 left", 20, 20),
        ],
        # The most that a play can score: 6-6, 5-5 and 4-4 at three ends and a 5 at the fourth.
        [
            ("3-3", 6, 0),
            ("6-3 left", 12, 0),
            ("6-6 left", 18, 0),
            ("5-3 right", 17, 0),
            ("5-5 right", 22, 0),
            ("4-3 up", 26, 0),
            ("4-4 up", 30, 30),
            ("3-2 down", 32, 0),
            ("5-2 down", 35, 35),
        ],
    ],
)
def test_counts_by_hand(course):
    assert scores([move for move, _, _ in course]) == [(count, scored) for _, count, scored in course]


def test_the_spinner_counts_whatever_lies_on_its_side_arms_until_both_long_sides_are_covered():
    course = [("5-5", 10, 10), ("5-0 up", 10, 10), ("5-1 down", 11, 0), ("5-4 left", 15, 15), ("6-5 right", 11, 0)]
    seen = scores([move for move, _, _ in course], spinner_opens="at_once")
    assert seen == [(count, scored) for _, count, scored in course]


def test_it_is_dealt_started_and_played_like_domino_classico():
    hand = dealt(GAME, ["5-5 6-5", "6-6 1-0"])
    assert (hand.starter, legal(hand), len(hand.stock)) == (1, {"6-6"}, 10)
    assert refused(hand, "1-0").rule.startswith("domino-belga: ")
    hand = at(GAME, ["4-3 6-1", "3-3"], "2-0, 5-0 right", stock="1-0 5-4 2-2")
    act(hand, "draw", "draw")
    assert legal(hand) == {"5-4 right"}


def test_a_draw_and_a_pass_score_nothing():
    # Seat 0 opened with 10; seat 1 left 1 and 4 at the ends, which is 5: drawing and passing do not score them again.
    hand = at(GAME, ["6-3 2-2", "3-1 5-5"], "6-4, 6-1 left", stock="5-0")
    assert (count_of(hand.ends, hand.tips, hand.spinner), hand.scored, hand.points) == (5, 5, [10, 5])
    act(hand, "draw")
    assert (hand.scored, hand.points) == (0, [10, 5])
    act(hand, "pass")
    assert (hand.scored, hand.points) == (0, [10, 5])


def test_a_hand_that_ends_adds_nothing_and_its_winner_starts_the_next():
    # 6-6 opened, 6-3 is the last tile: 12 + 3 = 15, and nothing for the pips of seat 1.
    hand = act(at(GAME, ["6-3", "6-1 4-1"], "6-6"), "6-3 left")
    assert hand.scored == 15
    assert (hand.result.reason, hand.result.winners, hand.result.leader) == (HandEnd.OUT, (0,), 0)
    assert hand.result.points == (15, 0)


def test_a_block_adds_nothing_and_a_shared_one_is_drawn():
    hand = act(at(GAME, ["6-3", "6-6 2-0", "5-2 1-1", "6-4 6-2 5-3 3-1"], ALMOST_CLOSED, seat=3), "6-4 right")
    # 4 and 4 at the ends, the spinner 4-4 covered: 8.
    assert (count_of(hand.ends, hand.tips, hand.spinner), hand.scored) == (8, 0)
    assert (hand.result.reason, hand.result.winners, hand.result.leader) == (HandEnd.BLOCKED, (), None)
    assert list(hand.result.points) == hand.points


def playing(position, totals):
    """A match of `domino-belga` that stands at such a position, with such totals."""
    match = new_match(GAME, len(totals), seed=1)
    match.take(match.due())
    match.state = position
    match.tally.totals = totals
    return match


def acted(match, move):
    """The event of an action in a match."""
    (action,) = [a for a in match.state.legal if match.state.name(a) == move]
    return match.act(action, "bot")


def test_reaching_the_target_ends_the_match_in_the_middle_of_a_hand():
    match = playing(at(GAME, ["5-5 1-0", "5-0 6-6"], stock="2-0"), [93, 40])
    assert acted(match, "5-5")["scored"] == 10
    ended = match.due()
    assert (ended["reason"], ended["winners"], ended["points"]) == ("target", [0], [10, 0])
    assert (ended["totals"], ended["left"]) == ([103, 40], [["1-0"], ["5-0", "6-6"]])
    match.take(ended)
    over = match.due()
    assert (over["event"], over["reason"], over["places"], over["totals"]) == (
        "match_ended",
        "completed",
        [1, 2],
        [103, 40],
    )


def test_the_target_is_the_reason_even_where_the_same_tile_was_the_last_one():
    match = playing(at(GAME, ["6-3", "6-1 4-1"], "6-6"), [85, 99])
    acted(match, "6-3 left")
    ended = match.due()
    assert (ended["reason"], ended["winners"], ended["totals"]) == ("target", [0], [100, 99])


def test_one_point_short_of_the_target_the_hand_goes_on():
    match = playing(at(GAME, ["5-5 1-0", "5-0 6-6"], stock="2-0"), [89, 0])
    acted(match, "5-5")
    assert match.due() is None
    assert legal(match.state) == texts("5-0 left, 5-0 right")
