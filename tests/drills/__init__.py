"""Drills: real server processes under what an organiser fears most. ``python -m tests.drills``."""

import sys
from pathlib import Path

# The kits of the tests import each other by their bare names, as pytest has them; so they do from the command line too.
for _folder in ("server", "e2e", ""):
    if (_path := str(Path(__file__).parents[1] / _folder)) not in sys.path:
        sys.path.insert(0, _path)
