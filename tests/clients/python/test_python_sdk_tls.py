"""The Python SDK over TLS: it is held to what every client is."""

import sys

import pytest
from client_kit.tls import Tls
from client_kit.tools import PYTHON_EXAMPLES, Client


@pytest.fixture(scope="session")
def client():
    """The client; nothing is to be built."""
    return Client(
        "python",
        {name: [sys.executable, PYTHON_EXAMPLES / f"{name}.py"] for name in ("random_bot", "first_legal_bot")},
        unknown_token="RefusedError: unknown token",
        distrust=("CERTIFICATE_VERIFY_FAILED", "Hostname Verification Check failed"),
    )


class TestPython(Tls):
    """What every client must do."""
