"""Tokens: what a bot shows to be let in."""

from __future__ import annotations

import hashlib
import secrets


def new_token() -> str:
    """A token from the operating system's secure source: 256 bits, as text for a URL or an environment variable."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> bytes:
    """What is kept of a token."""
    return hashlib.sha256(token.encode(errors="replace")).digest()
