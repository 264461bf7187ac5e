"""The stream to the referee: join, answer, join again."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from queue import SimpleQueue
from random import uniform
from typing import Final

import grpc

from referee.v1 import fault_pb2, play_pb2, play_pb2_grpc
from referee_bot._turn import Action, MatchInfo, Turn

CLIENT: Final = "referee-bot-python 0.1.0"
"""What `run` tells the referee about itself."""

# Seconds: the first and the longest pause between attempts to connect, all of them together, and what a stream that
# was no mere attempt lives for (a bot may wait long, and hear nothing, until it gets a seat).
_FIRST_DELAY, _LAST_DELAY, _GIVE_UP, _ALIVE = 0.05, 2.0, 20.0, 5.0
_FINAL = frozenset(  # a call that ends so would end so again
    {
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.NOT_FOUND,
        grpc.StatusCode.UNIMPLEMENTED,
    }
)
# `run` has its own delays, so the channel must be ready for each new attempt; pings find a referee that is gone.
_OPTIONS = (
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 2000),
    ("grpc.max_reconnect_backoff_ms", 1000),
    ("grpc.enable_retries", 0),
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    ("grpc.http2.max_pings_without_data", 0),
)


class BotError(Exception):
    """The bot cannot play."""


class SettingError(BotError):
    """The address or the token is missing, or a certificate cannot be read."""


class RefusedError(BotError):
    """The referee does not accept the bot, for instance because it does not know the token."""


class LostError(BotError):
    """The referee cannot be reached (any more)."""


def run(
    choose: Callable[[Turn], Action],
    *,
    address: str | None = None,
    token: str | None = None,
    version: str = "",
    on_event: Callable[[play_pb2.PlayEvent], None] | None = None,
) -> None:
    """Play until the referee has no more for this bot: one match, or all of a tournament.

    A broken connection is mended: the bot joins again and gets its open turn again. An exception in `choose` ends the
    bot. Refusals and faults are told on standard error.

    With TLS, the environment variable ``REFEREE_CA`` names the PEM file of the authority that signed the referee's
    certificate; ``REFEREE_CERT`` and ``REFEREE_KEY`` name the bot's own, where the referee asks for one.

    Args:
        choose: the bot: gives one of `turn.legal`. Anything else is refused by the referee, and `choose` is asked
            again with the reason in `turn.refusal`, while the time lasts.
        address: the referee's ``HOST:PORT``. Default: the environment variable ``REFEREE_ADDRESS``.
        token: the secret that names the seat. Default: the environment variable ``REFEREE_TOKEN``.
        version: the bot's own version; results of different versions are not mixed.
        on_event: is called with every event of the stream, in order, before it is dealt with.

    Raises:
        SettingError: there is no address or no token, or a certificate cannot be read.
        RefusedError: the referee does not accept the bot.
        LostError: the referee could not be reached for 20 seconds.
    """
    address = _setting("address", address, "REFEREE_ADDRESS")
    join = play_pb2.Join(token=_setting("token", token, "REFEREE_TOKEN"), client=CLIENT, version=version)
    with _channel(address) as channel:
        _Player(play_pb2_grpc.PlayServiceStub(channel), join, choose, on_event).play(address)


def _channel(address: str) -> grpc.Channel:
    """A channel to the referee: with TLS, if ``REFEREE_CA`` names the certificate of whoever signed the referee's."""
    here = address.startswith(("127.", "localhost:", "[::1]:"))
    # gRPC would send even a connection within this machine through an `http_proxy`.
    options = (*_OPTIONS, ("grpc.enable_http_proxy", 0 if here else 1))
    authority, certificate, key = (_file(f"REFEREE_{name}") for name in ("CA", "CERT", "KEY"))
    if (certificate is None) != (key is None) or (certificate and not authority):
        raise SettingError("a certificate of the bot's own needs all of REFEREE_CA, REFEREE_CERT and REFEREE_KEY")
    if authority is None:
        return grpc.insecure_channel(address, options)
    return grpc.secure_channel(address, grpc.ssl_channel_credentials(authority, key, certificate), options)


def _file(variable: str) -> bytes | None:
    """The content of the file that an environment variable names, if it is set."""
    path = os.environ.get(variable)
    if not path:
        return None
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise SettingError(f"{variable}={path}: {error.strerror}; it must name a PEM file") from None


def _setting(name: str, value: str | None, variable: str) -> str:
    value = value or os.environ.get(variable)
    if not value:
        raise SettingError(f"no {name}: set the environment variable {variable}, or call run(..., {name}=...)")
    return value


class _Player:
    def __init__(
        self,
        stub: play_pb2_grpc.PlayServiceStub,
        join: play_pb2.Join,
        choose: Callable[[Turn], Action],
        on_event: Callable[[play_pb2.PlayEvent], None] | None,
    ) -> None:
        self.stub, self.join, self.choose, self.on_event = stub, join, choose, on_event
        self.name = os.environ.get("REFEREE_NAME") or "bot"
        self.joined = self.played = self.ended = False  # in the last stream: taken the seat, had a turn, seen the end
        self.problem = ""
        self.match = MatchInfo(play_pb2.MatchStarted())
        self.turn: Turn | None = None
        self.faults: set[tuple[int, int]] = set()  # told of in this match: kind and count

    def play(self, address: str) -> None:
        """Stream after stream, until there is no more to play."""
        delay, deadline = _FIRST_DELAY, time.monotonic() + _GIVE_UP
        over = False
        while True:
            begun = time.monotonic()
            closed = self.stream()
            over = self.ended or (over and not self.joined)
            if closed is not None:
                if closed.reason == play_pb2.CLOSE_REASON_REFUSED and not over:
                    raise RefusedError(closed.message)
                if closed.reason == play_pb2.CLOSE_REASON_FORFEITED:
                    self.say(f"out of the match: {closed.message}")
                elif closed.reason != play_pb2.CLOSE_REASON_MATCH_OVER:
                    self.say(closed.message)
                if not closed.join_again:
                    return
                if self.ended:
                    delay, deadline = _FIRST_DELAY, time.monotonic() + _GIVE_UP
                    continue
            if self.joined or time.monotonic() > begun + _ALIVE:
                deadline = time.monotonic() + _GIVE_UP
            if self.played:
                delay = _FIRST_DELAY
            if time.monotonic() > deadline:
                if over:  # the referee went away after a match was over: nothing is lost
                    return
                raise LostError(f"no referee at {address}: {self.problem}")
            time.sleep(uniform(delay / 2, delay))
            delay = min(2 * delay, _LAST_DELAY)

    def stream(self) -> play_pb2.Closed | None:
        """One stream from Join to Closed; None if it broke."""
        self.joined = self.played = self.ended = False
        requests: SimpleQueue[play_pb2.PlayRequest | None] = SimpleQueue()
        requests.put(play_pb2.PlayRequest(join=self.join))
        call = self.stub.Play(iter(requests.get, None))
        try:
            while True:
                try:
                    response = next(call)
                except StopIteration:
                    self.problem = "the stream ended"
                    return None
                except grpc.RpcError as error:
                    self.problem = f"{error.code().name}: {error.details()}"
                    if error.code() in _FINAL:
                        raise RefusedError(self.problem) from None
                    return None
                fresh = not self.joined
                for event in response.events:
                    kind = event.WhichOneof("event")
                    if self.on_event is not None and kind is not None:
                        self.on_event(event)
                    if kind == "turn":
                        self.turn = Turn(event.turn, self.match)
                        self.played = True
                        requests.put(self.answer(self.turn))
                    elif kind == "refusal":
                        refusal = event.refusal
                        self.say(f"{_in_turn(refusal.turn_id)}refused: {refusal.message}{_out(refusal)}")
                        if self.turn is not None and _asks_again(event.refusal, self.turn):
                            self.turn.refusal = event.refusal.message
                            requests.put(self.answer(self.turn))
                    elif kind == "joined":
                        self.joined, self.name = True, event.joined.name
                    elif kind == "match_started":
                        if event.match_started.match_id != self.match.id:
                            self.turn, self.faults = None, set()
                        self.match = MatchInfo(event.match_started)
                    elif kind == "fault" and event.fault.seat == self.match.seat:
                        self.at_fault(event.fault)
                    elif kind == "match_ended":
                        self.ended = True
                    elif kind == "closed":
                        return event.closed
                if fresh and self.joined:  # after all of the response, so that `on_event` may load what the match needs
                    requests.put(play_pb2.PlayRequest(ready=play_pb2.Ready()))
        finally:
            requests.put(None)
            call.cancel()

    def answer(self, turn: Turn) -> play_pb2.PlayRequest:
        """The answer that the bot chooses: by place if the action is in the list, else as it stands."""
        action = self.choose(turn)
        if not isinstance(action, Action):
            raise TypeError(f"choose gave {action!r}; it must return an Action: one of turn.legal")
        request = play_pb2.PlayRequest()
        answer = request.answer
        answer.turn_id = turn.turn_id
        try:
            answer.index = turn.legal.index(action)
        except ValueError:
            answer.action.notation = action.notation
        return request

    def at_fault(self, fault: fault_pb2.Fault) -> None:
        """Tell of a fault, once: the referee repeats the one by which the seat is out."""
        which = (fault.kind, fault.count)
        if which not in self.faults:
            self.faults.add(which)
            turn = self.turn.turn_id if self.turn is not None else 0
            self.say(f"{_in_turn(turn)}fault: {fault.message}{_out(fault)}")

    def say(self, text: str) -> None:
        print(f"{self.name}: {text}", file=sys.stderr, flush=True)


def _asks_again(refusal: fault_pb2.Refusal, turn: Turn) -> bool:
    return refusal.remedy == fault_pb2.REMEDY_ASK_AGAIN and refusal.turn_id == turn.turn_id


def _in_turn(turn_id: int) -> str:
    return f"turn {turn_id}: " if turn_id else ""


def _out(told: fault_pb2.Fault | fault_pb2.Refusal) -> str:
    """What the referee does about it, where that is more than to ask again."""
    if told.remedy == fault_pb2.REMEDY_FORFEIT:
        return "; out of the match"
    return "; a stand-in plays this turn" if told.remedy == fault_pb2.REMEDY_STAND_IN_TURN else ""
