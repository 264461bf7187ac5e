"""Waiting for tasks of an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


async def to_its_end(coroutine: Coroutine[Any, Any, None]) -> None:
    """Wait for something that must end, however often we are told to stop meanwhile."""
    task = asyncio.create_task(coroutine)
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            continue
    task.result()


async def some(pending: set[asyncio.Task[None]]) -> set[asyncio.Task[None]]:
    """Wait until something is done, and let its error out."""
    done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        task.result()
    return pending
