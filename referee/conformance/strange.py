"""Messages of a newer server: fields that no client knows, in every part of them."""

from __future__ import annotations

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from referee.v1 import play_pb2

_FIELDS = b"\xb8\x3e\x07" + b"\xc2\x3e\x03new" + b"\xcd\x3e\x01\x00\x00\x00" + b"\xd1\x3e" + bytes(8)
"""Fields 999 (varint), 1000 (bytes), 1001 (32 bits) and 1002 (64 bits)."""


def sprinkled(data: bytes) -> bytes:
    """An encoded response with unknown fields in each of its messages."""
    response = play_pb2.PlayResponse.FromString(data)
    _sprinkle(response)
    return response.SerializeToString()


def _sprinkle(message: Message) -> None:
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for one in value if field.is_repeated else [value]:
                _sprinkle(one)
    message.MergeFromString(_FIELDS)
