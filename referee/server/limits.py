"""Limits: how much one client may ask of a server that strangers dial in at."""

from __future__ import annotations

import ipaddress
import time
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

_MOST_PEERS: Final = 10_000
"""So many peers' rates are kept; when there are more, those that have been quiet are forgotten."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one client may have. In a server of several processes each process counts for itself.

    Attributes:
        message_bytes: the largest message; the largest honest one has a few hundred bytes.
        buffered_bytes: what may wait for a bot that does not read, before its stream is ended.
        streams_per_token: open Play streams of one token.
        unjoined_per_peer: Play streams of one address that have not joined.
        joins_per_second: joins of one address; so many may come at once.
        watchers_per_peer: WatchMatch and FetchMatchLog calls of one address.
        matches_per_organiser: matches that are not over, by organiser token or, without tokens, by address.
        stall_s: a watcher that has taken nothing for so long (seconds), though there is something, is dropped.
    """

    message_bytes: int = 64 * 1024
    buffered_bytes: int = 1 << 20
    streams_per_token: int = 16
    unjoined_per_peer: int = 1_000
    joins_per_second: int = 2_000
    watchers_per_peer: int = 1_000
    matches_per_organiser: int = 10_000
    stall_s: float = 30


def peer_of(peer: str) -> str:
    """Whom a gRPC peer counts as: its IPv4 address, the /64 network of its IPv6 address, or what it is called."""
    kind, _, rest = unquote(peer).partition(":")
    if kind not in {"ipv4", "ipv6"}:
        return kind
    host = rest.rpartition(":")[0].strip("[]").partition("%")[0]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((int(address) >> 64 << 64, 64)))
    return str(address)


class Holders:
    """Counts what each holder has, and lets none have more than its share.

    Args:
        most: how many one holder may have.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._held: Counter[Hashable] = Counter()

    def take(self, holder: Hashable) -> bool:
        """Take one more, if the holder may have it."""
        if self._held[holder] >= self.most:
            return False
        self._held[holder] += 1
        return True

    def give_back(self, holder: Hashable) -> None:
        """Have one less."""
        self._held[holder] -= 1
        if not self._held[holder]:
            del self._held[holder]

    def total(self) -> int:
        """What all holders have."""
        return self._held.total()


class Rate:
    """Lets each holder do something so often a second; after a pause, so many at once.

    Args:
        per_second: how often.
        now: the time in seconds.
    """

    def __init__(self, per_second: int, now: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._now = now
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, holder: str) -> bool:
        """Do it once more, if the holder may."""
        now = self._now()
        left, since = self._left.get(holder, (float(self._per_second), now))
        left = min(float(self._per_second), left + (now - since) * self._per_second)
        allowed = left >= 1
        if len(self._left) >= _MOST_PEERS and holder not in self._left:
            self._left = {one: (had, at) for one, (had, at) in self._left.items() if now - at < 1}
        self._left[holder] = (left - allowed, now)
        return allowed
