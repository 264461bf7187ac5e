"""What the page of one entrant shows: figures in words, and its details as the report's script reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tournaments.checks import printable
from tournaments.conditions import limits_text
from tournaments.passing import pass_text
from tournaments.report.gather import Gathered
from tournaments.supervision import in_force
from tournaments.tables import faults_text, mean_text, place_text, range_text


def pages(found: Gathered) -> list[dict[str, Any]]:
    """A page for each entrant, in the order of the standings.

    Each has ``facts`` in words; ``faults`` [match, seat, turn, fault, detail, what came of it]; ``slow`` [ms, match,
    turn, seat], the slowest first; and ``lost`` [points of the others, match, hand, seat], the dearest first.
    """
    made = []
    for one in found.figures["entrants"]:
        details = found.details[one["name"]]
        made.append(
            {
                "facts": [printable(fact) for fact in _facts(found, one)],
                "faults": [[*fault[:4], printable(fault.detail), fault.came] for fault in details.faults],
                "slow": sorted(details.slow, key=lambda turn: (-turn.ms, turn.match, turn.turn)),
                "lost": sorted(details.lost, key=lambda hand: (-hand.points, hand.match, hand.hand)),
            }
        )
    return made


def _facts(found: Gathered, one: Mapping[str, Any]) -> list[str]:
    """What the standings say of an entrant, and what it was limited to."""
    if (out := one.get("disqualified")) is not None:
        standing = [
            f"disqualified after match {out['match']}: it forfeited {out['forfeited']} of {out['played']} matches; "
            "none of its matches counts"
        ]
    else:
        standing = [
            f"place {place_text(one)}",
            f"mean {mean_text(one['mean'])}, 95 % {range_text(one['ci95'])}",
            f"rating {one['rating']:.0f}, 95 % {range_text(one['rating_ci95'], 0)}",
            f"{one['played']} matches: {one['won']} won, {one['drawn']} drawn, {one['lost']} lost",
        ]
    if "passed" in one:
        standing.append(f"pass if {found.figures['pass_if']}: {pass_text(one)}")
    standing.append(f"faults: {faults_text(one['faults']) or 'none'}")
    if restarts := found.incidents.restarts[one["name"]]:
        standing.append(f"its processes were started again {restarts} times")
    spec = found.state.spec
    entrant = next(entrant for entrant in spec.entrants if entrant.name == one["name"])
    if entrant.command is not None and (limits := limits_text(in_force(spec.limits, entrant.limits).laid())):
        standing.append(f"each process: {limits}")
    return standing
