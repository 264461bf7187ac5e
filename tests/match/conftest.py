"""What the tests of logs share."""

import pytest
from support.falsify import chained, fault_in


@pytest.fixture
def refuse(tmp_path):
    """Asserts that a log is refused at a line, for a reason that holds these words."""

    def check(events, line, words, seed=None):
        path = tmp_path / "match.jsonl"
        path.write_bytes(events if isinstance(events, bytes) else chained(events))
        error = fault_in(path, seed)
        assert error is not None, "the log was accepted"
        assert (error.line, error.path) == (line, str(path)), error
        assert str(error) == (f"{path}:{line}: {error.problem}" if line else f"{path}: {error.problem}")
        assert words in error.problem, error

    return check
