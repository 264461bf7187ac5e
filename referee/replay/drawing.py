"""The table drawn with characters: the domino line with its side arms, card rows, pieces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rich.text import Text

from referee.replay.table import Table, Tile
from referee.rules.pieces import Deck, pieces_of

SUIT_STYLES: Final = {
    "D": "red",
    "H": "red",
    "S": "",
    "C": "",
    "O": "yellow",
    "E": "blue",
    "B": "green",
}
"""The colour of a suit by its letter. ``C`` is clubs; the Spanish copas are told apart by their deck."""
SYMBOLS: Final = {"D": "♦", "H": "♥", "S": "♠", "C": "♣"}
LAST: Final = "bold reverse"
"""The style of what came last."""
SPINNER: Final = "bold yellow"
_DIM: Final = "dim"

_PLAIN: Final = ("┌", "┐", "├─┤", "└", "┘")
_DOUBLE: Final = ("╔", "╗", "╠═╣", "╚", "╝")
ASCII: Final = str.maketrans("┌┐└┘├┤─│╔╗╚╝╠╣═·…×→", "....||-|****##=..x>") | {
    ord("♦"): "D",
    ord("♥"): "H",
    ord("♠"): "S",
    ord("♣"): "C",
}
"""What stands in for the drawing's characters where the terminal has none."""


def suit_style(deck: Deck, suit: str) -> str:
    """The colour of a suit."""
    return "red" if suit == "C" and deck.id == "spanish-40" else SUIT_STYLES[suit]


def piece_text(deck: Deck, piece: str) -> Text:
    """A piece as a person reads it: ``6-5``, ``7♦``, ``12E``, in its suit's colour."""
    if deck.suits == 1:
        return Text(piece)
    rank, suit = piece[:-1], piece[-1]
    symbol = suit if deck.id == "spanish-40" else SYMBOLS[suit]
    return Text(rank + symbol, suit_style(deck, suit))


def pieces_text(deck: Deck, pieces: Iterable[str]) -> Text:
    """Pieces with blanks between them, tiles in brackets."""
    return Text(" ").join(piece_text(deck, piece) for piece in pieces)


def table_drawing(table: Table, width: int) -> list[Text]:
    """The table, in lines that are not wider than ``width``."""
    if table.deck.suits > 1:
        return card_rows(table)
    return domino_line(table, width)


class _Canvas:
    """A rectangle of characters with styles."""

    def __init__(self, height: int, width: int) -> None:
        self.rows = [[(" ", "")] * width for _ in range(height)]

    def put(self, row: int, column: int, text: str, style: str) -> None:
        for place, char in enumerate(text):
            self.rows[row][column + place] = (char, style)

    def lines(self) -> list[Text]:
        return [Text.assemble(*row) for row in self.rows]


def _along(canvas: _Canvas, row: int, column: int, left: str, right: str, style: str) -> None:
    """A tile that lies along the line: five characters in one row."""
    canvas.put(row, column, f"[{left}|{right}]", style)


def _across(canvas: _Canvas, row: int, column: int, upper: str, lower: str, style: str, spinner: bool = False) -> None:
    """A tile that stands on end: three characters in three rows."""
    a, b, bar, c, d = _DOUBLE if spinner else _PLAIN
    canvas.put(row, column, f"{a}{upper}{b}", style)
    canvas.put(row + 1, column, bar, style)
    canvas.put(row + 2, column, f"{c}{lower}{d}", style)


def domino_line(table: Table, width: int) -> list[Text]:
    """The line from left to right, wrapped where it is too long; doubles across, the arms above and below the spinner.

    A line that goes on has dots at the break; the part that holds the spinner is as tall as its arms.
    """
    room = max(width - 6, 9)
    parts: list[list[Tile]] = [[]]
    used = 0
    for tile in table.line:
        size = 3 if tile.double else 5
        if used + size > room:
            parts.append([])
            used = 0
        parts[-1].append(tile)
        used += size
    lines: list[Text] = []
    for number, part in enumerate(parts):
        if part:
            lines += _part(table, part, number > 0, number < len(parts) - 1)
    return lines


def _height(tiles: tuple[Tile, ...]) -> int:
    return sum(1 if tile.double else 3 for tile in tiles)


def _part(table: Table, tiles: list[Tile], more_left: bool, more_right: bool) -> list[Text]:
    holds_spinner = any(tile.piece == table.spinner for tile in tiles)
    above = _height(table.up) if holds_spinner else 0
    below = _height(table.down) if holds_spinner else 0
    flat = not above and not below and not any(tile.double for tile in tiles)
    middle = 0 if flat else above + 1
    size = sum(3 if tile.double else 5 for tile in tiles)
    canvas = _Canvas(1 if flat else above + 3 + below, size + 4)
    column = 2
    if more_left:
        canvas.put(middle, 0, "…", _DIM)
    for tile in tiles:
        spinner = tile.piece == table.spinner
        style = LAST if tile.piece in table.last else SPINNER if spinner else ""
        if tile.double:
            _across(canvas, middle - 1, column, tile.near, tile.far, style, spinner)
            if spinner:
                _arms(canvas, table, middle, column)
            column += 3
        else:
            _along(canvas, middle, column, tile.near, tile.far, style)
            column += 5
    if more_right:
        canvas.put(middle, column + 1, "…", _DIM)
    return canvas.lines()


def _arms(canvas: _Canvas, table: Table, middle: int, column: int) -> None:
    """The side arms, from the spinner outwards. A double lies across its arm."""
    row = middle - 1
    for tile in table.up:
        style = LAST if tile.piece in table.last else ""
        if tile.double:
            row -= 1
            _along(canvas, row, column - 1, tile.near, tile.far, style)
        else:
            row -= 3
            _across(canvas, row, column, tile.far, tile.near, style)
    row = middle + 2
    for tile in table.down:
        style = LAST if tile.piece in table.last else ""
        if tile.double:
            _along(canvas, row, column - 1, tile.near, tile.far, style)
            row += 1
        else:
            _across(canvas, row, column, tile.near, tile.far, style)
            row += 3


def card_rows(table: Table) -> list[Text]:
    """A row a suit, every rank at its own place: cards that touch are joined, a place without a card is a dot."""
    deck = table.deck
    lying = deck.mask(table.cards)
    lines = []
    for suit, name in enumerate(deck.suit_names):
        first = suit * deck.ranks
        letter = deck.names[first][-1]
        style = suit_style(deck, letter)
        symbol = letter if deck.id == "spanish-40" else SYMBOLS[letter]
        line = Text.assemble((f"{symbol} ", f"bold {style}".strip()), (f"{name:<9}", style))
        row = lying >> first
        for rank in range(deck.ranks):
            piece = deck.names[first + rank]
            here, beyond = row >> rank & 1, row >> (rank + 1) & 1 and rank + 1 < deck.ranks
            shown = f"{piece[:-1]}" if here else "·"
            line.append(shown, _DIM if not here else LAST if piece in table.last else f"bold {style}".strip())
            if rank + 1 < deck.ranks:
                joint = "─" if here and beyond else " "
                line.append(joint * (3 - len(shown)), style if here else _DIM)
        lines.append(line)
    return lines


def in_order(deck: Deck, pieces: Iterable[str]) -> list[str]:
    """Pieces in the order of their deck."""
    return [deck.names[piece] for piece in pieces_of(deck.mask(pieces))]
