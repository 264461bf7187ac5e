"""The medium bot: looks at its own hand, and plays what keeps it able to play."""

from __future__ import annotations

from collections.abc import Callable

from referee.bots.chance import chance
from referee.bots.layout import NO_SPINNER_GAME, SCORING_GAME, after_play, layout_of
from referee.bots.ways import way_of
from referee.rules.actions import ARM_BITS, PASS
from referee.rules.game import NO_PIECE
from referee.rules.pieces import DOUBLES, PIPS
from referee.rules.view import View


def make(text: str) -> Callable[[View], int]:
    """A medium bot: the play with the best mark for its own hand; among equals, any.

    What others may hold does not enter into it; that is what the expert does better.
    """
    below = chance(text)

    def choose(view: View) -> int:
        legal = view.legal
        if len(legal) == 1:
            return legal[0]
        mark = _card_mark if view.deck.suits > 1 else _tile_mark
        marks = [mark(view, action) for action in legal]
        most = max(marks)
        best = [action for action, found in zip(legal, marks, strict=True) if found == most]
        return best[0] if len(best) == 1 else best[below(view, len(best))]

    return choose


def _tile_mark(view: View, action: int) -> int:
    """How good a tile is to play: own tiles that fit afterwards, then doubles and heavy tiles first.

    Whoever can follow the own play is not made to draw or pass. Doubles fit one number only and heavy tiles cost a
    blocked hand, so both had better go early. Where points are scored in play, they come before all that.
    """
    tile = action >> ARM_BITS
    layout = after_play(layout_of(view), action, view.game != NO_SPINNER_GAME)
    rest = view.pieces & ~(1 << tile)
    following = (rest & layout.fitting()).bit_count()
    mark = 12 * following + PIPS[tile] + (12 if DOUBLES >> tile & 1 else 0)
    return mark + 12 * layout.scored() if view.game == SCORING_GAME else mark


def _card_mark(view: View, action: int) -> int:
    """How good a card is to play: own cards that it brings nearer, the next one above all.

    A card of one's own that lies behind the played one can be played only after it. A card that lets others
    on and nobody else can wait, even one just drawn; but a pass that is counted is never spent while a card fits.
    """
    if action == PASS:
        return -1 if view.drawn != NO_PIECE else -3
    way = way_of(view, action >> ARM_BITS)
    mine = [bool(view.pieces >> card & 1) for card in way]
    if not mine:
        return 0
    return 2 * sum(mine) + (3 if mine[0] else -2)
