"""Logs changed after the fact, with a hash chain that is whole again: the forger's way."""

import copy
import hashlib
import json
import random
from functools import cache
from pathlib import Path
from typing import Any

from referee.match.log import LogError, canonical
from referee.match.verify import verify
from support.matches import at_random, log_of, new_match

Events = list[dict[str, Any]]

MATCHES = {
    "cartas": ("domino-cartas", 3, {"kind": "points", "target": 15, "ending": "eliminate"}),
    "cartas-8": ("domino-cartas", 8, None),
    "a-carte": ("domino-a-carte", 4, {"kind": "hands", "hands": 2}),
    "classico-2": ("domino-classico", 2, {"kind": "best_of", "hands": 3}),
    "classico-4": ("domino-classico", 4, {"kind": "best_of", "hands": 3}),
    "belga": ("domino-belga", 2, {"target": 60}),
    "duplas": ("domino-duplas", 4, {"target": 30}),
}
"""Matches whose logs are changed in tests: their game, players and format."""


def places_of(events: Events, kind: str) -> list[int]:
    """Where the events of a kind stand."""
    return [place for place, event in enumerate(events) if event["event"] == kind]


def fault_in(path: Path, seed: bytes | None = None) -> LogError | None:
    """Why a log is refused; None if it is accepted."""
    try:
        verify(path, seed)
    except LogError as error:
        return error
    return None


@cache
def _honest(game: str, players: int, number: int, withheld: bool, form: str, options: str) -> str:
    source = random.Random(f"{game} {players} {number}")
    match = new_match(
        game, players, source.randbytes(32), format=json.loads(form), withheld=withheld, **json.loads(options)
    )
    return log_of(match, at_random(source)).decode()


def honest(
    game: str, players: int, number: int = 0, *, withheld: bool = False, form: Any = None, **options: Any
) -> Events:
    """The events of a log of random bots, always the same for the same arguments."""
    text = _honest(game, players, number, withheld, json.dumps(form), json.dumps(options))
    return [json.loads(line) for line in text.splitlines()]


def chained(events: Events) -> bytes:
    """The events as the lines of a log whose chain is whole."""
    prev = "0" * 64
    lines = []
    for seq, event in enumerate(events):
        line = {key: value for key, value in event.items() if key not in ("seq", "prev", "hash")}
        line |= {"seq": seq, "prev": prev}
        line["hash"] = prev = hashlib.sha256(canonical(line)).hexdigest()
        lines.append(canonical(line) + b"\n")
    return b"".join(lines)


def changed(events: Events, place: int, **fields: Any) -> Events:
    """The events with some fields of one of them set; a field set to ``...`` is left out."""
    event = {key: value for key, value in {**events[place], **fields}.items() if value is not ...}
    return [*events[:place], event, *events[place + 1 :]]


JUNK: list[Any] = [
    None, True, False, 0, 1, -1, 3, 10**20, "", "x", "6-6", "7O", "7D", "left", [], [[]], [None], {}, {"type": "play"},
    {"type": "pass"}, {"type": "draw"}, {"type": "play", "piece": "6-6"}, {"type": "play", "piece": [], "arm": {}},
    ["6-6"], [["6-6"], ["5-5"]], [1, 1], [[], []], "0" * 64,
]  # fmt: skip
"""What a field may be changed to."""


def mutated(events: Events, source: random.Random) -> tuple[Events, int]:
    """The events with one value changed, somewhere, and where."""
    events = copy.deepcopy(events)
    place = source.randrange(len(events))
    spot: Any = events[place]
    keys = [key for key in spot if key not in ("seq", "prev", "hash")]
    key: Any = source.choice(keys)
    while isinstance(spot[key], (dict, list)) and spot[key] and source.random() < 0.6:
        spot = spot[key]
        key = source.choice(list(spot)) if isinstance(spot, dict) else source.randrange(len(spot))
    change = source.randrange(5)
    if change == 0:
        del spot[key]
    elif change == 1 and isinstance(spot[key], int):
        spot[key] += source.choice((-1, 1, 5))
    elif change == 2 and isinstance(spot[key], list):
        source.shuffle(spot[key])
    elif change == 3 and isinstance(spot[key], list):
        spot[key].append(source.choice(JUNK))
    else:
        spot[key] = source.choice(JUNK)
    return events, place
