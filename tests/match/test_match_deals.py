"""Deck orders from seeds: the published vectors, and the algorithm's every step."""
# ruff: noqa: D103

import hashlib
import hmac
import json
import random
from pathlib import Path

import pytest
from oracle import deals as oracle

from referee.match import deal
from referee.match.deal import commitment, deck_order, new_seed, parse_seed, set_seed
from referee.rules.pieces import DOMINO_28, FRENCH_52, SPANISH_40

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "deals.json").read_text())
DECKS = {deck.id: deck for deck in (DOMINO_28, SPANISH_40, FRENCH_52)}


def test_the_decks_are_the_published_ones():
    assert {name: list(deck.names) for name, deck in DECKS.items()} == VECTORS["decks"]


@pytest.mark.parametrize(
    "case", VECTORS["cases"], ids=lambda case: f"{case['deck']}-{case['seed'][:4]}-{case['hand']}-{case['attempt']}"
)
def test_published_orders(case):
    deck = DECKS[case["deck"]]
    seed = parse_seed(case["seed"])
    order = deck_order(seed, case["hand"], case["attempt"], len(deck))
    assert [deck.names[piece] for piece in order] == case["order"]
    assert commitment(seed) == case["commitment"]


@pytest.mark.parametrize("deck", DECKS.values(), ids=list(DECKS))
def test_orders_agree_with_the_oracle_for_any_seed_hand_and_attempt(deck):
    source = random.Random(deck.id)
    for _ in range(50):
        seed, hand, attempt = source.randbytes(32), source.randrange(10_000), source.randrange(20)
        order = deck_order(seed, hand, attempt, len(deck))
        assert [deck.names[piece] for piece in order] == oracle.deck_order(list(deck.names), seed.hex(), hand, attempt)


def test_numbers_that_would_make_the_draw_uneven_are_skipped(monkeypatch):
    # 2^32 mod 3 = 1 and 2^32 mod 2 = 0: of a deck of three, 2^32 - 1 is skipped for the place below 3 only.
    monkeypatch.setattr(deal, "_numbers", lambda *_: iter([2**32 - 1, 2**32 - 2, 2**32 - 1]))
    # 2^32 - 2 = 2 mod 3: place 2 stays; then 2^32 - 1 = 1 mod 2: place 1 stays.
    assert deck_order(bytes(32), 0, 0, 3) == [0, 1, 2]
    monkeypatch.setattr(deal, "_numbers", lambda *_: iter([3, 4]))
    # 3 = 0 mod 3: places 2 and 0 trade, 2 1 0; 4 = 0 mod 2: places 1 and 0 trade.
    assert deck_order(bytes(32), 0, 0, 3) == [1, 2, 0]


def test_every_order_of_a_small_deck_is_as_likely_as_any_other():
    counts = {}
    for hand in range(6000):
        order = tuple(deck_order(bytes(32), hand, 0, 3))
        counts[order] = counts.get(order, 0) + 1
    # Six orders, 1,000 each expected, standard deviation 29.
    assert len(counts) == 6
    assert all(abs(count - 1000) < 150 for count in counts.values())


def test_the_seed_of_a_deal_set_and_the_commitment_are_the_published_formulas():
    seed = bytes(range(32))
    assert set_seed(seed, 7) == hmac.new(seed, b"set/7", hashlib.sha256).digest()
    assert set_seed(seed, 12).hex() == oracle.set_seed(seed.hex(), 12)
    assert commitment(seed) == hashlib.sha256(seed).hexdigest()


def test_a_seed_is_64_hex_digits():
    assert parse_seed("00" * 31 + "fF") == bytes(31) + b"\xff"
    for text in ("", "0" * 63, "0" * 65, "g" * 64, " " * 64, "00 " * 21 + "0", b"0" * 64, None, 0):
        with pytest.raises(ValueError, match="a seed is 64 hex digits"):
            parse_seed(text)


def test_new_seeds_are_32_bytes_and_differ():
    seeds = {new_seed() for _ in range(20)}
    assert len(seeds) == 20
    assert {len(seed) for seed in seeds} == {32}
