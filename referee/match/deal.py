"""Deck orders from seeds, by the published algorithm that anyone can recompute in any language.

A seed is 32 bytes. The numbers of hand *h*, attempt *a* come from HMAC-SHA256 with the seed as its key and
``deal/h/a/i`` (i = 0, 1, 2 …) as its message, read as big-endian 32-bit integers; a number below *b* is drawn by
rejection, and the deck is shuffled from its canonical order by Fisher-Yates from the top place down.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import struct
from collections.abc import Iterator
from typing import Final

SEED_BYTES: Final = 32
_WORDS: Final = struct.Struct(">8I")
_SPAN: Final = 1 << 32


def new_seed() -> bytes:
    """A seed from the operating system's secure source."""
    return secrets.token_bytes(SEED_BYTES)


def parse_seed(text: object) -> bytes:
    """The seed written as 64 hex digits.

    Raises:
        ValueError: it is not.
    """
    if isinstance(text, str) and len(text) == 2 * SEED_BYTES:
        try:
            # bytes.fromhex takes blanks, so the length is checked again.
            seed = bytes.fromhex(text)
        except ValueError:
            seed = b""
        if len(seed) == SEED_BYTES:
            return seed
    raise ValueError("a seed is 64 hex digits")


def commitment(seed: bytes) -> str:
    """What is published before the first deal: the hex SHA-256 of the seed."""
    return hashlib.sha256(seed).hexdigest()


def set_seed(tournament_seed: bytes, deal_set: int) -> bytes:
    """The seed of a tournament's deal set, numbered from 0 through the whole schedule."""
    return hmac.digest(tournament_seed, b"set/%d" % deal_set, "sha256")


def _numbers(seed: bytes, hand: int, attempt: int) -> Iterator[int]:
    block = 0
    while True:
        yield from _WORDS.unpack(hmac.digest(seed, b"deal/%d/%d/%d" % (hand, attempt, block), "sha256"))
        block += 1


def deck_order(seed: bytes, hand: int, attempt: int, size: int) -> list[int]:
    """The order in which a deck of ``size`` pieces is dealt, first to be dealt first."""
    order = list(range(size))
    numbers = _numbers(seed, hand, attempt)
    for place in range(size - 1, 0, -1):
        below = place + 1
        limit = _SPAN - _SPAN % below
        number = next(numbers)
        while number >= limit:
            number = next(numbers)
        other = number % below
        order[place], order[other] = order[other], order[place]
    return order
