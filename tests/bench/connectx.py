"""The yardstick of matches in process: the connectx runner of kaggle-environments, with two random agents.

It pins versions of other packages that we cannot live with, so it has an interpreter of its own. What it needs:
``pip install --no-deps kaggle-environments==1.14.17 && pip install jsonschema numpy requests flask``.
"""

from __future__ import annotations

import contextlib
import sys
import time

from tests.bench.harness import answer


def steps(seconds: float) -> float:
    """Steps a second of whole matches, so long."""
    from kaggle_environments import make

    count = 0
    begun = time.process_time()
    while (spent := time.process_time() - begun) < seconds:
        environment = make("connectx")
        environment.run(["random", "random"])
        count += len(environment.steps) - 1
    return count / spent


if __name__ == "__main__":
    with contextlib.redirect_stdout(sys.stderr):  # it tells which of its other games cannot be loaded
        steps(0)
    answer(lambda _: [steps(1.0)])
