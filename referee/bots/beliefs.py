"""What is out, and who may hold it: the counting that separates an expert from a player of the own hand only.

A seat that had to draw or to pass held nothing that fitted. That holds for every piece it had then, and for none that
it drew later, so each seat's hand is kept as groups of pieces that came in together: a size, and the set of pieces
that the group may still consist of.
"""

from __future__ import annotations

from typing import Final

from referee.rules.actions import DRAW
from referee.rules.game import ACTION_MASK, SEAT_SHIFT
from referee.rules.pieces import pieces_of
from referee.rules.view import View

_ROUNDS: Final = 2
_LEAST: Final = 1e-6


class Group:
    """Pieces that one seat got at the same time.

    Attributes:
        size: how many are left of them, on average where a played piece may have come from several groups.
        may: the set of pieces that each of them may be.
    """

    __slots__ = ("may", "size")

    def __init__(self, size: float, may: int) -> None:
        self.size = size
        self.may = may


class Beliefs:
    """The groups of every other seat, as the history is read.

    Attributes:
        groups: the groups by seat.
        told: True once some group is known to lack something.
    """

    __slots__ = ("groups", "told")

    def __init__(self, view: View) -> None:
        dealt = view.counts.copy()
        for item in view.history:
            action = item & ACTION_MASK
            if action == DRAW:
                dealt[item >> SEAT_SHIFT] -= 1
            elif action < DRAW:
                dealt[item >> SEAT_SHIFT] += 1
        self.groups: list[list[Group]] = [[Group(size, -1)] for size in dealt]
        self.told = False

    def lacks(self, seat: int, pieces: int) -> None:
        """The seat holds none of these pieces now."""
        for group in self.groups[seat]:
            group.may &= ~pieces
        self.told = True

    def draws(self, seat: int) -> None:
        """The seat draws a piece that nobody else sees."""
        self.groups[seat].append(Group(1, -1))

    def plays(self, seat: int, piece: int, just_drawn: bool) -> None:
        """The seat plays a piece: the one just drawn, or one of any group that may hold it."""
        groups = self.groups[seat]
        if just_drawn:
            groups.pop()
            return
        sources = [group for group in groups if group.may >> piece & 1 and group.size > 0]
        total = sum(group.size for group in sources)
        for group in sources:
            group.size -= group.size / total

    def chances(self, view: View, unseen: int) -> list[list[float]]:
        """The chance that a seat holds a piece, by seat and piece; the stock has the last row.

        Only pieces of ``unseen`` can be held by others. The groups' sizes and each piece being in one place are made to
        agree by a few rounds of proportional fitting.
        """
        size = len(view.deck)
        rows = [[0.0] * size for _ in range(len(view.counts) + 1)]
        pieces = pieces_of(unseen)
        if not pieces:
            return rows
        if not self.told:
            for seat, count in enumerate([*view.counts, view.stock]):
                if seat != view.seat and count:
                    even = count / len(pieces)
                    row = rows[seat]
                    for piece in pieces:
                        row[piece] = even
            return rows
        fitted = self._fitted(view, unseen, pieces)
        for seat, cells in fitted:
            row = rows[seat]
            for piece, chance in cells.items():
                row[piece] += chance
        return rows

    def _fitted(self, view: View, unseen: int, pieces: list[int]) -> list[tuple[int, dict[int, float]]]:
        cells: list[tuple[int, float, dict[int, float]]] = []
        for seat, groups in enumerate(self.groups):
            if seat != view.seat:
                for group in groups:
                    may = group.may & unseen
                    if group.size > _LEAST and may:
                        even = group.size / may.bit_count()
                        cells.append((seat, group.size, dict.fromkeys(pieces_of(may), even)))
        if view.stock:
            cells.append((len(view.counts), float(view.stock), dict.fromkeys(pieces, view.stock / len(pieces))))
        for _ in range(_ROUNDS):
            sums = dict.fromkeys(pieces, 0.0)
            for _seat, _size, cell in cells:
                for piece, chance in cell.items():
                    sums[piece] += chance
            for _seat, size, cell in cells:
                scaled = 0.0
                for piece in cell:
                    cell[piece] /= sums[piece]
                    scaled += cell[piece]
                if scaled:
                    factor = size / scaled
                    for piece in cell:
                        cell[piece] *= factor
        return [(seat, cell) for seat, _size, cell in cells]
