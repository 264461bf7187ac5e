"""Two other people's implementations of the pairs game agree with `domino-duplas` on thousands of random hands.

They score differently and know no first tile that must be played; what can be played, who is passed over, whose turn it
is, when a hand ends and how a lock compares must be the same.
"""
# ruff: noqa: D103

import random

import dominoes
import pyspiel
import pytest
from open_spiel.python.games import team_dominoes

from referee.rules.actions import ARM_BITS, ARM_MASK, LEFT, PASS, PASS_ONLY, RIGHT
from referee.rules.game import Deal, HandEnd
from referee.rules.pieces import TILES, pieces_of, pips_in
from referee.rules.registry import GAMES

HANDS = 2_000
DUPLAS = GAMES["domino-duplas"]


def dealt(source):
    """A later hand, in which any seat starts with any tile."""
    order = list(range(28))
    source.shuffle(order)
    return DUPLAS.deal(Deal(order, 4, (0, 1, 2, 3), source.randrange(4), {}, source.randrange(4)))


def moves(hand):
    """The legal plays as (tile, number played on, arm); the number of a first tile is None."""
    found = []
    for action in hand.legal:
        arm = action & ARM_MASK
        found.append((action >> ARM_BITS, hand.ends[arm] if arm else None, arm))
    return found


def passed(hand):
    """Pass every seat over that cannot play, and say how many there were."""
    passes = 0
    while hand.legal == PASS_ONLY:
        DUPLAS.act(hand, PASS)
        passes += 1
    return passes


def pair_pips(hand, pair):
    return pips_in(hand.hands[pair]) + pips_in(hand.hands[pair + 2])


def domino(tile):
    return dominoes.Domino(*TILES[tile])


def test_dominoes_on_pypi():
    """The same hands, played by the same actions, in the package `dominoes`."""
    source = random.Random(1)
    ends = []
    for _ in range(HANDS):
        hand = dealt(source)
        hands = [dominoes.Hand([domino(tile) for tile in pieces_of(tiles)]) for tiles in hand.hands]
        first = tuple((one, True) for one in hands[hand.starter])
        game = dominoes.Game(dominoes.Board(), hands, [], hand.starter, first, hand.starter, None)
        while hand.result is None:
            assert game.result is None
            assert game.turn == hand.seat
            # Of two ends that ask for the same number it names the left one only.
            alike = hand.history and hand.ends[LEFT] == hand.ends[RIGHT]
            ours = {(domino(tile), alike or arm != RIGHT) for tile, _, arm in moves(hand)}
            assert ours == set(game.valid_moves)
            action = source.choice(hand.legal)
            done = len(game.moves)
            game.make_move(domino(action >> ARM_BITS), action & ARM_MASK != RIGHT)
            DUPLAS.act(hand, action)
            assert game.moves[done + 1 :] == [None] * passed(hand)
            if hand.result is None:
                assert (game.board.left_end(), game.board.right_end()) == (hand.ends[LEFT], hand.ends[RIGHT])
        result, theirs = hand.result, game.result
        assert game.result is not None
        assert theirs.player == hand.seat
        assert theirs.won == (result.reason is HandEnd.OUT)
        ends.append(result.reason)
        winner = result.winners[0]
        if theirs.points:
            # Theirs adds what the winners hold themselves; the sign names the pair.
            assert (theirs.points > 0) == (winner == 0)
            assert abs(theirs.points) == max(result.points) + pair_pips(hand, winner)
        else:
            # A lock with equal pips is nobody's there; here who locked loses.
            assert pair_pips(hand, 0) == pair_pips(hand, 1)
            assert winner != hand.seat % 2
    assert min(ends.count(HandEnd.OUT), ends.count(HandEnd.BLOCKED)) > HANDS // 10


ACTIONS = {(action.player, action.tile, action.edge): number for number, action in enumerate(team_dominoes._ACTIONS)}
NUMBERS = {tile: number for number, tile in enumerate(team_dominoes._DECK)}


def pips(tile):
    """A tile as OpenSpiel writes it: the low half first."""
    high, low = TILES[tile]
    return (float(low), float(high))


def test_open_spiel_python_team_dominoes():
    """The same hands, played by the same actions, in OpenSpiel; its player 0 is the seat that starts."""
    source = random.Random(2)
    game = pyspiel.load_game("python_team_dominoes")
    ends = []
    for _ in range(HANDS):
        hand = dealt(source)
        first = hand.starter
        state = game.new_initial_state()
        tiles = [pieces_of(hand.hands[(first + player) % 4]) for player in range(4)]
        for place in range(28):
            state.apply_action(NUMBERS[pips(tiles[place % 4][place // 4])])
        while hand.result is None:
            player = (hand.seat - first) % 4
            assert state.current_player() == player
            ours = {ACTIONS[player, pips(tile), number] for tile, number, _ in moves(hand)}
            assert sorted(ours) == state.legal_actions()
            tile, number, arm = source.choice(moves(hand))
            state.apply_action(ACTIONS[player, pips(tile), number])
            DUPLAS.act(hand, tile << ARM_BITS | arm)
            passed(hand)
        assert state.is_terminal()
        result = hand.result
        ends.append(result.reason)
        if result.reason is HandEnd.BLOCKED:
            own, other = pair_pips(hand, first % 2), pair_pips(hand, 1 - first % 2)
            won = result.points[first % 2] or -result.points[1 - first % 2]
            assert state.returns()[0] == (0 if own == other else won)
    assert min(ends.count(HandEnd.OUT), ends.count(HandEnd.BLOCKED)) > HANDS // 10


def test_a_difference_would_be_seen():
    """The comparison is no empty one: an action that only one side knows is refused by the other."""
    hand = dealt(random.Random(3))
    hands = [dominoes.Hand([domino(tile) for tile in pieces_of(tiles)]) for tiles in hand.hands]
    game = dominoes.Game(dominoes.Board(), hands, [], hand.starter, (), hand.starter, None)
    other = next(tile for tile in range(28) if not hand.hands[hand.starter] >> tile & 1)
    with pytest.raises(dominoes.NoSuchDominoException):
        game.make_move(domino(other), True)
