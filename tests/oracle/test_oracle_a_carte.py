"""The oracle's `domino-a-carte`, held against the rulebook's worked examples."""

# ruff: noqa: D103

from oracle import games
from oracle.rulebook import act, assert_legal, cards_at

SEVENS = "7D 7H 7S 7C"


def test_a_carte_the_sevens_are_laid_by_the_deal():
    state = games.start("domino-a-carte", games.FRENCH_52, 4, 3)
    # 7D is the seventh piece: seat 2 has it. 7H, 7S, 7C are pieces 20, 33 and 46: seats 3, 0 and 1.
    assert state.starter == 2
    assert [len(hand) for hand in state.hands] == [12, 12, 12, 12]
    assert sorted(state.laid) == sorted(SEVENS.split())


def test_a_carte_1_rows():
    everything = " ".join(card for card in games.FRENCH_52 if card not in SEVENS.split())
    state = cards_at("domino-a-carte", [everything, "AD", "AH", "AS"], SEVENS)
    assert_legal(state, *[rank + suit for rank in "68" for suit in "DHSC"], "pass")
    row = SEVENS + " 5S 6S 8S 9S"
    state = cards_at("domino-a-carte", ["3S 4S TS JS", "AD", "AH", "AC"], row)
    assert_legal(state, "4S", "TS", "pass")


def test_a_carte_2_a_gap_and_its_filling():
    state = cards_at("domino-a-carte", ["4S 9S TS QS AS", "AD 2D", "AH 2H", "AC 2C"], SEVENS + " 5S 6S 8S JS")
    assert_legal(state, "4S", "9S", "pass")
    act(state, "9S")
    state.seat = 0
    assert_legal(state, "4S", "TS", "pass")
    act(state, "TS")
    state.seat = 0
    assert_legal(state, "4S", "QS", "pass")


def test_a_carte_3_nothing_wraps():
    state = cards_at("domino-a-carte", ["6C AC", "AD", "AH", "AS"], SEVENS + " 8C 9C TC JC QC KC")
    assert_legal(state, "6C", "pass")


def test_a_carte_4_the_fourth_pass():
    state = cards_at("domino-a-carte", ["6C AC", "AD 2D", "AH", "AS"], SEVENS)
    state.passes = [3, 0, 0, 0]
    assert_legal(state, "6C")
    state = cards_at("domino-a-carte", ["6S 9C AC", "AD 2D", "AH", "AS"], SEVENS + " 6S")
    state.hands[0].remove("6S")
    state.passes = [3, 0, 0, 0]
    assert_legal(state, "pass")
    assert act(state, "pass") == {"laid": ["9C", "AC"]}
    assert (state.hands[0], state.lost) == ([], [0])
    assert state.seat == 1
    # The nine lies beyond a gap; when the eight fills it, the run reaches to the nine.
    assert games.a_carte_run(state, "C") == (6, 6)
    state.hands[1].append("8C")
    act(state, "8C")
    assert games.a_carte_run(state, "C") == (6, 8)


def test_a_carte_4_three_passes_are_free():
    state = cards_at("domino-a-carte", ["6C AC", "6D 2D", "6H AH", "6S AS"], SEVENS)
    for _ in range(12):
        assert {"type": "pass"} in games.legal(state)
        assert act(state, "pass") == {}
    assert_legal(state, "6C")


def test_a_carte_5_places():
    state = cards_at("domino-a-carte", ["6D", "KH 2H", "8D", "KS"], SEVENS)
    state.passes = [0, 3, 0, 0]
    act(state, "6D")
    act(state, "pass")
    act(state, "8D")
    assert state.result["points"] == [3, 0, 2, 1]
    assert state.result["places"] == [1, 4, 2, 3]
    assert (state.result["reason"], state.result["winners"]) == ("last_player", [0])
    assert state.result["left"] == [[], [], [], ["KS"]]


def test_a_carte_5_the_last_one_playing_can_be_first():
    state = cards_at("domino-a-carte", ["KD", "KH", "KS", "KC QC"], SEVENS)
    state.passes = [3, 3, 3, 0]
    for _ in range(3):
        act(state, "pass")
    # Seat 0 lost first and is last; seat 3 never ran out, and takes the first place.
    assert state.result["places"] == [4, 3, 2, 1]
    assert state.result["winners"] == [3]
    assert state.result["left"] == [[], [], [], ["KC", "QC"]]
