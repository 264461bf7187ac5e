"""Hands for worked examples: deals and positions as a person writes them down."""

import copy
from typing import Any

import pytest

from referee.rules.actions import PASS, format_action, parse_action, play
from referee.rules.game import ACTION_MASK, Deal, Hand, IllegalAction
from referee.rules.games.domino_a_carte import PassesHand
from referee.rules.line import NO_SPINNER, LineHand
from referee.rules.pieces import FRENCH_52, SPANISH_40, pieces_of
from referee.rules.registry import GAMES, resolve_options
from referee.rules.rows import RowsHand

EACH = {"domino-cartas": 5, "domino-a-carte": 13, "domino-duplas": 7}
SEVENS = ("7D", "7H", "7S", "7C")


def each(game: str, players: int) -> int:
    """How many pieces everybody gets."""
    return EACH.get(game, 9 if players == 2 else 7)


def dealt(game: str, hands: list[str], stock: str = "", *, dealer: int | None = None, **more: Any) -> Hand | None:
    """Deal hands given in part, filled up with pieces that are named nowhere, and the top of the stock.

    ``more``: ``leader``, ``seats``, and the game's options.
    """
    record = GAMES[game]
    order = order_of(game, hands, stock, dealer=dealer, seats=more.get("seats"))
    players = len(hands)
    seats = more.pop("seats", tuple(range(players)))
    leader = more.pop("leader", None)
    options = resolve_options(record, more)
    return record.deal(Deal(order, players, seats, players - 1 if dealer is None else dealer, options, leader))


def order_of(
    game: str, hands: list[str], stock: str = "", *, dealer: int | None = None, seats: tuple[int, ...] | None = None
) -> list[int]:
    """A deck order that deals such hands: piece by piece round the table, the dealer last."""
    deck = GAMES[game].deck
    players = len(hands)
    dealer = players - 1 if dealer is None else dealer
    table = [(dealer + 1 + i) % players for i in range(players)]
    table = [seat for seat in table if seats is None or seat in seats]
    named = {name for text in (*hands, stock) for name in text.split()}
    spare = [name for name in deck.names if name not in named]
    full = {seat: hands[seat].split() for seat in table}
    for names in full.values():
        while len(names) < each(game, len(table)):
            names.append(spare.pop(0))
    order = [full[seat][place] for place in range(each(game, len(table))) for seat in table]
    return [deck.piece(name) for name in order + stock.split() + spare]


def at(
    game: str,
    hands: list[str],
    moves: str = "",
    *,
    stock: str = "",
    seat: int = 0,
    passes: list[int] | None = None,
    **options: Any,
) -> Any:
    """A position: the seats made these moves by turns (comma between), it is ``seat``'s turn, and these hands are left.

    Pieces that are named nowhere are out of the game, so that an example need not speak of them.
    """
    deck = GAMES[game].deck
    players = len(hands)
    done = [move.strip() for move in moves.split(",") if move.strip()]
    first = (seat - len(done)) % players
    full = [deck.mask(text.split()) for text in hands]
    for number, move in enumerate(done):
        if move not in ("pass", "draw"):
            full[(first + number) % players] |= 1 << deck.piece(move.split()[0])
    values = resolve_options(GAMES[game], options)
    deal = Deal([], players, tuple(range(players)), players - 1, values)
    rest = [deck.piece(name) for name in reversed(stock.split())]
    hand: Any
    if deck == FRENCH_52:
        hand = PassesHand(deal, full, rest, first)
        hand.laid = deck.mask(SEVENS)
        hand.lay(hand.laid)
        for seven in SEVENS:
            hand.put(deck.piece(seven))
        hand.passes = passes or [0] * players
        hand.legal = (*hand.plays(full[first]), PASS)
    elif deck == SPANISH_40:
        hand = RowsHand(game, deck, deal, full, rest, first, int(values["opener"]) - 1)
        hand.legal = hand.plays(full[first])
    else:
        opens = str(values.get("spinner_opens", NO_SPINNER))
        hand = LineHand(game, deal, full, rest, first, opens)
        hand.legal = tuple(play(tile) for tile in pieces_of(full[first]))
    for move in done:
        act(hand, move)
    assert hand.result is not None or hand.seat == seat, "the moves lead to another seat"
    return hand


def act(hand: Any, *moves: str) -> Any:
    """Carry out actions of whoever's turn it is, and give the hand."""
    for move in moves:
        GAMES[hand.game].act(hand, parse_action(move, hand.deck))
    return hand


def legal(hand: Any) -> set[str]:
    """The legal actions in notation."""
    names = [format_action(action, hand.deck) for action in hand.legal]
    assert len(set(names)) == len(names), "an action twice"
    return set(names)


def texts(text: str) -> set[str]:
    """Actions with commas between them, as a set."""
    return {part.strip() for part in text.split(",") if part.strip()}


def holds(hand: Any, seat: int) -> set[str]:
    """What a seat holds, in notation."""
    return set(hand.deck.names_of(hand.hands[seat]))


def played(hand: Any) -> list[str]:
    """Every action so far in notation."""
    return [format_action(item & ACTION_MASK, hand.deck) for item in hand.history]


def snapshot(hand: Any) -> dict[str, Any]:
    """A deep copy of everything that a hand holds."""
    slots = [name for cls in type(hand).__mro__ for name in getattr(cls, "__slots__", ())]
    return {name: copy.deepcopy(getattr(hand, name)) for name in slots if name != "deck"}


def refused(hand: Any, move: str | int) -> IllegalAction:
    """The refusal of an action, which must change nothing."""
    before = snapshot(hand)
    action = move if isinstance(move, int) else parse_action(move, hand.deck)
    with pytest.raises(IllegalAction) as caught:
        GAMES[hand.game].act(hand, action)
    assert snapshot(hand) == before
    return caught.value
