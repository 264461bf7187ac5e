"""Golden logs: matches that the oracle played once and for all. Whoever changes a rule changes one of them."""
# ruff: noqa: D103

import json

import pytest
from oracle.verify import check_log
from support.golden import FOLDER, GOLDEN, log_of, text_of

from referee.match.events import FIXED, MatchSpec, parse_action_fields
from referee.match.fold import Match
from referee.match.log import read_log
from referee.match.verify import verify
from referee.rules.registry import GAMES


@pytest.fixture(params=GAMES)
def path(request):
    return FOLDER / f"{request.param}.jsonl"


def test_every_golden_log_is_of_a_game_and_every_game_has_one():
    assert {path.stem for path in FOLDER.glob("*.jsonl")} == set(GAMES) == set(GOLDEN)


def test_a_golden_log_is_what_the_oracle_plays_under_the_policy_that_is_written_down(path):
    assert path.read_text(encoding="utf-8") == text_of(log_of(path.stem, GOLDEN[path.stem]))


def test_a_golden_log_verifies(path):
    check_log(path)
    verdict = verify(path)
    assert verdict.deals_checked
    assert verdict.match.ended is not None
    assert verdict.match.spec.game.id == path.stem


def in_order(value):
    """Pieces of a hand in one order, for the order in which they are written says nothing."""
    if isinstance(value, list) and value and all(isinstance(piece, str) for piece in value):
        return sorted(value)
    return [in_order(part) for part in value] if isinstance(value, list) else value


def play_again(match, event):
    """Do what an event of a log says as if it were played now, and hold what comes of it against the event."""
    due = match.due()
    if event["event"] == "action":
        assert due is None
        assert (match.forced() is not None) == (event["by"] == "forced")
        made = match.act(parse_action_fields(event["action"], match.spec.game.deck), event["by"], 0)
        keys = ["hand", "turn", "seat", "action", "by", "drawn", "laid"]
        assert made.get("scored", 0) == event.get("scored", 0)
    else:
        assert due is not None
        match.take(due)
        made, keys = due, ["event", *FIXED[event["event"]]]
    for key in keys:
        given, wanted = made.get(key), event.get(key)
        assert given == wanted or (key != "stock" and in_order(given) == in_order(wanted)), (key, event)


def test_playing_a_golden_logs_actions_again_gives_its_events_again(path):
    first, *events = read_log(path)
    match = Match(MatchSpec.from_started(first), bytes.fromhex(events[-1]["seed"]))
    for event in events:
        play_again(match, event)
    assert match.ended["seed"] == events[-1]["seed"]


def test_a_match_can_be_played_on_from_any_place_of_its_log(path):
    first, *events = read_log(path)
    spec = MatchSpec.from_started(first)
    for place in range(0, len(events), max(1, len(events) // 7)):
        match = Match(spec, bytes.fromhex(events[-1]["seed"]))
        for event in events[:place]:
            match.apply(event)
        for event in events[place:]:
            play_again(match, event)
        assert list(match.ended["places"]) == events[-1]["places"]


def test_the_golden_logs_show_the_turns_of_every_game():
    """They would be poor witnesses if nothing happened in them."""
    logs = {game: [json.loads(line) for line in (FOLDER / f"{game}.jsonl").open(encoding="utf-8")] for game in GAMES}
    reasons = {game: {event.get("reason") for event in log} for game, log in logs.items()}
    arms = {game: {event.get("action", {}).get("arm") for event in log} for game, log in logs.items()}
    assert {"out", "blocked"} <= reasons["domino-classico"]
    assert {"out", "blocked"} <= reasons["domino-duplas"]
    assert {"out", "target"} <= reasons["domino-belga"]
    assert {"left", "right", "up", "down"} <= arms["domino-classico"] & arms["domino-belga"]
    assert any("laid" in event for event in logs["domino-a-carte"] if event["event"] == "action")
    starts = [event for event in logs["domino-cartas"] if event["event"] == "hand_started"]
    assert any(hand is None for event in starts for hand in event["hands"]), "a seat that is out"
    assert any(len(hand or ()) == 6 for event in starts for hand in event["hands"]), "a further round of cards"
