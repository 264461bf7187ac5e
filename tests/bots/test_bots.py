"""The built-in bots: legal always, the same for the same seed text, fair (the view only), and as strong as they say."""

import functools
import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.bots.registry import BOTS, find_bot
from referee.match.deal import deck_order, set_seed
from referee.rules.actions import PASS_ONLY
from referee.rules.game import ACTION_MASK, Deal, HandEnd
from referee.rules.pieces import mask_of, pieces_of
from referee.rules.registry import GAMES, SettingError, resolve_options
from referee.rules.view import View
from tests.bench.strength import compare, interval

TABLES = [(game.id, players) for game in GAMES.values() for players in game.players]
seeds = st.binary(min_size=32, max_size=32)


def dealt(game, players, seed, options=None, leader=None, seats=None):
    """The first hand of a seed that is not void."""
    options = resolve_options(game, options or {})
    seats = seats or tuple(range(players))
    orders = (deck_order(seed, 0, attempt, len(game.deck)) for attempt in itertools.count())
    hands = (game.deal(Deal(order, players, seats, seats[-1], options, leader)) for order in orders)
    return next(hand for hand in hands if hand is not None)


def play_out(game, players, hand, choose):
    """Play a hand out; ``choose`` gets the hand and the view of the seat whose turn it is."""
    sides = game.sides(players)
    totals = [0] * (max(sides) + 1)
    while hand.result is None:
        forced = game.passes_itself and hand.legal == PASS_ONLY
        view = View(hand, sides, totals, 0, len(hand.history) + 1)
        game.act(hand, hand.legal[0] if forced else choose(hand, view))
    return hand


def copied(view):
    """What a bot could change in a view, as values."""
    return repr([getattr(view, name, None) for name in View.__slots__ if name != "deck"])


def shuffled(hand, data):
    """The same hand with the pieces that are hidden from the seat in turn put in other places.

    Only the places change that no rule has looked at: the view of the seat in turn must stay the same.
    """
    seat = hand.seat
    others = [other for other in range(len(hand.hands)) if other != seat]
    hidden = [piece for other in others for piece in pieces_of(hand.hands[other])] + hand.stock
    hidden = data.draw(st.permutations(hidden))
    for other in others:
        size = hand.hands[other].bit_count()
        hand.hands[other] = mask_of(hidden[:size])
        hidden = hidden[size:]
    hand.stock[:] = hidden


@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize(("game_id", "players"), TABLES)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_every_choice_is_legal_and_changes_nothing(name, game_id, players, data):
    """At every table, with every option, after any moves of the others."""
    game = GAMES[game_id]
    options = {option.name: data.draw(st.sampled_from(option.accepted)) for option in game.options}
    leader = data.draw(st.sampled_from([None, *range(players)])) if game.deck.suits == 1 else None
    hand = dealt(game, players, data.draw(seeds), options, leader)
    bot = BOTS[name].make(data.draw(st.text(max_size=5)))
    wild = BOTS["beginner"].make(data.draw(st.text(max_size=5)))
    seat_of_bot = data.draw(st.integers(0, players - 1))

    def choose(hand, view):
        before = copied(view)
        action = bot(view)
        assert action in view.legal
        assert copied(view) == before
        return action if hand.seat == seat_of_bot else wild(view)

    play_out(game, players, hand, choose)


@pytest.mark.parametrize("name", BOTS)
def test_a_table_with_seats_that_are_out(name):
    """Seats eliminated earlier hold nothing and are passed over."""
    game = GAMES["domino-cartas"]
    for seed in range(20):
        hand = dealt(game, 5, bytes([seed]) * 32, seats=(0, 2, 3))
        bot = BOTS[name].make("x")
        assert play_out(game, 5, hand, lambda hand, view: bot(view)).result is not None  # noqa: B023


@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize("game_id", GAMES)
def test_same_seed_text_same_play(name, game_id):
    """Whatever the bot played before: it keeps nothing between turns."""
    game = GAMES[game_id]
    players = game.players[-1]
    used = BOTS[name].make("seed")
    play_out(game, players, dealt(game, players, b"\7" * 32), lambda hand, view: used(view))
    for seed in range(5):
        fresh = BOTS[name].make("seed")
        first = play_out(game, players, dealt(game, players, bytes([seed]) * 32), lambda hand, view: used(view))
        second = play_out(
            game,
            players,
            dealt(game, players, bytes([seed]) * 32),
            lambda hand, view: fresh(view),  # noqa: B023
        )
        assert first.history == second.history
        assert first.result == second.result


def test_another_seed_text_plays_otherwise():
    """The beginner's choices come from its seed text, evenly."""
    game = GAMES["domino-a-carte"]
    histories = set()
    for text in ("a", "b", "c"):
        bot = BOTS["beginner"].make(text)
        hand = play_out(game, 4, dealt(game, 4, b"\1" * 32), lambda hand, view: bot(view))  # noqa: B023
        histories.add(tuple(hand.history))
    assert len(histories) == 3
    view = View(dealt(game, 4, b"\1" * 32), (0, 1, 2, 3), [0] * 4, 0, 1)
    chosen = [BOTS["beginner"].make(str(number))(view) for number in range(2000)]
    expected = len(chosen) / len(view.legal)
    assert all(abs(chosen.count(action) - expected) < 5 * expected**0.5 for action in view.legal)


@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize("game_id", GAMES)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_what_is_hidden_does_not_matter(name, game_id, data):
    """Put the others' pieces and the stock in other places, and the choice stays."""
    game = GAMES[game_id]
    players = data.draw(st.sampled_from(game.players))
    hand = dealt(game, players, data.draw(seeds))
    bot = BOTS[name].make("fair")
    wild = BOTS["beginner"].make(data.draw(st.text(max_size=3)))
    sides = game.sides(players)
    totals = [0] * (max(sides) + 1)
    for _ in range(data.draw(st.integers(0, 30))):
        view = View(hand, sides, totals, 0, len(hand.history) + 1)
        before = list(hand.history)
        game.act(hand, wild(view))
        if hand.result is not None:
            return
        assert hand.history != before
    choice = bot(View(hand, sides, totals, 0, 1))
    shuffled(hand, data)
    assert bot(View(hand, sides, totals, 0, 1)) == choice


@pytest.mark.parametrize(
    ("game_id", "first", "second", "players", "deals"),
    [
        ("domino-cartas", "expert", "beginner", 2, 60),
        ("domino-cartas", "medium", "beginner", 2, 300),
        ("domino-a-carte", "expert", "beginner", 4, 60),
        ("domino-a-carte", "expert", "medium", 4, 60),
        ("domino-a-carte", "medium", "beginner", 4, 60),
        ("domino-classico", "expert", "beginner", 2, 100),
        ("domino-classico", "expert", "medium", 2, 100),
        ("domino-classico", "medium", "beginner", 2, 300),
        ("domino-belga", "expert", "beginner", 2, 20),
        ("domino-belga", "expert", "medium", 2, 40),
        ("domino-belga", "medium", "beginner", 2, 60),
        ("domino-duplas", "expert", "beginner", 4, 200),
        ("domino-duplas", "medium", "beginner", 4, 200),
    ],
)
def test_strength(game_id, first, second, players, deals):
    """The better bot is better over duplicate deals, with its 95 % interval above nought."""
    game = GAMES[game_id]
    spec = next((spec for spec in game.formats if spec.kind == "single"), game.formats[0])
    bots = [find_bot(name).make(name) for name in (first, second)]
    mean, half = interval(compare(game, spec, players, *bots, deals))
    assert mean - half > 0


def test_a_block_is_counted():
    """With two seats and no stock the other hand is known: the expert wins by a block if it can, and loses by none."""
    game = GAMES["domino-classico"]
    bot = BOTS["expert"].make("block")
    found = {True: 0, False: 0}

    def choose(seed, hand, view):
        action = bot(view)
        if len(view.legal) > 1 and not hand.stock:
            ends = {}
            for other in view.legal:
                tried = dealt(game, 2, seed)
                for item in hand.history:
                    game.act(tried, item & ACTION_MASK)
                game.act(tried, other)
                ends[other] = tried.result
            blocks = [end for end in ends.values() if end and end.reason is HandEnd.BLOCKED]
            if any(end.winners == (view.seat,) for end in blocks):
                found[True] += 1
                assert ends[action].winners == (view.seat,)
            elif blocks and None in ends.values():
                found[False] += 1
                assert ends[action] is None or ends[action].winners != (1 - view.seat,)
        return action

    for number in range(400):
        seed = set_seed(b"block", number)
        play_out(game, 2, dealt(game, 2, seed), functools.partial(choose, seed))
    assert min(found.values()) >= 3, found


def test_find_bot():
    """By name; what is unknown is answered with what was probably meant."""
    assert find_bot("expert").name == "expert"
    with pytest.raises(SettingError, match="did you mean 'medium'"):
        find_bot("meduim")
