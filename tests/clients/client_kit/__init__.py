"""What the tests of the clients in other languages share."""

import pytest

pytest.register_assert_rewrite("client_kit.tools", "client_kit.suite", "client_kit.scripts", "client_kit.tls")
