"""A small HTTP server for those who run the referee: ``/metrics`` for Prometheus and ``/healthz``."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterable
from http import HTTPStatus
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING, Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from referee.server.meters import Meters

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

_TEXT: Final = "text/plain; charset=utf-8"
_METRICS: Final = "text/plain; version=0.0.4; charset=utf-8"
_READ_WITHIN_S: Final = 10


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Server6(_Server):
    address_family = socket.AF_INET6


class _Quiet(WSGIRequestHandler):
    timeout = _READ_WITHIN_S

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: every scrape would be a line."""


class HttpServer:
    """Serves in threads of its own.

    Args:
        listen: ``host:port``.
        meters: what ``/metrics`` tells.
        healthy: whether all is as it should be, and matches are taken: ``/healthz`` is 200, else 503.

    Attributes:
        address: where it listens, with the port that it got.

    Raises:
        OSError: the address cannot be listened on.
    """

    def __init__(self, listen: str, meters: Meters, healthy: Callable[[], bool]) -> None:
        self._meters = meters
        self._healthy = healthy
        host, _, port = listen.rpartition(":")
        kind = _Server6 if ":" in host else _Server
        self._server = make_server(host.strip("[]"), int(port), self._answer, kind, _Quiet)
        self.address = f"{host}:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, name="referee http", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        status, kind, body = self._page(environ["REQUEST_METHOD"], environ.get("PATH_INFO", ""))
        headers = [("Content-Type", kind), ("Content-Length", str(len(body))), ("Cache-Control", "no-store")]
        start_response(f"{status.value} {status.phrase}", headers)
        return [body]

    def _page(self, method: str, path: str) -> tuple[HTTPStatus, str, bytes]:
        if method != "GET":
            return HTTPStatus.METHOD_NOT_ALLOWED, _TEXT, b"only GET is answered\n"
        if path == "/healthz":
            if self._healthy():
                return HTTPStatus.OK, _TEXT, b"serving\n"
            return HTTPStatus.SERVICE_UNAVAILABLE, _TEXT, b"not serving\n"
        if path == "/metrics":
            text = self._meters.text()
            if text is None:
                return HTTPStatus.NOT_IMPLEMENTED, _TEXT, b"install domino-referee[metrics] for this\n"
            return HTTPStatus.OK, _METRICS, text
        return HTTPStatus.NOT_FOUND, _TEXT, b"/metrics and /healthz are here\n"
