"""The parts of a report, as HTML. Names come from users: whatever stands in them is escaped."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from tournaments.checks import printable
from tournaments.conditions import condition_lines
from tournaments.faults import FAULTS
from tournaments.incidents import incident_lines
from tournaments.passing import pass_text
from tournaments.report.charts import COLOURS, bar, times, trail
from tournaments.report.gather import Gathered
from tournaments.tables import mean_text, place_text, range_text, status_text, worth_text

MOST_PLACES: Final = 24
"""In larger fields the table of places and the cross table would not be legible, and are left out."""
MOST_TIMES: Final = 40

_FAULT_HEADS: Final = {
    "illegal": "unreadable or illegal answers",
    "late": "no answer in time",
    "gone": "lost the stream",
    "never_came": "did not come, or was not ready",
    "crashed": "process ended",
}


def text(value: object) -> str:
    """Anything as text of a page."""
    return html.escape(printable(str(value)))


def summary(found: Gathered) -> str:
    """What was played, and how it stands, in a few sentences."""
    figures, spec = found.figures, found.state.spec
    duplicate = f", each in {found.rotations} rotations of the seats" if spec.duplicate else ""
    facts = [
        text(spec.game),
        f"{len(figures['entrants'])} entrants at a table of {spec.table}",
        f"{found.deal_sets} deal sets{duplicate}",
        f"{figures['matches_played']} of {figures['matches_planned']} matches played",
    ]
    said = [f'<p class="facts">{" · ".join(facts)}</p>']
    if verdict := figures.get("verdict"):
        said.append(f"<p>{text(verdict)}.</p>")
    entrants = [one for one in figures["entrants"] if one["played"]]
    if entrants:
        first = entrants[0]
        rivals = [one["name"] for one in entrants[1:] if one["places"][0] == 1]
        name = f"<strong>{text(first['name'])}</strong>"
        if not rivals:
            said.append(f"<p>{name} is first. At 95 % that is settled.</p>")
        else:
            names = ", ".join(text(rival) for rival in rivals[:5])
            more = f" and {len(rivals) - 5} others" if len(rivals) > 5 else ""
            said.append(f"<p>{name} leads. Who is first is not settled at 95 %: it may still be {names}{more}.</p>")
    worth = worth_text(figures["deals_worth"])
    return "".join([*said, f"<p>{worth}</p>" if worth else ""])


def standings(found: Gathered) -> str:
    """The standings, with their intervals drawn."""
    entrants = found.figures["entrants"]
    low = min(one["rating_ci95"][0] for one in entrants)
    high = max(one["rating_ci95"][1] for one in entrants)
    passes = "pass_if" in found.figures
    rows = []
    for number, one in enumerate(entrants):
        mean, rating = range_text(one["ci95"]), range_text(one["rating_ci95"], 0)
        rows.append(
            [
                place_text(one),
                _name(one["name"], number),
                mean_text(one["mean"]),
                bar(one["ci95"], one["mean"], 0, 1, f"mean {mean_text(one['mean'])}, 95 % {mean}", 0.5)
                + f"<small>{mean}</small>",
                f"{one['rating']:.0f}",
                bar(one["rating_ci95"], one["rating"], low, high, f"rating {one['rating']:.0f}, 95 % {rating}", 1500)
                + f"<small>{rating}</small>",
                _percent(one["p_first"]),
                str(one["played"]),
                f"{one['won']}–{one['drawn']}–{one['lost']}",
                text(status_text(one) or "–"),
                *([text(pass_text(one))] if passes else []),
            ]
        )
    heads = ("#place", "entrant", "#mean", "95 %", "#rating", "95 %", "#first", "#played", "#won–drawn–lost", "faults")
    return table((*heads, *(("passed",) if passes else ())), rows)


def places(found: Gathered) -> str:
    """How probable each place is for each entrant."""
    entrants = _ranked(found)
    if len(entrants) > MOST_PLACES:
        return f"<p>Left out for more than {MOST_PLACES} entrants.</p>"
    chances = found.standings.place_chances()
    rows = [
        [_name(one["name"], number), *(_shaded(chance, _percent(chance), "chance") for chance in chances[one["name"]])]
        for number, one in enumerate(entrants)
    ]
    return table(("entrant", *(f"#{place}" for place in range(1, len(entrants) + 1))), rows, "grid")


def cross(found: Gathered) -> str:
    """Everyone's mean against everyone, coloured."""
    names = [one["name"] for one in _ranked(found)]
    if len(names) > MOST_PLACES:
        return f"<p>Left out for more than {MOST_PLACES} entrants; standings.json has every pair.</p>"
    numbers = {name: number for number, name in enumerate(names)}
    cells: dict[tuple[str, str], str] = {}
    for pair in found.figures["pairs"]:
        a, b, (low, high) = pair["a"], pair["b"], pair["ci95"]
        for one, other, mean, bounds, better in (
            (a, b, pair["a_mean"], (low, high), pair["p_a_better"]),
            (b, a, 1 - pair["a_mean"], (1 - high, 1 - low), 1 - pair["p_a_better"]),
        ):
            told = (
                f"{one} against {other}: mean {mean_text(mean)}, 95 % {range_text(bounds)}, {pair['deals']} deal sets, "
                f"better with probability {better:.3f}"
            )
            inner = f"{mean:.2f}<small>{_percent(better)}</small>"
            cells[one, other] = _shaded(mean, inner, "cross", told, f"{numbers[one]} {numbers[other]}")
    rows = [
        [str(row), _name(one, row - 1), *(cells.get((one, other), "·" if one == other else "–") for other in names)]
        for row, one in enumerate(names, start=1)
    ]
    return table(("#", "entrant", *(f"#{number}" for number in range(1, len(names) + 1))), rows, "grid")


def seats(found: Gathered) -> str:
    """What each seat is worth."""
    rows = []
    for seat in found.figures["seats"]:
        mean, bounds = seat["mean"], range_text(seat["ci95"])
        worth = "–" if mean is None else f"{mean - 0.5:+.3f}"
        drawn = bar(seat["ci95"], mean, 0, 1, f"mean {mean_text(mean)}, 95 % {bounds}", 0.5)
        rows.append([str(seat["seat"]), mean_text(mean), drawn + f"<small>{bounds}</small>", worth])
    return table(("#seat", "#mean", "95 %", "#worth"), rows)


def faults(found: Gathered) -> str:
    """Who broke the protocol, and how; what was nobody's fault; and whose processes were started again."""
    return _faults_of_entrants(found) + _incidents(found)


def _incidents(found: Gathered) -> str:
    lines = [f"<p>{text(line)}.</p>" for line in incident_lines(found.incidents)]
    rows = [[_match_link(again.match), again.cause, text(again.problem)] for again in found.incidents.again]
    return "".join(lines) + (table(("match", "whose fault", "what it was"), rows) if rows else "")


def _match_link(match: str) -> str:
    return f'<a href="#match={text(match)}">{text(match)}</a>'


def _faults_of_entrants(found: Gathered) -> str:
    entrants = found.figures["entrants"]
    rows = [
        [_name(one["name"], number), *(str(one["faults"][kind] or "–") for kind in FAULTS), _a_match(one)]
        for number, one in enumerate(entrants)
        if any(one["faults"].values())
    ]
    if not rows:
        return "<p>No entrant has committed any.</p>"
    return table(("entrant", *("#" + _FAULT_HEADS[kind] for kind in FAULTS), "#a match"), rows)


def _a_match(entrant: Mapping[str, Any]) -> str:
    return f"{sum(entrant['faults'].values()) / entrant['played']:.2f}" if entrant["played"] else "–"


def conditions(found: Gathered) -> str:
    """What applied to all matches, and what it takes to pass."""
    lines = condition_lines(found.figures["conditions"])
    if "pass_if" in found.figures:
        lines.append(("pass if", found.figures["pass_if"]))
    return "<dl>" + "".join(f"<dt>{text(key)}</dt><dd>{text(said)}</dd>" for key, said in lines) + "</dl>"


def clocks(found: Gathered) -> str:
    """How long each entrant thought."""
    shown = [one["name"] for one in found.figures["entrants"] if found.details[one["name"]].times][:MOST_TIMES]
    if not shown:
        return "<p>No turn has been played.</p>"
    bins = max(8, 1 + max(ms.bit_length() for name in shown for ms in found.details[name].times))
    parts = []
    for name in shown:
        took = found.details[name].times
        turns = took.total()
        middle, slow, slowest = _at(took, 0.5), _at(took, 0.99), max(took)
        told = f"{turns} turns · median {_ms(middle)} · 99 % {_ms(slow)} · slowest {_ms(slowest)}"
        drawn = times(took, bins, f"{name}: {told}")
        parts.append(f"<figure><figcaption>{text(name)}<small>{told}</small></figcaption>{drawn}</figure>")
    of = f"From {found.timed} of {found.figures['matches_played']} matches. " if found.timed else ""
    clock = found.state.spec.clock
    note = f"{of}A turn has {_ms(clock.move_ms)}, and a bank of {_ms(clock.bank_ms)}."
    return (
        f"<p>{note} Each bar stands for times up to twice as long as the one before.</p>"
        + f'<div class="figures">{"".join(parts)}</div>'
    )


def _at(took: Mapping[int, int], share: float) -> int:
    """The time that this share of the turns did not take longer than."""
    left = share * sum(took.values())
    for ms in sorted(took):
        left -= took[ms]
        if left <= 0:
            return ms
    return max(took)


def ratings(found: Gathered) -> str:
    """Ratings over the tournament."""
    if not found.trail:
        return "<p>No match has been played.</p>"
    names = [one["name"] for one in _ranked(found)]
    others = f"<p>The lines of those below place {COLOURS} are grey.</p>" if len(names) > COLOURS else ""
    return others + f'<div class="wide">{trail(found.trail, names)}</div>'


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], style: str = "") -> str:
    """A table; the heads of columns of numbers begin with ``#``. A cell that is a ``<td>`` already stays as it is."""
    numbers = [head.startswith("#") for head in heads]

    def cell(content: str, number: bool) -> str:
        return content if content.startswith("<td") else f"<td{' class=n' if number else ''}>{content}</td>"

    head = "".join(
        f'<th scope="col"{" class=n" if number else ""}>{text(name.removeprefix("#"))}</th>'
        for name, number in zip(heads, numbers, strict=True)
    )
    body = "".join(
        "<tr>" + "".join(cell(content, number) for content, number in zip(row, numbers, strict=True)) + "</tr>"
        for row in rows
    )
    kind = f' class="{style}"' if style else ""
    inner = f"<table{kind}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide" tabindex="0">{inner}</div>'


def _ranked(found: Gathered) -> list[Mapping[str, Any]]:
    """The entrants that are not disqualified, by place."""
    return [one for one in found.figures["entrants"] if not one.get("disqualified")]


def _name(name: str, number: int) -> str:
    colour = f"c{number}" if number < COLOURS else "other"
    link = f'<a class="who" href="#entrant={text(quote(printable(name), safe=""))}">{text(name)}</a>'
    return f'<i class="swatch {colour}"></i>{link}'


def _shaded(share: float, inner: str, style: str, told: str = "", pair: str = "") -> str:
    """A cell whose colour says a share."""
    level = max(0, min(10, round(10 * share)))
    title = f' title="{text(told)}"' if told else ""
    if pair:
        inner = f'<button type="button" data-pair="{pair}" aria-label="{text(told)}">{inner}</button>'
    return f'<td class="n {style} s{level}"{title}>{inner}</td>'


def _percent(share: float) -> str:
    if share < 0.005:
        return "&lt;1 %"
    return "&gt;99 %" if share > 0.995 else f"{100 * share:.0f} %"


def _ms(ms: int) -> str:
    return f"{ms} ms" if ms < 1000 else f"{ms / 1000:g} s"
