"""Dominó em duplas: the Brazilian pairs game, 28 tiles, 4 players, block without a stock."""

from __future__ import annotations

from typing import Final

from referee.rules.actions import DRAW
from referee.rules.game import (
    ACTION_MASK,
    SEAT_SHIFT,
    Deal,
    FormatSpec,
    Game,
    HandEnd,
    Result,
)
from referee.rules.line import NO_SPINNER, LineHand, deal_line, step
from referee.rules.pieces import DOMINO_28, pips_in

ID: Final = "domino-duplas"
_EACH: Final = 7


def deal(deal: Deal) -> LineHand | None:
    """Seven tiles each; the first hand opens with the 6-6, later ones with any tile of their starter."""
    return deal_line(ID, deal, _EACH, NO_SPINNER)


def act(hand: LineHand, action: int) -> None:
    """Play if able, else pass."""
    if action == DRAW:
        raise hand.refusal("no_draw", "there is no stock", "all tiles are dealt; a turn is a tile or a pass")
    end = step(hand, action)
    if end is not None:
        hand.finish(_result(hand, end))


def _result(hand: LineHand, end: HandEnd) -> Result:
    hands = hand.hands
    pair = hand.seat % 2
    if end is HandEnd.OUT:
        winner, leader = pair, hand.seat
        score = pips_in(hands[1 - pair]) + pips_in(hands[3 - pair])
    else:
        pips = (pips_in(hands[0]) + pips_in(hands[2]), pips_in(hands[1]) + pips_in(hands[3]))
        # Equal pips: the pair that locked the table, by playing the last tile, loses.
        winner = 1 - pair if pips[0] == pips[1] else pips.index(min(pips))
        score = pips[1 - winner]
        leader = _last_to_play(hand, winner)
    points = (score, 0) if winner == 0 else (0, score)
    return Result(end, winners=(winner, winner + 2), points=points, leader=leader)


def _last_to_play(hand: LineHand, pair: int) -> int:
    """The seat of a pair that made its last play; if it laid no tile, its first seat after the one that locked."""
    for item in reversed(hand.history):
        if item & ACTION_MASK < DRAW and (item >> SEAT_SHIFT) % 2 == pair:
            return item >> SEAT_SHIFT
    return hand.after[hand.seat]


GAME: Final = Game(
    id=ID,
    title="Dominó em duplas",
    source="Brazilian rules of dominó em duplas",
    deck=DOMINO_28,
    players=(4,),
    formats=(FormatSpec("points", target=50, ending="first"), FormatSpec("single")),
    deal=deal,
    act=act,
    pairs=True,
    passes_itself=True,
    direction="anticlockwise",
)
