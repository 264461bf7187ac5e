"""The events of a match in words: names of seats, actions, results. Everything from outside is made harmless here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from rich.text import Text

from referee.cli.common import one_line, printable
from referee.match.events import Event, MatchSpec
from referee.replay.drawing import piece_text

_NAME: Final = 20
_TABLES: Final = 64
"""So many tables' names are kept at hand: they are needed for every event."""
_DETAIL: Final = 400
_GIVEN: Final = 60
_HOW: Final = {"forced": "forced", "timeout": "TIMEOUT", "forfeit": "stand-in"}
"""Who chose an action, where it was not the seat itself."""
_REMEDIES: Final = {"ask_again": "asked again", "stand_in": "the stand-in plays this turn", "forfeit": "out"}
_REASONS: Final = {
    "out": "went out",
    "blocked": "blocked",
    "last_player": "one player left",
    "target": "reached the target",
}
_STAMPS: Final = frozenset({"event", "seq", "ts", "prev", "hash", "hand", "turn", "seat"})
PLAIN: Final = frozenset({"seat_joined", "seat_ready", "seat_left", "seed_revealed"})
"""Events of an ordinary match, of which nobody needs to be told where they stand."""


def clipped(text: str, most: int) -> str:
    """Text from outside, harmless and not longer than ``most``."""
    shown = one_line(text)
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def seat_name(spec: MatchSpec, seat: int) -> str:
    """A seat's player; with the seat's number where the name alone does not tell: bots choose their names."""
    return _seat_names(spec.names)[seat]


def side_name(spec: MatchSpec, side: int) -> str:
    """A side by its seats."""
    return _side_names(spec.names, spec.game.sides(len(spec.names)))[side]


@lru_cache(_TABLES)
def _seat_names(names: tuple[str, ...]) -> Sequence[str]:
    shown = [clipped(name, _NAME) for name in names]
    return [one if shown.count(one) == 1 else f"{seat} {one}" for seat, one in enumerate(shown)]


@lru_cache(_TABLES)
def _side_names(names: tuple[str, ...], sides: tuple[int, ...]) -> Sequence[str]:
    seats = _seat_names(names)
    return [" + ".join(seats[seat] for seat, one in enumerate(sides) if one == side) for side in range(max(sides) + 1)]


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


def noted(spec: MatchSpec, event: Event, turn: int | None = None) -> Text:
    """An event that the rules do not know, such as a refused answer, a fault, a seat that forfeited.

    Args:
        spec: what the match is.
        event: the event, perhaps without what the viewer could not see.
        turn: the turn that it belongs to, if any.
    """
    text = Text() if turn is None else Text(f"turn {clipped(str(turn), 12)}, ")
    seat = event.get("seat")
    if type(seat) is int and 0 <= seat < len(spec.names):
        text.append(f"{seat_name(spec, seat)}: ")
    tell = _NOTED.get(event["event"])
    return text.append(tell(event)) if tell is not None else text.append(_further(event))


def _rejected(event: Event) -> Text:
    """A refused answer: what was given, once, and why."""
    text = Text("refused", "red")
    if "code" in event:
        text.append(f" ({clipped(str(event['code']), 40)})")
    given, message = str(event.get("given", "")), str(event.get("message", ""))
    if given and given not in message:
        text.append(f" `{clipped(given, _GIVEN)}`")
    return text.append(f": {clipped(message, _DETAIL)}") if message else text


def _fault(event: Event) -> Text:
    """A fault: what, the how manieth, and what follows."""
    text = Text(clipped(str(event["kind"]), 40).replace("_", " "), "red")
    if event.get("count", 1) != 1:
        text.append(f", {clipped(str(event['count']), 12)} times by now")
    if event.get("detail"):
        text.append(f": {clipped(str(event['detail']), _DETAIL)}")
    remedy = str(event.get("remedy", ""))
    return text.append(f"; {_REMEDIES.get(remedy, clipped(remedy, 40))}") if remedy else text


def _forfeited(event: Event) -> Text:
    text = Text("forfeited", "bold red")
    return text.append(f": {clipped(str(event['cause']), 40).replace('_', ' ')}") if "cause" in event else text


def _further(event: Event) -> Text:
    """Any other event: its name and its fields."""
    text = Text(clipped(str(event["event"]), 40), "red")
    details = [f"{key} {value}" for key, value in event.items() if key not in _STAMPS and _simple(value)]
    return text.append(": " + ", ".join(clipped(detail, _DETAIL) for detail in details)) if details else text


_NOTED: Final[Mapping[str, Callable[[Event], Text]]] = {
    "rejected": _rejected,
    "fault": _fault,
    "forfeited": _forfeited,
}


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
