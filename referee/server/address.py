"""Addresses to listen on, and those that clients are told for them."""

from __future__ import annotations

import ipaddress
import os
import socket
from typing import Final

_EVERY: Final = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}
"""Hosts that mean every address of the machine, and where a process on the machine itself finds what listens there."""


def problem_with(listen: str) -> str | None:
    """Why ``host:port`` cannot be listened on; None if nothing is known against it.

    Asked before gRPC is, which would say what is wrong in lines of its own, and not why.
    """
    host, _, port = listen.rpartition(":")
    try:
        found = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, ValueError) as error:
        return f"the host is not known: {error}"
    problem = None
    for family, kind, protocol, _, address in found:
        try:
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
        except OSError as error:
            problem = problem or os.strerror(error.errno or 0)
        else:
            return None
    return problem


def is_everywhere(listen: str) -> bool:
    """Whether ``host:port`` means every address of this machine, and so is none that can be dialled."""
    return _host(listen) in _EVERY


def told(listen: str, public: str = "") -> str:
    """Where clients are told to dial in, for ``host:port`` that is listened on.

    Args:
        listen: what is listened on, with the port that it got.
        public: the host by which others know this machine; empty: that of ``listen``, or the machine's own name where
            every address is listened on.
    """
    host, _, port = listen.rpartition(":")
    if public:
        host = f"[{public}]" if ":" in public and not public.startswith("[") else public
    elif is_everywhere(listen):
        host = socket.gethostname()
    return f"{host}:{port}"


def told_here(listen: str) -> str:
    """Where a process on this machine dials in, for ``host:port`` that is listened on."""
    host, _, port = listen.rpartition(":")
    return f"{_EVERY.get(_host(listen), host)}:{port}"


def problem_with_public(host: str) -> str | None:
    """Why something is no host that clients can be told; None if nothing is known against it."""
    name = host.strip("[]")
    if ":" in name:
        try:
            ipaddress.IPv6Address(name.partition("%")[0])
        except ValueError:
            return "a host without a port is needed, such as referee.example.org; the port is that of --listen"
    elif not name.isascii() or not name or any(one.isspace() or not one.isprintable() or one in "/@" for one in name):
        return "a host name or an address is needed, such as referee.example.org"
    return f"{name} is every address of a machine, and none that can be dialled" if name in _EVERY else None


def _host(listen: str) -> str:
    host = listen.rpartition(":")[0].strip("[]")
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return host
