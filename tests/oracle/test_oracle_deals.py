"""The oracle's decks and deals, held against the published vectors."""

# ruff: noqa: D103

import pytest

from oracle import deals, games
from oracle.rulebook import VECTORS, order_with


def test_decks_are_the_published_ones():
    assert VECTORS["decks"] == deals.DECKS


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: f"{case['deck']}-{case['seed'][:4]}")
def test_deal_vectors(case):
    assert deals.commitment(case["seed"]) == case["commitment"]
    assert deals.deck_order(deals.DECKS[case["deck"]], case["seed"], case["hand"], case["attempt"]) == case["order"]


def test_below_skips_what_would_be_uneven():
    # 2^32 mod 3 = 1: the one word 2^32 - 1 is skipped. No word is skipped for a power of two.
    assert deals.below(iter([2**32 - 1, 5]), 3) == 2
    assert deals.below(iter([2**32 - 1, 5]), 4) == 3


def test_set_seeds_differ_and_are_seeds():
    seeds = [deals.set_seed("00" * 32, k) for k in range(20)]
    assert len(set(seeds)) == 20
    assert all(len(bytes.fromhex(seed)) == 32 for seed in seeds)


def test_dealing_goes_round_from_the_seat_after_the_dealer():
    order = order_with(games.DOMINO_28, "6-6 5-5 4-4 3-3")
    state = games.start("domino-classico", order, 3, 1)
    assert [hand[0] for hand in state.hands] == ["5-5", "4-4", "6-6"]
    assert state.hands[2][1] == "3-3"
    assert state.stock == order[21:]
