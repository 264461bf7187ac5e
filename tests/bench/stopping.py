"""Simulated tournaments that stop when it is clear: how often what they say is wrong, and what they save.

An error is a pair that is called settled the wrong way round, or at all where the two are equal; the rate counts
tournaments with any error. The stated rates are the yardstick.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final

from tests.bench.harness import Row
from tournaments.scheduling import SprtSpec, StopSpec
from tournaments.scores import Compared
from tournaments.sequential import expected_score
from tournaments.stopping import FIRST_WAVE, GROWTH, Judge

TOURNAMENTS: Final = 1_000
"""So many are simulated for each row."""

_DRAWN: Final = 0.2


def _deal_set(source: random.Random, mean: float) -> Compared:
    """Two matches on the same deals, whose luck helps either once; their mean score is as stated (0.1 to 0.9)."""
    chance = (mean - _DRAWN / 2) / (1 - _DRAWN)
    luck = source.uniform(-1, 1) * min(chance, 1 - chance)
    halves = 0
    for won in (chance + luck, chance - luck):
        halves += 1 if source.random() < _DRAWN else 2 * (source.random() < won)
    return Compared(2, halves)


def tournament(source: random.Random, stop: StopSpec, elos: Sequence[float], deals: int) -> tuple[Judge, int]:
    """A round robin in waves as they are played; what is known at its end, and how many deal sets it took."""
    names = [str(number) for number in range(len(elos))]
    pairs = [(one, other) for place, one in enumerate(names) for other in names[place + 1 :]]
    judge = Judge(stop, names, pairs, 4)
    had = dict.fromkeys(pairs, 0)
    while wave := [pair for pair in pairs if had[pair] < deals and (not had[pair] or pair in judge.in_doubt())]:
        for pair in wave:
            mean = expected_score(elos[int(pair[0])] - elos[int(pair[1])])
            more = min(max(FIRST_WAVE, had[pair] // GROWTH), deals - had[pair])
            for _ in range(more):
                judge.add(pair, _deal_set(source, mean))
            had[pair] += more
        judge.look()
    return judge, sum(had.values())


def _wrong_order(judge: Judge, elos: Sequence[float]) -> bool:
    return any(
        decision * (elos[int(one)] - elos[int(other)]) <= 0 for (one, other), decision in judge.decided.items()
    )  # fmt: skip


def _row(
    name: str, stop: StopSpec, elos: Sequence[float], deals: int, wrong: Callable[[Judge], bool], stated: float
) -> Row:
    errors = played = 0
    for number in range(TOURNAMENTS):
        judge, sets = tournament(random.Random(f"{name}/{number}"), stop, elos, deals)
        errors += wrong(judge)
        played += sets
    rate = errors / TOURNAMENTS
    most = deals * len(elos) * (len(elos) - 1) // 2
    value = f"{100 * rate:.1f} % wrong, {played / TOURNAMENTS:,.0f} of {most:,} deal sets"
    return Row(name, value, f"stated: {100 * stated:g} %", rate / stated, "<= 1", rate <= stated)


def rows() -> list[Row]:
    """The rows of this benchmark."""
    order, top, sprt = StopSpec(), StopSpec(settle="top"), StopSpec(sprt=SprtSpec(elo0=0, elo1=40))

    def order_row(name: str, stop: StopSpec, elos: Sequence[float], deals: int) -> Row:
        return _row(name, stop, elos, deals, lambda judge: _wrong_order(judge, elos), 0.05)

    def decided(sign: int) -> Callable[[Judge], bool]:
        return lambda judge: sign in judge.decided.values()

    return [
        order_row("2 equal entrants, order", order, (0, 0), 1_000),
        order_row("4 equal entrants, order", order, (0,) * 4, 300),
        order_row("5 entrants 60 Elo apart, order", order, (0, -60, -120, -180, -240), 300),
        order_row("5 entrants, two equal ahead, top 1", top, (0, 0, -60, -120, -180), 300),
        _row("SPRT 0 to 40 Elo, equal", sprt, (0, 0), 5_000, decided(1), 0.05),
        _row("SPRT 0 to 40 Elo, 40 better", sprt, (40, 0), 5_000, decided(-1), 0.05),
    ]
