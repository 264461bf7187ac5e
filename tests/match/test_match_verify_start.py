"""Verification: the first line, forfeits, and answers that were refused."""
# ruff: noqa: D103

import pytest
from oracle.verify import check_log
from support.falsify import chained, changed, honest, places_of

from referee.match.log import LogError
from referee.match.verify import verify


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"schema": 2}, "this referee knows schema 1, rules version 1"),
        ({"rules_version": 2}, "this referee knows schema 1, rules version 1"),
        ({"rules_version": 0}, "this referee knows schema 1, rules version 1"),
        ({"rules_version": "1"}, "this referee knows schema 1, rules version 1"),
        ({"rules_version": ...}, "rules_version"),
        ({"game": "domino-inglese"}, "unknown game 'domino-inglese'"),
        ({"game": "domino-duplas"}, "unknown option 'spinner_opens'"),
        ({"options": {"spinner_opens": "never", "auto_forced": False}}, "unknown value 'never'"),
        ({"options": {"spinner_opens": "at_once"}}, "options is"),
        ({"options": {"spinner_opens": "at_once", "auto_forced": 0}}, "unknown value '0'"),
        ({"options": []}, "match_started: "),
        ({"format": {"kind": "single", "max_hands": 200}}, "unknown format 'single'"),
        ({"format": {"kind": "points", "target": 60, "ending": "first"}}, "format is"),
        ({"format": ...}, "format"),
        ({"seats": []}, "is played by 2, 3, 4, not by 0"),
        ({"seats": [{"seat": 1, "name": "a", "side": 0}, {"seat": 1, "name": "b", "side": 1}]}, "seats is"),
        ({"seats": [{"seat": 0, "name": "a", "side": 0}, {"seat": 1, "name": "b", "side": 0}]}, "seats is"),
        ({"seats": [{"seat": 0, "name": 7, "side": 0}, {"seat": 1, "name": "b", "side": 1}]}, "7 is no name"),
        ({"seats": "ab"}, "match_started: "),
        ({"match": 5}, "match is 5"),
        ({"match": ""}, "match is ''"),
        ({"commitment": None}, "commitment is None"),
        ({"commitment": "0" * 63}, "it must be 64 hex digits"),
        ({"clock": None}, "match_started: "),
        ({"clock": {"move_ms": -1}}, "clock.move_ms: -1"),
        ({"clock": {"hurry_ms": 1}}, "clock.hurry_ms is no clock that this referee keeps"),
        ({"policy": "severe"}, "unknown policy 'severe'"),
        ({"ts": "yesterday"}, "ts is 'yesterday'"),
        ({"ts": ...}, "ts is None"),
        ({"event": "match_begun"}, "a log begins with match_started"),
    ],
)
def test_a_false_start(refuse, fields, words):
    log = honest("domino-belga", 2, form={"target": 60})
    refuse(changed(log, 0, **fields), 1, words)


def test_a_false_commitment_is_found_where_the_seed_is(refuse):
    log = honest("domino-belga", 2, form={"target": 60})
    refuse(changed(log, 0, commitment="0" * 64), len(log), "the seed is not the one that was committed to")
    withheld = honest("domino-belga", 2, withheld=True, form={"target": 60})
    seed = bytes.fromhex(log[-1]["seed"])
    refuse(changed(withheld, 0, commitment="0" * 64), 1, "the commitment is not that of the seed", seed)


def test_other_options_than_were_played_are_found_out(refuse, tmp_path):
    path = tmp_path / "match.jsonl"
    log = next(
        log
        for log in (honest("domino-classico", 2, number, spinner_opens="at_once") for number in range(9))
        if any(event.get("action", {}).get("arm") in ("up", "down") for event in log)
    )
    path.write_bytes(chained(log))
    verify(path)
    path.write_bytes(chained(changed(log, 0, options={**log[0]["options"], "spinner_opens": "after_both_sides"})))
    with pytest.raises(LogError, match=r"side arms open once both long sides|by the rules|while a tile fits"):
        verify(path)
    log = honest("domino-cartas", 3, opener=5)
    refuse(changed(log, 0, options={**log[0]["options"], "opener": 7}), 2, "hand_started: ")
    log = honest("domino-cartas", 3, auto_forced=True)
    forced = next(place for place in places_of(log, "action") if log[place]["by"] == "forced")
    refuse(changed(log, 0, options={**log[0]["options"], "auto_forced": False}), forced + 1, "forced")


def test_a_forfeit_that_cannot_be(refuse):
    log = honest("domino-cartas", 3)
    for seat in (-1, 3, None, True, "0"):
        forged = [*log[:3], {"event": "forfeited", "ts": log[0]["ts"], "seat": seat, "cause": "late"}, *log[3:]]
        refuse(forged, 4, "cannot forfeit")
    gone = {"event": "forfeited", "ts": log[0]["ts"], "seat": log[3]["seat"], "cause": "late"}
    refuse([*log[:3], gone, *log[3:]], 5, "it must be bot, forced, timeout or forfeit as the seat stands")
    refuse([*log[:3], gone, gone, *log[3:]], 5, "cannot forfeit")


def test_a_refused_answer_is_logged_with_its_turn_and_words(refuse, tmp_path):
    log = honest("domino-cartas", 3)
    said = {key: log[3][key] for key in ("ts", "hand", "turn", "seat")}
    rejected = {"event": "rejected", **said, "code": "must_play", "message": "no", "given": "pass"}
    path = tmp_path / "match.jsonl"
    path.write_bytes(chained([*log[:3], rejected, *log[3:]]))
    verify(path)
    check_log(path)
    for key, value in {"turn": 99, "seat": (said["seat"] + 1) % 3, "hand": 5, "code": ..., "message": 3}.items():
        refuse(changed([*log[:3], rejected, *log[3:]], 3, **{key: value}), 4, f"rejected: {key} is")
    refuse([log[0], rejected, *log[1:]], 2, "rejected where hand_started must come")


@pytest.mark.parametrize(
    "key", ["schema", "rules_version", "game", "options", "format", "seats", "commitment", "clock"]
)
def test_what_a_log_must_begin_with(refuse, key):
    log = honest("domino-classico", 2)
    refuse(changed(log, 0, **{key: ...}), 1, f"match_started: {key} is missing")


def test_one_more_field_is_no_fault(tmp_path):
    log = honest("domino-classico", 2)
    path = tmp_path / "match.jsonl"
    path.write_bytes(chained(changed(log, 0, venue="Lisboa")))
    verify(path)
