"""How a server is reached: TLS or not, and from where."""

from __future__ import annotations

import ipaddress
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import grpc


class TransportError(Exception):
    """A certificate that cannot be used, or an address that must not be listened on; the text says why."""


@dataclass(frozen=True, slots=True)
class Transport:
    """TLS and what is allowed without it.

    Attributes:
        certificate: the server's certificate chain (PEM); empty: no TLS.
        key: its private key (PEM).
        client_ca: who signs clients' certificates (PEM); if it is set, clients must have one (mTLS).
        insecure: whether an address that others can reach may be listened on without TLS.
        public: the host that bots are told to dial in at, without a port; empty: that which is listened on.
    """

    certificate: bytes = b""
    key: bytes = b""
    client_ca: bytes = b""
    insecure: bool = False
    public: str = ""

    @property
    def tls(self) -> bool:
        """Whether there is TLS."""
        return bool(self.certificate)

    def check(self, listen: str) -> None:
        """See that ``host:port`` may be listened on. Raises `TransportError`."""
        if self.tls or self.insecure or is_loopback(listen):
            return
        raise TransportError(
            f"{listen} can be reached from other machines, and without TLS everyone between could read tokens and "
            "pieces; give --tls-cert and --tls-key, or a loopback address such as 127.0.0.1:50051, or --insecure"
        )

    def credentials(self) -> grpc.ServerCredentials:
        """What gRPC listens with."""
        import grpc  # noqa: PLC0415  (who plays without a server needs none)

        pairs = [(self.key, self.certificate)]
        return grpc.ssl_server_credentials(pairs, self.client_ca or None, bool(self.client_ca))


LOOPBACK: Final = Transport()
"""No TLS, and nowhere but on this machine."""


def is_loopback(listen: str) -> bool:
    """Whether only this machine can reach ``host:port``."""
    host = listen.rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def read_transport(certificate: str | None, key: str | None, client_ca: str | None, insecure: bool) -> Transport:
    """The transport of some files, tried before anyone dials in.

    Raises:
        TransportError: a file is missing, or holds something else.
    """
    if not certificate and not key:
        if client_ca:
            raise TransportError("--tls-client-ca: it needs --tls-cert and --tls-key")
        return Transport(insecure=insecure)
    if not certificate or not key:
        raise TransportError(f"--tls-{'key' if certificate else 'cert'}: missing; TLS needs a certificate and its key")
    pems = {
        name: _read(name, path)
        for name, path in (("--tls-cert", certificate), ("--tls-key", key), ("--tls-client-ca", client_ca))
        if path
    }
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password="")
    except (ssl.SSLError, ValueError) as error:
        reason = getattr(error, "reason", None) or str(error)
        raise TransportError(
            f"--tls-cert {certificate}, --tls-key {key}: {reason}; a PEM certificate and its own key, without a "
            "password, are needed"
        ) from None
    if client_ca:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_verify_locations(client_ca)
        except ssl.SSLError as error:
            raise TransportError(f"--tls-client-ca {client_ca}: {error.reason}; PEM certificates are needed") from None
    return Transport(pems["--tls-cert"], pems["--tls-key"], pems.get("--tls-client-ca", b""), insecure)


def _read(name: str, path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise TransportError(f"{name} {path}: {error.strerror}; a PEM file is needed") from None
