"""Tournaments of some hundred entrants: the standings cost little of the run, and say the same as few would."""

import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from here_kit import file_of, run_here
from scipy.linalg import inv

from tournaments import publish, ratings, runner
from tournaments.publish import files_of
from tournaments.resampling import REPLICATES, Replicates
from tournaments.result import MatchResult
from tournaments.schedule import Schedule
from tournaments.standings import Standings


def test_a_run_plays_ten_times_as_long_as_it_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Standings that take 7 s are written after the first of 80 matches of 1 s, after 71 s more, and at the end."""
    clock = [1000.0]
    written = []

    def write(folder: Path, standings: Standings) -> None:
        written.append(standings.matches_played)
        clock[0] += 7

    def on_result(result: MatchResult) -> None:
        clock[0] += 1

    monkeypatch.setattr(publish, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    monkeypatch.setattr(runner, "write_standings", write)
    run_here(tmp_path, file_of({"a": "beginner", "b": "beginner"}, "deals = 40"), on_result=on_result)
    assert written == [1, 72, 80]


def seconds(work: Callable[[], object]) -> float:
    """How much processor time something takes."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def standings_of(entrants: int, share: float) -> Standings:
    """The standings after a share of a round robin, the result of each match drawn."""
    names = [f"e{number}" for number in range(entrants)]
    schedule = Schedule(names, 2, deals=1, duplicate=True)
    found = Standings(
        name="cup", game="domino-classico", identities=dict.fromkeys(names, "0"), table=2, sides=2, rotations=2,
        matches_planned=schedule.total(),
    )  # fmt: skip
    chance = random.Random(entrants)
    for number in range(int(share * schedule.deal_sets)):
        for planned in schedule.deal_set(number):
            places = chance.choice([(1, 2), (2, 1), (1, 1)])
            found.add(MatchResult(planned.id, planned.deal_set, planned.seats, (0, 1), places))
    return found


@pytest.mark.parametrize(("entrants", "share"), [(400, 0.0), (128, 1.0)])
def test_the_standings_of_some_hundred_entrants_are_soon_made(entrants: int, share: float) -> None:
    """In processor time, against that of a loop on the same machine: 3 to 6 times as much, where it was 14 to 37."""
    standings = standings_of(entrants, share)
    yardstick = seconds(lambda: sum(number * number for number in range(2_000_000)))
    assert seconds(lambda: files_of(standings)) < 10 * yardstick


def test_equations_are_solved_as_scipy_solves_them() -> None:
    """On information matrices of a field in which some have never met."""
    chance = random.Random(7)
    met: list[dict[int, float]] = [{} for _ in range(40)]
    for one in range(40):
        for other in range(one):
            if chance.random() < 0.3:
                met[one][other] = met[other][one] = chance.randint(1, 20)
    thetas = [chance.gauss(0, 1) for _ in range(40)]
    curves = ratings._slopes([0.0] * 40, met, thetas)[1]
    matrix = ratings._information(met, thetas, curves)
    right = [chance.gauss(0, 1) for _ in range(40)]
    found = ratings._solve(ratings._factors(matrix), right)
    assert found == pytest.approx(list(inv(matrix) @ right), rel=1e-9, abs=1e-12)


def test_shared_places_are_shared_out_however_many_share_them() -> None:
    """Of five without a deal set each is as likely to have any place as another is."""
    chances = Replicates(5).places(2)
    for place in range(5):
        assert sum(one[place] for one in chances) == pytest.approx(1)
    for one in chances:
        assert sum(one) == pytest.approx(1)
        assert one == pytest.approx([0.2] * 5, abs=4 * (0.16 / REPLICATES) ** 0.5)


def test_the_file_is_what_json_writes_with_an_indent() -> None:
    """To the byte, with numbers however large or small, empty lists and text that is no ASCII."""
    standings = standings_of(5, 0.5)
    standings.name = 'Pokal „Ähre“ \\ "x"'
    standings.to_json().update({"tiny": 1e-07, "huge": 1e22, "empty": [], "none": {}, "null": None})
    wanted = json.dumps(standings.to_json(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    assert files_of(standings)["standings.json"] == wanted
