"""Stands here so that `tests/` is on the import path, for `oracle` and `support`; and knows what only CI runs."""

import os

import pytest

SLOW = pytest.mark.skip(reason="slow; CI=true runs it")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out the slow tests, unless this is CI."""
    if "CI" not in os.environ:
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(SLOW)
