"""What a report tells of one entrant, from logs made by hand."""

import json

from tournaments.report.details import MOST_FAULTS, MOST_LOST, MOST_SLOW, Details, full, note_faults, note_play
from tournaments.result import MatchResult

RESULT = MatchResult("0000004-1", 4, ("a", "b"), (0, 1), (1, 2))


def log(*events):
    """A log of these events, written as the referee writes it: keys sorted, no blanks."""
    return b"".join(json.dumps(event, sort_keys=True, separators=(",", ":")).encode() + b"\n" for event in events)


def action(seat, turn, took_ms, by="bot"):
    """A turn."""
    return {"event": "action", "by": by, "seat": seat, "turn": turn, "took_ms": took_ms, "ts": "2026-01-01T00:00:00Z"}


def fault(seat, kind, remedy, detail="it  was\nso"):
    """A fault."""
    return {"event": "fault", "seat": seat, "kind": kind, "remedy": remedy, "detail": detail}


def ended(hand, winners, points):
    """The end of a hand."""
    return {"event": "hand_ended", "hand": hand, "winners": winners, "points": points}


def both():
    """Nothing is known of a and b yet."""
    return {"a": Details(), "b": Details()}


def test_a_fault_stands_at_the_turn_that_was_due():
    """Before the first deal at none; after it at the next turn, in later hands too; with what came of it, in words."""
    details = both()
    events = [
        fault(1, "never_came", "forfeit"),
        {"event": "hand_started"}, fault(0, "malformed", "ask_again"), action(0, 1, 3),
        action(1, 2, 3), {"event": "hand_started"}, fault(0, "late", "stand_in"), action(0, 3, 3, "timeout"),
    ]  # fmt: skip
    note_faults(details, RESULT, log(*events))
    assert details["a"].faults == [
        ("0000004-1", 0, 1, "illegal", "it was so", "asked again"),
        ("0000004-1", 0, 3, "late", "it was so", "the stand-in played"),
    ]
    assert details["b"].faults == [("0000004-1", 1, 0, "never_came", "it was so", "the match is lost by it")]
    assert details["b"].matches() == {"0000004-1"}


def test_the_first_faults_are_kept():
    """So many and no more; then there is no need to look for others of this entrant."""
    details = both()
    note_faults(details, RESULT, log({"event": "hand_started"}, *[fault(0, "late", "stand_in")] * (MOST_FAULTS + 5)))
    assert len(details["a"].faults) == MOST_FAULTS
    assert full(details, ["a"])
    assert not full(details, ["a", "b"])


def test_the_slowest_turns_are_kept():
    """Of those that the seat was asked for: neither the stand-in's for who is out, nor forced ones."""
    details = both()
    turns = [action(turn % 2, turn, 10 * turn) for turn in range(1, 61)]
    note_play(details, RESULT, log(*turns, action(0, 61, 999, "forced"), action(1, 62, 999, "forfeit")))
    # Seat 0 has played the turns 2, 4 … 60, in 20, 40 … 600 ms.
    slow = sorted(details["a"].slow, reverse=True)
    assert slow == [(10 * turn, "0000004-1", turn, 0) for turn in range(60, 60 - 2 * MOST_SLOW, -2)]
    assert details["a"].times.total() == details["b"].times.total() == 30


def test_a_hand_is_lost_by_who_has_not_won_it():
    """With the points that the winners had; a hand that nobody won is lost by nobody; the dearest are kept."""
    details = both()
    hands = [ended(hand, [0], [hand, 0]) for hand in range(MOST_LOST + 3)]
    note_play(details, RESULT, log(*hands, ended(90, [], [0, 0]), ended(91, [1], [0, 7])))
    assert details["a"].lost == [(7, "0000004-1", 91, 0)]
    assert sorted(details["b"].lost) == [(hand, "0000004-1", hand, 1) for hand in range(3, MOST_LOST + 3)]


def test_of_a_pair_neither_seat_has_lost_what_the_pair_has_won():
    """And the pair's points count once."""
    pairs = MatchResult("0000000-0", 0, ("a", "b", "a", "b"), (0, 1, 0, 1), (1, 2))
    details = both()
    note_play(details, pairs, log(ended(0, [1, 3], [0, 25])))
    assert sorted(details["a"].lost) == [(25, "0000000-0", 0, 0), (25, "0000000-0", 0, 2)]
    assert details["b"].lost == []
