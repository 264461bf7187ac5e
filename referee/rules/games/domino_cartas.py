"""Dominó de cartas: 40 Spanish cards, 2 to 8 players; with cuatrillo, cinquillo and seisillo as presets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from referee.rules.actions import ARM_BITS, DRAW, DRAW_ONLY, PASS, PASS_ONLY, play
from referee.rules.game import (
    NO_PIECE,
    SEAT_SHIFT,
    Deal,
    FormatSpec,
    Game,
    HandEnd,
    IllegalAction,
    Option,
    OptionValue,
    Result,
    deal_round,
)
from referee.rules.pieces import SPANISH_40, mask_of, pieces_of
from referee.rules.rows import RowsHand, refuse_play

ID: Final = "domino-cartas"
EACH: Final = 5
FIGURE_POINTS: Final = 8
_RANKS: Final = SPANISH_40.ranks

CARD_POINTS: Final[tuple[int, ...]] = tuple(
    rank + 1 if rank < 7 else FIGURE_POINTS for _ in range(SPANISH_40.suits) for rank in range(_RANKS)
)
"""The points of every card left in hand: 1 to 7 their number, figures 8."""


def points_of(cards: int) -> int:
    """The points of a set of cards left in hand."""
    return sum(CARD_POINTS[card] for card in pieces_of(cards))


def openers(options: Mapping[str, OptionValue]) -> int:
    """The set of the four cards that open a suit's row."""
    return mask_of(suit * _RANKS + int(options["opener"]) - 1 for suit in range(SPANISH_40.suits))


def deal(deal: Deal) -> RowsHand:
    """Five cards each, then further rounds of one until somebody holds an opener; its holder starts."""
    opener = int(deal.options["opener"]) - 1
    opening = openers(deal.options)
    of_oros = 1 << opener
    hands, stock = deal_round(deal, EACH)
    table = deal.round_table()
    while not any(hands[seat] & opening for seat in table):
        for seat in table[: len(stock)]:
            hands[seat] |= 1 << stock.pop()
    starter = next(
        (seat for seat in table if hands[seat] & of_oros),
        next(seat for seat in table if hands[seat] & opening),
    )
    hand = RowsHand(ID, SPANISH_40, deal, hands, stock, starter, opener)
    hand.legal = hand.plays(hands[starter] & (of_oros if hands[starter] & of_oros else opening))
    return hand


def act(hand: RowsHand, action: int) -> None:
    """Play a card; who cannot draws one and plays or keeps it; with no stock left, who cannot passes."""
    if action not in hand.legal:
        raise _refuse(hand, action)
    seat = hand.seat
    hands = hand.hands
    hand.history.append(seat << SEAT_SHIFT | action)
    if action == DRAW:
        card = hand.stock.pop()
        hand.drawn = card
        hands[seat] |= 1 << card
        hand.legal = (play(card), PASS) if hand.fits >> card & 1 else PASS_ONLY
        return
    if action != PASS:
        card = action >> ARM_BITS
        hands[seat] ^= 1 << card
        hand.put(card)
        if not hands[seat]:
            left = tuple(points_of(cards) for cards in hands)
            hand.finish(Result(HandEnd.OUT, winners=(seat,), points=left))
            return
    hand.drawn = NO_PIECE
    hand.seat = seat = hand.after[seat]
    hand.legal = hand.plays(hands[seat]) or (DRAW_ONLY if hand.stock else PASS_ONLY)


def _refuse(hand: RowsHand, action: int) -> IllegalAction:
    if action == DRAW:
        if hand.drawn != NO_PIECE:
            return hand.refusal("already_drew", "you drew in this turn", "one draw a turn")
        if hand.legal == PASS_ONLY:
            return hand.refusal("stock_empty", "the stock is empty", "who cannot play passes once the stock is empty")
        return hand.refusal("must_play", "`draw` while a card fits", "drawing is for those who cannot play")
    if action == PASS:
        if hand.legal == DRAW_ONLY:
            return hand.refusal("must_draw", "`pass` before drawing", "who cannot play draws while there is a stock")
        return hand.refusal("must_play", "`pass` while a card fits", "a player who can play must play")
    card = action >> ARM_BITS
    if not hand.history and hand.hands[hand.seat] >> card & 1:
        return hand.refusal(
            "opening_required",
            f"`{hand.deck.names[card]}` may not open this hand",
            "the first turn plays the opener of oros if the starter holds it, else an opener that the starter holds",
        )
    return refuse_play(hand, action)


GAME: Final = Game(
    id=ID,
    title="Dominó de cartas",
    source="Brazilian rules of Dominó de cartas, with Cuatrillo, Cinquillo and Seisillo",
    deck=SPANISH_40,
    players=(2, 3, 4, 5, 6, 7, 8),
    formats=(
        FormatSpec("single"),
        FormatSpec("best_of", hands=3),
        FormatSpec("best_of", hands=5),
        FormatSpec("points", target=100, ending="lowest"),
        FormatSpec("points", target=100, ending="eliminate"),
    ),
    deal=deal,
    act=act,
    options=(Option("opener", 7, (7, 4, 5, 6), "the rank that opens a suit's row"),),
    ends_dealing=openers,
    presets={"cuatrillo": {"opener": 4}, "cinquillo": {"opener": 5}, "seisillo": {"opener": 6}},
)
