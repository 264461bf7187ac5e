"""A match as the fold of its events: what comes next, from hand to hand and when seats forfeit."""
# ruff: noqa: D103

import random

import pytest
from support.matches import at_random, new_match
from support.positions import act, at

from referee.match.events import LogFault
from referee.match.fold import stand_in
from referee.rules.game import HandEnd, Result
from referee.rules.registry import GAMES

VOID_SEED = bytes.fromhex(f"{0x52CA:064x}")
"""The 18 tiles that it deals to two players in the first attempt of hand 0 hold no double."""


def started(*settings, **more):
    """A match whose first hand has been dealt."""
    match = new_match(*settings, **more)
    match.take(match.due())
    return match


def forfeit(match, seat):
    match.take({"event": "forfeited", "seat": seat, "cause": "late"})


def end_hand(match, winners, points, leader=None, places=None):
    """End the hand that is being played, and give its event."""
    match.state.finish(Result(HandEnd.OUT, tuple(winners), tuple(points), places, leader))
    event = match.due()
    match.take(event)
    return event


# From hand to hand -------------------------------------------------------------------------------------------------


def test_a_void_deal_writes_no_event_but_the_next_attempt_and_keeps_its_dealer():
    for game in ("domino-classico", "domino-belga"):
        event = new_match(game, 2, VOID_SEED).due()
        assert (event["hand"], event["attempt"], event["dealer"]) == (0, 1, 1)
    # A game that needs no double is dealt the first time.
    assert new_match("domino-cartas", 2, VOID_SEED).due()["attempt"] == 0


def test_the_dealer_of_hand_0_is_the_last_seat_and_the_deal_passes_on():
    match = new_match("domino-classico", 3, seed=4)
    dealers = []
    for winner in (0, 1, 2, 0):
        event = match.due()
        dealers.append(event["dealer"])
        match.take(event)
        end_hand(match, [winner], [0, 0, 0], leader=winner)
    assert dealers == [2, 0, 1, 2]


def test_the_winner_of_a_hand_starts_the_next_with_any_tile():
    match = started("domino-classico", 3, seed=4)
    end_hand(match, [1], [0, 0, 0], leader=1)
    event = match.due()
    match.take(event)
    assert event["starter"] == 1
    assert len(match.state.legal) == 7


def test_after_a_drawn_hand_the_highest_double_opens():
    match = started("domino-classico", 4, seed=4)
    end_hand(match, [], [0, 0, 0, 0])
    event = match.due()
    match.take(event)
    holder = next(seat for seat, hand in enumerate(event["hands"]) if "6-6" in hand)
    assert event["starter"] == holder
    assert [match.state.name(action) for action in match.state.legal] == ["6-6"]


def test_a_drawn_hand_is_nobodys_and_counts_no_win():
    match = started("domino-classico", 4, seed=4)
    moves = "4-0, 1-0 right, 4-1 right, 4-4 right, 4-2 right, 3-2 right, 4-3 right, 5-4 right, 6-5 right"
    match.state = act(
        at("domino-classico", ["6-3", "6-6 2-0", "5-2 1-1", "6-4 6-2 5-3 3-1"], moves, seat=3), "6-4 right"
    )
    event = match.due()
    assert (event["reason"], event["winners"], event["points"], event["totals"]) == ("blocked", [], [0] * 4, [0] * 4)
    assert event["left"][0] == ["6-3"]


def test_what_a_hand_gives_is_written_in_every_format():
    """`points` are the game's, `totals` the format's."""
    match = started("domino-cartas", 2, seed=1, format={"kind": "best_of", "hands": 3})
    event = end_hand(match, [1], [17, 0])
    assert (event["points"], event["totals"]) == ([17, 0], [0, 1])
    match = started("domino-cartas", 2, seed=1, format={"kind": "points", "ending": "lowest"})
    event = end_hand(match, [1], [17, 0])
    assert (event["points"], event["totals"]) == ([17, 0], [17, 0])


def test_turns_are_numbered_through_the_match():
    match = started("domino-duplas", 4, seed=1)
    source = random.Random(1)
    turns = []
    while match.ended is None:
        due = match.due()
        if due is not None:
            match.take(due)
            continue
        turns.append(match.act(at_random(source)(match), "bot")["turn"])
    assert turns == list(range(1, len(turns) + 1))
    assert match.hand > 1


# Turns that are not asked ---------------------------------------------------------------------------------------------


def test_a_turn_with_one_legal_action_is_asked_unless_auto_forced():
    hand = at("domino-cartas", ["12C 2E", "1B"], "7O", stock="7C")
    match = started("domino-cartas", 2, seed=1)
    match.state = hand
    assert match.forced() is None
    match = started("domino-cartas", 2, seed=1, auto_forced=True)
    match.state = hand
    assert match.forced() == hand.legal[0]
    act(hand, "draw")
    assert match.forced() is None, "7C or pass: a choice"


def test_only_domino_duplas_passes_by_itself():
    assert [game.id for game in GAMES.values() if game.passes_itself] == ["domino-duplas"]


def test_the_stand_in_plays_before_it_draws_or_passes():
    assert stand_in(at("domino-a-carte", ["6D KD", "2H", "2S", "2C"])) >> 3 == GAMES["domino-a-carte"].deck.piece("6D")
    hand = act(at("domino-cartas", ["12C 2E", "1B"], "7O", stock="7C"), "draw")
    assert hand.name(stand_in(hand)) == "7C"


# Forfeits -------------------------------------------------------------------------------------------------------------


def test_of_two_players_the_other_has_won():
    match = started("domino-classico", 2, seed=1)
    forfeit(match, 0)
    event = match.due()
    assert (event["event"], event["reason"], event["places"], event["totals"]) == (
        "match_ended",
        "forfeit",
        [2, 1],
        [0, 0],
    )


def test_of_more_the_others_play_on_and_who_held_out_longer_is_placed_better():
    match = started("domino-classico", 4, seed=1)
    forfeit(match, 2)
    assert match.due() is None
    match.act(stand_in(match.state), "bot")
    forfeit(match, 0)
    assert match.due() is None
    match.act(stand_in(match.state), "bot")
    forfeit(match, 3)
    assert match.due()["places"] == [3, 1, 4, 2]


def test_seats_that_go_in_the_same_turn_share_a_place():
    match = new_match("domino-cartas", 3, seed=1)
    for seat in (0, 1, 2):
        forfeit(match, seat)
    event = match.due()
    assert (event["reason"], event["places"]) == ("forfeit", [1, 1, 1])
    match = new_match("domino-cartas", 3, seed=1)
    forfeit(match, 0)
    forfeit(match, 2)
    assert match.due()["places"] == [2, 1, 2]


def test_a_pair_is_out_when_both_its_seats_are():
    match = started("domino-duplas", 4, seed=1)
    forfeit(match, 1)
    assert match.due() is None
    forfeit(match, 3)
    assert (match.due()["reason"], match.due()["places"]) == ("forfeit", [1, 2])


def eliminating(points):
    """A match of three in which a hand with such points has been played."""
    match = started("domino-cartas", 3, seed=1, format={"kind": "points", "ending": "eliminate"})
    end_hand(match, [points.index(0)], points)
    return match


def test_a_seat_eliminated_before_is_placed_above_one_that_forfeits_later():
    match = eliminating([120, 0, 30])
    match.take(match.due())
    forfeit(match, 2)
    event = match.due()
    assert (event["reason"], event["places"]) == ("forfeit", [2, 1, 3])


def test_a_match_whose_format_has_ended_is_completed_though_a_seat_that_was_out_forfeited():
    match = eliminating([120, 0, 30])
    match.take(match.due())
    forfeit(match, 0)
    assert match.due() is None, "two are left to play"
    end_hand(match, [1], [0, 0, 80])
    event = match.due()
    assert (event["reason"], event["places"], event["totals"]) == ("completed", [3, 1, 2], [120, 0, 110])


def test_a_forfeit_or_an_abort_keeps_the_last_hand_unfinished():
    match = started("domino-classico", 2, seed=1)
    event = match.aborted()
    assert (event["reason"], event["places"], event["totals"]) == ("aborted", [1, 1], [0, 0])
    match.take(event)
    assert match.due() is None
    for kind in ("hand_started", "hand_ended", "match_ended", "action"):
        with pytest.raises(LogFault, match=f"{kind} after the match has ended"):
            match.apply({"event": kind})


def test_a_withheld_seed_is_not_told():
    match = started("domino-classico", 2, seed=1, withheld=True)
    event = match.aborted()
    assert event["seed_withheld"] is True
    assert "seed" not in event
    assert started("domino-classico", 2, seed=1).aborted()["seed"] == random.Random(1).randbytes(32).hex()


def test_a_match_that_is_played_again_after_an_abort_tells_its_seed_only_once_it_is_completed():
    """Nobody outside the referee can know a seed before its last use."""
    match = started("domino-classico", 2, seed=1, replayed=True)
    event = match.aborted()
    assert event["seed_withheld"] is True
    assert "seed" not in event
    assert match._match_ended("completed")["seed"] == random.Random(1).randbytes(32).hex()


def test_a_refused_event_changes_nothing():
    match = started("domino-classico", 2, seed=1)
    before = (match.turn, list(match.state.history), list(match.banks), match.hand)
    for event in (
        {"event": "action"},
        {"event": "action", "hand": 0, "turn": 1, "seat": match.state.seat, "action": {"type": "draw"}, "by": "bot"},
        {"event": "hand_ended", "hand": 0},
        {"event": "match_ended", "reason": "completed"},
        {"event": "hand_started", "hand": 1},
        {"event": "forfeited", "seat": 2},
    ):
        with pytest.raises(LogFault):
            match.apply(event)
    assert (match.turn, match.state.history, match.banks, match.hand) == before
    assert match.ended is None


def test_events_that_are_no_part_of_the_game_are_passed_over():
    match = started("domino-classico", 2, seed=1)
    match.apply({"event": "joined", "seat": 0})
    match.apply({"event": "something new", "anything": []})
    assert match.due() is None
