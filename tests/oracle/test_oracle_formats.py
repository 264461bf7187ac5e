"""The oracle's match formats, held against examples worked by hand."""

# ruff: noqa: D103

from oracle.formats import Tally, fault_of


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
