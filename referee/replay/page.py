"""A match as one HTML page that needs nothing else: ``page.html``, ``page.css``, ``page.js`` and the frames as JSON.

What the viewer could not see never reaches the page: it is made from a `Story`, which does not hold it.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, Final

from referee.match.events import Event, MatchSpec
from referee.replay.drawing import SYMBOLS, in_order
from referee.replay.story import Frame, Story, worth_telling
from referee.replay.table import Table, Tile
from referee.replay.words import (
    action_text,
    by_side,
    clipped,
    how,
    noted,
    result_line,
    scored_text,
    seat_name,
    side_name,
)
from referee.rules.games import domino_a_carte

_PLACE: Final = re.compile(r"\{\{(\w+)\}\}")
_IN_SCRIPT: Final = {
    ord("<"): "\\u003c",
    ord(">"): "\\u003e",
    ord("&"): "\\u0026",
    0x2028: "\\u2028",
    0x2029: "\\u2029",
}


def page(story: Story, hand: int | None = None, turn: int | None = None) -> str:
    """The page of a match.

    Args:
        story: the match, as everybody or as one seat could see it.
        hand: only this hand; None: every hand.
        turn: the turn that is shown first; None: the beginning.
    """
    data = page_data(story, hand, turn)
    parts = {"title": html.escape(data["title"]), "data": in_script(data)} | page_parts()
    return fill(parts.pop("page"), parts)


def page_data(story: Story, hand: int | None = None, turn: int | None = None) -> dict[str, Any]:
    """What the page of a match shows, as its script reads it; the arguments are those of `page`."""
    spec = story.spec
    frames = [frame for frame in worth_telling(story.frames) if hand is None or frame.table.hand == hand]
    start = next((place for place, frame in enumerate(frames) if turn is not None and frame.turn == turn), 0)
    return {
        **_facts(story),
        "title": f"{spec.game.title}: match {clipped(spec.id, 64)}",
        "start": start,
        "frames": _deltas([_frame(spec, frame) for frame in frames]),
    }


def page_parts() -> dict[str, str]:
    """What is the same on the page of every match: ``page``, with places for the rest, ``style`` and ``script``."""
    return {"page": _part("page.html"), "style": _part("page.css"), "script": _part("page.js")}


def fill(template: str, parts: Mapping[str, str]) -> str:
    """A template with its ``{{places}}`` filled, in one pass: nothing that is filled in is taken for a place."""
    return _PLACE.sub(lambda place: parts[place[1]], template)


def _part(name: str) -> str:
    """A file of the template."""
    return files("referee.replay").joinpath(name).read_text(encoding="utf-8")


def in_script(data: Any) -> str:
    """JSON that may stand in a script element: no text in it can end the element."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(_IN_SCRIPT)


def _facts(story: Story) -> dict[str, Any]:
    spec = story.spec
    deck = spec.game.deck
    sides = spec.game.sides(len(spec.names))
    parameters = spec.format.parameters()
    rules = [f"{key} {str(value).lower()}" for key, value in spec.options.items()]
    suits = []
    for suit, name in enumerate(deck.suit_names):
        letter = deck.names[suit * deck.ranks][-1]
        symbol = letter if deck.id == "spanish-40" else SYMBOLS[letter]
        suits.append({"letter": letter, "symbol": symbol, "name": name})
    return {
        "deck": deck.id,
        "suits": suits,
        "ranks": [name[:-1] for name in deck.names[: deck.ranks]] if suits else [],
        "facts": [" ".join(str(value) for key, value in parameters.items() if key != "max_hands"), *rules],
        "begun": clipped(str(story.opening.get("ts")), 40),
        "seats": [
            {"name": clipped(name, 40), "side": sides[seat] if spec.game.pairs else None}
            for seat, name in enumerate(spec.names)
        ],
        "viewer": story.viewer,
        "running": story.ended is None,
        "passes": spec.game.id == domino_a_carte.ID,
    }


def _frame(spec: MatchSpec, frame: Frame) -> dict[str, Any]:
    return {
        **_said(spec, frame),
        **_table(frame.table),
        "turn": frame.turn,
        "next": frame.next,
        "count": _count(spec, frame.table),
    }


def _said(spec: MatchSpec, frame: Frame) -> dict[str, Any]:
    """What a frame says; ``more`` is for the seat itself only."""
    event = frame.event
    kind = event["event"]
    said = {"kind": "note", "seat": None, "who": "", "did": "", "more": "", "how": ""}
    if kind == "action":
        seat = event["seat"]
        drawn = event.get("drawn", "")
        did = "draw" if event["action"]["type"] == "draw" else action_text(spec, event).plain
        extra = f"{scored_text(event).plain} {how(event).plain}".strip()
        return said | {
            "kind": "turn",
            "seat": seat,
            "who": seat_name(spec, seat),
            "did": did,
            "more": drawn,
            "how": extra,
        }
    if kind == "hand_started":
        dealt = f"dealt by {seat_name(spec, event['dealer'])}; {seat_name(spec, event['starter'])} starts"
        return said | {"kind": "deal", "did": f"Hand {event['hand']}: {dealt}"}
    if kind == "hand_ended":
        return said | {"kind": "over", "did": result_line(spec, event).plain}
    if kind == "match_ended":
        return said | {"kind": "end", "did": f"End of the match: {_places(spec, event)}"}
    seat = event.get("seat")
    return said | {"seat": seat, "did": str(kind), "more": noted(spec, event, frame.noted_turn).plain}


def _places(spec: MatchSpec, event: Event) -> str:
    order = sorted(range(len(event["places"])), key=lambda side: (event["places"][side], side))
    return ", ".join(f"{event['places'][side]}. {side_name(spec, side)} ({event['totals'][side]})" for side in order)


def _table(table: Table) -> dict[str, Any]:
    deck = table.deck
    shown: dict[str, Any] = {
        "hand": table.hand,
        "stock": table.stock,
        "last": list(table.last),
        "over": table.result is not None,
        "passes": list(table.passes),
        "hands": {
            str(seat): {
                "pieces": None if pieces is None else in_order(deck, pieces),
                "count": table.counts[seat],
            }
            for seat, pieces in enumerate(table.hands)
        },
    }
    if deck.suits > 1:
        return shown | {"cards": list(table.cards)}
    return shown | {
        "line": _tiles(table.line),
        "up": _tiles(table.up),
        "down": _tiles(table.down),
        "spinner": table.spinner,
        "ends": table.open_ends(),
    }


def _tiles(tiles: Sequence[Tile]) -> list[list[str]]:
    return [[tile.piece, tile.near, tile.far] for tile in tiles]


def _count(spec: MatchSpec, table: Table) -> str:
    unit = "hands won" if spec.format.kind in ("single", "best_of") else "points"
    total = f"{unit}: {by_side(spec, table.totals)}"
    if spec.game.scores_in_play and table.result is None:
        return f"scored in this hand: {by_side(spec, table.points)}; {total}"
    return total


def _deltas(frames: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The frames, each with only what differs from the one before: of the hands too."""
    found = []
    before: Mapping[str, Any] = {"hands": {}}
    for frame in frames:
        delta = {key: value for key, value in frame.items() if key not in before or before[key] != value}
        hands = {seat: held for seat, held in frame["hands"].items() if before["hands"].get(seat) != held}
        delta.pop("hands", None)
        found.append({**delta, "hands": hands} if hands else delta)
        before = frame
    return found
