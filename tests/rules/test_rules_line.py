"""The domino line: two ends, the spinner and its side arms, worked by hand."""
# ruff: noqa: D103

import pytest
from support.positions import act, at, legal, refused, texts

from referee.rules.actions import DOWN, LEFT, RIGHT, UP
from referee.rules.line import CLOSED


def ends(hand):
    """The open ends as a person reads them: left, right, then the side arms once they are open."""
    numbers = [hand.ends[arm] for arm in (LEFT, RIGHT, UP, DOWN)]
    return [number for number in numbers if number != CLOSED]


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ("6-5", [6, 5]),  # the first tile lies with its high half to the left
        ("6-5, 6-0 left", [0, 5]),
        ("6-5, 5-0 right", [6, 0]),
        ("6-5, 6-6 left", [6, 5]),
        ("6-6", [6, 6]),  # both long sides are open, the side arms are not
        ("6-6, 6-1 left", [1, 6]),
        ("6-6, 6-1 left, 6-2 right", [1, 2, 6, 6]),
        ("6-6, 6-1 left, 6-2 right, 6-3 up", [1, 2, 3, 6]),
        ("6-6, 6-1 left, 6-2 right, 6-3 up, 6-4 down", [1, 2, 3, 4]),
        ("6-6, 6-1 left, 6-2 right, 6-3 up, 3-0 up", [1, 2, 0, 6]),
        ("6-6, 6-1 left, 1-0 left", [0, 6]),  # one long side only, however long its arm
        # A spinner in the middle of the line: its inner side is covered from the start.
        ("6-5, 5-5 right", [6, 5]),
        ("6-5, 5-5 right, 5-4 right", [6, 4, 5, 5]),
        ("6-5, 6-6 left, 6-4 left", [4, 5, 6, 6]),
        ("6-5, 5-5 right, 6-1 left, 1-0 left", [0, 5]),
        # The second double is no spinner.
        ("6-5, 5-5 right, 5-4 right, 4-4 right, 4-1 right", [6, 1, 5, 5]),
        ("6-6, 6-1 left, 1-1 left, 1-0 left", [0, 6]),
    ],
)
def test_ends_of_a_layout_whose_side_arms_open_after_both_long_sides(moves, expected):
    hand = at("domino-classico", ["0-0 2-2", "2-1 3-3"], moves, seat=moves.count(",") % 2 ^ 1)
    assert ends(hand) == expected


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ("6-6", [6, 6, 6, 6]),
        ("6-6, 6-1 up", [6, 6, 1, 6]),
        ("6-5", [6, 5]),
        ("6-5, 5-5 right", [6, 5, 5, 5]),
        ("6-5, 5-5 right, 5-0 down", [6, 5, 5, 0]),
        ("6-5, 5-5 right, 6-6 left", [6, 5, 5, 5]),
    ],
)
def test_ends_of_a_layout_whose_side_arms_open_at_once(moves, expected):
    hand = at("domino-classico", ["0-0 2-2", "2-1 3-3"], moves, seat=moves.count(",") % 2 ^ 1, spinner_opens="at_once")
    assert ends(hand) == expected


@pytest.mark.parametrize("moves", ["6-6", "6-6, 6-1 left, 6-2 right", "6-5, 5-5 right, 5-4 right"])
def test_domino_duplas_has_two_ends_and_no_spinner(moves):
    hand = at("domino-duplas", ["0-0 2-2", "2-1 3-3", "1-0 3-0", "2-0 3-2"], moves, seat=3)
    assert len(ends(hand)) == 2
    assert hand.spinner < 0


def test_one_tile_can_be_played_on_every_end_that_asks_for_its_number():
    hand = at("domino-classico", ["6-0 2-0", "3-3"], "6-6, 6-1 left, 6-2 right")
    assert legal(hand) == texts("6-0 up, 6-0 down, 2-0 right")
    hand = at("domino-classico", ["6-0 2-0", "3-3"], "6-6, 6-1 left", spinner_opens="at_once")
    assert legal(hand) == texts("6-0 right, 6-0 up, 6-0 down")


def test_both_halves_of_a_tile_can_fit_one_arm_each():
    hand = at("domino-classico", ["2-1 3-3", "5-0"], "6-6, 6-1 left, 6-2 right")
    assert legal(hand) == texts("2-1 left, 2-1 right")
    act(hand, "2-1 right")
    assert ends(hand) == [1, 1, 6, 6]


def test_a_double_is_one_action_an_arm():
    hand = at("domino-classico", ["4-4", "5-0"], "6-5, 6-4 left, 5-4 right")
    assert legal(hand) == texts("4-4 left, 4-4 right")


REFUSALS = [
    # (hand of seat 0, moves before, stock, options, answer, code, what is said, the rule)
    ("6-2 5-1", "6-6", "", {}, "6-5 left", "not_in_hand", "`6-5` is not in your hand", "own hand"),
    ("6-2 5-1", "6-6", "", {}, "5-1 left", "does_not_fit", "`5-1` does not bear the 6 of the arm `left`", "open end"),
    ("6-2 5-1", "6-6", "", {}, "6-2", "arm_required", "`6-2` needs an arm", "a tile is played on an open end"),
    ("6-2 5-1", "6-6", "", {}, "6-2 up", "arm_closed", "the arm `up` is not open", "once both long sides"),
    (
        "6-2 5-1",
        "6-5, 6-1 left",
        "",
        {"spinner_opens": "at_once"},
        "5-1 up",
        "arm_closed",
        "the arm `up` is not open",
        "the first double played is the only tile with side arms",
    ),
    ("6-2 5-1", "6-6", "", {}, "pass", "must_play", "`pass` while a tile fits", "a player who can play must play"),
    ("6-2 5-1", "6-6", "0-0", {}, "draw", "must_play", "`draw` while a tile fits", "a player who can play must play"),
    ("5-1 4-1", "6-6", "0-0", {}, "pass", "must_draw", "the stock is not empty", "who cannot play draws first"),
    ("5-1 4-1", "6-6", "0-0", {}, "5-1 left", "does_not_fit", "`5-1` does not bear the 6", "open end"),
    ("5-1 4-1", "6-6, 6-5 left", "0-0", {}, "4-1", "does_not_fit", "`4-1` bears no open number: 5, 6", "open end"),
    ("5-1 4-1", "6-6", "", {}, "draw", "stock_empty", "the stock is empty", "passes once the stock is empty"),
]


@pytest.mark.parametrize(("own", "moves", "stock", "options", "answer", "code", "said", "rule"), REFUSALS)
@pytest.mark.parametrize("game", ["domino-classico", "domino-belga"])
def test_refusals_name_the_rule_and_what_is_legal(game, own, moves, stock, options, answer, code, said, rule):
    hand = at(game, [own, "6-3 6-0"], moves, stock=stock, **options)
    illegal = refused(hand, answer)
    assert illegal.code == code
    assert said in illegal.reason
    assert illegal.rule.startswith(f"{game}: ")
    assert rule in illegal.rule
    assert illegal.legal == hand.legal
    listed = str(illegal).removeprefix(f"{illegal.reason}; legal: ")
    assert texts(listed.replace("`", "")) == legal(hand)


@pytest.mark.parametrize(
    ("answer", "code", "rule"),
    [
        ("6-2 up", "arm_closed", "there are two ends and no spinner"),
        ("6-2", "arm_required", "a tile is played on an open end"),
        ("5-1", "does_not_fit", "a tile is played on an open end whose number it bears"),
        ("draw", "no_draw", "all tiles are dealt; a turn is a tile or a pass"),
    ],
)
def test_refusals_of_domino_duplas(answer, code, rule):
    hand = at("domino-duplas", ["6-2 5-1", "6-3", "6-0", "4-0"], "6-6")
    illegal = refused(hand, answer)
    assert (illegal.code, illegal.rule) == (code, f"domino-duplas: {rule}")
    assert str(illegal).endswith("; legal: `6-2 left`, `6-2 right`")
