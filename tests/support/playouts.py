"""Random positions of every game, and what must hold in each."""

import copy
import random
from typing import Any

from referee.match.deal import deck_order
from referee.rules.actions import DRAW, PASS, play
from referee.rules.game import Deal, Game
from referee.rules.registry import GAMES, resolve_options

TABLES = [(game.id, players) for game in GAMES.values() for players in game.players]
"""Every game with every number of players."""

IDS = [f"{game}-{players}" for game, players in TABLES]


def random_options(game: Game, source: random.Random) -> dict[str, Any]:
    """Any value of each option of the game."""
    return resolve_options(game, {option.name: source.choice(option.accepted) for option in game.options})


def random_deal(game: Game, players: int, source: random.Random) -> Any:
    """A hand just dealt, under any options; sometimes a later hand, sometimes with seats that are out."""
    seats = tuple(range(players))
    if any(spec.ending == "eliminate" for spec in game.formats) and source.random() < 0.3:
        seats = tuple(sorted(source.sample(seats, source.randint(2, players))))
    leader = source.choice(seats) if game.deck.suits == 1 and source.random() < 0.5 else None
    dealer = source.choice(seats)
    options = random_options(game, source)
    seed = source.randbytes(32)
    attempt = 0
    while True:
        order = deck_order(seed, 0, attempt, len(game.deck))
        hand = game.deal(Deal(order, players, seats, dealer, options, leader))
        if hand is not None:
            return hand
        attempt += 1


def clone(hand: Any) -> Any:
    """A hand that can go another way; what it shares with the first is never changed."""
    other = copy.copy(hand)
    for name, value in state(hand).items():
        if isinstance(value, list):
            setattr(other, name, list(value))
    return other


def state(hand: Any) -> dict[str, Any]:
    """Everything that a hand holds but its deck, by name."""
    slots = [name for cls in type(hand).__mro__ for name in getattr(cls, "__slots__", ())]
    return {name: getattr(hand, name) for name in slots if name != "deck"}


def action_space(game: Game) -> list[int]:
    """Every action there is: every piece on every arm and on none, drawing and passing."""
    return [*(play(piece, arm) for piece in range(len(game.deck)) for arm in range(5)), DRAW, PASS]
