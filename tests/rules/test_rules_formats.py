"""Match formats: when a match ends and who is placed where, worked by hand."""
# ruff: noqa: D103

import pytest
from support.matches import new_match

from referee.rules.formats import Tally, rank
from referee.rules.game import FormatSpec, HandEnd, Result


def result(winners, points, places=None):
    """How a hand ended."""
    return Result(HandEnd.OUT, winners=tuple(winners), points=tuple(points), places=places)


def tally(spec, sides, *results):
    """What a format counts after some hands, none of which but the last may end it."""
    counted = Tally(spec, tuple(range(sides)) if isinstance(sides, int) else sides)
    for one in results:
        assert not counted.over
        counted.add(one)
    return counted


@pytest.mark.parametrize(
    ("keys", "places"),
    [
        ([3, 1, 2], (3, 1, 2)),
        ([1, 1, 2], (1, 1, 3)),
        ([2, 1, 1], (3, 1, 1)),
        ([0, 0, 0, 0], (1, 1, 1, 1)),
        ([4, 7, 7, 9, 7], (1, 2, 2, 5, 2)),
        ([5], (1,)),
    ],
)
def test_equal_keys_share_a_place_and_the_next_is_skipped(keys, places):
    assert rank(keys) == places


def test_single_ends_after_one_hand_and_its_winner_is_first():
    counted = tally(FormatSpec("single"), 3, result([1], [8, 0, 9]))
    assert (counted.over, counted.totals, counted.places()) == (True, [0, 1, 0], (2, 1, 2))


def test_single_of_pairs_counts_one_win_for_the_pair():
    counted = tally(FormatSpec("single"), (0, 1, 0, 1), result([1, 3], [0, 12]))
    assert (counted.over, counted.totals, counted.places()) == (True, [0, 1], (2, 1))


def test_single_takes_the_places_of_a_hand_that_ranks_all():
    counted = tally(FormatSpec("single"), 4, result([2], [0, 1, 3, 2], places=(4, 3, 1, 2)))
    assert (counted.over, counted.totals, counted.places()) == (True, [0, 0, 1, 0], (4, 3, 1, 2))


def test_single_drawn_is_shared_by_all():
    counted = tally(FormatSpec("single"), 3, result([], [0, 0, 0]))
    assert (counted.over, counted.totals, counted.places()) == (True, [0, 0, 0], (1, 1, 1))


@pytest.mark.parametrize(
    ("hands", "wins", "over", "totals", "places"),
    [
        (3, [0, 1], False, [1, 1, 0], (1, 1, 3)),
        (3, [0, 1, 0], True, [2, 1, 0], (1, 2, 3)),
        (5, [0, 1, 0], False, [2, 1, 0], (1, 2, 3)),
        (5, [0, 0, 0], True, [3, 0, 0], (1, 2, 2)),
        (3, [None, None, None, 2, None, 2], True, [0, 0, 2], (2, 2, 1)),  # drawn hands are not counted
        (1, [1], True, [0, 1, 0], (2, 1, 2)),
    ],
)
def test_best_of_ends_when_a_side_has_more_than_half(hands, wins, over, totals, places):
    results = [result([] if seat is None else [seat], [0, 0, 0]) for seat in wins]
    counted = tally(FormatSpec("best_of", hands=hands), 3, *results)
    assert (counted.over, counted.totals, counted.places()) == (over, totals, places)


def test_hands_ends_after_so_many_and_places_by_points():
    spec = FormatSpec("hands", hands=2)
    counted = tally(spec, 4, result([0], [3, 2, 1, 0]))
    assert not counted.over
    counted = tally(spec, 4, result([0], [3, 2, 1, 0]), result([1], [2, 3, 0, 1]))
    assert (counted.over, counted.totals, counted.places()) == (True, [5, 5, 1, 1], (1, 1, 3, 3))


def test_points_first_ends_when_a_side_reaches_the_target():
    spec = FormatSpec("points", target=50, ending="first")
    counted = tally(spec, (0, 1, 0, 1), result([0, 2], [49, 0]))
    assert not counted.over
    counted.add(result([1, 3], [0, 50]))
    assert (counted.over, counted.totals, counted.places()) == (True, [49, 50], (2, 1))


@pytest.mark.parametrize(
    ("totals", "points", "reached"),
    [([93, 40], [7, 0], True), ([93, 40], [6, 0], False), ([93, 40], [0, 60], True), ([0, 0], [0, 0], False)],
)
def test_points_first_can_be_reached_in_the_middle_of_a_hand(totals, points, reached):
    counted = tally(FormatSpec("points", target=100, ending="first"), 2)
    counted.totals = totals
    assert counted.reached(points) is reached


@pytest.mark.parametrize(
    "spec",
    [FormatSpec("single"), FormatSpec("points", target=10, ending="lowest"), FormatSpec("hands", hands=3)],
)
def test_no_other_format_ends_in_the_middle_of_a_hand(spec):
    assert tally(spec, 2).reached([1000, 1000]) is False


def test_points_lowest_ends_after_the_hand_in_which_a_side_reaches_the_target():
    spec = FormatSpec("points", target=100, ending="lowest")
    counted = tally(spec, 3, result([0], [0, 99, 20]))
    assert not counted.over
    counted.add(result([1], [20, 0, 80]))
    assert (counted.over, counted.totals, counted.places()) == (True, [20, 99, 100], (1, 2, 3))
    counted = tally(spec, 3, result([0], [0, 20, 20]), result([1], [20, 0, 90]))
    assert (counted.over, counted.places()) == (True, (1, 1, 3))


ELIMINATE = FormatSpec("points", target=100, ending="eliminate")


def test_points_eliminate_places_in_reverse_order_of_elimination():
    counted = tally(ELIMINATE, 5, result([0], [0, 30, 120, 90, 101]), result([1], [60, 0, 0, 10, 0]))
    # Seats 2 and 4 went after the first hand, seat 4 with less; seat 3 after the second; 0 and 1 are still in.
    assert (counted.over, counted.out) == (False, {2: 0, 4: 0, 3: 1})
    assert counted.places() == (2, 1, 5, 3, 4)
    counted.add(result([1], [40, 0, 0, 0, 0]))
    assert (counted.over, counted.places()) == (True, (2, 1, 5, 3, 4))


def test_points_eliminate_shares_places_of_equal_totals_in_one_hand_only():
    counted = tally(ELIMINATE, 3, result([0], [0, 105, 105]))
    assert (counted.over, counted.places()) == (True, (1, 2, 2))
    # The same total a hand later is a better place.
    counted = tally(ELIMINATE, 3, result([0], [0, 60, 105]), result([0], [0, 45, 0]))
    assert (counted.over, counted.totals, counted.places()) == (True, [0, 105, 105], (1, 2, 3))


def test_an_eliminated_seat_is_counted_out_once():
    counted = tally(ELIMINATE, 3, result([0], [0, 30, 105]), result([0], [0, 30, 0]))
    assert counted.out == {2: 0}


@pytest.mark.parametrize(
    "spec",
    [
        FormatSpec("best_of", hands=5, max_hands=2),
        FormatSpec("hands", hands=5, max_hands=2),
        FormatSpec("points", target=100, ending="first", max_hands=2),
    ],
)
def test_every_format_ends_after_max_hands_with_the_places_as_they_stand(spec):
    counted = tally(spec, 2, result([], [0, 0]), result([1], [3, 7]))
    assert (counted.over, counted.places()) == (True, (2, 1))


def test_max_hands_ends_the_formats_in_which_less_is_better():
    counted = tally(FormatSpec("points", target=100, ending="lowest", max_hands=1), 2, result([1], [3, 0]))
    assert (counted.over, counted.places()) == (True, (2, 1))
    counted = tally(FormatSpec("points", target=100, ending="eliminate", max_hands=1), 3, result([1], [120, 0, 9]))
    assert (counted.over, counted.places()) == (True, (3, 1, 2))


def test_after_max_hands_is_two_hundred():
    assert FormatSpec("single").max_hands == 200


def test_the_deal_passes_to_the_next_seat_still_in():
    match = new_match("domino-cartas", 4, seed=1, format={"kind": "points", "ending": "eliminate"})
    dealers = []
    # Hand 0 is dealt by seat 3; after it seat 0 is out, after the next seat 2.
    for points in ([120, 0, 0, 0], [0, 0, 120, 0], [0, 0, 0, 0], [0, 0, 0, 0]):
        started = match.due()
        dealers.append(started["dealer"])
        match.take(started)
        match.state.finish(result([1], points))
        match.take(match.due())
    assert dealers == [3, 1, 3, 1]
    started = match.due()
    assert [hand is None for hand in started["hands"]] == [True, False, True, False]
    assert started["starter"] in (1, 3)
