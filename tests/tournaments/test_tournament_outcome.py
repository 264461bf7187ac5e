"""What a match came to, as the standings count it."""

from pathlib import Path

import msgspec
import pytest

from tournaments.outcome import log_path, read_result
from tournaments.outputs import remarks_on
from tournaments.schedule import PlannedMatch

PLANNED = PlannedMatch("0000000-0", 0, 0, ("a", "b", "c", "d"))


def log(folder: Path, *events: dict[str, object]) -> None:
    """A log of these events; what stands in it besides is of no interest here."""
    (folder / "matches").mkdir(exist_ok=True)
    lines = [{"event": "match_started"}, *events]
    log_path(folder, PLANNED.id).write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))


def ended(*places: int, reason: str = "completed") -> dict[str, object]:
    """The last event."""
    return {"event": "match_ended", "reason": reason, "places": places}


def fault(seat: int) -> list[dict[str, object]]:
    """A crash that puts a seat out."""
    return [{"event": "fault", "seat": seat, "kind": "crashed"}, {"event": "forfeited", "seat": seat}]


@pytest.mark.parametrize(
    ("out", "places", "counted"),
    [
        ([], (1, 2, 3, 4), (1, 2, 3, 4)),
        ([], (1, 1, 3, 4), (1, 1, 3, 4)),
        # The stand-in won for seat 0: the others move up, and seat 0 is last.
        ([0], (1, 2, 3, 4), (4, 1, 2, 3)),
        ([0, 1], (1, 2, 3, 3), (3, 4, 1, 1)),
        ([3], (1, 2, 3, 4), (1, 2, 3, 4)),
    ],
)
def test_a_seat_that_forfeited_is_placed_after_all_that_did_not(
    tmp_path: Path, out: list[int], places: tuple[int, ...], counted: tuple[int, ...]
) -> None:
    """Whatever the stand-in has reached for it."""
    log(tmp_path, *[event for seat in out for event in fault(seat)], ended(*places))
    result = read_result(tmp_path, PLANNED, (0, 1, 2, 3))
    assert result is not None
    assert result.places == counted
    assert result.faults == {PLANNED.seats[seat]: {"crashed": 1} for seat in out}


def test_a_pair_has_forfeited_when_both_its_seats_have(tmp_path: Path) -> None:
    """A pair of which one seat still plays keeps its place."""
    log(tmp_path, *fault(0), ended(1, 2))
    one = read_result(tmp_path, PLANNED, (0, 1, 0, 1))
    log(tmp_path, *fault(0), *fault(2), ended(1, 2))
    both = read_result(tmp_path, PLANNED, (0, 1, 0, 1))
    assert one is not None
    assert both is not None
    assert (one.places, both.places) == ((1, 2), (2, 1))


def test_an_aborted_match_has_no_result(tmp_path: Path) -> None:
    """It was no bot's fault, and is played again."""
    log(tmp_path, ended(1, 1, 1, 1, reason="aborted"))
    assert read_result(tmp_path, PLANNED, (0, 1, 2, 3)) is None


@pytest.mark.parametrize("torn", [b'{"event":"seed_rev', b'{"event":"seed_revealed","seed":"00"}'])
def test_a_line_that_is_torn_at_the_end_hides_neither_the_result_nor_its_faults(tmp_path: Path, torn: bytes) -> None:
    """A run that was killed while it revealed a seed leaves one; the next run and the bots' files read on."""
    log(
        tmp_path,
        {"event": "fault", "seat": 2, "kind": "crashed", "detail": "it ended", "remedy": "forfeit"},
        {"event": "forfeited", "seat": 2},
        ended(1, 2, 3, 4),
    )
    path = log_path(tmp_path, PLANNED.id)
    path.write_bytes(path.read_bytes() + torn)
    result = read_result(tmp_path, PLANNED, (0, 1, 2, 3))
    assert result is not None
    assert (result.places, result.faults, result.forfeited) == ((1, 2, 4, 3), {"c": {"crashed": 1}}, ("c",))
    assert remarks_on(path, 2) == ["before the first turn: crashed: it ended; the match is lost by it"]
