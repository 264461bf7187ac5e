"""What is told beside the figures: what places go by, and who sits next after whom how often."""

from collections import Counter
from pathlib import Path

import pytest
from here_kit import file_of, run_here

from tournaments.folder import read_state
from tournaments.report.gather import gather
from tournaments.report.sections import summary
from tournaments.schedule import Schedule

FOUR = {"a": "medium", "b": "beginner", "c": "beginner", "d": "beginner"}


@pytest.mark.parametrize(
    ("rest", "told"),
    [
        (
            'schedule = "swiss"\nrounds = 2',
            "Places go by points: the sum of the mean scores of all meetings, a bye being one.",
        ),
        ('schedule = "knockout"', "Places go by how many rounds an entrant has come through."),
        ("stop = {}", "Places go by the mean over opponents, each of whom counts as much."),
        ("", ""),
    ],
)
def test_a_report_says_what_places_go_by(tmp_path: Path, rest: str, told: str) -> None:
    """Where that is not the mean of all matches; and of a knockout nothing is said to be settled at 95 %."""
    run_here(tmp_path, file_of(FOUR, f"deals = 2\n{rest}"))
    page = summary(gather(tmp_path, read_state(tmp_path)))
    assert told in page
    assert ("Places go by" in page) == bool(told)
    assert ("at 95 %" in page.lower()) == ("knockout" not in rest)


@pytest.mark.parametrize("block", [2, 3, 4])
@pytest.mark.parametrize("duplicate", [True, False])
@pytest.mark.parametrize("deals", range(1, 10))
def test_a_schedule_in_which_some_follow_one_another_more_often_is_announced(
    block: int, duplicate: bool, deals: int
) -> None:
    """Counted in the seats of one meeting: each has to sit next after each as often as the other way round."""
    schedule = Schedule(["a", "b", "c", "d"][:block], block, deals=deals, duplicate=duplicate)
    follows = Counter(
        (planned.seats[seat], planned.seats[(seat + 1) % block]) for planned in schedule for seat in range(block)
    )
    level = all(times == follows[other, one] for (one, other), times in follows.items())
    assert level == (schedule.level_over() == 0)
