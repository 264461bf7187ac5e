"""HTTP/2 by hand, to send what no library would: connections of frames that are nearly right, or not at all."""

from __future__ import annotations

import contextlib
import random
import socket
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, END_HEADERS = 1, 4
PATHS = ("/referee.v1.PlayService/Play", "/referee.v1.MatchService/CreateMatch", "/referee.v1.MatchService/WatchMatch")
CONNECT_S = 10.0
READ_S = 0.5
"""So long an answer is waited for."""


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """A frame."""
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def call_headers(path: bytes, other: tuple[int, bytes, bytes] | None = None) -> bytes:
    """The header block of a gRPC call, as literals: HPACK without its tables.

    Args:
        path: the method.
        other: the place of a header, and the name and value that it has instead.
    """
    pairs = [
        (b":method", b"POST"),
        (b":scheme", b"http"),
        (b":path", path),
        (b":authority", b"referee"),
        (b"te", b"trailers"),
        (b"content-type", b"application/grpc"),
    ]
    if other is not None:
        pairs[other[0]] = other[1:]
    return b"".join(b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value for name, value in pairs)


def headers(chance: random.Random) -> bytes:
    """The header block of one of our calls. Now and then its path, or any other header, is wrong."""
    path = chance.choice(PATHS).encode() if chance.random() < 0.9 else b"/" + chance.randbytes(20)
    if chance.random() < 0.8:
        return call_headers(path)
    name, value = chance.choice([(b"te", chance.randbytes(20)), (chance.randbytes(5), b"x"), (b":path", b"")])
    return call_headers(path, (chance.randrange(6), name, value))


def messages(chance: random.Random, some: list[bytes]) -> bytes:
    """Messages as gRPC frames them. Now and then the length or the flag is wrong."""
    data = b""
    for message in some:
        flag = 0 if chance.random() < 0.9 else chance.randrange(256)
        size = len(message) if chance.random() < 0.9 else chance.randrange(2**32)
        data += struct.pack(">BI", flag, size) + message
    return data


def connection(chance: random.Random, some: list[bytes]) -> bytes:
    """What a client sends on a connection of its own, its messages on one or more streams."""
    parts = [PREFACE if chance.random() < 0.95 else chance.randbytes(24), frame(SETTINGS, 0, 0, b"")]
    for number in range(chance.randrange(1, 4)):
        stream = 2 * number + 1
        parts.append(frame(HEADERS, END_HEADERS, stream, headers(chance)))
        parts.append(frame(DATA, chance.choice([0, END_STREAM]), stream, messages(chance, some)))
        if chance.random() < 0.6:
            payload = chance.randbytes(chance.choice([0, 4, 8, chance.randrange(40)]))
            parts.append(frame(chance.randrange(12), chance.randrange(256), chance.choice([0, stream, 99]), payload))
    if chance.random() < 0.2:
        chance.shuffle(parts)
    data = bytearray(b"".join(parts))
    if chance.random() < 0.3:
        for _ in range(chance.randrange(1, 8)):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data[: chance.randrange(len(data))] if chance.random() < 0.2 else data)


def talk(address: str, chance: random.Random, some: list[bytes]) -> int:
    """Send it on a connection, read what comes, and end the connection in one of three ways; the bytes that came."""
    host, _, port = address.rpartition(":")
    heard = 0
    # A server that has had enough closes at once; that it is there at all, `create_connection` says.
    with socket.create_connection((host, int(port)), timeout=CONNECT_S) as peer, contextlib.suppress(OSError):
        peer.settimeout(READ_S)
        peer.sendall(connection(chance, some))
        way = chance.randrange(3)
        if way == 0:  # reset
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif way == 1:  # half closed
            peer.shutdown(socket.SHUT_WR)
        while way and (data := peer.recv(65536)):
            heard += len(data)
            if way == 2:
                break
    return heard
