"""Dominó Belga: the classic game, in which ends that add up to a multiple of five score."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from referee.rules.actions import DRAW
from referee.rules.game import Deal, FormatSpec
from referee.rules.games import domino_classico
from referee.rules.games.domino_classico import result, tiles_each
from referee.rules.line import LineHand, count_of, deal_line, step

ID: Final = "domino-belga"
MULTIPLE: Final = 5


def deal(deal: Deal) -> LineHand | None:
    """As in `domino-classico`."""
    return deal_line(ID, deal, tiles_each(len(deal.seats)), str(deal.options["spinner_opens"]))


def act(hand: LineHand, action: int) -> None:
    """As in `domino-classico`; a play whose count is a positive multiple of five scores it at once."""
    seat = hand.seat
    end = step(hand, action)
    hand.scored = 0
    if action < DRAW:
        count = count_of(hand.ends, hand.tips, hand.spinner)
        if count % MULTIPLE == 0:
            hand.scored = count
            hand.points[seat] += count
    if end is not None:
        hand.finish(result(hand, end))


GAME: Final = replace(
    domino_classico.GAME,
    id=ID,
    title="Dominó Belga",
    source="Portuguese rules of Dominó Belga",
    formats=(FormatSpec("points", target=100, ending="first"),),
    deal=deal,
    act=act,
    scores_in_play=True,
)
