"""Crashes without a crash: the folder as it stood at some moment, and another server that starts with it."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from server_kit import Kit, serving, told

from referee.match.log import read_log
from referee.server.app import Policy


@asynccontextmanager
async def restarted(data: Path, **policy: Any) -> AsyncIterator[Kit]:
    """A server that takes up what stands in ``data``."""
    data.mkdir(exist_ok=True)
    async with serving(data, Policy(**policy), claims=lambda _: True) as kit:
        yield kit


def frozen(data: Path, to: Path) -> Path:
    """What a kill at this moment would leave."""
    shutil.copytree(data, to)
    return to


def cut_after(data: Path, match_id: str, lines: int, torn: bytes = b"") -> None:
    """Leave so many lines of a log, and the beginning of another."""
    path = data / f"{match_id}.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:lines]) + torn)


def game_of(path: Path) -> list[Any]:
    """What a log says of the game itself."""
    return told(list(read_log(path)))
