"""Pieces and actions as messages."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final

from referee.rules.actions import ARM_BITS, ARM_MASK, ARM_NAMES, DRAW, PASS, format_action, play
from referee.rules.pieces import DOMINO_28, FRENCH_52, SPANISH_40, Deck
from referee.v1 import table_pb2

FIRST_PIECE: Final = {DOMINO_28.id: 1, SPANISH_40.id: 31, FRENCH_52.id: 71}
"""The number in the enum `Piece` of a deck's first piece; the others follow in canonical order."""

_DECKS: Final = {deck.id: deck for deck in (DOMINO_28, SPANISH_40, FRENCH_52)}


def piece_value(piece: int, deck: Deck) -> table_pb2.Piece.ValueType:
    """A piece as a value of the enum `Piece`."""
    return table_pb2.Piece.ValueType(piece + FIRST_PIECE[deck.id])


def piece_values(names: Iterable[str], deck: Deck) -> list[table_pb2.Piece.ValueType]:
    """Pieces by their notation, as values of the enum `Piece`."""
    first = FIRST_PIECE[deck.id]
    return [table_pb2.Piece.ValueType(deck.piece(name) + first) for name in names]


@cache
def action_message(action: int, deck_id: str) -> table_pb2.Action:
    """An action as a message, its notation beside it. It is shared: copy it, do not change it."""
    deck = _DECKS[deck_id]
    message = table_pb2.Action(notation=format_action(action, deck))
    if action == DRAW:
        message.draw.SetInParent()
    elif action == PASS:
        message.pass_turn.SetInParent()
    else:
        message.play.piece = piece_value(action >> ARM_BITS, deck)
        message.play.arm = table_pb2.Arm.ValueType(action & ARM_MASK)
    return message


@cache
def logged_action(kind: str, piece: str, arm: str, deck_id: str) -> table_pb2.Action:
    """An action as it stands in the log, as a shared message."""
    if kind == "play":
        return action_message(play(_DECKS[deck_id].piece(piece), ARM_NAMES.index(arm)), deck_id)
    return action_message(DRAW if kind == "draw" else PASS, deck_id)
