"""`domino-a-carte`: every line of the rulebook, worked by hand."""
# ruff: noqa: D103

import itertools

import pytest
from support.positions import SEVENS, act, at, dealt, holds, legal, refused, texts

from referee.rules.game import HandEnd
from referee.rules.pieces import FRENCH_52

GAME = "domino-a-carte"


def test_the_sevens_are_laid_by_the_deal_and_the_holder_of_7d_has_the_first_turn():
    hand = dealt(GAME, ["7H", "7S", "7D", "7C"])
    assert hand.starter == 2
    assert set(hand.deck.names_of(hand.laid)) == set(SEVENS)
    assert [cards.bit_count() for cards in hand.hands] == [12, 12, 12, 12]
    assert (hand.history, hand.stock) == ([], [])
    hand = dealt(GAME, ["", "7D 7H 7S 7C", "", ""])
    assert hand.starter == 1
    assert [cards.bit_count() for cards in hand.hands] == [13, 9, 13, 13]


def test_after_the_sevens_only_the_sixes_and_eights_fit():
    everything = " ".join(card for card in FRENCH_52.names if card not in SEVENS)
    hand = at(GAME, [everything, "AD", "AH", "AS"])
    assert legal(hand) == {rank + suit for rank in "68" for suit in "DHSC"} | {"pass"}


@pytest.mark.parametrize(
    ("cards", "own", "fitting"),
    [
        ("6S, 5S, 8S, 9S", "3S 4S TS JS", "4S, TS"),
        ("6S, 5S, 4S, 3S, 2S, AS", "KS 8S 2H", "8S"),  # below the ace nothing: not the king
        ("8C, 9C, TC, JC, QC, KC", "6C AC", "6C"),  # above the king nothing: not the ace
        ("8D, 9D, TD", "JD QD 6D 5D", "JD, 6D"),
    ],
)
def test_a_card_goes_next_to_either_end_of_its_suits_row(cards, own, fitting):
    hand = at(GAME, [own, "2D 3D", "2H 3H", "AH 4H"], cards)
    assert legal(hand) == texts(fitting) | {"pass"}


def test_up_to_three_passes_also_when_able_to_play():
    hand = at(GAME, ["6C AC", "6D 2D", "6H AH", "6S AS"])
    for _ in range(12):
        assert "pass" in legal(hand)
        act(hand, "pass")
    assert hand.passes == [3, 3, 3, 3]
    assert legal(hand) == {"6C"}
    illegal = refused(hand, "pass")
    assert illegal.code == "passes_used_up"
    assert str(illegal) == "your 3 passes are used and a card fits; legal: `6C`"
    assert illegal.rule == f"{GAME}: after 3 passes a player who can play must play"


def test_the_fourth_pass_loses_the_hand_and_lays_all_cards():
    hand = at(GAME, ["9C AC", "AD 2D 8C", "AH", "AS"], passes=[3, 0, 0, 0])
    assert legal(hand) == {"pass"}
    act(hand, "pass")
    assert set(hand.deck.names_of(hand.laid_now)) == {"9C", "AC"}
    assert (holds(hand, 0), hand.lost, hand.seat) == (set(), [0], 1)
    assert hand.result is None


def test_a_loser_is_skipped():
    hand = at(GAME, ["9C AC", "AD 6D", "AH 6H", "AS 6S"], passes=[3, 0, 0, 0])
    act(hand, "pass", "6D", "6H", "6S")
    assert hand.seat == 1


def test_laid_cards_beyond_a_gap_belong_to_the_row_once_it_is_filled():
    # Row S 5..8 with JS laid beyond.
    hand = at(GAME, ["JS", "4S 9S TS QS AS", "AH 5H", "AC 2C"], "6S, 5S, 8S", passes=[3, 0, 0, 0])
    act(hand, "pass")
    assert legal(hand) == texts("4S, 9S, pass")
    act(hand, "9S", "pass", "pass")
    assert legal(hand) == texts("4S, TS, pass")
    act(hand, "TS", "pass", "pass")
    assert legal(hand) == texts("4S, QS, pass")


def test_a_chain_of_laid_cards_joins_at_once():
    hand = at(GAME, ["9C TC QC 5C 4C", "8C JC 6C KC 3C", "AH 5H", "AD 2D"], passes=[3, 0, 0, 0])
    act(hand, "pass")
    assert legal(hand) == texts("8C, 6C, pass")
    act(hand, "8C", "pass", "pass")
    assert legal(hand) == texts("JC, 6C, pass")  # 8C joined 9C and TC; QC lies beyond the JC still
    act(hand, "JC", "pass", "pass")
    assert legal(hand) == texts("KC, 6C, pass")
    act(hand, "6C", "pass", "pass")
    assert legal(hand) == texts("KC, 3C, pass")


def test_a_chain_can_reach_the_end_of_the_suit():
    hand = at(GAME, ["9H TH JH QH KH 5H 4H 3H 2H AH", "8H 6H 6D", "AS 5S", "AD 2D"], passes=[3, 0, 0, 0])
    act(hand, "pass", "8H", "pass", "pass")
    assert legal(hand) == texts("6H, 6D, pass")
    act(hand, "6H", "pass", "pass")
    assert legal(hand) == texts("6D, pass")


def test_two_losers_cards_can_make_one_chain():
    hand = at(GAME, ["9D JD", "TD", "8D 6D", "QD 5D 2S"], passes=[3, 3, 0, 0])
    act(hand, "pass", "pass")
    assert hand.lost == [0, 1]
    act(hand, "8D")
    assert legal(hand) == texts("QD, pass")


def test_nothing_of_the_others_cards_changes_where_the_sevens_rows_end():
    # The king and the ace are neighbours in no row.
    hand = at(GAME, ["KS", "AS 8S", "AH 5H", "AD 2D"], passes=[3, 0, 0, 0])
    act(hand, "pass")
    assert legal(hand) == texts("8S, pass")


def test_places_in_the_order_of_running_out_and_losers_below():
    # A runs out, B loses, C runs out: D is third at once.
    hand = at(GAME, ["6D", "KH 2H", "8D", "KS"], passes=[0, 3, 0, 0])
    act(hand, "6D", "pass", "8D")
    assert (hand.result.reason, hand.result.winners) == (HandEnd.LAST_PLAYER, (0,))
    assert hand.result.places == (1, 4, 2, 3)
    assert hand.result.points == (3, 0, 2, 1)
    assert holds(hand, 3) == {"KS"}
    assert hand.legal == ()


def test_the_first_to_lose_is_last_of_all_and_the_last_one_playing_takes_the_next_place():
    hand = at(GAME, ["KD", "KH", "KS", "KC QC"], passes=[3, 3, 3, 0])
    act(hand, "pass", "pass", "pass")
    assert (hand.result.places, hand.result.points, hand.result.winners) == ((4, 3, 2, 1), (0, 1, 2, 3), (3,))
    assert holds(hand, 3) == {"KC", "QC"}


def test_three_run_out():
    hand = at(GAME, ["6D", "6H", "6S", "KC QC"])
    act(hand, "6D", "6H", "6S")
    assert (hand.result.places, hand.result.points) == ((1, 2, 3, 4), (3, 2, 1, 0))


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))), ids=str)
def test_points_go_with_places(order):
    # Seats run out in some order, whoever starts: the one who never does is fourth.
    cards = ["6D", "6H", "6S", "6C"]
    hand = at(GAME, cards)
    done = []
    while hand.result is None:
        seat = hand.seat
        due = next(seat for seat in order if seat not in done)
        act(hand, cards[seat] if seat == due else "pass")
        if seat == due:
            done.append(seat)
        hand.passes = [0] * 4
    assert [hand.result.points[seat] for seat in order] == [3, 2, 1, 0]


@pytest.mark.parametrize(
    ("answer", "code", "said"),
    [
        ("draw", "no_draw", "there is no stock"),
        ("KS", "does_not_fit", "`KS` does not touch the spades row, 5..8"),
        ("6D", "not_in_hand", "`6D` is not in your hand"),
    ],
)
def test_refusals_name_the_rule_and_what_is_legal(answer, code, said):
    hand = at(GAME, ["KS 9S 4S", "6D 2D", "2H", "3H"], "6S, 5S, 8S")
    illegal = refused(hand, answer)
    assert illegal.code == code
    assert str(illegal) == f"{said}; legal: `4S`, `9S`, `pass`"
    assert illegal.rule.startswith("domino-a-carte: ")
