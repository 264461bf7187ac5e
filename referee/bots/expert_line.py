"""The expert at the domino line: `domino-classico`, `domino-belga` and `domino-duplas`.

A play decides which numbers are open, and so who can go on. The expert counts the tiles that are out and remembers
who had to draw or pass at which numbers; it opens numbers that the next opponent probably lacks and that it (and its
partner) can follow, gets rid of doubles and heavy tiles early, sees when a play blocks the line and whether the block
would be won on pips, and where points are scored in play weighs the points of the play against the best answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import Final

from referee.bots.beliefs import Beliefs
from referee.bots.layout import NO_SPINNER_GAME, SCORING_GAME, Layout, after_play, layout_of
from referee.rules.actions import ARM_BITS, DRAW, LEFT
from referee.rules.game import ACTION_MASK, NO_PIECE, SEAT_SHIFT
from referee.rules.line import CLOSED, FITTING
from referee.rules.pieces import BEARING, DOUBLES, NUMBERS, PIPS, TILES, mask_of, pieces_of, pips_in
from referee.rules.view import View

_ALL: Final = (1 << len(TILES)) - 1
_LAST_TILE: Final = 1000.0


@dataclass(frozen=True, slots=True)
class Weights:
    """What a play is worth, in units of its own. Found by letting the bot play against earlier ones.

    Attributes:
        stuck: the chance that the next seat cannot play.
        draws: the tiles that the next seat then has to draw, on average.
        stuck_later: the chance that an opponent further on cannot play.
        partner_stuck: the chance that the partner cannot play.
        able: the own hand can play on the ends as they would be.
        follow: each own tile that fits them.
        kinds: each number that the own hand would still bear.
        pips: each pip of the tile.
        double: the tile is a double.
        control: the own share of the tiles still out of each open number.
        partner_fits: each tile of the partner that fits, by its chance.
        block: a block, from the chance of winning it less that of losing it.
        points: each point that the play scores.
        answer: each point of the next seat's best answer, on average.
        own_answer: each point of the best own play if the ends stayed so.
        empty: the last tile, where going out wins nothing by itself.
    """

    stuck: float = 0.0
    draws: float = 0.0
    stuck_later: float = 0.0
    partner_stuck: float = 0.0
    able: float = 0.0
    follow: float = 0.0
    kinds: float = 0.0
    pips: float = 0.0
    double: float = 0.0
    control: float = 0.0
    partner_fits: float = 0.0
    block: float = 0.0
    points: float = 0.0
    answer: float = 0.0
    own_answer: float = 0.0
    empty: float = _LAST_TILE


CLASSICO: Final = Weights(
    stuck=9.0,
    draws=0.3,
    stuck_later=3.0,
    able=1.1,
    follow=0.2,
    kinds=0.4,
    pips=-0.07,
    double=0.8,
    control=0.5,
    block=30.0,
)
BELGA: Final = Weights(
    stuck=0.5,
    able=0.5,
    follow=0.3,
    kinds=0.3,
    pips=0.0,
    double=0.3,
    control=0.1,
    points=1.0,
    answer=-0.8,
    own_answer=0.2,
    empty=0.0,
)
DUPLAS: Final = Weights(
    stuck=2.8,
    stuck_later=2.4,
    partner_stuck=-0.5,
    able=2.1,
    follow=0.3,
    kinds=0.4,
    pips=0.08,
    double=0.8,
    control=0.2,
    partner_fits=0.1,
    block=30.0,
)

WEIGHTS: Final = {"domino-classico": CLASSICO, "domino-belga": BELGA, "domino-duplas": DUPLAS}


class Table:
    """What the expert has worked out about a turn before it looks at single plays.

    Attributes:
        layout: the layout as it lies.
        has_spinner: the game has a spinner.
        unseen: the tiles that others or the stock hold.
        chances: the chance that a seat holds a tile, by seat and tile; the stock has the last row.
        following: the other seats in turn order from the next one.
        partner: the partner's seat, or -1.
    """

    __slots__ = ("chances", "following", "has_spinner", "layout", "partner", "unseen")

    def __init__(self, view: View) -> None:
        self.layout = layout_of(view)
        self.has_spinner = view.game != NO_SPINNER_GAME
        self.unseen = _ALL & ~(view.pieces | mask_of(view.table()))
        self.chances = _read(view, self.has_spinner).chances(view, self.unseen)
        place = view.seats.index(view.seat)
        self.following = (*view.seats[place + 1 :], *view.seats[:place])
        own_side = view.sides[view.seat]
        self.partner = next((seat for seat in self.following if view.sides[seat] == own_side), -1)


def worths(view: View, weights: Weights | None = None) -> list[float]:
    """The worth of every legal play; there is more than one."""
    weights = weights or WEIGHTS[view.game]
    table = Table(view)
    return [_worth(view, table, weights, action) for action in view.legal]


def _worth(view: View, table: Table, weights: Weights, action: int) -> float:
    tile = action >> ARM_BITS
    rest = view.pieces & ~(1 << tile)
    layout = after_play(table.layout, action, table.has_spinner)
    fitting = layout.fitting()
    worth = 0.0
    if view.game == SCORING_GAME:
        worth += weights.points * layout.scored()
    if not rest:
        return worth + weights.empty
    out = table.unseen & fitting
    following = rest & fitting
    if not view.stock and not out and not following:
        return worth + weights.block * _block(view, table, rest)
    chances = table.chances
    after = table.following
    out_tiles = pieces_of(out)
    for seat in after:
        row = chances[seat]
        stuck = 1.0
        for other in out_tiles:
            stuck *= 1.0 - min(row[other], 1.0)
        if seat == table.partner:
            worth += weights.partner_stuck * stuck
            worth += weights.partner_fits * sum(row[other] for other in out_tiles)
        elif seat == after[0]:
            worth += weights.stuck * stuck
            if view.stock:
                fit_in_stock = sum(chances[-1][other] for other in out_tiles)
                worth += weights.draws * stuck * (view.stock + 1) / (fit_in_stock + 1)
        else:
            worth += weights.stuck_later * stuck
    if following:
        worth += weights.able + weights.follow * following.bit_count()
    worth += weights.pips * PIPS[tile]
    if DOUBLES >> tile & 1:
        worth += weights.double
    for number in range(NUMBERS):
        if rest & BEARING[number]:
            worth += weights.kinds
    if weights.control:
        for number in {*layout.ends} - {CLOSED}:
            mine = (rest & BEARING[number]).bit_count()
            others = (table.unseen & BEARING[number]).bit_count()
            if mine:
                worth += weights.control * mine / (mine + others)
    if view.game == SCORING_GAME:
        worth += weights.answer * _answer(layout, out_tiles, chances[after[0]])
        worth += weights.own_answer * _best(layout, following)
    return worth


def _block(view: View, table: Table, rest: int) -> float:
    """The chance of winning a blocked hand less that of losing it, from -1 to 1, guessed from the pips expected."""
    pips = [0.0] * (max(view.sides) + 1)
    pips[view.sides[view.seat]] = float(pips_in(rest))
    for seat in table.following:
        row = table.chances[seat]
        pips[view.sides[seat]] += sum(row[tile] * PIPS[tile] for tile in pieces_of(table.unseen))
    own = pips[view.sides[view.seat]]
    lead = min(other for side, other in enumerate(pips) if side != view.sides[view.seat]) - own
    if len(view.seats) == 2:
        # The stock is empty, so the other hand is known: no guess is left.
        return float(lead > 0) - float(lead < 0)
    return 2 / (1 + exp(-lead / 4)) - 1


def _plays(layout: Layout, tile: int) -> list[int]:
    """The plays of a tile that fits, one for each end it fits."""
    return [tile << ARM_BITS | arm for arm in range(LEFT, 5) if FITTING[layout.ends[arm]] >> tile & 1]


def _scores(layout: Layout, tiles: list[int]) -> list[tuple[int, int]]:
    """The most that each tile would score, with the tile, most first."""
    found = [
        (max(after_play(layout, action, True).scored() for action in _plays(layout, tile)), tile) for tile in tiles
    ]
    found.sort(reverse=True)
    return found


def _best(layout: Layout, tiles: int) -> int:
    return max((score for score, _tile in _scores(layout, pieces_of(tiles))), default=0)


def _answer(layout: Layout, out: list[int], row: list[float]) -> float:
    """The points of the next seat's best answer, on average."""
    expected = 0.0
    none_better = 1.0
    for score, tile in _scores(layout, out):
        if not score:
            break
        chance = min(row[tile], 1.0)
        expected += none_better * chance * score
        none_better *= 1.0 - chance
    return expected


def _read(view: View, has_spinner: bool) -> Beliefs:
    """Who had to draw or pass at which numbers."""
    beliefs = Beliefs(view)
    layout = Layout([CLOSED] * 5, [NO_PIECE] * 5, NO_PIECE)
    just_drew = False
    for item in view.history:
        seat = item >> SEAT_SHIFT
        action = item & ACTION_MASK
        if action < DRAW:
            beliefs.plays(seat, action >> ARM_BITS, just_drew)
            layout = after_play(layout, action, has_spinner)
            just_drew = False
        else:
            beliefs.lacks(seat, layout.fitting())
            just_drew = action == DRAW
            if just_drew:
                beliefs.draws(seat)
    return beliefs
