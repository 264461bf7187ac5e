"""What a running match needs to go on after the server has been killed, and its log must not or does not hold.

It stands beside the log until the match is over, in a file that only the server's user can read: the seed, which is
secret while the match runs, and who plays: built-in bots by name, others by the hash of their token. It is written,
whole or not at all, before the match is announced.
"""

from __future__ import annotations

import os
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any, Final

import msgspec

from referee.match.deal import parse_seed
from referee.match.events import Event
from referee.server.sync import sync_file, sync_folder

SUFFIX: Final = ".private"


class Player(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who plays a seat.

    Attributes:
        builtin: the name of a built-in bot; empty for a bot that dials in.
        seed: the text that the built-in bot was made from.
        token: the hash of the token of a bot that dials in, in hex.
    """

    builtin: str = ""
    seed: str = ""
    token: str = ""


class Private(msgspec.Struct, frozen=True):
    """What is kept of a match.

    Attributes:
        started: the first event of its log.
        seed: what its deals come from, in hex.
        players: who plays, by seat.
        created_at: when it was created (seconds since 1970, UTC).
        owner: who created it, in whatever way the server tells organisers apart.
    """

    started: Event
    seed: str
    players: list[Player]
    created_at: float
    owner: str = ""


def private_path(log: Path) -> Path:
    """Where what is kept of the match of a log stands."""
    return log.with_suffix(SUFFIX)


def open_private(path: Path) -> FileIO:
    """A new file, open to be written without a buffer, that only the server's user can read. Raises `OSError`."""
    file = FileIO(str(path), "w", opener=lambda name, flags: os.open(name, flags, 0o600))
    os.fchmod(file.fileno(), 0o600)  # it may have been there before
    return file


def write_private(log: Path, kept: Private, safe: bool = False) -> None:
    """Keep it, whole or not at all; ``safe``: on the disk itself. Raises `OSError`."""
    path = private_path(log)
    draft = path.with_suffix(".draft")
    try:
        with open_private(draft) as file:
            rest = memoryview(msgspec.json.encode(kept))
            while rest:
                rest = rest[file.write(rest) or 0 :]
            if safe:
                sync_file(file)
        draft.replace(path)
    except OSError:
        with suppress(OSError):
            draft.unlink()
        raise
    if safe:
        sync_folder(path.parent)


def read_private(log: Path) -> Private:
    """What is kept of the match of a log.

    Raises:
        OSError: it cannot be read.
        ValueError: it is damaged.
    """
    data: Any = private_path(log).read_bytes()
    kept = msgspec.json.decode(data, type=Private)
    parse_seed(kept.seed)
    return kept


def forget_private(log: Path) -> None:
    """Remove what is kept of a match: it is over, or was never announced."""
    with suppress(OSError):
        private_path(log).unlink()
