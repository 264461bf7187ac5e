"""A deck order that deals the hands of a log, for a log whose seed is not known yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.match.events import LogFault
from referee.rules.game import Game, OptionValue
from referee.rules.pieces import NotationError


def reconstructed_order(
    game: Game,
    options: Mapping[str, OptionValue],
    event: Mapping[str, Any],
    seats: tuple[int, ...],
    dealer: int,
) -> list[int]:
    """An order of the whole deck that deals what a `hand_started` event says.

    Which of a seat's pieces came first cannot be seen from the event and does not matter, but for two things: the
    pieces laid by the deal must come from the hands that are short of them, the first to the starter; and pieces that
    would have ended the dealing sooner (the openers of `domino-cartas`) must have come last.

    Raises:
        LogFault: the event's pieces are not the whole deck, or no deal gives such hands.
    """
    deck = game.deck
    try:
        hands = {seat: [deck.piece(name) for name in event["hands"][seat]] for seat in seats}
        stock = [deck.piece(name) for name in event["stock"]]
        laid = sorted(deck.piece(name) for name in event["laid"])
        starter = event["starter"]
        full = (len(deck) - len(stock)) // len(seats)
        if laid and starter in hands:
            hands[starter].insert(0, laid.pop(0))
        for seat in seats:
            while laid and len(hands[seat]) < full:
                hands[seat].insert(0, laid.pop())
    except (KeyError, TypeError, NotationError, IndexError) as error:
        raise LogFault(f"hand_started: {type(error).__name__}: {error}") from None
    everything = sorted(stock + laid + [piece for pieces in hands.values() for piece in pieces])
    if everything != list(range(len(deck))):
        raise LogFault("hand_started: hands, stock and laid pieces are not the whole deck, each piece once")
    late = game.ends_dealing(options)
    for pieces in hands.values():
        pieces.sort(key=lambda piece: late >> piece & 1)
    first = next((place for place, seat in enumerate(seats) if seat > dealer), 0)
    table = [*seats[first:], *seats[:first]]
    most = max(len(pieces) for pieces in hands.values())
    order = [hands[seat][turn] for turn in range(most) for seat in table if turn < len(hands[seat])]
    return order + stock
