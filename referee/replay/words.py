"""The events of a match in words: names of seats, actions, results. Everything from outside is made harmless here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from rich.text import Text

from referee.cli.common import one_line, printable
from referee.match.events import Event, MatchSpec
from referee.replay.drawing import piece_text

_NAME: Final = 20
_DETAIL: Final = 160
_HOW: Final = {"forced": "forced", "timeout": "TIMEOUT", "forfeit": "stand-in"}
"""Who chose an action, where it was not the seat itself."""
_REASONS: Final = {
    "out": "went out",
    "blocked": "blocked",
    "last_player": "one player left",
    "target": "reached the target",
}
_STAMPS: Final = frozenset({"event", "seq", "ts", "prev", "hash", "hand", "turn", "seat"})
PLAIN: Final = frozenset({"seat_joined", "seat_ready", "seat_left"})
"""Events of an ordinary match, of which nobody needs to be told."""


def clipped(text: str, most: int) -> str:
    """Text from outside, harmless and not longer than ``most``."""
    shown = one_line(text)
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def seat_name(spec: MatchSpec, seat: int) -> str:
    """A seat's player; with the seat's number where the name alone does not tell: bots choose their names."""
    names = [clipped(name, _NAME) for name in spec.names]
    return names[seat] if names.count(names[seat]) == 1 else f"{seat} {names[seat]}"


def side_name(spec: MatchSpec, side: int) -> str:
    """A side by its seats."""
    sides = spec.game.sides(len(spec.names))
    return " + ".join(seat_name(spec, seat) for seat, one in enumerate(sides) if one == side)


def action_text(spec: MatchSpec, event: Event) -> Text:
    """An action, such as ``6-5 left``, ``draw 3-1``, ``pass``."""
    deck, action = spec.game.deck, event["action"]
    if action["type"] == "play":
        text = piece_text(deck, action["piece"])
        return text.append(f" {action['arm']}", "default") if "arm" in action else text
    if action["type"] == "draw":
        return Text("draw ", "dim") + piece_text(deck, event["drawn"]) if "drawn" in event else Text("draw", "dim")
    if event.get("laid"):
        return Text("pass, lost: lays ", "red") + Text(" ").join(piece_text(deck, card) for card in event["laid"])
    return Text("pass", "dim")


def scored_text(event: Event) -> Text:
    """The points that an action scored."""
    return Text(f"+{event['scored']}", "bold green") if event.get("scored") else Text()


def how(event: Event) -> Text:
    """The time that an action took, and who chose it if not the seat itself."""
    parts = []
    if event["by"] in ("bot", "timeout"):
        parts.append(Text(f"{duration(event['took_ms']):>6}", "dim"))
    if event["by"] in _HOW:
        parts.append(Text(_HOW[event["by"]], "dim" if event["by"] == "forced" else "bold red"))
    return Text(" ").join(parts)


def duration(ms: int) -> str:
    """A time a person can read."""
    return f"{ms} ms" if ms < 1000 else f"{ms / 1000:.1f} s"


def noted(spec: MatchSpec, event: Event) -> Text:
    """An event that the rules do not know, such as a refused answer, a fault, a seat that forfeited."""
    text = Text()
    seat = event.get("seat")
    if type(seat) is int and 0 <= seat < len(spec.names):
        text.append(f"{seat_name(spec, seat)}: ")
    text.append(clipped(str(event["event"]), 40), "red")
    if "turn" in event:
        text.append(f" in turn {clipped(str(event['turn']), 12)}")
    details = [f"{key} {value}" for key, value in event.items() if key not in _STAMPS and _simple(value)]
    if details:
        text.append(": " + ", ".join(clipped(detail, _DETAIL) for detail in details))
    return text


def _simple(value: Any) -> bool:
    return isinstance(value, (str, int)) and value != ""


def result_line(spec: MatchSpec, event: Event) -> Text:
    """How a hand ended."""
    reason = _REASONS.get(event["reason"], printable(str(event["reason"])))
    winners = " and ".join(seat_name(spec, seat) for seat in event["winners"])
    text = Text.assemble(
        ("Hand over", "bold"), f", {reason}: ", (f"{winners} won" if winners else "nobody won", "bold")
    )
    if any(event["points"]):
        text.append(f"; points {by_side(spec, event['points'])}")
    return text


def by_side(spec: MatchSpec, values: Sequence[int]) -> str:
    """A number a side."""
    return ", ".join(f"{side_name(spec, side)} {value}" for side, value in enumerate(values))
