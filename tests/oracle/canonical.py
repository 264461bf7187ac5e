"""Canonical JSON (RFC 8785, of what occurs in a log) and the hash of a line."""

import hashlib
import json

BIGGEST = 2**53 - 1


def canonical(value):
    """Write a value as canonical JSON. Raises ValueError for what may not occur (floats, keys that are no text)."""
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, int):
        if abs(value) > BIGGEST:
            raise ValueError(f"integer out of range: {value}")
        return str(value)
    if isinstance(value, str):
        value.encode("utf-8")  # a lone surrogate is no text (UnicodeEncodeError is a ValueError)
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise ValueError("a key that is no string")
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(canonical(key) + ":" + canonical(value[key]) for key in keys) + "}"
    raise ValueError(f"may not occur in a log: {value!r}")


def line_hash(event):
    """Give the hash that an event's line must bear."""
    rest = {key: value for key, value in event.items() if key != "hash"}
    return hashlib.sha256(canonical(rest).encode("utf-8")).hexdigest()


def chained(events):
    """Give copies of the events with `seq`, `prev` and `hash` as a log has them."""
    prev = "0" * 64
    lines = []
    for seq, event in enumerate(events):
        line = {**event, "seq": seq, "prev": prev}
        line["hash"] = prev = line_hash(line)
        lines.append(line)
    return lines
