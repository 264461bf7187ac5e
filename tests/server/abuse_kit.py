"""What clients do at their worst."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from server_kit import Bot

from referee.v1 import play_pb2, table_pb2

HURRIED = {"join_ms": 400, "ready_ms": 400, "move_ms": 150, "bank_ms": 0}
FORMAT = play_pb2.Format(kind="best_of", hands=5)


async def _garbage(bot, token):
    await bot.join(token)
    await bot.ready()
    noise = random.Random(1)
    for _ in range(50):
        await bot.send(noise.randbytes(noise.randrange(1, 200)))


async def _stale(bot, token):
    await bot.join(token)
    await bot.ready()
    for _ in range(1000):
        await bot.answer(1, index=0)


async def _joins(bot, token):
    for _ in range(300):
        await bot.join(token)


async def _too_large(bot, token):
    await bot.join(token)
    await bot.ready()
    turn = await bot.until("turn")
    await bot.answer(turn.turn_id, action=table_pb2.Action(notation="x" * 1_000_000))


async def _long_join(bot, token):
    await bot.join("t" * 1_000_000)


async def _silent(bot, token):
    await bot.join(token)
    await bot.ready()


async def _not_ready(bot, token):
    await bot.join(token)


async def _absent(bot, token):
    pass


async def _crash(bot, token):
    await bot.join(token)
    await bot.ready()
    await bot.until("turn")
    await bot.crash()


async def _half_close(bot, token):
    await bot.join(token)
    await bot.ready()
    await bot.until("turn")
    await bot.call.done_writing()


async def _wrong(bot, token):
    await bot.join(token)
    await bot.ready()
    turn = await bot.until("turn")
    for place in range(40):
        await bot.answer(turn.turn_id, index=1000 + place)


async def _leave(bot, token):
    await bot.join(token)
    await bot.ready()
    await bot.until("turn")
    await bot.leave("x" * 10_000)


async def _empty(bot, token):
    await bot.join(token)
    await bot.ready()
    for _ in range(300):
        await bot.send(b"")


async def _slow(bot, token):
    await bot.join(token)
    await bot.ready()
    while isinstance(turn := await bot.until("turn", "closed"), play_pb2.Turn):
        await asyncio.sleep(HURRIED["move_ms"] / 1000 + 0.05)  # its thinking
        await bot.answer(turn.turn_id, index=0)


async def _lying(bot, token):
    await bot.join(token)
    await bot.ready()
    turn = await bot.until("turn")
    legal = {action.notation.split()[0] for action in turn.legal}
    tile = next(tile for high in range(7) for low in range(high + 1) if (tile := f"{high}-{low}") not in legal)
    for number in range(60):  # its own turn, one that is over, and what may be the opponent's
        await bot.answer(turn.turn_id + (0, -1, 1)[number % 3], action=table_pb2.Action(notation=tile))


ABUSE: Final[dict[str, Callable[[Bot, str], Awaitable[None]]]] = {
    "garbage": _garbage,
    "stale answers": _stale,
    "joins": _joins,
    "a message too large": _too_large,
    "a token too large": _long_join,
    "silent": _silent,
    "not ready": _not_ready,
    "absent": _absent,
    "crash": _crash,
    "half closed": _half_close,
    "wrong answers": _wrong,
    "leave": _leave,
    "empty messages": _empty,
    "slow": _slow,
    "lying": _lying,
}
"""By name: it is given a client that has said nothing yet, and the token of its seat; the seat is lost by it."""


async def abused(abuse: str, bot: Bot, token: str) -> None:
    """Let a client do its worst, until it has done it or its stream is ended under its hands."""
    try:
        await ABUSE[abuse](bot, token)
    except AssertionError:
        raise
    except (asyncio.InvalidStateError, Exception):
        pass


def random_message(chance: random.Random, message: Message) -> Message:
    """Fill a message at random: some fields of any depth, numbers small and of any size, texts of any characters."""
    kept = {oneof.name: chance.choice(oneof.fields) for oneof in message.DESCRIPTOR.oneofs}
    for field in message.DESCRIPTOR.fields:
        if chance.random() < 0.3 or (field.containing_oneof and field is not kept[field.containing_oneof.name]):
            continue
        for _ in range(chance.randrange(4) if field.is_repeated else 1):
            if field.message_type is not None:
                inner = getattr(message, field.name)
                random_message(chance, inner.add() if field.is_repeated else inner)
                if not field.is_repeated:
                    inner.SetInParent()
            elif field.is_repeated:
                getattr(message, field.name).append(_random_value(chance, field))
            else:
                setattr(message, field.name, _random_value(chance, field))
    return message


def _random_value(chance: random.Random, field: FieldDescriptor) -> Any:
    if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        if field.type == FieldDescriptor.TYPE_BYTES:
            return chance.randbytes(chance.randrange(60))
        return "".join(
            chr(chance.choice([chance.randrange(1, 128), chance.randrange(0xD800)]))
            for _ in range(chance.randrange(60))
        )
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return chance.random() < 0.5
    unsigned = field.cpp_type in {FieldDescriptor.CPPTYPE_UINT32, FieldDescriptor.CPPTYPE_UINT64}
    return chance.choice([chance.randrange(50), chance.randrange(2**31), 2**32 - 1 if unsigned else -1])
