"""``referee replay`` and ``referee verify``: what they promise."""
# ruff: noqa: D103

import json
import re
import subprocess
import sys

import pytest

GAMES = [("domino-cartas", 3), ("domino-a-carte", 4), ("domino-classico", 2), ("domino-belga", 3), ("domino-duplas", 4)]
REFUSED = {
    "event": "rejected",
    "code": "must_play",
    "message": "`pass` while a tile fits; legal: `SECRET`",
    "given": "pass\x1b[2J",
}


def events_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def one_line(result):
    return result.stderr.count("\n") == 1 and "Traceback" not in result.output


def tampered(path, line, **changes):
    """Change fields of a line (from 1) and chain the log anew: a lie that only the rules can find."""
    import hashlib

    from referee.match.log import GENESIS, canonical

    events, prev = events_of(path), GENESIS
    events[line - 1] |= changes
    for event in events:
        del event["hash"]
        event["prev"] = prev
        prev = event["hash"] = hashlib.sha256(canonical(event)).hexdigest()
    path.write_bytes(b"".join(canonical(event) + b"\n" for event in events))


@pytest.mark.parametrize(("game", "players"), GAMES)
def test_the_whole_match_is_shown(referee, write_log, tmp_path, game, players):
    match = write_log(tmp_path / "log", game, players)
    result = referee("replay", tmp_path / "log")
    assert result.exit_code == 0, result.output
    shown = result.stdout
    for event in events_of(tmp_path / "log"):
        if event["event"] == "action":
            assert re.search(rf"(^|  )\s*{event['turn']}  ", shown, re.MULTILINE)
    assert shown.count("Hand over") == match.tally.hands
    assert "End of the match" in shown
    assert match.seed.hex() in shown


@pytest.mark.parametrize(
    ("game", "seat", "seed"),
    [("domino-belga", 0, 7), ("domino-belga", 1, 1), ("domino-cartas", 0, 1), ("domino-cartas", 1, 1)],
)
def test_a_seat_sees_nothing_that_is_hidden_from_it(referee, write_log, tmp_path, game, seat, seed):
    """A piece that is not on the table and was never in the seat's hand occurs nowhere."""
    log, page = tmp_path / "log", tmp_path / "page.html"
    write_log(log, game, 2, seed, turns=18)
    turns = [event for event in events_of(log) if event["event"] == "action"]
    own, other = (next(event["turn"] for event in turns if (event["seat"] == seat) == mine) for mine in (True, False))
    write_log(log, game, 2, seed, turns=18, notes={own: REFUSED | {"code": "mine"}, other: REFUSED})
    deal = next(event for event in events_of(log) if event["event"] == "hand_started")
    everything = {piece for pieces in deal["hands"] for piece in pieces} | set(deal["stock"])
    known = set(deal["hands"][seat]) | {event["action"].get("piece") for event in turns}
    known |= {event.get("drawn") for event in turns if event["seat"] == seat}
    hidden = everything - known
    assert hidden & {event.get("drawn") for event in turns}, "the other seat must have drawn and kept a piece"
    assert turns[-1]["hand"] == 0

    assert referee("replay", log, "--seat", seat, "--html", page).exit_code == 0
    shown = [referee("replay", log, "--seat", seat, *more).stdout for more in ((), ("--turn", 18), ("--hand", 0))]
    for text in [*shown, page.read_text()]:
        assert not set(re.findall(r'[^\s",\[\]]+', text)) & hidden
    for text in [shown[0], page.read_text()]:
        assert text.count("SECRET") == text.count("mine") == 1
        assert "must_play" not in text
    everybody = referee("replay", log).stdout
    assert hidden & set(everybody.split())
    assert everybody.count("SECRET") == 2


def test_no_seed_is_in_what_a_seat_sees(referee, write_log, tmp_path):
    match = write_log(tmp_path / "log", "domino-belga", 2)
    referee("replay", tmp_path / "log", "--seat", 0, "--html", tmp_path / "page.html")
    shown = referee("replay", tmp_path / "log", "--seat", 0).stdout + (tmp_path / "page.html").read_text()
    assert match.seed.hex() not in shown


def test_one_turn_shows_the_table_after_it(referee, write_log, tmp_path):
    write_log(tmp_path / "log", "domino-duplas", 4)
    actions = [event for event in events_of(tmp_path / "log") if event["event"] == "action"]
    result = referee("replay", tmp_path / "log", "--turn", 1)
    high, low = actions[0]["action"]["piece"].split("-")
    assert f"╔{high}╗" not in result.stdout
    assert f"┌{high}┐" in result.stdout
    assert high == low == "6"
    assert result.stdout.count("[") == 0


def test_one_hand_shows_no_other(referee, write_log, tmp_path):
    write_log(tmp_path / "log", "domino-classico", 2)
    result = referee("replay", tmp_path / "log", "--hand", 1)
    assert "Hand 1" in result.stdout
    assert "Hand 0" not in result.stdout


@pytest.mark.parametrize(
    ("flag", "value", "says"),
    [
        ("--hand", 1, "hands 0 to 0"),
        ("--hand", -1, "hands 0 to 0"),
        ("--turn", 0, "turns 1 to 8"),
        ("--turn", 9, "turns 1 to 8"),
        ("--seat", 2, "seats 0 to 1"),
        ("--seat", "ana", "not a valid integer"),
    ],
)
def test_numbers_out_of_range_are_refused_with_the_range(referee, write_log, tmp_path, flag, value, says):
    write_log(tmp_path / "log", "domino-belga", 2, turns=8)
    result = referee("replay", tmp_path / "log", flag, value)
    assert result.exit_code == 2
    assert one_line(result)
    assert says in result.stderr
    assert result.stdout == ""


def test_a_running_match_is_shown_so_far(referee, write_log, tmp_path):
    write_log(tmp_path / "log", "domino-belga", 2, turns=8)
    result = referee("replay", tmp_path / "log")
    assert result.exit_code == 0
    assert "before the match does: 1 hand, 8 turns" in result.stdout


def test_a_log_that_does_not_verify_is_shown_up_to_its_fault(referee, write_log, tmp_path):
    log = tmp_path / "log"
    write_log(log, "domino-belga", 2)
    line = next(i for i, event in enumerate(events_of(log), 1) if event.get("turn") == 9)
    tampered(log, line, scored=7)
    result = referee("replay", log)
    assert result.exit_code == 1
    assert "before the match does: 1 hand, 8 turns" in result.stdout
    assert f"{log}:{line}: action: scored is 7" in result.stderr
    assert one_line(result)


def test_a_seed_that_was_not_committed_to_is_a_fault_at_its_line(referee, write_log, tmp_path):
    log = tmp_path / "log"
    write_log(log, "domino-belga", 2)
    lines = len(events_of(log))
    tampered(log, lines, seed="00" * 32)
    for command in ("verify", "replay"):
        result = referee(command, log)
        assert result.exit_code == 1
        assert f"{log}:{lines}: match_ended: the seed" in result.output


def test_names_cannot_command_the_terminal_or_the_page(referee, write_log, tmp_path):
    names = ("\x1b[31mred\x9b2J", "[bold]</script><script>alert(1)</script>\u202e\u2028")
    log, page = tmp_path / "log", tmp_path / "page.html"
    write_log(log, "domino-belga", 2, names=names, match_id="</title><script>alert(2)//")
    result = referee("replay", log)
    assert result.exit_code == 0
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e]", result.stdout)
    assert "[bold]" in result.stdout
    referee("replay", log, "--html", page)
    assert "<script>alert" not in page.read_text()
    assert page.read_text().count("</script>") == 2


@pytest.mark.parametrize(("game", "players"), GAMES)
def test_the_page_needs_nothing_else(referee, write_log, tmp_path, game, players):
    write_log(tmp_path / "log", game, players)
    assert referee("replay", tmp_path / "log", "--html", tmp_path / "page.html").exit_code == 0
    text = (tmp_path / "page.html").read_text()
    assert "default-src 'none'" in text
    assert set(re.findall(r"https?://[^\"\s]+", text)) <= {"http://www.w3.org/2000/svg"}
    data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', text)[1])
    turns = sum(event["event"] == "action" for event in events_of(tmp_path / "log"))
    assert sum(frame.get("turn", 0) > 0 for frame in data["frames"]) == turns


def test_a_page_that_cannot_be_written_is_said(referee, write_log, tmp_path):
    write_log(tmp_path / "log", "domino-belga", 2, turns=3)
    result = referee("replay", tmp_path / "log", "--html", tmp_path / "no" / "page.html")
    assert result.exit_code == 2
    assert one_line(result)


def test_every_size_of_terminal_will_do(referee, write_log, tmp_path, monkeypatch):
    write_log(tmp_path / "log", "domino-belga", 4)
    for width in (40, 80, 200):
        monkeypatch.setenv("COLUMNS", str(width))
        run = subprocess.run(
            [sys.executable, "-m", "referee.cli.main", "replay", str(tmp_path / "log")],
            capture_output=True,
            text=True,
            check=True,
        )
        drawn = [line for line in run.stdout.splitlines() if set(line) & set("┌├└╔╠╚[")]
        assert max(map(len, drawn)) <= width


def test_a_refusal_is_one_line(referee, write_log, tmp_path):
    """Its turn, the seat, what was given and why, each once; the fault that it was is not told again."""
    refused = {"event": "rejected", "code": "malformed", "message": "'banana' is no piece", "given": "banana"}
    write_log(tmp_path / "log", "domino-belga", 2, turns=8, notes={3: refused})
    (line,) = [line for line in referee("replay", tmp_path / "log").stdout.splitlines() if "! " in line]
    assert line.startswith("  ! turn 3, ")
    assert line.endswith(": refused (malformed): 'banana' is no piece")


def test_a_late_answer_stands_at_its_turn(referee, write_log, tmp_path):
    """The log's fault does not say the turn; it is the open one."""
    late = {"event": "fault", "kind": "late", "count": 2, "remedy": "stand_in", "detail": "no answer"}
    write_log(tmp_path / "log", "domino-belga", 2, turns=8, notes={3: late})
    line = ": late, 2 times by now: no answer; the stand-in plays this turn"
    (shown,) = [one for one in referee("replay", tmp_path / "log").stdout.splitlines() if "! " in one]
    assert shown.startswith("  ! turn 3, ")
    assert shown.endswith(line)
    assert line in referee("replay", tmp_path / "log", "--turn", 3).stdout
    assert line not in referee("replay", tmp_path / "log", "--turn", 4).stdout


def test_a_seed_that_was_revealed_later_stands_at_the_end(referee, write_log, tmp_path):
    """And nowhere else; a seat does not see it."""
    log = tmp_path / "log"
    match = write_log(log, "domino-belga", 2, withheld=True)
    assert "its seed is withheld" in referee("replay", log).stdout
    last = events_of(log)[-1]
    revealed = {
        "event": "seed_revealed",
        "seed": match.seed.hex(),
        "seq": last["seq"] + 1,
        "ts": last["ts"],
        "hash": "",
    }
    with log.open("a") as file:
        file.write(json.dumps(revealed) + "\n")
    tampered(log, 1)
    shown = referee("replay", log)
    assert shown.stdout.splitlines()[-1] == f"completed; seed {match.seed.hex()}"
    assert shown.stdout.count(match.seed.hex()) == 1
    assert "seed_revealed" not in shown.stdout
    assert match.seed.hex() not in referee("replay", log, "--seat", 0).stdout
