"""Random playouts by checked stepping: the inner loop of Monte-Carlo bots, and of the benchmark of the rules."""

from __future__ import annotations

from collections.abc import Callable

from referee.rules.game import Game, Hand


def playout(game: Game, hand: Hand, random: Callable[[], float]) -> int:
    """Play a hand to its end by legal actions, each as likely as any other, and say how many there were.

    Args:
        game: the game.
        hand: a hand that `game.deal` made; it is changed.
        random: a number from 0 up to, not including, 1; such as `random.random`.
    """
    act = game.act
    before = len(hand.history)
    while legal := hand.legal:
        act(hand, legal[int(random() * len(legal))])
    return len(hand.history) - before
