"""Random playouts by checked stepping (legal list, checked action, history), in one process.

Time is the processor's: what other processes take does not count on either side.

The yardstick is OpenSpiel's `python_team_dominoes`: the same game as our `domino-duplas`, in Python, in the same run.
"""

from __future__ import annotations

import time
from random import Random

from referee.rules.game import Deal, Game
from referee.rules.playout import playout
from referee.rules.registry import GAMES, resolve_options
from tests.bench.harness import Row, at_least, at_most, paired

SECONDS = 0.5
BETWEEN_LOOKS = 20
"""So many hands are played between two looks at the clock, which takes as long as some actions."""


def playouts(game: Game, players: int, seconds: float = SECONDS) -> tuple[float, float]:
    """Hands per second, and microseconds per action.

    A deck is mixed by sorting it by random numbers: `shuffle` takes twice as long, half of a hand of compiled rules.
    """
    random = Random(7).random
    options = resolve_options(game, {})
    seats = tuple(range(players))
    deck = list(range(len(game.deck)))
    hands = actions = 0
    begun = time.process_time()
    while (spent := time.process_time() - begun) < seconds:
        for _ in range(BETWEEN_LOOKS):
            order = sorted(deck, key=lambda _: random())
            hand = game.deal(Deal(order, players, seats, players - 1, options, None))
            if hand is None:
                continue
            actions += playout(game, hand, random)
            hands += 1
    return hands / spent, 1e6 * spent / actions


def team_dominoes(seconds: float = SECONDS) -> tuple[float, float]:
    """The same figures of OpenSpiel's `python_team_dominoes`."""
    import pyspiel
    from open_spiel.python.games import team_dominoes  # noqa: F401

    game = pyspiel.load_game("python_team_dominoes")
    rng = Random(7)
    hands = actions = 0
    begun = time.process_time()
    while (spent := time.process_time() - begun) < seconds:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(rng.choice(state.chance_outcomes())[0])
            else:
                state.apply_action(rng.choice(state.legal_actions()))
                actions += 1
        hands += 1
    return hands / spent, 1e6 * spent / actions


def connect_four(seconds: float = SECONDS) -> float:
    """Moves per second of OpenSpiel's C++ `connect_four` driven from Python."""
    import pyspiel

    game = pyspiel.load_game("connect_four")
    random = Random(7).random
    moves = 0
    begun = time.process_time()
    while (spent := time.process_time() - begun) < seconds:
        for _ in range(BETWEEN_LOOKS):
            state = game.new_initial_state()
            while not state.is_terminal():
                legal = state.legal_actions()
                state.apply_action(legal[int(random() * len(legal))])
                moves += 1
    return moves / spent


def rows() -> list[Row]:
    """The rows of this benchmark."""
    duplas = GAMES["domino-duplas"]
    ours, theirs, ratio = paired(lambda: playouts(duplas, 4)[0], lambda: team_dominoes()[0])
    found = [
        at_least("playouts domino-duplas", f"{ours:,.0f} hands/s", f"team_dominoes {theirs:,.0f} hands/s", ratio, 20)
    ]
    for game in GAMES.values():
        if game is duplas:
            continue
        for players in {game.players[0], game.players[-1]}:
            mine, base, ratio = paired(lambda: playouts(game, players)[1], lambda: playouts(duplas, 4)[1], 3)  # noqa: B023
            name = f"playouts {game.id}, {players} seats"
            found.append(at_most(name, f"{mine:.2f} us/action", f"domino-duplas {base:.2f} us/action", ratio, 3))
    ours, theirs, ratio = paired(lambda: 1e6 / playouts(duplas, 4)[1], connect_four)
    found.append(
        at_least("moves domino-duplas", f"{ours:,.0f} moves/s", f"C++ connect_four {theirs:,.0f} moves/s", ratio, 1)
    )
    return found
