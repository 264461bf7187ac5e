"""`domino-duplas`: every line of the rulebook, worked by hand."""
# ruff: noqa: D103

import pytest
from support.matches import new_match
from support.positions import act, at, dealt, legal, played, refused, texts

from referee.rules.actions import PASS
from referee.rules.game import HandEnd
from referee.rules.registry import GAMES

GAME = "domino-duplas"
ALMOST_CLOSED = "4-0, 1-0 right, 4-1 right, 4-4 right, 4-2 right, 3-2 right, 4-3 right, 5-4 right, 6-5 right"


def closed(hands, moves=ALMOST_CLOSED, seat=3):
    """A hand after ``seat`` locked the table with 6-4."""
    return act(at(GAME, hands, moves, seat=seat), "6-4 right")


def test_pairs_sit_crosswise_and_anticlockwise():
    assert GAMES[GAME].sides(4) == (0, 1, 0, 1)
    assert GAMES[GAME].side_count(4) == 2
    assert GAMES[GAME].direction == "anticlockwise"
    assert GAMES[GAME].players == (4,)


def test_seven_tiles_each_and_no_stock():
    hand = dealt(GAME, ["6-6", "", "", ""])
    assert [tiles.bit_count() for tiles in hand.hands] == [7, 7, 7, 7]
    assert hand.stock == []


@pytest.mark.parametrize("holder", range(4))
def test_the_first_hand_opens_with_the_6_6_by_its_holder(holder):
    hands = [""] * 4
    hands[holder] = "6-6 5-5"
    hand = dealt(GAME, hands)
    assert hand.starter == holder
    assert legal(hand) == {"6-6"}
    illegal = refused(hand, "5-5")
    assert illegal.code == "opening_required"
    assert "the first hand opens with the 6-6" in illegal.rule


def test_later_hands_start_with_any_tile():
    hand = dealt(GAME, ["6-6", "", "5-5 1-1 2-0 3-0 4-0 5-0 6-0", ""], leader=2)
    assert hand.starter == 2
    assert legal(hand) == texts("5-5, 1-1, 2-0, 3-0, 4-0, 5-0, 6-0")


def test_both_ends_can_be_played_on():
    hand = at(GAME, ["5-2 6-6 4-1", "0-0", "1-1", "2-2"], "5-0, 2-0 right")
    assert legal(hand) == texts("5-2 left, 5-2 right")
    assert refused(hand, "pass").code == "must_play"


def test_who_cannot_play_is_passed_without_being_asked():
    match = new_match(GAME, 4, seed=1)
    match.take(match.due())
    match.state = at(GAME, ["4-1", "6-6", "1-1", "6-0"], "5-0, 6-0 right", seat=2)
    assert legal(match.state) == {"pass"}
    assert match.forced() == PASS
    event = match.act(match.forced(), "forced")
    assert (event["action"], event["by"], event["seat"]) == ({"type": "pass"}, "forced", 2)
    # Seat 3 has one tile that fits, and one place for it: still its own choice to make.
    assert legal(match.state) == {"6-0 right"}
    assert match.forced() is None


def test_going_out_scores_both_opponents_pips():
    hand = act(at(GAME, ["5-2", "6-4 2-1", "6-6", "0-0"], "5-0, 3-0 right"), "5-2 left")
    assert (hand.result.reason, hand.result.winners) == (HandEnd.OUT, (0, 2))
    assert hand.result.points == (13, 0)
    assert hand.result.leader == 0
    hand = act(at(GAME, ["6-4 2-1", "0-0", "5-1", "5-2"], "5-0, 3-0 right", seat=3), "5-2 left")
    assert (hand.result.winners, hand.result.points, hand.result.leader) == ((1, 3), (0, 19), 3)


def test_the_partners_tiles_count_for_nobody():
    # Seat 2 holds 12 + 10 + 11 + 7 = 40 pips; seats 1 and 3 hold 4 + 1.
    hand = act(at(GAME, ["5-2", "3-1", "6-6 5-5 6-5 4-3", "1-0"], "5-0, 3-0 right"), "5-2 left")
    assert hand.result.points == (5, 0)


def test_going_out_with_the_tile_that_locks_is_going_out():
    # 6-3 and 5-1 are more pips than 1-1, but seat 3 has none left; its partner's count for nobody.
    hand = closed(["6-3", "6-6", "5-1", "6-4"])
    assert (hand.result.reason, hand.result.winners, hand.result.points) == (HandEnd.OUT, (1, 3), (0, 15))


@pytest.mark.parametrize(
    ("hands", "winners", "points"),
    [
        # 9 + 5 = 14 against 10 + 6 = 16: 16, not 2 and not 30.
        (["6-3", "5-5", "5-0", "6-4 6-0"], (0, 2), (16, 0)),
        # 9 + 7 = 16 against 10 + 5 = 15: the pair that locked wins.
        (["6-3", "5-5", "5-2", "6-4 5-0"], (1, 3), (0, 16)),
        # 9 + 6 = 15 against 10 + 5 = 15: equal, the pair that locked loses.
        (["6-3", "5-5", "5-1", "6-4 5-0"], (0, 2), (15, 0)),
    ],
)
def test_a_locked_table_goes_to_the_pair_with_fewer_pips(hands, winners, points):
    hand = closed(hands)
    assert hand.result.reason is HandEnd.BLOCKED
    assert (hand.result.winners, hand.result.points) == (winners, points)


def test_equal_pips_locked_by_the_other_pair():
    hand = closed(["6-4 5-0", "6-3", "5-5", "5-1"], seat=0)
    assert (hand.result.winners, hand.result.points) == ((1, 3), (0, 15))


def test_the_lock_is_seen_at_the_play_that_causes_it():
    hand = at(GAME, ["6-3", "5-5", "5-1", "6-4 5-0"], ALMOST_CLOSED, seat=3)
    assert hand.result is None
    act(hand, "6-4 right")
    assert hand.ends[1:3] == [4, 4]
    assert hand.result.reason is HandEnd.BLOCKED
    assert played(hand)[-1] == "6-4 right"
    assert hand.legal == ()


def test_after_a_lock_the_winning_pairs_last_play_leads():
    # Turn by turn, seat 2 played 6-5 just before seat 3 locked.
    assert closed(["6-3", "5-5", "5-0", "6-4 6-0"]).result.leader == 2
    # The pair of the locker wins: the lock was its last play.
    assert closed(["6-3", "5-5", "5-2", "6-4 5-0"]).result.leader == 3


def test_passes_are_no_plays():
    # Seat 2 has no 4 and no 6 and passes before seat 3 locks: its pair's last play is 5-4, by seat 0.
    hand = closed(["6-3", "5-5", "5-0", "6-4 6-0"], f"{ALMOST_CLOSED}, pass")
    assert hand.result.winners == (0, 2)
    assert hand.result.leader == 0


@pytest.mark.parametrize(
    ("locker", "hands", "leader"),
    [
        (3, ["2-0", "5-5", "1-1", "6-4 6-6"], 0),
        (1, ["1-1", "6-4 5-5", "2-0", "6-6"], 2),
    ],
)
def test_a_winning_pair_that_laid_no_tile_leads_with_its_first_seat_after_the_locker(locker, hands, leader):
    moves = ALMOST_CLOSED.replace(", ", ", pass, ") + ", pass"
    hand = closed(hands, moves, seat=locker)
    assert played(hand).count("pass") == 9
    assert (hand.result.winners, hand.result.points) == ((0, 2), (22, 0))
    assert hand.result.leader == leader


def test_the_first_pair_at_the_target_wins_the_match():
    match = new_match(GAME, 4, seed=1)
    match.take(match.due())
    match.state = act(at(GAME, ["5-2", "6-4 2-1", "6-6", "0-0"], "5-0, 3-0 right"), "5-2 left")
    match.tally.totals = [36, 49]
    ended = match.due()
    assert (ended["reason"], ended["winners"], ended["points"], ended["totals"]) == ("out", [0, 2], [13, 0], [49, 49])
    match.take(ended)
    match.take(match.due())
    match.state = act(at(GAME, ["5-2", "6-4 2-1", "6-6", "0-0"], "5-0, 3-0 right"), "5-2 left")
    match.take(match.due())
    over = match.due()
    assert (over["event"], over["places"], over["totals"]) == ("match_ended", [1, 2], [62, 49])
