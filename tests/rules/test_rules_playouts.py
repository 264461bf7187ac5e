"""What holds in every position of every game, in hands played at random."""
# ruff: noqa: D103

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import games as oracle
from support.playouts import IDS, TABLES, action_space, clone, random_deal, state

from referee.rules.actions import ARM_BITS, DRAW
from referee.rules.game import ACTION_MASK, SEAT_SHIFT, HandEnd, IllegalAction
from referee.rules.pieces import pips_in
from referee.rules.registry import GAMES

seeds = st.integers(0, 2**64)


def played_out(game, players, seed):
    """Every position of a random hand, the last one over."""
    source = random.Random(seed)
    hand = random_deal(game, players, source)
    yield hand
    while hand.result is None:
        game.act(hand, source.choice(hand.legal))
        yield hand


def assert_whole_deck(game, hand):
    """The pieces in hands, stock and on the table are the whole deck, each once."""
    table = hand.laid
    laid_later = 0
    for item in hand.history:
        action = item & ACTION_MASK
        if action < DRAW:
            table |= 1 << (action >> ARM_BITS)
    if game.deck.suits > 1:
        laid_later = hand.table & ~table
    places = [*hand.hands, table, laid_later, *(1 << piece for piece in hand.stock)]
    assert sum(place.bit_count() for place in places) == len(game.deck)
    assert sum(places) == (1 << len(game.deck)) - 1
    if laid_later:
        assert game.id == "domino-a-carte"
        assert hand.lost


@pytest.mark.parametrize(("game", "players"), TABLES, ids=IDS)
@given(seeds)
@settings(max_examples=25, deadline=None)
def test_the_pieces_always_add_up_to_the_whole_deck(game, players, seed):
    game = GAMES[game]
    for hand in played_out(game, players, seed):
        assert_whole_deck(game, hand)


@pytest.mark.parametrize(("game", "players"), TABLES, ids=IDS)
@given(seeds)
@settings(max_examples=6, deadline=None)
def test_every_legal_action_is_accepted_and_every_other_is_refused_and_changes_nothing(game, players, seed):
    game = GAMES[game]
    for hand in played_out(game, players, seed):
        before = repr(state(hand))
        assert len(set(hand.legal)) == len(hand.legal)
        assert bool(hand.legal) == (hand.result is None)
        for action in action_space(game):
            if action in hand.legal:
                other = clone(hand)
                game.act(other, action)
                assert other.history[-1] == hand.seat << SEAT_SHIFT | action
                continue
            with pytest.raises(IllegalAction) as caught:
                game.act(hand, action)
            assert caught.value.legal == hand.legal
            assert caught.value.rule.startswith(f"{game.id}: ")
        assert repr(state(hand)) == before


@pytest.mark.parametrize(("game", "players"), TABLES, ids=IDS)
@given(seeds)
@settings(max_examples=25, deadline=None)
def test_hands_end_with_a_result_that_fits_the_table(game, players, seed):
    game = GAMES[game]
    *_, hand = played_out(game, players, seed)
    result = hand.result
    sides = game.sides(players)
    assert len(result.points) == game.side_count(players)
    assert set(result.winners) <= set(hand.seats)
    assert result.leader is None or result.leader in hand.seats
    # Every turn plays, draws or passes: no hand can be longer than the pieces and a round of passes for each.
    assert len(hand.history) <= len(game.deck) * (players + 2)
    names = [hand.deck.names_of(pieces) for pieces in hand.hands]
    if game.id == "domino-cartas":
        (winner,) = result.winners
        assert result.reason is HandEnd.OUT
        assert names[winner] == []
        assert list(result.points) == [oracle.card_points(cards) for cards in names]
        assert [seat for seat in hand.seats if result.points[seat] == 0] == [winner]
    elif game.id == "domino-a-carte":
        assert result.reason is HandEnd.LAST_PLAYER
        assert sorted(result.places) == [1, 2, 3, 4]
        assert [4 - place for place in result.places] == list(result.points)
        assert result.winners == (result.places.index(1),)
        assert sum(not cards for cards in names) == 3
    elif result.reason is HandEnd.OUT:
        winner = next(seat for seat in hand.seats if not names[seat])
        assert winner in result.winners
        assert result.leader == winner
        assert {sides[seat] for seat in result.winners} == {sides[winner]}
    else:
        assert result.reason is HandEnd.BLOCKED
        assert hand.stock == []
        ends = {str(number) for number in hand.ends[1:]}
        assert not any(half in ends for tiles in names for tile in tiles for half in tile.split("-"))
    if game.id == "domino-duplas":
        loser = 1 - sides[result.winners[0]]
        if result.reason is HandEnd.BLOCKED:
            assert max(result.points) == pips_in(hand.hands[loser]) + pips_in(hand.hands[loser + 2])
        assert result.points[loser] == 0
    if game.id == "domino-classico":
        assert set(result.points) == {0}


@pytest.mark.parametrize(("game", "players"), TABLES, ids=IDS)
@given(seeds)
@settings(max_examples=10, deadline=None)
def test_the_same_actions_lead_to_the_same_position(game, players, seed):
    game = GAMES[game]
    first = [repr(state(hand)) for hand in played_out(game, players, seed)]
    again = [repr(state(hand)) for hand in played_out(game, players, seed)]
    assert first == again
