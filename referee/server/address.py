"""Addresses to listen on, tried before gRPC is: it would say what is wrong in lines of its own, and not why."""

from __future__ import annotations

import os
import socket


def problem_with(listen: str) -> str | None:
    """Why ``host:port`` cannot be listened on; None if nothing is known against it."""
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
