"""What the oracle's own tests share: the match formats to try, and pieces put where a worked example has them."""

import json
import pathlib

import pytest

from oracle import games
from oracle.canonical import canonical, chained
from oracle.verify import OracleError, check_log

VECTORS = json.loads((pathlib.Path(__file__).parents[1] / "vectors" / "deals.json").read_text())

FORMATS = {
    "domino-cartas": [
        {"kind": "single"},
        {"kind": "best_of", "hands": 3},
        {"kind": "best_of", "hands": 5},
        {"kind": "points", "target": 100, "ending": "lowest"},
        {"kind": "points", "target": 100, "ending": "eliminate"},
    ],
    "domino-a-carte": [{"kind": "hands", "hands": 5}, {"kind": "single"}],
    "domino-classico": [{"kind": "best_of", "hands": 5}, {"kind": "single"}],
    "domino-belga": [{"kind": "points", "target": 100, "ending": "first"}],
    "domino-duplas": [{"kind": "points", "target": 50, "ending": "first"}, {"kind": "single"}],
}

COMBINATIONS = [
    pytest.param(game, n, form, id=f"{game}-{n}-{form['kind']}-{form.get('ending', form.get('hands', ''))}")
    for game in FORMATS
    for n in games.PLAYERS[game]
    for form in FORMATS[game]
]

# The 18 tiles dealt to two players from this seed hold no double (found by counting up from seed 0).
VOID_SEED = f"{0x52CA:064x}"


def plays(*texts):
    """Read "6-2 left" or "6O" as actions; "draw" and "pass" too."""
    actions = []
    for text in texts:
        piece, _, arm = text.partition(" ")
        actions.append({"type": text} if text in ("draw", "pass") else games.play(piece, arm or None))
    return actions


def same_actions(given, right):
    """Tell whether two lists hold the same actions in whatever order."""
    return sorted(map(canonical, given)) == sorted(map(canonical, right))


def assert_legal(state, *texts):
    """Assert that exactly these actions are legal."""
    assert same_actions(games.legal(state), plays(*texts)), games.legal(state)


def act(state, text):
    """Do an action written as text."""
    return games.apply(state, plays(text)[0])


def tiles_at(game, hands, line, stock=(), seat=0, **options):
    """Give a hand of tiles with no spinner, in progress: hands and stock as strings of tiles, the line as pairs."""
    state = games.State(game, len(hands), len(hands) - 1, options, {})
    state.hands = [hand.split() for hand in hands]
    state.stock = list(stock)
    state.line = list(line)
    state.first_turn = False
    state.seat = seat
    return state


def cards_at(game, hands, table, stock=(), seat=0, **options):
    """Give a hand of cards in progress."""
    state = games.State(game, len(hands), len(hands) - 1, options, {})
    state.hands = [hand.split() for hand in hands]
    state.table = table.split()
    state.stock = list(stock)
    state.first_turn = False
    state.seat = seat
    return state


def order_with(deck, first):
    """Give a deck order that begins with some pieces."""
    first = first.split()
    return first + [piece for piece in deck if piece not in first]


# Nine tiles with six of the seven fours; 6-4 on the right end closes it: ends 4 and 4, every four on the table.
ALMOST_CLOSED = [(4, 0), (0, 1), (1, 4), (4, 4), (4, 2), (2, 3), (3, 4), (4, 5), (5, 6)]


def almost_closed(game, hands, seat=3):
    """Give a hand in which `seat` closes the layout by playing 6-4 right."""
    state = tiles_at(game, hands, ALMOST_CLOSED, seat=seat)
    if game != "domino-duplas":
        state.spinner = 3
    return state


def refuse(events, line, seed=None):
    """Assert that a log is refused at a line, though its chain is whole."""
    with pytest.raises(OracleError) as caught:
        check_log(chained(events), seed)
    assert caught.value.line == line, caught.value
