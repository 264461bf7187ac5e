"""Who may call what: organisers create matches, spectators look on. Bots are let in by their seats' tokens.

A caller shows its token as metadata: ``authorization: Bearer TOKEN``. Only hashes of tokens are kept, and a look-up is
by hash, so its time tells nothing of how near a guess came.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import grpc

from referee.server.errors import abort
from referee.server.limits import peer_of
from referee.server.tokens import new_token, token_hash

LEAST_CHARACTERS: Final = 43
"""A token from a file has at least so many: 256 bits in base64."""

PASSED_ON: Final = "referee-peer"
"""The metadata by which the front of several processes names a caller; believed only from its own socket."""

_SCHEME: Final = "bearer "
_Context = grpc.aio.ServicerContext[Any, Any]


class TokenFileError(Exception):
    """A file of tokens that cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class Access:
    """The roles of a server.

    Attributes:
        organisers: the hashes of the organisers' tokens; empty: everybody may create matches.
        spectators: the hashes of the spectators' tokens, where spectators need one.
        open_to_spectators: whether everybody may list, watch and fetch.
    """

    organisers: frozenset[bytes] = frozenset()
    spectators: frozenset[bytes] = frozenset()
    open_to_spectators: bool = True

    async def organiser(self, context: _Context) -> str:
        """See that the caller is an organiser; whom it counts as. Else the call ends."""
        if not self.organisers:
            return caller(context)
        return await self._one_of(self.organisers, "organiser", context)

    async def spectator(self, context: _Context) -> None:
        """See that the caller may look on, as organisers may too. Else the call ends."""
        if not self.open_to_spectators:
            await self._one_of(self.organisers | self.spectators, "spectator", context)

    async def _one_of(self, tokens: frozenset[bytes], role: str, context: _Context) -> str:
        shown = bearer(context)
        if shown is None:
            message = f"only an {role} may do this" if role == "organiser" else f"only a {role} may do this"
            message += "; send the metadata `authorization: Bearer TOKEN`"
            await abort(context, grpc.StatusCode.UNAUTHENTICATED, "TOKEN_MISSING", message, role=role)
        key = token_hash(shown)
        if key in tokens:
            return key.hex()
        if key in self.organisers | self.spectators:
            message = f"this token is no {role}'s"
            await abort(context, grpc.StatusCode.PERMISSION_DENIED, "ROLE_MISSING", message, role=role)
        await abort(context, grpc.StatusCode.UNAUTHENTICATED, "TOKEN_UNKNOWN", "unknown token", role=role)
        raise AssertionError("abort does not return")


def caller(context: _Context) -> str:
    """Whom a call comes from; where the front of several processes has passed it on, whom that had it from."""
    peer = peer_of(context.peer())
    if peer == "unix":
        for key, value in context.invocation_metadata() or ():
            if key == PASSED_ON and isinstance(value, str):
                return value
    return peer


def bearer(context: _Context) -> str | None:
    """The token that a caller shows, if it shows one."""
    for key, value in context.invocation_metadata() or ():
        text = value if isinstance(value, str) else value.decode(errors="replace")
        if key == "authorization" and text[: len(_SCHEME)].lower() == _SCHEME:
            return text[len(_SCHEME) :].strip()
    return None


def certificate_of(context: _Context) -> bytes:
    """The SHA-256 of the certificate that a client has shown (mTLS); empty without one."""
    shown = context.auth_context().get("x509_pem_cert")
    return b"" if not shown else hashlib.sha256(next(iter(shown))).digest()


def read_tokens(path: Path) -> frozenset[bytes]:
    """The hashes of the tokens in a file, one a line; a file that does not exist is made, with a new token in it.

    Raises:
        TokenFileError: it cannot be read or made, or a line of it is no token.
    """
    try:
        if not path.exists():
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(handle, "w", encoding="ascii") as file:
                file.write(new_token() + "\n")
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise TokenFileError(f"{path}: {reason}; a file with one token a line is needed") from None
    return frozenset(_hashes(path, lines))


def _hashes(path: Path, lines: Iterable[str]) -> list[bytes]:
    found = []
    for number, line in enumerate(lines, start=1):
        token = line.strip()
        if not token or token.startswith("#"):
            continue
        if len(token) < LEAST_CHARACTERS or not token.isascii() or " " in token:
            # The line itself is not shown: it may be a secret with a typing error.
            raise TokenFileError(
                f"{path}:{number}: no token; {LEAST_CHARACTERS} characters or more are needed, of 256 random bits; "
                "a file that does not exist is made with one"
            )
        found.append(token_hash(token))
    if not found:
        raise TokenFileError(f"{path}: there is no token in it; one a line is needed")
    return found
