"""Chance without memory: a number that depends on a seed text and on the turn, not on what was drawn before."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from referee.rules.view import View

Chance = Callable[[View, int], int]
"""A whole number from 0 to below the second argument, all equally likely."""


def chance(text: str) -> Chance:
    """The source of chance that ``text`` seeds.

    A bot that kept a generator would play a hand differently after a reconnection, or when its hands are played in
    another order. Hashing the turn instead makes a choice a function of the seed text and the view alone.
    """
    seeded = hashlib.blake2b(text.encode(), digest_size=8)

    def below(view: View, bound: int) -> int:
        state = seeded.copy()
        state.update(b"%d/%d/%d/%d/%x" % (view.hand, view.turn, len(view.history), view.seat, view.pieces))
        # 64 bits over a few dozen choices: the bias of the remainder is far below anything that could be measured.
        return int.from_bytes(state.digest(), "big") % bound

    return below
