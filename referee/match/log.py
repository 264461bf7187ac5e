"""The match log: JSON Lines in a hash chain, rendered by structlog.

Every line carries `seq`, `ts`, `prev` and `hash`; the hash is the hex SHA-256 of the line's canonical JSON (RFC 8785)
without `hash`. Only strings, integers, booleans, null, arrays and objects occur, and every key is ASCII, so sorted keys
and no blanks are all that canonical JSON asks for.
"""

from __future__ import annotations

import hashlib
import io
import json
import time
from collections.abc import Callable, Iterator, MutableMapping
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec
import structlog
from structlog.typing import WrappedLogger

from referee.match.events import Event, LogFault, canonical, same

GENESIS: Final = "0" * 64
"""`prev` of the first line."""


def _refuse_float(text: str) -> float:
    raise LogFault(f"the number {text} is no integer")


_decode: Final = msgspec.json.Decoder(float_hook=_refuse_float).decode


class LogError(Exception):
    """A log that cannot be read or does not verify.

    Attributes:
        path: the file.
        line: the line at fault, from 1; 0: the file as a whole.
        problem: what is wrong, with the rule.
    """

    def __init__(self, path: str, line: int, problem: str) -> None:
        super().__init__(f"{path}:{line}: {problem}" if line else f"{path}: {problem}")
        self.path = path
        self.line = line
        self.problem = problem


class _EventLogger(structlog.BoundLoggerBase):
    """A structlog logger whose only method writes an event."""

    def record(self, fields: Event) -> None:
        (rendered,), _ = self._process_event("msg", None, fields)
        self._logger.msg(rendered)


class _Whole:
    """A file that is written whole or not at all: an unbuffered one may take part of a line and say nothing of it."""

    def __init__(self, file: BinaryIO, hold_back: bool) -> None:
        self._write = file.write
        self.flush: Callable[[], None] = (lambda: None) if hold_back else file.flush

    def write(self, data: bytes) -> None:
        """Write all of the data. Raises `OSError`."""
        written = self._write(data)
        while written != len(data):
            data = data[written:]
            written = self._write(data)


class MatchLog:
    """Writes a match's events, each whole and flushed to the operating system before `append` returns.

    Args:
        file: where the lines go, opened for binary writing; None keeps nothing but still numbers and chains.
        now: the time in seconds since 1970 (UTC).
        hold_back: leave lines in the file's buffer until it is full or closed: for a match whose players are told of
            nothing, so that nothing is lost with them but the match as a whole.
    """

    def __init__(
        self, file: BinaryIO | None = None, now: Callable[[], float] = time.time, hold_back: bool = False
    ) -> None:
        self.file = file
        self.seq = 0
        self.head = GENESIS
        self._now = now
        self._broken: OSError | None = None
        self._second = -1
        self._second_text = ""
        self._line: MutableMapping[str, Any] = {}
        whole = _Whole(file if file is not None else io.BytesIO(), hold_back)
        sink: WrappedLogger = structlog.BytesLogger(whole)  # type: ignore[arg-type]
        self._logger = _EventLogger(sink, [self._stamp, self._chained], {})

    def append(self, event: Event) -> MutableMapping[str, Any]:
        """Write an event and return it with `seq`, `ts`, `prev` and `hash`.

        Raises:
            OSError: it could not be written; the log is as it was before, but for a torn line at its end, and takes
                nothing more.
        """
        if self._broken is not None:
            raise OSError(*self._broken.args)
        if self.file is None:
            self._chained(None, "", self._stamp(None, "", dict(event)))
        else:
            try:
                self._logger.record(event)
            except OSError as error:
                self._broken = error
                raise
        self.seq += 1
        self.head = self._line["hash"]
        return self._line

    def continue_from(self, line: Event) -> None:
        """Go on after a line that stands in the file already."""
        self.seq = line["seq"] + 1
        self.head = line["hash"]

    def go_on_after(self, line: Event, end: int) -> None:
        """Go on after a line that ends after so many bytes of the file, and cut what stands behind it."""
        if self.file is not None:
            self.file.truncate(end)
            self.file.seek(end)
        self.continue_from(line)

    def close(self) -> None:
        """Close the file."""
        if self.file is not None:
            self.file.close()

    def _stamp(self, _logger: Any, _method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        now_ms = int(self._now() * 1000)
        second, millis = divmod(now_ms, 1000)
        if second != self._second:
            self._second = second
            self._second_text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
        line["seq"] = self.seq
        line["ts"] = f"{self._second_text}.{millis:03d}Z"
        return line

    def _chained(self, _logger: Any, _method: str, line: MutableMapping[str, Any]) -> bytes:
        """Chain a line and render it: its canonical JSON, with the hash of that as the last member."""
        line["prev"] = self.head
        data = canonical(line)
        line["hash"] = hash = hashlib.sha256(data).hexdigest()
        self._line = line
        return _with_hash(data, hash)


def _with_hash(data: bytes, hash: str) -> bytes:
    return b'%b,"hash":"%b"}' % (data[:-1], hash.encode())


def written_line(event: Event) -> bytes:
    """The line of an event that was read from a log, as `MatchLog` writes it."""
    body = {key: value for key, value in event.items() if key != "hash"}
    return _with_hash(canonical(body), event["hash"]) + b"\n"


def _refuse_twins(pairs: list[tuple[str, Any]]) -> None:
    """Refuse an object in which a key stands twice: readers would differ in which value they take."""
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise LogFault("not a JSON object: a key stands twice")


def parse_line(data: bytes, seq: int, prev: str) -> Event:
    """The event in a line of a log, its place in the chain checked.

    Raises:
        LogFault: it is no line of a match log, or not the one that must stand here.
    """
    try:
        line = _decode(data)
        if not isinstance(line, dict) or not isinstance(line.get("event"), str):
            raise LogFault("not an event: a line is a JSON object with `event`")
        given = line.pop("hash", None)
        body = canonical(line)
        right = hashlib.sha256(body).hexdigest()
        if data.rstrip(b"\n") != _with_hash(body, right):
            # Not written by this referee, which is allowed, or not well.
            json.loads(data, object_pairs_hook=_refuse_twins)
    except LogFault:
        raise
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise LogFault(f"not a JSON object: {error}") from None
    for key, wanted in (("seq", seq), ("prev", prev)):
        if not same(line.get(key), wanted):
            raise LogFault(f"chain: {key} is {line.get(key)!r}; it must be {wanted!r}")
    if given != right:
        raise LogFault("chain: hash is not the SHA-256 of the line")
    line["hash"] = given
    return line


def read_log(path: str | Path) -> Iterator[Event]:
    """The events of a log, in order, with the chain checked.

    Raises:
        LogError: the file cannot be read, or a line of it is not what must stand there.
    """
    name = str(path)
    number, prev = 0, GENESIS
    try:
        with Path(path).open("rb") as file:
            for number, data in enumerate(file, start=1):
                if not data.endswith(b"\n"):
                    raise LogError(name, number, "the line is torn: it has no end")
                line = parse_line(data, number - 1, prev)
                prev = line["hash"]
                yield line
    except OSError as error:
        raise LogError(name, 0, f"cannot be read: {error.strerror}") from None
    except LogFault as fault:
        raise LogError(name, number, str(fault)) from None
    if number == 0:
        raise LogError(name, 0, "empty: a log begins with match_started")
