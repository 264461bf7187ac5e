"""Under what conditions a tournament is played, as ``standings.json`` and the report tell them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import msgspec

from tournaments.spec import TournamentSpec
from tournaments.supervision import in_force


def conditions(spec: TournamentSpec) -> dict[str, Any]:
    """The conditions by the keys of the tournament file; of `stop` and `disqualify` only if they are there.

    `limits` are those of the tournament; `limits_of` has, by name, those in force for the entrants with some of their
    own.
    """
    found: dict[str, Any] = {
        "schedule": spec.schedule,
        "duplicate": spec.duplicate,
        "policy": spec.policy,
        "clock": asdict(spec.clock),
        "limits": spec.limits.laid(),
        "limits_of": {one.name: in_force(spec.limits, one.limits).laid() for one in spec.entrants if one.limits.laid()},
    }
    for key, value in (("stop", spec.stop), ("disqualify", spec.disqualify)):
        if value is not None:
            found[key] = msgspec.to_builtins(value)
    return found


def limits_text(limits: Mapping[str, Any]) -> str:
    """The limits of a process in words; empty where there are none."""
    words = {
        "memory_mb": "{} MiB of memory",
        "cpu_s": "{} s of processor time a match",
        "open_files": "{} open files",
    }
    found = [text.format(limits[kind]) for kind, text in words.items() if kind in limits]
    return ", ".join(found + (["on one processor"] if limits.get("pin") else []))


def condition_lines(given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The conditions in words, each with its key."""
    clock = given["clock"]
    policies = {
        "lenient": "lenient: a stand-in plays on for a bot that is late, until it has been so too often",
        "strict": "strict: the first fault loses the match",
    }
    lines = [
        ("policy", policies[given["policy"]]),
        (
            "clock",
            f"{clock['join_ms']} ms to dial in, {clock['ready_ms']} ms to be ready, {clock['move_ms']} ms a turn, "
            f"then a bank of {clock['bank_ms']} ms, refilled by {clock['increment_ms']} ms a turn",
        ),
        ("limits", limits_text(given["limits"]) or "none"),
        *((f"limits of {name}", limits_text(own)) for name, own in given["limits_of"].items()),
    ]
    if (out := given.get("disqualify")) is not None:
        rate = f"more than {100 * out['fault_rate']:g} % of its matches"
        lines.append(("disqualify", f"who forfeits {rate}, judged after {out['after']} of them or more"))
    if (stop := given.get("stop")) is not None:
        lines.append(("stop", _stop_text(stop)))
    return lines


def _stop_text(stop: Mapping[str, Any]) -> str:
    if stop["sprt"] is not None:
        test = stop["sprt"]
        return (
            f"a sequential probability ratio test of {test['elo0']:g} against {test['elo1']:g} Elo, "
            f"with errors of {test['alpha']:g} and {test['beta']:g}"
        )
    what = "the order of all" if stop["settle"] == "order" else f"who is among the first {stop['k']}"
    return f"when {what} is clear at {100 * stop['confidence']:g} %"
