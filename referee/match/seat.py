"""What sits at a table: something that can be told of events and asked for actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from referee.match.events import Event
from referee.match.policy import FaultKind, Remedy
from referee.rules.game import IllegalAction
from referee.rules.view import View

Bot = Callable[[View], int]
"""A player in process: a function from what a seat may know to one of the legal actions."""


class Reply(NamedTuple):
    """What came of asking a seat.

    Attributes:
        action: the action, if one was named.
        fault: what was wrong instead.
        detail: what was wrong, for people.
        given: what the seat sent, for the log.
        code: the stable name of what was wrong with a message.
        took_ms: from the asking to the arrival of the answer (or the end of the time), without the referee's lag.
        lag_ms: how late the referee itself was in this turn.
        for_good: True if the seat will not play on: it left, or its process is gone.
    """

    action: int | None = None
    fault: FaultKind | None = None
    detail: str = ""
    given: str = ""
    code: str = "malformed"
    took_ms: int = 0
    lag_ms: int = 0
    for_good: bool = False


class Seat(Protocol):
    """A seat at a table. A coroutine here may wait for a bot; nothing here may wait for anything else."""

    async def prepare(self) -> Reply | None:
        """Wait until the seat has joined and is ready. None, or the fault that it is not in time."""

    def tell(self, event: Event) -> None:
        """Let the seat know of an event, as far as it may know it. Never waits."""

    async def ask(self, view: View, move_ms: int, bank_ms: int) -> Reply:
        """Ask for the action of a turn, and wait for it until the time is up."""

    def refuse(self, illegal: IllegalAction | Reply, remedy: Remedy) -> None:
        """Tell the seat that its last answer is refused, why, and what the referee does about it."""

    async def wait(self) -> Reply:
        """Wait for another answer to the same turn; its clock has run on."""


class LocalSeat:
    """A built-in bot in this process: always there, never late, and held to the same rules."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot

    async def prepare(self) -> Reply | None:
        """Built-in bots are always ready."""
        return None

    def tell(self, event: Event) -> None:
        """Built-in bots look at the view only."""

    async def ask(self, view: View, move_ms: int, bank_ms: int) -> Reply:
        """The bot's choice. Nothing is charged: the host's own work is not the bot's time."""
        return Reply(self._bot(view))

    def refuse(self, illegal: IllegalAction | Reply, remedy: Remedy) -> None:
        """A built-in bot that breaks a rule is a fault of ours, which must not be hidden."""
        raise RuntimeError(f"a built-in bot was refused: {illegal}")

    async def wait(self) -> Reply:
        """Never called: see `refuse`."""
        raise RuntimeError("a built-in bot is asked once")
