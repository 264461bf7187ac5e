"""The built-in bots by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from referee.bots import beginner, expert, medium
from referee.rules.registry import SettingError, unknown
from referee.rules.view import View

Bot = Callable[[View], int]
"""Chooses one of ``view.legal``. It keeps nothing from one turn to the next and changes nothing in the view."""


@dataclass(frozen=True, slots=True)
class BotInfo:
    """A built-in bot.

    Attributes:
        name: its stable name.
        description: how it plays, for people.
        make: makes one from a text that seeds its random choices; the same text plays the same.
    """

    name: str
    description: str
    make: Callable[[str], Bot]


BOTS: Final[Mapping[str, BotInfo]] = {
    info.name: info
    for info in (
        BotInfo("beginner", "plays any legal action", beginner.make),
        BotInfo("medium", "plays what keeps its own hand playable", medium.make),
        BotInfo("expert", "counts what is out and hinders the others", expert.make),
    )
}


def find_bot(name: str) -> BotInfo:
    """The built-in bot of this name.

    Raises:
        SettingError: nothing is called so.
    """
    if name not in BOTS:
        raise SettingError("bot", unknown("built-in bot", name, BOTS))
    return BOTS[name]
