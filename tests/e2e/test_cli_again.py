"""`referee again` with real bots: they are told what they were told in the match, and their answers are judged."""

import json
import sys

import pytest
from click.testing import CliRunner
from e2e_kit import ENVIRONMENT, EXAMPLES, referee

from referee.cli.main import main
from referee.match.log import read_log
from referee.v1 import play_pb2

SEED = "5e" * 32
LAST = """
import os
from referee_bot import run

def noted(event):
    with open(os.environ["NOTES"], "a", encoding="utf-8") as notes:
        notes.write(event.SerializeToString(deterministic=True).hex() + "\\n")

run(lambda turn: turn.legal[-1], on_event=noted)
"""
WORDS = {
    "illegal": "from referee_bot import Action, run\nrun(lambda turn: Action.of('9-9 left'))\n",
    "gone": "raise SystemExit(3)\n",
}


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A match of a bot that notes all that it is told (seat 0) and a built-in one: its folder."""
    folder = tmp_path_factory.mktemp("again")
    (folder / "last.py").write_text(LAST)
    for name, text in WORDS.items():
        (folder / f"{name}.py").write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ENVIRONMENT, "NOTES", str(folder / "notes"))
        seats = f"cmd:{sys.executable} last.py,medium"
        done = referee("play", "domino-belga", "--seats", seats, "--log", "m.jsonl", "--seed", SEED, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def _asked(folder):
    """The turns that seat 0 was asked, with the action of each."""
    mine = [event for event in read_log(folder / "m.jsonl") if event["event"] == "action" and event["seat"] == 0]
    return [event for event in mine if event["by"] == "bot"]


def _again(folder, turn, program, *words, seat=0):
    command = ["--", sys.executable, program] if program else []
    log = folder / "m.jsonl"
    return referee("again", str(log), "--seat", str(seat), "--turn", str(turn), *words, *command, cwd=folder)


def _told(notes, turn):
    """What a bot was told of the match, of the hand of a turn up to it, and of the turn."""
    hand, first = [], None
    for line in notes.read_text().splitlines():
        event = play_pb2.PlayEvent.FromString(bytes.fromhex(line))
        kind = event.WhichOneof("event")
        if kind == "match_started":
            first = event
        if kind == "hand_started":
            hand = []
        if kind == "turn" and event.turn.turn_id == turn:
            return [first, *hand, event]
        if kind not in ("turn", "joined", "match_started"):
            hand.append(event)
    raise AssertionError(f"no turn {turn}")


def test_the_bot_is_told_exactly_what_it_was_told(played, monkeypatch):
    """In the first turn of a later hand and in the last one, to the byte; and its answer is the same."""
    turns = _asked(played)
    later = next(event for event in turns if event["hand"] == 1)
    for event in (later, turns[-1]):
        notes = played / f"again{event['turn']}"
        monkeypatch.setitem(ENVIRONMENT, "NOTES", str(notes))
        done = _again(played, event["turn"], "last.py")
        assert done.returncode == 0, done.stderr
        assert "the same" in done.stdout
        assert _told(notes, event["turn"]) == _told(played / "notes", event["turn"])


def test_another_answer_an_illegal_one_and_none_are_told_apart(played):
    """Each has status 1; what is illegal is explained as it would be in a match."""
    turn = _asked(played)[0]["turn"]
    other = _again(played, turn, str(EXAMPLES / "first_legal_bot.py"), "--json")
    assert other.returncode == 1
    found = json.loads(other.stdout)
    assert found["answer"]["legal"]
    assert found["answer"]["action"] != found["recorded"]["action"]
    assert not found["same"]
    illegal = _again(played, turn, "illegal.py", "--json")
    assert illegal.returncode == 1
    answer = json.loads(illegal.stdout)["answer"]
    assert not answer["legal"]
    assert "9-9" in answer["given"]
    assert "9-9" in answer["problem"]
    gone = _again(played, turn, "gone.py")
    assert gone.returncode == 1
    assert "crashed: its process ended with status 3" in " ".join(gone.stdout.split())


def test_what_is_recorded_of_a_lost_match_is_its_refusal(played):
    """Under the strict policy an illegal answer ends the match: that turn can be asked again, too."""
    seats = f"cmd:{sys.executable} illegal.py,medium"
    words = ("--set", "policy=strict", "--seed", SEED, "--log", "strict.jsonl")
    assert referee("play", "domino-belga", "--seats", seats, *words, cwd=played).returncode == 0
    [refused] = [event for event in read_log(played / "strict.jsonl") if event["event"] == "rejected"]
    words = ("--seat", "0", "--turn", str(refused["turn"]), "--json", "--", sys.executable, EXAMPLES / "random_bot.py")
    found = json.loads(referee("again", "strict.jsonl", *map(str, words), cwd=played).stdout)
    assert found["recorded"]["action"] is None
    assert [one["message"] for one in found["recorded"]["refused"]] == [refused["message"]]
    assert found["answer"]["legal"]


def test_what_was_never_asked_is_said_so(played):
    """Status 2, and one line that says what would be right."""
    turn = _asked(played)[0]["turn"]
    log = str(played / "m.jsonl")
    for file, seat, number, command, said in (
        (log, 1, turn, ["true"], "the turn of seat 0"),
        (log, 7, turn, ["true"], "seats 0 to 1"),
        (log, 0, 9999, ["true"], "turns 1 to"),
        (log, 0, turn, [], "COMMAND"),
        (log, 0, turn, ["/no/such/bot"], "/no/such/bot"),
        ("none.jsonl", 0, turn, ["true"], "none.jsonl"),
    ):
        done = CliRunner().invoke(main, ["again", file, "--seat", str(seat), "--turn", str(number), "--", *command])
        assert done.exit_code == 2, done.output
        assert said in done.stderr
