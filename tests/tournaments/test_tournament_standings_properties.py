"""Standings: what holds for any results."""

import json
import math
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules.formats import rank
from tournaments.schedule import Schedule
from tournaments.standings import FAULTS, MatchResult, Standings


def play(schedule: Schedule, source: random.Random) -> list[MatchResult]:
    """Random results of a schedule."""
    sides = tuple(seat % schedule.block for seat in range(schedule.table))
    return [
        MatchResult(
            match.id,
            match.deal_set,
            match.seats,
            sides,
            rank([source.randrange(3) for _ in range(schedule.block)]),
            {source.choice(match.seats): {source.choice(FAULTS): source.randrange(3)}},
        )
        for match in schedule
    ]


def numbers(value: object) -> list[float]:
    """Every number in a document."""
    if isinstance(value, dict):
        return [number for item in value.values() for number in numbers(item)]
    if isinstance(value, list):
        return [number for item in value for number in numbers(item)]
    return [value] if isinstance(value, int | float) else []


@settings(deadline=None)
@given(
    st.sampled_from([(2, False, 2), (2, False, 5), (3, False, 5), (4, False, 4), (5, False, 7), (4, True, 3)]),
    st.integers(1, 4),
    st.booleans(),
    st.randoms(use_true_random=False),
    st.floats(0, 1),
)
def test_whatever_the_results(shape, deals, duplicate, source, part):
    """At any moment of any tournament: finite figures with their doubt, which do not depend on who finished first."""
    table, pairs, entrants = shape
    schedule = Schedule("abcdefg"[:entrants], table, deals=deals, duplicate=duplicate, pairs=pairs)
    results = play(schedule, source)
    played = source.sample(results, round(part * len(results)))
    documents = []
    for order in (played, sorted(played, key=lambda result: result.id)):
        standings = Standings(
            name="cup",
            game="domino-belga",
            identities=dict.fromkeys(schedule.entrants, "id"),
            table=table,
            sides=schedule.block,
            rotations=schedule.rotations,
            matches_planned=schedule.total(),
        )
        for result in order:
            standings.add(result)
        documents.append(standings.to_json())
    found = documents[0]
    assert documents[1] == found
    json.dumps(found, allow_nan=False)
    assert all(math.isfinite(number) for number in numbers(found))
    for item in (*found["entrants"], *found["pairs"], *found["seats"]):
        low, high = item["ci95"]
        mean = item.get("mean", item.get("a_mean"))
        assert 0 <= low < high <= 1
        assert mean is None or low <= mean <= high
    assert math.isclose(sum(entrant["score"] for entrant in found["entrants"]), len(played) * schedule.block / 2)
    for entrant in found["entrants"]:
        best, worst = entrant["places"]
        assert 1 <= best <= entrant["place"] <= worst <= entrants
        assert entrant["won"] + entrant["drawn"] + entrant["lost"] == entrant["played"]
        low, high = entrant["rating_ci95"]
        assert low < entrant["rating"] < high
        assert 0 < entrant["p_first"] < 1
        assert entrant["mean"] is None or math.isclose(entrant["mean"], entrant["score"] / entrant["played"])
    for pair in found["pairs"]:
        assert 0.001 <= pair["p_a_better"] <= 0.999
        assert (pair["p_a_better"] > 0.5) >= (pair["ci95"][0] > 0.5)
        assert (pair["p_a_better"] < 0.5) >= (pair["ci95"][1] < 0.5)
    if entrants == 2:
        # Two that only ever meet each other: the order is settled where their comparison excludes a half.
        low, high = found["pairs"][0]["ci95"] if found["pairs"] else (0.0, 1.0)
        assert (found["entrants"][0]["places"] == [1, 1]) == (low > 0.5 or high < 0.5)
