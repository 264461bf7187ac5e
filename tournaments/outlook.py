"""What the course of a tournament tells its standings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from tournaments.disqualification import Disqualified


@dataclass(frozen=True, slots=True)
class Outlook:
    """What standings need to know besides the results.

    Attributes:
        matches: how many matches will count, as far as is known: at most, until the tournament is over.
        ranking: what places go by, the more, the better; None: the mean score.
        places: the best and the worst place that is open to each entrant, where rules and not numbers decide it; None:
            what the results leave open at 95 %.
        out: who is disqualified, by name.
        verdict: what has come of the tournament, in a line; empty where the standings say it all.
    """

    matches: int
    ranking: Mapping[str, Fraction] | None = None
    places: Mapping[str, tuple[int, int]] | None = None
    out: Mapping[str, Disqualified] = field(default_factory=dict)
    verdict: str = ""
