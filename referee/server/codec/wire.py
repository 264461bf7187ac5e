"""The protobuf wire format, as much of it as the turn needs.

Setting a field of a message from Python costs more than what it encodes to, and a view has thirty. Here fields are
encoded one by one and joined: `number`, `packed` and `embedded` are the three ways in which a `View` holds anything
(protobuf encoding guide: a field is a key, then a varint, or a length and so many bytes). Keys are taken from the
descriptors, so that the proto files remain the only place that numbers fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

_VARINT: Final = 0
_LENGTH: Final = 2
_SMALL: Final = tuple(bytes((value,)) for value in range(128))


def varint(value: int) -> bytes:
    """A number from 0, seven bits a byte, the lowest first."""
    if value < 128:
        return _SMALL[value]
    found = bytearray()
    while value >= 128:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)


def keys(descriptor: Any) -> Mapping[str, bytes]:
    """The keys of a message's fields, by name."""
    return {
        field.name: varint(
            field.number << 3 | (_LENGTH if field.is_repeated or field.message_type is not None else _VARINT)
        )
        for field in descriptor.fields
    }


@lru_cache(1 << 13)
def number(key: bytes, value: int) -> bytes:
    """A field that holds a number from 0, or an enum's value. Most are small and come again and again."""
    return key + varint(value)


def packed(key: bytes, values: bytes | bytearray) -> bytes:
    """A field that holds a list of numbers below 128; an empty list is no field."""
    return key + varint(len(values)) + values if values else b""


def packed_signed(key: bytes, values: Iterable[int]) -> bytes:
    """A field that holds a list of numbers with signs (`sint32`: zigzag, so that small ones stay short)."""
    data = b"".join([varint(value << 1 if value >= 0 else (-value << 1) - 1) for value in values])
    return packed(key, data)


def embedded(key: bytes, message: bytes) -> bytes:
    """A field that holds a message."""
    return key + varint(len(message)) + message
