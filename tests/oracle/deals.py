"""Decks, deck orders from a seed, seeds of deal sets, and the commitment to a seed."""

import hashlib
import hmac

DOMINO_28 = [f"{high}-{low}" for high in range(7) for low in range(high + 1)]
SPANISH_40 = [rank + suit for suit in "OCEB" for rank in ["1", "2", "3", "4", "5", "6", "7", "10", "11", "12"]]
FRENCH_52 = [rank + suit for suit in "DHSC" for rank in "A23456789TJQK"]

DECKS = {"domino-28": DOMINO_28, "spanish-40": SPANISH_40, "french-52": FRENCH_52}


def commitment(seed):
    """Give the hex SHA-256 of the seed's 32 bytes; `seed` is 64 hex digits, as everywhere in the oracle."""
    return hashlib.sha256(bytes.fromhex(seed)).hexdigest()


def set_seed(tournament_seed, k):
    """Give the seed of deal set `k` of a tournament, both as 64 hex digits."""
    return hmac.new(bytes.fromhex(tournament_seed), f"set/{k}".encode("ascii"), hashlib.sha256).hexdigest()


def words(seed, hand, attempt):
    """Yield without end the big-endian 32-bit integers of one deal."""
    i = 0
    while True:
        message = f"deal/{hand}/{attempt}/{i}".encode("ascii")
        block = hmac.new(bytes.fromhex(seed), message, hashlib.sha256).digest()
        for start in range(0, 32, 4):
            yield int.from_bytes(block[start : start + 4], "big")
        i += 1


def below(stream, bound):
    """Take from the stream a number below `bound`, skipping the words that would make it uneven."""
    while True:
        x = next(stream)
        if x < 2**32 - (2**32 % bound):
            return x % bound


def deck_order(deck, seed, hand, attempt=0):
    """Give the order in which the pieces of `deck` (a list in canonical order) are dealt."""
    order = list(deck)
    stream = words(seed, hand, attempt)
    for i in range(len(order) - 1, 0, -1):
        j = below(stream, i + 1)
        order[i], order[j] = order[j], order[i]
    return order
