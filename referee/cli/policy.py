"""How ``referee serve`` is told to deal with strangers: flags, keys of its file, and what they come to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from referee.rules.registry import SettingError, unknown
from referee.server.access import Access, TokenFileError, read_tokens
from referee.server.address import is_everywhere, problem_with_public
from referee.server.app import Policy
from referee.server.limits import Limits
from referee.server.transport import Transport, TransportError, read_transport

_Command = TypeVar("_Command", bound=Callable[..., Any])

DEFAULTS: Final[Mapping[str, Any]] = {
    "organiser_token_file": None,
    "spectators": "open",
    "spectator_token_file": None,
    "tls_cert": None,
    "tls_key": None,
    "tls_client_ca": None,
    "insecure": False,
    "public": "",
    "http": "",
    "limits": {},
}
"""What a file may set besides what `serve` knows itself."""

_SPECTATORS: Final = ("open", "token")
_MOST: Final = 1_000_000_000

_TRANSPORT: Final = (
    click.option("--tls-cert", metavar="FILE", help="The server's certificate: see `referee certificate`."),
    click.option("--tls-key", metavar="FILE", help="Its private key."),
    click.option("--tls-client-ca", metavar="FILE", help="Clients need a certificate signed by this."),
    click.option("--insecure", is_flag=True, default=None, help="Listen beyond this machine without TLS."),
    click.option("--public", metavar="HOST", help="Where bots are told to dial in, if not where it listens."),
)

_OPTIONS: Final = (
    click.option("--organiser-token-file", metavar="FILE", help="Who creates matches; made if it does not exist."),
    click.option("--spectators", type=click.Choice(_SPECTATORS), help="Who may look on.  [default: open]"),
    click.option("--spectator-token-file", metavar="FILE", help="Who looks on, with --spectators token."),
    *_TRANSPORT,
    click.option("--http", metavar="HOST:PORT", help="Serve /metrics and /healthz there."),
)


def policy_options(command: _Command) -> _Command:
    """Give a command all flags."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def transport_options(command: _Command) -> _Command:
    """Give a command the flags of TLS and of what bots are told alone."""
    for option in reversed(_TRANSPORT):
        command = option(command)
    return command


def transport_of(values: Mapping[str, Any], listen: str | None = None) -> Transport:
    """What the flags of TLS and `--public` come to; whether that address may be listened on. Raises `SettingError`."""
    try:
        found = read_transport(values["tls_cert"], values["tls_key"], values["tls_client_ca"], bool(values["insecure"]))
        if listen is not None:
            found.check(listen)
        public = values["public"] or ""
        if public and (problem := problem_with_public(public)):
            raise SettingError(f"--public {public[:80]}", problem)
    except TransportError as error:
        key, colon, problem = str(error).partition(": ")
        raise SettingError(*((key, problem) if colon else ("--listen", key))) from None
    return replace(found, public=public)


def told_line(transport: Transport, listen: str, address: str) -> str:
    """What is to be said where every address is listened on and nobody has said by which of them bots dial in."""
    if transport.public or not is_everywhere(listen):
        return ""
    return f"bots are told to dial in at {address}; --public HOST tells them another name of this machine"


def check(where: str, key: str, value: object) -> None:
    """See that a key of a file has a value that makes sense. Raises `SettingError`."""
    if key == "limits":
        _check_limits(where, value)
    elif key == "insecure":
        if not isinstance(value, bool):
            raise SettingError(where, f"{value!r} is neither true nor false")
    elif not isinstance(value, str):
        raise SettingError(where, f"{value!r} is no text")
    elif key == "spectators" and value not in _SPECTATORS:
        raise SettingError(where, unknown("value", value, _SPECTATORS))


def _check_limits(where: str, value: object) -> None:
    if not isinstance(value, dict):
        raise SettingError(where, f"{value!r} is no table, such as limits = {{ streams_per_token = 4 }}")
    names = [field.name for field in fields(Limits)]
    for key, number in value.items():
        if key not in names:
            raise SettingError(f"{where}.{key}", unknown("limit", key, names))
        if type(number) is not int or not 1 <= number <= _MOST:
            raise SettingError(f"{where}.{key}", f"{number!r} is not a whole number from 1 to {_MOST}")


def policy_of(values: Mapping[str, Any], **more: Any) -> Policy:
    """The policy that flags and file come to. Raises `SettingError`."""
    if values["http"]:
        host, colon, port = values["http"].rpartition(":")
        if not colon or not host or not port.isascii() or not port.isdigit() or int(port[:6]) > 65535:
            raise SettingError(f"--http {values['http'][:80]}", "HOST:PORT is needed, such as 127.0.0.1:9100")
        processes = values.get("processes", 1)
        if processes > 1 and int(port) and int(port) + processes > 65535:
            problem = f"{processes} processes have the ports after it, up to {int(port) + processes}; 65535 is the last"
            raise SettingError(f"--http {values['http'][:80]}", problem)
    return Policy(
        _access(values), Limits(**values["limits"]), transport_of(values), telling=True, http=values["http"], **more
    )


def _access(values: Mapping[str, Any]) -> Access:
    organisers, spectators = values["organiser_token_file"], values["spectator_token_file"]
    closed = values["spectators"] == "token"
    if closed and not organisers and not spectators:
        problem = "nobody could look on; give --spectator-token-file or --organiser-token-file"
        raise SettingError("--spectators token", problem)
    if spectators and not closed:
        raise SettingError("--spectator-token-file", "it has no effect without --spectators token")
    try:
        return Access(
            read_tokens(Path(organisers)) if organisers else frozenset(),
            read_tokens(Path(spectators)) if spectators else frozenset(),
            not closed,
        )
    except TokenFileError as error:
        key, _, problem = str(error).partition(": ")
        raise SettingError(key, problem) from None
