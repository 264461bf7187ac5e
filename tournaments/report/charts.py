"""The pictures of a report: SVG by hand, in colours that its style sheet gives."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from tournaments.ratings import Rating

COLOURS: Final = 8
"""So many entrants have a colour of their own."""

_WIDTH, _HEIGHT = 760, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 160, 14, 40


def bar(bounds: Sequence[float], value: float | None, low: float, high: float, label: str, middle: float) -> str:
    """An interval with its value, on a scale from ``low`` to ``high`` with a mark at ``middle``."""

    def x(figure: float) -> float:
        return round(4 + 152 * (figure - low) / (high - low), 1)

    dot = "" if value is None else f'<circle class="dot" cx="{x(value)}" cy="9" r="4"/>'
    return (
        f'<svg class="bar" viewBox="0 0 160 18" role="img" aria-label="{html.escape(label)}">'
        f'<line class="axis" x1="4" x2="156" y1="9" y2="9"/>'
        f'<line class="axis" x1="{x(middle)}" x2="{x(middle)}" y1="2" y2="16"/>'
        f'<line class="range" x1="{x(bounds[0])}" x2="{x(bounds[1])}" y1="9" y2="9"/>{dot}</svg>'
    )


def trail(moments: Sequence[tuple[int, Mapping[str, Rating]]], names: Sequence[str]) -> str:
    """Ratings over the tournament, by deal set; the names in the order of the standings."""
    first, last = moments[0][0], moments[-1][0]
    shown = [rating for _, ratings in moments for rating in ratings.values()]
    bands = names if len(names) <= 4 else ()
    low = min(rating.low if bands else rating.value for rating in shown) - 20
    high = max(rating.high if bands else rating.value for rating in shown) + 20

    def x(sets: int) -> float:
        return round(_LEFT + (_WIDTH - _LEFT - _RIGHT) * (sets - first) / max(1, last - first), 1)

    def y(points: float) -> float:
        return round(_TOP + (_HEIGHT - _TOP - _BOTTOM) * (high - points) / (high - low), 1)

    step = next(size for size in (25, 50, 100, 200, 500, 1000, 10**9) if (high - low) / size <= 8)
    parts = []
    for line in range(int(low // step) + 1, int(high // step) + 1):
        at = y(line * step)
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{at}" y2="{at}"/>')
        parts.append(f'<text class="tick" x="{_LEFT - 6}" y="{at + 4}" text-anchor="end">{line * step}</text>')
    parts += [
        f'<text class="tick" x="{x(sets)}" y="{_HEIGHT - 20}" text-anchor="middle">{sets}</text>'
        for sets in sorted({first, (first + last) // 2, last})
    ]
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(f'<text class="tick" x="{middle}" y="{_HEIGHT - 5}" text-anchor="middle">deal sets played</text>')
    for number, name in reversed(list(enumerate(names))):
        colour = f"c{number}" if number < COLOURS else "other"
        values = [(x(sets), ratings[name]) for sets, ratings in moments]
        if name in bands:
            edge = [f"{at},{y(rating.high)}" for at, rating in values]
            edge += [f"{at},{y(rating.low)}" for at, rating in reversed(values)]
            parts.append(f'<polygon class="band {colour}" points="{" ".join(edge)}"/>')
        points = " ".join(f"{at},{y(rating.value)}" for at, rating in values)
        parts.append(f'<polyline class="line {colour}" points="{points}"/>')
        if len(values) == 1:
            parts.append(f'<circle class="dot {colour}" cx="{values[0][0]}" cy="{y(values[0][1].value)}" r="4"/>')
    parts += _labels([(y(moments[-1][1][name].value), name) for name in names[:COLOURS]], x(last) + 8)
    return (
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="Rating of each entrant by deal sets played">{"".join(parts)}</svg>'
    )


def _labels(wanted: Sequence[tuple[float, str]], x: float) -> list[str]:
    """Names beside the ends of their lines, moved apart where they would overlap."""
    placed: dict[int, float] = {}
    above = float("-inf")
    for at, number in sorted((at, number) for number, (at, _) in enumerate(wanted)):
        placed[number] = above = max(at, above + 15)
    shift = max(0.0, above - (_HEIGHT - _BOTTOM)) - 4
    return [
        f'<text class="name c{number}" x="{x}" y="{at - shift:.1f}">{html.escape(_short(wanted[number][1]))}</text>'
        for number, at in placed.items()
    ]


def _short(name: str) -> str:
    return name if len(name) <= 18 else name[:17] + "…"


def times(took: Counter[int], bins: int, label: str) -> str:
    """How long turns took: bins of doubling width, the first for less than 1 ms; ``bins`` so many."""
    counts = [0] * bins
    for ms, turns in took.items():
        counts[min(bins - 1, ms.bit_length())] += turns
    most = max(counts) or 1
    width = 230 / bins
    bars = []
    for place, count in enumerate(counts):
        height = round(70 * count / most, 1)
        if count:
            height = max(height, 1.5)
        title = f"{bin_text(place)}: {count} turns"
        bars.append(
            f'<rect class="count" x="{5 + place * width:.1f}" y="{78 - height:.1f}" width="{width - 1.5:.1f}" '
            f'height="{height}"><title>{title}</title></rect>'
        )
    ticks = "".join(
        f'<text class="tick" x="{5 + (place + 0.5) * width:.1f}" y="94" text-anchor="middle">{text}</text>'
        for place, text in ((0, "0"), (4, "8 ms"), (7, "64"), (10, "0.5 s"), (13, "4 s"), (16, "32 s"), (19, "4 min"))
        if place < bins
    )
    return (
        f'<svg class="times" viewBox="0 0 240 98" role="img" aria-label="{html.escape(label)}">{"".join(bars)}'
        f'<line class="axis" x1="5" x2="235" y1="78.5" y2="78.5"/>{ticks}</svg>'
    )


def bin_text(place: int) -> str:
    """What turns a bin has."""
    return "less than 1 ms" if place == 0 else f"{2 ** (place - 1)} to {2**place} ms"
