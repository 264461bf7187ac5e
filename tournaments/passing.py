"""Who has passed: a tournament file's `pass_if`, for classes, such as ``mean > 0.55 against medium``.

The grammar is ``mean`` (``>`` or ``>=``) NUMBER, and then, if it is to be the mean against one entrant, ``against``
NAME; the number is above 0 and below 1, or either with ``>=``. Everybody is measured but the entrant that is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from referee.rules.registry import SettingError, unknown
from tournaments import checks

_GRAMMAR: Final = re.compile(r"mean *(>=?) *([01]|[01]?\.[0-9]{1,9})(?: +against +(\S.*))?")
_WANTED: Final = "such as 'mean > 0.55 against NAME' or 'mean >= 0.5' is needed"


class Threshold(msgspec.Struct, frozen=True, kw_only=True):
    """What it takes to pass.

    Attributes:
        least: the mean score, from 0 to 1.
        reached: whether a mean of exactly `least` is enough.
        against: the entrant whose matches alone count; empty: all count.
    """

    least: float
    reached: bool
    against: str = ""


def read_pass_if(key: str, given: object, names: Sequence[str]) -> str:
    """The text of a `pass_if`, checked; empty where there is none. Raises `SettingError`."""
    if given == "":
        return ""
    if not isinstance(given, str):
        raise SettingError(key, f"{checks.shown(given)} is no text in quotes; a condition {_WANTED}")
    threshold = threshold_of(given)
    if threshold is None:
        raise SettingError(key, f"{checks.shown(given)} is not understood; a condition {_WANTED}")
    if threshold.least > 1 or (threshold.least == 1 and not threshold.reached):
        raise SettingError(key, f"{checks.shown(given)}: no mean is above 1; a condition {_WANTED}")
    if threshold.against and threshold.against not in names:
        raise SettingError(key, unknown("entrant", threshold.against, names))
    return given


def threshold_of(text: str) -> Threshold | None:
    """What a `pass_if` means; None if there is none, or it is not understood."""
    found = _GRAMMAR.fullmatch(text)
    if found is None:
        return None
    return Threshold(least=float(found[2]), reached=found[1] == ">=", against=found[3] or "")


def judged(figures: dict[str, Any], pass_if: str) -> dict[str, Any]:
    """The figures of ``standings.json`` with who has passed, where there is something to pass.

    ``passed`` is null for the entrant that the others are measured by, and for those that have not played what counts;
    who is disqualified has not passed.
    """
    threshold = threshold_of(pass_if)
    if threshold is None:
        return figures
    means = _means(figures, threshold)
    for entrant in figures["entrants"]:
        mean = means.get(entrant["name"])
        if entrant.get("disqualified"):
            entrant["pass_mean"], entrant["passed"] = None, False
            continue
        entrant["pass_mean"] = mean
        entrant["passed"] = None if mean is None else _passes(mean, threshold)
    return figures | {"pass_if": pass_if}


def _passes(mean: float, threshold: Threshold) -> bool:
    return mean >= threshold.least if threshold.reached else mean > threshold.least


def _means(figures: Mapping[str, Any], threshold: Threshold) -> dict[str, float | None]:
    """The means that count, by entrant."""
    if not threshold.against:
        return {one["name"]: one["mean"] for one in figures["entrants"]}
    found: dict[str, float | None] = {}
    for pair in figures["pairs"]:
        if pair["a_mean"] is None:
            continue
        if pair["b"] == threshold.against:
            found[pair["a"]] = pair["a_mean"]
        elif pair["a"] == threshold.against:
            # Rounded: what is exactly the threshold must not depend on who is named first.
            found[pair["b"]] = round(1 - pair["a_mean"], 12)
    return found


def pass_lines(figures: Mapping[str, Any]) -> Iterable[str]:
    """Who has passed, a line each after the condition; none where there is nothing to pass."""
    if "pass_if" not in figures:
        return
    yield f"pass if {figures['pass_if']}:"
    against = getattr(threshold_of(figures["pass_if"]), "against", "")
    for entrant in figures["entrants"]:
        if entrant["name"] == against:
            continue
        yield f"{pass_text(entrant)}  {entrant['name']}"


def pass_text(entrant: Mapping[str, Any]) -> str:
    """Whether an entrant has passed, with its mean; only where there is something to pass."""
    mean = entrant["pass_mean"]
    if entrant["passed"] is None:
        return "not played"
    return f"{'PASS' if entrant['passed'] else 'FAIL'} {'disqualified' if mean is None else f'{mean:.3f}'}"
