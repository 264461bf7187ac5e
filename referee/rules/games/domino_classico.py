"""Dominó Clássico: 28 tiles, 2 to 4 players, draw and block with a spinner."""

from __future__ import annotations

from typing import Final

from referee.rules.game import Deal, FormatSpec, Game, HandEnd, Option, Result
from referee.rules.line import AFTER_BOTH_SIDES, AT_ONCE, LineHand, deal_line, step
from referee.rules.pieces import DOMINO_28, pips_in

ID: Final = "domino-classico"

SPINNER_OPENS: Final = Option(
    "spinner_opens",
    AFTER_BOTH_SIDES,
    (AFTER_BOTH_SIDES, AT_ONCE),
    "when the two other sides of the first double played can be played on",
)


def tiles_each(players: int) -> int:
    """Nine tiles for two players, seven for three or four."""
    return 9 if players == 2 else 7


def deal(deal: Deal) -> LineHand | None:
    """Deal; the first hand opens with the highest double dealt, later ones with any tile of the last winner."""
    return deal_line(ID, deal, tiles_each(len(deal.seats)), str(deal.options["spinner_opens"]))


def act(hand: LineHand, action: int) -> None:
    """Play, draw until a tile fits, or pass; there are no points, only hands won."""
    end = step(hand, action)
    if end is not None:
        hand.finish(result(hand, end))


def result(hand: LineHand, end: HandEnd) -> Result:
    """Who won: who went out, or in a blocked hand who alone holds the fewest pips; else the hand is drawn."""
    points = tuple(hand.points)
    if end is HandEnd.OUT:
        return Result(end, winners=(hand.seat,), points=points, leader=hand.seat)
    pips = {seat: pips_in(hand.hands[seat]) for seat in hand.seats}
    fewest = min(pips.values())
    holders = tuple(seat for seat in hand.seats if pips[seat] == fewest)
    if len(holders) > 1:
        return Result(end, winners=(), points=points)
    return Result(end, winners=holders, points=points, leader=holders[0])


GAME: Final = Game(
    id=ID,
    title="Dominó Clássico",
    source="Portuguese rules of Dominó Clássico",
    deck=DOMINO_28,
    players=(2, 3, 4),
    formats=(FormatSpec("best_of", hands=5), FormatSpec("single")),
    deal=deal,
    act=act,
    options=(SPINNER_OPENS,),
)
