"""Standings: hand-worked, and what holds for any results."""

import csv

import pytest

from tournaments.result import score_units
from tournaments.schedule import Schedule
from tournaments.spec import parse
from tournaments.standings import CSV_COLUMNS, FAULTS, MatchResult, Standings


def empty(
    names: str = "ab", table: int = 2, sides: int | None = None, rotations: int = 2, planned: int = 6
) -> Standings:
    """Standings of entrants with names of one letter."""
    return Standings(
        name="cup",
        game="domino-belga",
        identities={name: f"id-{name}" for name in names},
        table=table,
        sides=sides or table,
        rotations=rotations,
        matches_planned=planned,
    )


def duel(deal_set: int, rotation: int, seats: str, *places: int, **faults: dict[str, int]) -> MatchResult:
    """A match of as many sides as seats."""
    return MatchResult(f"{deal_set:07d}-{rotation}", deal_set, tuple(seats), tuple(range(len(seats))), places, faults)


def three_deal_sets() -> Standings:
    """Set 0: a wins both. Set 1: the first to sit wins both. Set 2: a wins, then a level match."""
    standings = empty()
    for result in (
        duel(0, 0, "ab", 1, 2),
        duel(0, 1, "ba", 2, 1, b={"late": 2}),
        duel(1, 0, "ab", 1, 2, b={"late": 1, "illegal": 4}),
        duel(1, 1, "ba", 1, 2),
        duel(2, 0, "ab", 1, 2),
        duel(2, 1, "ba", 1, 1),
    ):
        standings.add(result)
    return standings


def test_three_deal_sets_by_hand():
    """Every figure of a small tournament, worked out beside it."""
    found = three_deal_sets().to_json()
    a, b = found["entrants"]
    assert (found["matches_planned"], found["matches_played"], found["rules_version"]) == (6, 6, 1)
    # a won 2 + 1 + 1, was level once, lost once: 4.5 of 6.
    assert (a["name"], a["identity"], a["place"]) == ("a", "id-a", 1)
    assert (a["played"], a["won"], a["drawn"], a["lost"], a["score"], a["mean"]) == (6, 4, 1, 1, 4.5, 0.75)
    assert (b["played"], b["won"], b["drawn"], b["lost"], b["score"], b["mean"]) == (6, 1, 1, 4, 1.5, 0.25)
    # Deal sets gave a 1, 0.5, 0.75: s = 0.25, t(2) = 4.302653, so 0.75 -+ 4.302653 * 0.25 / sqrt(3) = 0.75 -+ 0.621034.
    assert a["ci95"] == [pytest.approx(0.128966, abs=1e-6), 1.0]
    assert b["ci95"] == [0.0, pytest.approx(0.871034, abs=1e-6)]
    # 0.5 lies within, so that either may be the better one.
    assert a["places"] == b["places"] == [1, 2]
    assert b["faults"] == {"illegal": 4, "late": 3, "gone": 0, "never_came": 0, "crashed": 0}
    assert a["faults"] == dict.fromkeys(FAULTS, 0)
    (pair,) = found["pairs"]
    assert (pair["a"], pair["b"], pair["deals"], pair["a_score"], pair["a_mean"]) == ("a", "b", 3, 4.5, 0.75)
    assert pair["ci95"] == a["ci95"]
    # With 0 and 1 added: mean 3.25 / 5 = 0.65, s2 = (2.8125 - 5 * 0.4225) / 4 = 0.175, and
    # t = 0.15 / sqrt(0.175 / 5) = 0.801784; with 4 degrees of freedom sin = 0.372104, cos2 = 0.861538, so that
    # p = (1 + 0.372104 * (1 + 0.861538 / 2)) / 2.
    assert pair["p_a_better"] == pytest.approx(0.766198, abs=1e-5)
    # Seat 0 had 1 + 0, 1 + 1, 1 + 0.5 in its two matches of each set: 0.5, 1, 0.75, the same spread as a's.
    assert [(seat["seat"], seat["played"], seat["mean"]) for seat in found["seats"]] == [(0, 6, 0.75), (1, 6, 0.25)]
    assert found["seats"][0]["ci95"] == a["ci95"]


def test_the_keys_are_the_contracts():
    """Nothing is missing, and what is added is known."""
    found = three_deal_sets().to_json()
    assert list(found) == [
        *("name", "game", "rules_version", "matches_planned", "matches_played", "entrants", "pairs", "seats"),
        "deals_worth",
    ]
    assert list(found["entrants"][0]) == [
        *("name", "identity", "place", "places", "p_first", "played", "won", "drawn", "lost", "score", "mean", "ci95"),
        *("rating", "rating_ci95", "faults"),
    ]
    assert list(found["entrants"][0]["faults"]) == ["illegal", "late", "gone", "never_came", "crashed"]
    assert list(found["pairs"][0]) == ["a", "b", "deals", "a_score", "a_mean", "ci95", "p_a_better"]
    assert list(found["seats"][0]) == ["seat", "played", "mean", "ci95"]


@pytest.mark.parametrize(
    ("places", "scores"),
    [
        ((1, 2), (1, 0)),
        ((1, 1), (1 / 2, 1 / 2)),
        ((2, 1, 3), (1 / 2, 1, 0)),
        # Two share places 1 and 2, which is 1.5: (4 - 1.5) / 3.
        ((1, 1, 3, 4), (5 / 6, 5 / 6, 1 / 3, 0)),
        # Three share 2, 3 and 4.
        ((1, 2, 2, 2), (1, 1 / 3, 1 / 3, 1 / 3)),
        ((1, 1, 1, 1), (1 / 2,) * 4),
        ((3, 1, 1), (0, 3 / 4, 3 / 4)),
    ],
)
def test_scores_by_hand(places, scores):
    """1 for the best place, 0 for the worst, linear between, shared places share."""
    assert [score_units(places, side) / (2 * len(places) - 2) for side in range(len(places))] == pytest.approx(scores)


def test_a_table_of_three_by_hand():
    """Won alone, shared and lost; pairs compare places, not scores."""
    standings = empty("abc", 3, rotations=1)
    standings.add(duel(0, 0, "abc", 1, 1, 3))
    standings.add(duel(1, 1, "cab", 3, 1, 2))
    found = {entrant["name"]: entrant for entrant in standings.to_json()["entrants"]}
    # a: 0.75 and 1; b: 0.75 and 0.5; c: 0 and 0.
    assert [found[name]["score"] for name in "abc"] == [1.75, 1.25, 0.0]
    assert [(found[name]["won"], found[name]["drawn"], found[name]["lost"]) for name in "abc"] == [
        (1, 1, 0),
        (0, 1, 1),
        (0, 0, 2),
    ]
    pairs = {(pair["a"], pair["b"]): pair["a_score"] for pair in standings.to_json()["pairs"]}
    assert pairs == {("a", "b"): 1.5, ("a", "c"): 2.0, ("b", "c"): 2.0}
    assert [seat["mean"] for seat in standings.to_json()["seats"]] == [0.375, 0.875, 0.25]


def test_pairs_by_hand():
    """An entrant that plays both seats of a pair has one score a match, and each of its seats has it."""
    standings = empty("ab", 4, sides=2)
    for rotation, seats, places in ((0, "abab", (1, 2)), (1, "baba", (2, 1))):
        standings.add(MatchResult(f"0-{rotation}", 0, tuple(seats), (0, 1, 0, 1), places))
    found = standings.to_json()
    assert [(entrant["played"], entrant["score"]) for entrant in found["entrants"]] == [(2, 2.0), (2, 0.0)]
    assert [seat["mean"] for seat in found["seats"]] == [0.5] * 4


@pytest.mark.parametrize(("sets", "settled"), [(1, False), (4, False), (5, True), (50, True)])
def test_an_order_is_settled_only_by_enough_deals(sets, settled):
    """Five clean sweeps settle an order (1 - 2 * 0.45 > 0), four do not (1 - 2 * 0.53 < 0)."""
    standings = empty()
    for number in range(sets):
        standings.add(duel(number, 0, "ab", 1, 2))
        standings.add(duel(number, 1, "ba", 2, 1))
    places = [entrant["places"] for entrant in standings.to_json()["entrants"]]
    assert places == ([[1, 1], [2, 2]] if settled else [[1, 2], [1, 2]])
    assert standings.to_json()["entrants"][0]["ci95"][0] < 1


def test_equal_means_share_a_place_and_the_next_is_skipped():
    """Places are by mean, whatever the number of matches; who has not played comes last, and may be anything."""
    standings = empty("abcd", rotations=1)
    standings.add(duel(0, 0, "ab", 1, 1))
    standings.add(duel(1, 0, "bc", 1, 1))
    found = standings.to_json()["entrants"]
    assert [(entrant["name"], entrant["place"]) for entrant in found] == [("a", 1), ("b", 1), ("c", 1), ("d", 4)]
    assert (found[3]["mean"], found[3]["ci95"], found[3]["places"]) == (None, [0.0, 1.0], [1, 4])


def test_before_the_first_match():
    """There are standings from the beginning, with nothing claimed."""
    found = empty().to_json()
    assert [entrant["place"] for entrant in found["entrants"]] == [1, 1]
    assert found["pairs"] == []
    assert [(seat["mean"], seat["ci95"]) for seat in found["seats"]] == [(None, [0.0, 1.0])] * 2


def test_a_deal_set_in_progress_counts_as_far_as_it_goes():
    """Half of a duplicate is a deal set of its own, until the other half is there."""
    standings = empty()
    standings.add(duel(0, 0, "ab", 1, 2))
    half = standings.to_json()
    assert (half["entrants"][0]["mean"], half["pairs"][0]["deals"]) == (1.0, 1)
    standings.add(duel(0, 1, "ba", 1, 2))
    whole = standings.to_json()
    assert (whole["entrants"][0]["mean"], whole["pairs"][0]["deals"]) == (0.5, 1)


def test_csv_has_what_json_has():
    """A line each, empty where there is nothing; names are quoted as CSV quotes them."""
    standings = Standings(
        name="cup", game="g", identities={'a,"b"': "1", "c": "2"}, table=2, sides=2, rotations=1, matches_planned=1
    )
    standings.add(MatchResult("0-0", 0, ('a,"b"', "c"), (0, 1), (2, 1), {"c": {"gone": 1}}))
    head, *lines = csv.reader(standings.to_csv().splitlines())
    assert head == list(CSV_COLUMNS)
    first, second = (dict(zip(head, line, strict=True)) for line in lines)
    assert (first["name"], first["score"], first["gone"]) == ("c", "1.0", "1")
    assert float(first["rating_low"]) < float(first["rating"]) < float(first["rating_high"])
    assert (second["name"], second["place"], second["place_best"], second["place_worst"]) == ('a,"b"', "2", "1", "2")


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (duel(0, 0, "ax", 1, 2), "unknown entrant 'x'"),
        (duel(0, 0, "abc", 1, 2, 3), "it needs 2 seats"),
        (duel(0, 0, "aa", 1, 2), "each entrant one side"),
        (MatchResult("m", 0, ("a", "b"), (0, 0), (1, 2)), "sides must be 0 to 1"),
        (duel(0, 0, "ab", 1), "no places of 2 sides"),
        (duel(0, 0, "ab", 1, 3), "no places of 2 sides"),
        (duel(0, 0, "ab", 2, 2), "no places of 2 sides"),
        (duel(0, 0, "ab", 1, 2, x={"late": 1}), "unknown entrant 'x'"),
        (duel(0, 0, "ab", 1, 2, a={"latte": 1}), "did you mean 'late'"),
        (duel(0, 0, "ab", 1, 2, a={"late": -1}), "-1 times late"),
        (duel(7, 0, "ab", 1, 2), "counted already"),
        (duel(7, 1, "bc", 1, 2), "others play the deal set 7"),
    ],
)
def test_a_result_that_makes_no_sense_is_refused_whole(result, said):
    """It is named, and nothing of it is counted."""
    standings = empty("abc")
    standings.add(duel(7, 0, "ab", 1, 2))
    before = standings.to_json()
    with pytest.raises(ValueError, match=said):
        standings.add(result)
    assert standings.to_json() == before


def test_nothing_grows_with_the_number_of_matches():
    """Of finished deal sets only sums are kept, and the sums stay exact."""
    standings = empty(rotations=2)
    for number in range(3000):
        standings.add(duel(number, 0, "ab", 1, 2))
        standings.add(duel(number, 1, "ba", *((2, 1) if number % 3 else (1, 1))))
    assert standings._count._open == {}
    # Of 3000 deal sets, 1000 gave a 0.75 and 2000 gave 1.
    a = standings.to_json()["entrants"][0]
    assert (a["score"], a["mean"]) == (5500.0, 5500 / 6000)
    # s2 = (1000 * 0.5625 + 2000 - 3000 * (11 / 12) ** 2) / 2999 = 0.0138935; 1.96076 * sqrt(s2 / 3000) = 0.00421953;
    pair = standings.to_json()["pairs"][0]
    assert pair["ci95"] == [pytest.approx(11 / 12 - 0.0042195, abs=1e-6), pytest.approx(11 / 12 + 0.0042195, abs=1e-6)]
    # The entrant's is that, or what resampling says where it reaches further: the same but for chance.
    for bound, exact in zip(a["ci95"], pair["ci95"], strict=True):
        assert 1 <= (bound - 11 / 12) / (exact - 11 / 12) < 1.25


def test_standings_of_a_file():
    """The tournament's name, game and entrants, in the file's order."""
    text = "".join(f"[[entrants]]\nname = '{name}'\nremote = true\n" for name in "zy")
    spec = parse(f"name = 'cup'\ngame = 'domino-duplas'\ndeals = 4\n{text}")
    found = Standings.of(spec, Schedule.of(spec), {"y": "1", "z": "2"}).to_json()
    assert (found["name"], found["game"], found["matches_planned"], found["matches_played"]) == ("cup", spec.game, 8, 0)
    assert [(entrant["name"], entrant["identity"]) for entrant in found["entrants"]] == [("z", "2"), ("y", "1")]
    assert len(found["seats"]) == 4
