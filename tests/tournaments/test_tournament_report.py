"""The report: one page that opens offline, with everything in it, in which names are data."""

import base64
import json
import re
import zlib
from html.parser import HTMLParser
from pathlib import Path

import pytest
from support.browser import Browser
from tournament_kit import Cup, builtin

from referee.match.log import read_log
from referee.replay.page import page_data
from referee.replay.story import read_story

HOSTILE = "</script><img src=x onerror=alert(1)>"
TRICKY = "{{data}} $& `x` | y"
NAMES = ("medium", HOSTILE, TRICKY)

BAD = """
import time

calls = 0

def bad(turn):
    global calls
    calls += 1
    if calls % 9 == 0:
        time.sleep(0.4)
    return turn.legal[0]

run(bad)
"""


class Page(HTMLParser):
    """The elements and the text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: dict[str, list[str]] = {}
        self._open: list[str] = []
        self._id = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Keep an element."""
        self.elements.append((tag, dict(attrs)))
        self._open.append(tag)
        self._id = dict(attrs).get("id") or self._id

    def handle_endtag(self, tag):
        """Leave it."""
        if self._open and self._open[-1] == tag:
            self._open.pop()

    def handle_data(self, data):
        """Keep text by the last id above it."""
        self.text.setdefault(self._id, []).append(data)

    def data(self, name):
        """The JSON in a script element."""
        return json.loads("".join(self.text[name]))

    def section(self, name):
        """The text under an id."""
        return " ".join(self.text[name])

    def count(self, tag):
        """How many elements of a kind there are."""
        return sum(one == tag for one, _ in self.elements)


@pytest.fixture(scope="module")
def cup(tmp_path_factory):
    """A tournament with names that would break a careless page, played to its end."""
    cup = Cup(tmp_path_factory.mktemp("report"))
    entrants = [builtin(name, bot) for name, bot in zip(NAMES, ("medium", "beginner", "expert"), strict=True)]
    entrants.append(cup.bot("late", BAD))
    clock = {"join_ms": 20_000, "ready_ms": 20_000, "move_ms": 200, "bank_ms": 0}
    cup.write(*entrants, name="cup of <b>names</b>", game="domino-belga", deals=3, clock=clock)
    cup.run("--workers", "2")
    return cup


@pytest.fixture(scope="module")
def text(cup):
    """The report's text."""
    return (cup.out / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(text):
    """The report."""
    return Page(text)


def test_it_needs_nothing_else(text, page):
    """No address but the names of SVG and of the logs beside it; no element that would fetch anything."""
    for address in re.findall(r"\w+://[^\s\"'<>\\]+", text):
        assert address.startswith("http://www.w3.org/2000/svg"), address
    for tag, attributes in page.elements:
        assert tag not in ("link", "img", "object", "embed", "base", "form", "audio", "video"), tag
        assert "src" not in attributes
        assert not [key for key in attributes if key.startswith("on")]
        if tag == "a":
            assert attributes["href"].startswith("#")
    assert "default-src 'none'" in text


def test_names_are_data(text, page):
    """What stands in a name is shown, and makes no element."""
    assert HOSTILE not in text
    assert "<b>names</b>" not in text
    for name in NAMES:
        assert name in page.section("standings")
        assert name in page.section("cross")
    assert page.count("script") == 5
    assert page.count("b") == page.count("img") == 0


def test_every_part_has_its_figures(cup, page):
    """The standings as in standings.json, everyone against everyone, seats, faults, thinking times, ratings."""
    figures = cup.standings()
    standings = page.section("standings")
    for one in figures["entrants"]:
        assert f"{one['mean']:.3f}" in standings
        assert f"{one['rating']:.0f}" in standings
    # Two intervals an entrant and one a seat; the ratings; a histogram each.
    assert page.count("svg") == 2 * 4 + 2 + 1 + 4
    assert sum("data-pair" in attributes for _, attributes in page.elements) == 4 * 3
    assert f"{figures['seats'][0]['mean']:.3f}" in page.section("seats")
    assert "late" in page.section("faults")
    assert "From 36 of 36 matches" in page.section("clocks")
    assert sum(tag == "polyline" for tag, _ in page.elements) == 4


def test_every_match_is_there_and_can_be_replayed(cup, page):
    """The list has every match with its places; a packed match is what the replay page shows of its log."""
    listed = page.data("matches-data")
    assert [one[0] for one in listed["matches"]] == [path.stem for path in cup.logs()]
    assert sorted(listed["names"]) == sorted((*NAMES, "late"))
    ended = [json.loads(path.read_bytes().splitlines()[-2])["places"] for path in cup.logs()]
    assert [one[2] for one in listed["matches"]] == ended
    packed = page.data("replays-data")
    assert sorted(packed) == [path.stem for path in cup.logs()]
    assert any(one[3] for one in listed["matches"])
    path = cup.logs()[5]
    shown = json.loads(zlib.decompress(base64.b64decode(packed[path.stem])))
    assert shown == json.loads(json.dumps(page_data(read_story(list(read_log(path)), None, None))))


def test_the_same_again_from_the_logs(cup, text):
    """The report can be made anew from the folder, to the last byte; with fewer matches to replay it says so."""
    cup.asked("tournament", "report", str(cup.out))
    assert (cup.out / "report.html").read_text(encoding="utf-8") == text
    _, said = cup.asked("tournament", "report", str(cup.out), "--replays", "5")
    assert "36 matches, 5 can be replayed" in said
    few = Page((cup.out / "report.html").read_text(encoding="utf-8"))
    assert len(few.data("replays-data")) == 5
    assert len(few.data("matches-data")["matches"]) == 36
    (cup.out / "report.html").write_text(text, encoding="utf-8")


def test_a_deal_set_in_progress_stays_secret(cup, tmp_path):
    """Whose cards are still to be played by others is neither listed nor replayed, but counts in the standings."""
    other = Cup(tmp_path)
    other.out.mkdir()
    for path in cup.out.iterdir():
        if path.is_file() and path.suffix != ".html":
            (other.out / path.name).write_bytes(path.read_bytes())
    (other.out / "matches").mkdir()
    for path in cup.logs()[:-1]:
        (other.out / "matches" / path.name).write_bytes(path.read_bytes())
    other.asked("tournament", "report", str(other.out))
    page = Page((other.out / "report.html").read_text(encoding="utf-8"))
    assert page.data("matches-data")["played"] == 35
    assert len(page.data("matches-data")["matches"]) == len(page.data("replays-data")) == 34


def test_where_there_is_no_tournament(tmp_path):
    """One line, and status 2."""
    _, said = Cup(tmp_path).asked("tournament", "report", str(tmp_path), status=2)
    assert "no tournament has been run here" in said


def test_standings_as_markdown(cup):
    """The file in the folder, and the same on standard output; a name is text, a bar in it no column."""
    written = (cup.out / "standings.md").read_text(encoding="utf-8")
    printed, _ = cup.asked("tournament", "standings", str(cup.out), "--markdown")
    assert printed == written
    rows = [line for line in written.split("\n\n")[2].splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 4
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1
    assert r"\{\{data\}\} \$\& \`x\` \| y" in written
    assert "<img" not in written.replace(r"\<img", "")


@pytest.fixture
def browser(tmp_path):
    """A browser window of a desk's size."""
    made = Browser(tmp_path / "profile")
    yield made
    made.close()


def address(path: Path, part: str = "") -> str:
    """The address of a page, or of a part of it."""
    return path.as_uri() + part


def test_in_a_browser(browser, cup):
    """Nothing is fetched, nothing fails; filters, cells and buttons do what they say; a match is stepped through."""
    browser.open(address(cup.out / "report.html"))
    assert browser.get("document.querySelectorAll('#list tr').length") == 36
    assert browser.get("document.title") == "cup of <b>names</b>"
    browser.get("document.querySelector('[data-pair]').click()")
    assert browser.get("$('found').textContent") == "6 of 36 matches"
    browser.get("$('other').value = ''; $('one').value = ''; $('faulty').click()")
    assert 0 < int(browser.get("$('found').textContent").split()[0]) < 36
    browser.get("$('faulty').click(); document.querySelector('[data-replay=\"0000001-0\"][data-seat=\"1\"]').click()")
    browser.wait("$('viewer').open")
    browser.wait("document.querySelectorAll('#seats .seat').length === 2", in_frame=True)
    assert "0000001-0" in browser.in_frame("document.getElementById('title').textContent")
    assert browser.in_frame("document.getElementById('view').value") == "1"
    # Seat 1's own pieces are open, seat 0's are not.
    assert browser.in_frame("document.querySelectorAll('#seats .seat')[0].querySelectorAll('.back').length") == 9
    assert browser.in_frame("document.querySelectorAll('#seats .seat')[1].querySelectorAll('.back').length") == 0
    browser.in_frame("document.getElementById('on').click()")
    assert browser.in_frame("document.getElementById('where').textContent").startswith("2 / ")
    browser.get("$('after').click()")
    browser.wait("$('which').textContent === 'match 0000001-1'")
    assert browser.get("location.hash") == "#match=0000001-1&seat=1"
    browser.press("Escape", 27)
    browser.wait("!$('viewer').open")
    assert browser.messages == []
    assert all(url.startswith(("file:", "data:", "about:")) for url in browser.requests), browser.requests


def test_the_page_of_an_entrant(browser, cup, page):
    """At its own address, by itself: faults with what came of them, slow turns, lost hands from its own seat."""
    names = page.data("matches-data")["names"]
    late = page.data("entrants-data")[names.index("late")]
    # So many are listed as the standings count, and each is in a match in which "late" sat there.
    faults = {one["name"]: one["faults"]["late"] for one in cup.standings()["entrants"]}
    seats = {match[0]: match[1] for match in page.data("matches-data")["matches"]}
    assert len(late["faults"]) == min(60, faults["late"]) > 0
    for match, seat, turn, fault, detail, came in late["faults"]:
        assert (names[seats[match][seat]], fault) == ("late", "late")
        assert turn > 0
        assert "no answer within" in detail
        assert came in ("the stand-in played", "the match is lost by it")
    assert late["slow"][0][0] == max(took for took, *_ in late["slow"]) >= 200
    browser.open(address(cup.out / "report.html", "#entrant=late"))
    assert browser.get("$('entrant-name').textContent") == "late"
    assert not browser.get("$('entrant').hidden")
    assert browser.get("getComputedStyle($('standings')).display") == "none"
    assert browser.get("document.querySelectorAll('#entrant-faults tbody tr').length") == len(late["faults"])
    _, match, hand, seat = late["lost"][0]
    browser.get("document.querySelector('#entrant-lost button').click()")
    browser.wait("$('viewer').open")
    browser.wait("document.querySelectorAll('#seats .seat').length === 2", in_frame=True)
    assert match in browser.in_frame("document.getElementById('title').textContent")
    assert browser.in_frame("document.getElementById('view').value") == str(seat)
    assert browser.in_frame("document.getElementById('hand').value") == str(hand)
    assert browser.get("location.hash") == f"#match={match}&seat={seat}&hand={hand}"
    browser.get("$('close').click()")
    browser.wait("location.hash === '#entrant=late'")
    browser.get("document.querySelector('#entrant-faults button').click()")
    browser.wait("$('viewer').open")
    assert browser.get("location.hash").endswith(f"&turn={late['faults'][0][2]}")
    browser.get("$('close').click(); document.querySelector('#entrant a').click()")
    browser.wait("$('entrant').hidden")
    assert browser.get("getComputedStyle($('standings')).display") != "none"
    browser.get("document.querySelector('#standings a.who').click()")
    browser.wait("!$('entrant').hidden")
    assert browser.get("$('entrant-name').textContent") == names[0]
    assert browser.messages == []


def test_conditions_and_verdicts_are_told(tmp_path):
    """What applied, who has passed, who is disqualified and what was started again; in the page and in the figures."""
    cup = Cup(tmp_path)
    dies = cup.bot("dies", "run(lambda turn: os._exit(3))") | {"limits": {"open_files": 99}}
    keys = {"deals": 3, "limits": {"memory_mb": 700}, "pass_if": "mean >= 0.4", "policy": "strict"}
    cup.write(dies, builtin("m", "medium"), builtin("n", "medium"), disqualify={"fault_rate": 0.5, "after": 4}, **keys)
    cup.run("--workers", "1")
    assert cup.standings()["conditions"] == {
        "schedule": "round_robin",
        "duplicate": True,
        "policy": "strict",
        "clock": {"join_ms": 20_000, "ready_ms": 20_000, "move_ms": 20_000, "bank_ms": 0, "increment_ms": 0},
        "limits": {"memory_mb": 700},
        "limits_of": {"dies": {"memory_mb": 700, "open_files": 99}},
        "disqualify": {"fault_rate": 0.5, "after": 4},
    }
    page = Page((cup.out / "report.html").read_text(encoding="utf-8"))
    told = page.section("conditions")
    assert "strict: the first fault loses the match" in told
    assert "700 MiB of memory, 99 open files" in told
    assert "who forfeits more than 50 % of its matches, judged after 4 of them or more" in told
    assert "disqualified; 4 crashed" in page.section("standings")
    assert "FAIL disqualified" in page.section("standings")
    assert "processes started again: 'dies' " in page.section("faults")
    facts = page.data("entrants-data")[2]["facts"]
    assert facts[0] == "disqualified after match 0000002-1: it forfeited 4 of 4 matches; none of its matches counts"
    assert "faults: 4 crashed" in facts
    assert page.data("matches-data")["out"] == [2]
    assert [fault[5] for fault in page.data("entrants-data")[2]["faults"]] == ["the match is lost by it"] * 4


@pytest.mark.parametrize(("width", "dark"), [(390, False), (390, True), (1200, True)])
def test_it_fits_a_phone_and_the_night(tmp_path, cup, width, dark):
    """The page is no wider than the screen; its ink and its paper are far apart, light or dark."""
    browser = Browser(tmp_path / "profile", width, 800, dark)
    try:
        browser.open(address(cup.out / "report.html", "#match=0000000-0"))
        browser.wait("$('viewer').open")
        assert browser.get("document.documentElement.scrollWidth") <= width
        browser.open(address(cup.out / "report.html", "#entrant=late"))
        assert not browser.get("$('entrant').hidden")
        assert browser.get("document.documentElement.scrollWidth") <= width
        ink, paper = (
            [int(part) for part in re.findall(r"\d+", browser.get(f"getComputedStyle(document.body).{key}"))[:3]]
            for key in ("color", "backgroundColor")
        )
        assert abs(sum(ink) - sum(paper)) > 450
        assert (sum(paper) < 200) == dark
        assert browser.messages == []
    finally:
        browser.close()
