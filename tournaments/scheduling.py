"""How a tournament file says who is to meet whom, and until when.

That is: `schedule` with its keys, `stop`, `disqualify` and `rerun`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from referee.rules.registry import SettingError, unknown
from tournaments import checks

SCHEDULES: Final = ("round_robin", "gauntlet", "swiss", "knockout")
"""The schedules: everybody against everybody, some against the rest, by points, and out after a lost meeting."""
RERUNS: Final = ("never", "changed")
"""Whose matches are played again on the same folder: nobody's, or those of entrants whose identity changed."""
SETTLE: Final = ("order", "top")
"""What has to be clear before a tournament stops: the order of all, or who is among the first k."""
MAX_ROUNDS: Final = 1_000
"""The most rounds that a Swiss tournament can have."""

MOST_AFTER: Final = 1_000_000
"""The most matches that may be waited for."""

_MAX_ELO: Final = 2_000.0


class SprtSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A sequential probability ratio test: is the first entrant `elo1` better than the second, or `elo0`?

    Attributes:
        elo0: the difference in logistic Elo under the null hypothesis.
        elo1: the difference under the alternative; above `elo0`.
        alpha: how often the alternative may be accepted though the null hypothesis holds.
        beta: how often the null hypothesis may be accepted though the alternative holds.
    """

    elo0: float = 0.0
    elo1: float = 5.0
    alpha: float = 0.05
    beta: float = 0.05


class StopSpec(msgspec.Struct, frozen=True, kw_only=True):
    """When a tournament stops before all its deal sets are played.

    Attributes:
        confidence: how sure all that is called settled is, taken together.
        settle: one of `SETTLE`.
        k: with ``top``: among how many first.
        sprt: for two entrants: this test instead of the others.
    """

    confidence: float = 0.95
    settle: str = SETTLE[0]
    k: int = 1
    sprt: SprtSpec | None = None


class DisqualifySpec(msgspec.Struct, frozen=True, kw_only=True):
    """When an entrant is disqualified.

    Attributes:
        fault_rate: the share of its matches, from 0 up to but not including 1, of which it may not forfeit more.
        after: it is not judged before it has played so many matches.
    """

    fault_rate: float
    after: int = 20


class Scheduling(msgspec.Struct, frozen=True, kw_only=True):
    """Who is to meet whom, and until when.

    Attributes:
        schedule: one of `SCHEDULES`.
        challengers: in a gauntlet, those that meet the rest.
        rounds: how many rounds a Swiss tournament has; else 0.
        stop: when to stop early, or None.
        disqualify: when an entrant is out for its faults, or None: never.
        rerun: one of `RERUNS`.
    """

    schedule: str = SCHEDULES[0]
    challengers: tuple[str, ...] = ()
    rounds: int = 0
    stop: StopSpec | None = None
    disqualify: DisqualifySpec | None = None
    rerun: str = RERUNS[0]


def read_scheduling(document: Mapping[str, Any], names: Sequence[str], sides: int) -> Scheduling:
    """What a file says about this.

    Args:
        document: the file.
        names: the entrants' names.
        sides: how many entrants meet in a match.

    Raises:
        SettingError: something is not accepted.
    """
    schedule = _one_of(document, "schedule", SCHEDULES)
    if sides > 2 and schedule in ("swiss", "knockout"):
        problem = f"{schedule!r} is for meetings of two, and here {sides} entrants meet in a match"
        raise SettingError("schedule", f'{problem}; "round_robin" or "gauntlet" is needed')
    for key, owner in (("challengers", "gauntlet"), ("rounds", "swiss")):
        if key in document and schedule != owner:
            raise SettingError(key, f'is for schedule = "{owner}" only; leave it out')
        if key not in document and schedule == owner:
            raise SettingError(key, f'is missing; schedule = "{owner}" needs it{_usual(key, len(names))}')
    if "stop" in document and schedule in ("swiss", "knockout"):
        raise SettingError("stop", f'is for "round_robin" and "gauntlet" only, not for {schedule!r}; leave it out')
    return Scheduling(
        schedule=schedule,
        challengers=_challengers(document["challengers"], names, sides) if "challengers" in document else (),
        rounds=checks.whole("rounds", document["rounds"], 1, MAX_ROUNDS) if "rounds" in document else 0,
        stop=_stop(checks.typed(document, "stop", dict), names, schedule) if "stop" in document else None,
        disqualify=_disqualify(checks.typed(document, "disqualify", dict), schedule, "stop" in document),
        rerun=_one_of(document, "rerun", RERUNS),
    )


def _one_of(given: Mapping[str, Any], key: str, values: Sequence[str], prefix: str = "") -> str:
    value: str = checks.typed(given, key, str, values[0], prefix)
    if value not in values:
        raise SettingError(prefix + key, unknown(key, value, values))
    return value


def _usual(key: str, entrants: int) -> str:
    if key == "rounds":
        return f"; {entrants} entrants are usually told apart in {math.ceil(math.log2(entrants))} or a few more"
    return ", a list of entrants' names"


def _challengers(given: object, names: Sequence[str], sides: int) -> tuple[str, ...]:
    if not isinstance(given, list) or not given or not all(isinstance(name, str) for name in given):
        raise SettingError("challengers", f"{checks.shown(given)} is no list of entrants' names")
    for place, name in enumerate(given):
        if name not in names:
            raise SettingError(f"challengers[{place}]", unknown("entrant", name, names))
        if name in given[:place]:
            raise SettingError(f"challengers[{place}]", f"{name!r} is named twice")
    rest = len(names) - len(given)
    if rest < sides - 1:
        problem = f"{rest} entrants are left for them to meet; at least {sides - 1} are needed"
        raise SettingError("challengers", problem)
    return tuple(name for name in names if name in given)


def _stop(given: Mapping[str, Any], names: Sequence[str], schedule: str) -> StopSpec:
    checks.accept("stop.", given, StopSpec.__struct_fields__)
    if "sprt" in given:
        if len(given) > 1:
            raise SettingError("stop.sprt", "is a test by itself; leave the other keys of stop out")
        if len(names) != 2:
            raise SettingError("stop.sprt", f"is for two entrants, and {len(names)} are entered; use stop.confidence")
        return StopSpec(sprt=_sprt(checks.typed(given, "sprt", dict, prefix="stop.")))
    settle = _one_of(given, "settle", SETTLE, "stop.")
    if settle == "top" and schedule == "gauntlet":
        raise SettingError("stop.settle", 'cannot be "top" in a gauntlet, where not all meet; "order" is needed')
    if "k" in given and settle != "top":
        raise SettingError("stop.k", 'is for settle = "top" only; leave it out')
    return StopSpec(
        confidence=checks.number("stop.confidence", given.get("confidence", 0.95), 0.5, 1.0),
        settle=settle,
        k=checks.whole("stop.k", given.get("k", 1), 1, len(names) - 1),
    )


def _disqualify(given: Mapping[str, Any] | None, schedule: str, stops: bool) -> DisqualifySpec | None:
    if given is None:
        return None
    if schedule in ("swiss", "knockout") or stops:
        other = "stop" if stops else f"schedule = {schedule!r}"
        problem = f"cannot be used with {other}, where who meets whom depends on all results; leave one of them out"
        raise SettingError("disqualify", problem)
    checks.accept("disqualify.", given, DisqualifySpec.__struct_fields__)
    if "fault_rate" not in given:
        raise SettingError("disqualify.fault_rate", "is missing; a share of its matches, such as 0.2, is needed")
    rate = given["fault_rate"]
    if type(rate) not in (int, float) or not 0 <= rate < 1:
        raise SettingError("disqualify.fault_rate", f"{checks.shown(rate)} is not a number from 0 to below 1")
    return DisqualifySpec(
        fault_rate=float(rate), after=checks.whole("disqualify.after", given.get("after", 20), 1, MOST_AFTER)
    )


def _sprt(given: Mapping[str, Any]) -> SprtSpec:
    checks.accept("stop.sprt.", given, SprtSpec.__struct_fields__)
    limits = {"elo0": (-_MAX_ELO, _MAX_ELO), "elo1": (-_MAX_ELO, _MAX_ELO), "alpha": (0.0, 0.5), "beta": (0.0, 0.5)}
    found = SprtSpec(**{key: checks.number(f"stop.sprt.{key}", value, *limits[key]) for key, value in given.items()})
    if found.elo0 >= found.elo1:
        raise SettingError("stop.sprt.elo1", f"{found.elo1:g} is not above elo0, which is {found.elo0:g}")
    return found
