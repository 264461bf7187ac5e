"""What a domino layout looks like after a play, worked out from a view."""

from __future__ import annotations

from typing import Final, NamedTuple

from referee.rules.actions import ARM_BITS, ARM_MASK, DOWN, LEFT, NO_ARM, RIGHT, UP
from referee.rules.game import NO_PIECE
from referee.rules.games.domino_belga import MULTIPLE
from referee.rules.line import CLOSED, FITTING, count_of
from referee.rules.pieces import DOUBLES, PIPS, TILES
from referee.rules.view import View

NO_SPINNER_GAME: Final = "domino-duplas"
SCORING_GAME: Final = "domino-belga"


class Layout(NamedTuple):
    """The ends of a layout.

    Attributes:
        ends: the number open on each arm, by arm.
        tips: the last tile on each arm, by arm.
        spinner: the first double played, in games that have a spinner.
    """

    ends: list[int]
    tips: list[int]
    spinner: int

    def fitting(self) -> int:
        """The set of tiles that fit an open end."""
        ends = self.ends
        return FITTING[ends[LEFT]] | FITTING[ends[RIGHT]] | FITTING[ends[UP]] | FITTING[ends[DOWN]]

    def scored(self) -> int:
        """The points that the layout scores in `domino-belga`: the sum of its ends, if that is a multiple of five."""
        total = count_of(self.ends, self.tips, self.spinner)
        return 0 if total % MULTIPLE else total


def layout_of(view: View) -> Layout:
    """The layout as it lies."""
    return Layout(view.ends, view.tips, view.spinner)


def after_play(before: Layout, action: int, has_spinner: bool) -> Layout:
    """The layout after a play.

    Whether a spinner's side arms open at once is an option that a view shows only once they did; until then, or until
    one of them is played on, they are taken to open when both long sides are covered.
    """
    tile = action >> ARM_BITS
    arm = action & ARM_MASK
    ends = before.ends.copy()
    tips = before.tips.copy()
    if arm == NO_ARM:
        ends[LEFT], ends[RIGHT] = TILES[tile]
        tips[LEFT] = tips[RIGHT] = tile
    else:
        if ends[arm] == CLOSED:
            ends[UP] = ends[DOWN] = PIPS[before.spinner] // 2
        ends[arm] = PIPS[tile] - ends[arm]
        tips[arm] = tile
    spinner = before.spinner
    if has_spinner:
        if spinner == NO_PIECE and DOUBLES >> tile & 1:
            spinner = tile
        if spinner != NO_PIECE and ends[UP] == CLOSED and spinner not in (tips[LEFT], tips[RIGHT]):
            ends[UP] = ends[DOWN] = PIPS[spinner] // 2
    return Layout(ends, tips, spinner)
