"""Verification: one false field, with the hash chain made whole again, is refused by file, line and rule."""
# ruff: noqa: D103

import random

import pytest
from oracle.verify import check_log
from support.falsify import MATCHES, chained, changed, fault_in, honest, places_of

from referee.match.verify import verify


@pytest.fixture(params=MATCHES)
def log(request):
    game, players, form = MATCHES[request.param]
    return honest(game, players, form=form)


def test_the_logs_that_are_falsified_here_verify(log, tmp_path):
    path = tmp_path / "match.jsonl"
    path.write_bytes(chained(log))
    verdict = verify(path)
    assert (verdict.lines, verdict.deals_checked) == (len(log), True)
    check_log(path)


def test_a_false_deal(log, refuse):
    for place in places_of(log, "hand_started"):
        event, line = log[place], place + 1
        hands = [None if hand is None else list(hand) for hand in event["hands"]]
        one, two = [hand for hand in hands if hand is not None][:2]
        one[0], two[0] = two[0], one[0]
        refuse(changed(log, place, hands=hands), line, "hand_started: hands is")
        refuse(changed(log, place, hands=[hand and hand[1:] for hand in event["hands"]]), line, "hands is")
        refuse(changed(log, place, hands=event["hands"][:-1]), line, "hand_started: hands is")
        stock = event["stock"]
        refuse(changed(log, place, stock=stock[::-1] if len(stock) > 1 else ["6-6"]), line, "hand_started: stock is")
        refuse(changed(log, place, laid=event["laid"][1:] or ["7D"]), line, "hand_started: laid is")
        players = len(event["hands"])
        for key, value in [
            ("hand", event["hand"] + 1),
            ("attempt", event["attempt"] + 1),
            ("dealer", (event["dealer"] + 1) % players),
            ("starter", (event["starter"] + 1) % players),
        ]:
            refuse(changed(log, place, **{key: value}), line, f"hand_started: {key} is {value}; by the rules")
            refuse(changed(log, place, **{key: ...}), line, f"hand_started: {key} is None; by the rules")


def sampled(log, kind, most=6):
    places = places_of(log, kind)
    return random.Random(1).sample(places, min(most, len(places)))


def test_a_false_action(log, refuse):
    for place in sampled(log, "action"):
        event, line = log[place], place + 1
        players = len(log[0]["seats"])
        for key, value in [
            ("hand", event["hand"] + 1),
            ("turn", event["turn"] + 1),
            ("seat", (event["seat"] + 1) % players),
        ]:
            refuse(changed(log, place, **{key: value}), line, f"action: {key} is {value}; by the rules")
        for key in ("took_ms", "lag_ms"):
            for value in (-1, ..., "5", True, None, 2**53):
                refuse(changed(log, place, **{key: value}), line, f"action: {key} is")
        for action in ({}, None, "pass", {"type": "fly"}, {"type": "pass", "piece": "6-6"}, {"type": "play"}):
            refuse(changed(log, place, action=action), line, "is no action")
        action = {"type": "play", "piece": "9-9"}
        refuse(changed(log, place, action=action), line, "'9-9' is no piece of the")
        refuse(log[:place] + log[place + 1 :], line, "")
        refuse([*log[: place + 1], *log[place:]], line + 1, "")


def test_an_action_that_the_rules_refuse_names_the_rule_and_what_is_legal(log, refuse):
    for place in sampled(log, "action"):
        kind = log[place]["action"]["type"]
        game = log[0]["game"]
        other = {"type": "draw" if kind == "pass" else "pass" if kind == "draw" else "draw"}
        if log[place]["by"] == "forced":
            continue
        refuse(changed(log, place, action=other), place + 1, f"[{game}: ")
        refuse(changed(log, place, action=other), place + 1, "; legal: `")


def test_another_legal_action_is_found_out_by_what_follows(log, tmp_path):
    path = tmp_path / "match.jsonl"
    for place in sampled(log, "action", 12):
        event = log[place]
        if "arm" not in event["action"]:
            continue
        for arm in ("left", "right", "up", "down"):
            if arm != event["action"]["arm"]:
                path.write_bytes(chained(changed(log, place, action={**event["action"], "arm": arm})))
                fault = fault_in(path)
                if fault is None:
                    # Both arms lead to the same end of the hand: then the oracle must think so, too.
                    check_log(path)
                else:
                    assert fault.line > place


@pytest.mark.parametrize("arm", ["", "middle", None, 1, ["left"], "Left"])
def test_an_arm_that_is_none(refuse, arm):
    log = honest("domino-duplas", 4)
    for place in places_of(log, "action")[:3]:
        if log[place]["action"]["type"] == "play":
            refuse(changed(log, place, action={**log[place]["action"], "arm": arm}), place + 1, "is no action")


def test_an_arm_for_a_card_and_none_for_a_tile(refuse):
    log = honest("domino-cartas", 3)
    place = next(place for place in places_of(log, "action")[1:] if log[place]["action"]["type"] == "play")
    refuse(changed(log, place, action={**log[place]["action"], "arm": "left"}), place + 1, "without an arm")
    log = honest("domino-duplas", 4)
    place = next(place for place in places_of(log, "action")[1:] if log[place]["action"]["type"] == "play")
    action = {"type": "play", "piece": log[place]["action"]["piece"]}
    refuse(changed(log, place, action=action), place + 1, "needs an arm")


def test_false_words_about_who_acted(log, refuse):
    bots = [place for place in places_of(log, "action") if log[place]["by"] == "bot"]
    for place in bots[:5]:
        refuse(changed(log, place, by="forced"), place + 1, "a turn is `forced` if, and only if, it is not asked")
        refuse(changed(log, place, by="forfeit"), place + 1, "for a seat that has not forfeited")
        refuse(changed(log, place, by="robot"), place + 1, "it must be bot, forced, timeout or forfeit")
        refuse(changed(log, place, by=...), place + 1, "it must be bot, forced, timeout or forfeit")
    for place in [place for place in places_of(log, "action") if log[place]["by"] == "forced"][:5]:
        refuse(changed(log, place, by="bot"), place + 1, "a turn is `forced` if, and only if, it is not asked")


def test_a_time_out_is_played_by_the_stand_in_the_first_legal_action(refuse):
    log = honest("domino-a-carte", 4, form={"kind": "single"})
    # A pass comes after all plays in the order of legal actions; with a card that fits it is not the stand-in's.
    places = [place for place in places_of(log, "action") if log[place]["action"]["type"] == "pass"]
    refuse(changed(log, places[0], by="timeout"), places[0] + 1, "the stand-in plays the first legal action")


def test_what_an_action_brought_about(refuse):
    log = honest("domino-belga", 2, form={"target": 60})
    for place in sampled(log, "action", 20):
        event = log[place]
        refuse(changed(log, place, scored=event["scored"] + 5), place + 1, "action: scored is")
        if event["action"]["type"] == "play":
            refuse(changed(log, place, scored=...), place + 1, "action: scored is None")
        if "drawn" in event:
            refuse(changed(log, place, drawn="6-6" if event["drawn"] != "6-6" else "0-0"), place + 1, "drawn is")
            refuse(changed(log, place, drawn=...), place + 1, "action: drawn is None; by the rules")
        else:
            refuse(changed(log, place, drawn="6-6"), place + 1, "by the rules None")
    assert any("drawn" in event for event in log)


def test_what_a_losing_pass_laid(refuse):
    log = next(log for log in (honest("domino-a-carte", 4, number) for number in range(50)) if places_with(log, "laid"))
    place = places_with(log, "laid")[0]
    refuse(changed(log, place, laid=log[place]["laid"][1:]), place + 1, "action: laid is")
    refuse(changed(log, place, laid=...), place + 1, "action: laid is None; by the rules")
    other = next(place for place in places_of(log, "action") if "laid" not in log[place])
    refuse(changed(log, other, laid=["KS"]), other + 1, "action: laid is ['KS']; by the rules None")


def places_with(log, key):
    return [place for place in places_of(log, "action") if key in log[place]]


def test_a_false_end_of_a_hand(log, refuse):
    for place in places_of(log, "hand_ended"):
        event, line = log[place], place + 1
        fields = {
            "hand": event["hand"] + 1,
            "reason": "blocked" if event["reason"] != "blocked" else "out",
            "winners": [*event["winners"], 0],
            "left": [hand if hand is None else [*hand, "6-6"] for hand in event["left"]],
            "points": [event["points"][0] + 1, *event["points"][1:]],
            "totals": [event["totals"][0] + 1, *event["totals"][1:]],
        }
        for key, value in fields.items():
            refuse(changed(log, place, **{key: value}), line, f"hand_ended: {key} is")
            refuse(changed(log, place, **{key: ...}), line, f"hand_ended: {key} is None")


def test_a_false_end_of_the_match(log, refuse):
    last = len(log) - 1
    event = log[last]
    for key, value in {
        "reason": "forfeit",
        "places": event["places"][::-1] if event["places"] != event["places"][::-1] else [9],
        "totals": [total + 1 for total in event["totals"]],
    }.items():
        refuse(changed(log, last, **{key: value}), last + 1, f"match_ended: {key} is")
    refuse(changed(log, last, seed="0" * 64), last + 1, "the seed is not the one that was committed to")
    refuse(changed(log, last, seed="seed"), last + 1, "a seed is 64 hex digits")
    refuse(changed(log, last, seed=...), last + 1, "either a seed or `seed_withheld`")
    refuse(changed(log, last, seed_withheld=True), last + 1, "either a seed or `seed_withheld`")
    refuse(changed(log, last, seed=..., seed_withheld=1), last + 1, "either a seed or `seed_withheld`")
    refuse([*log, event], last + 2, "match_ended after the match has ended")
    ends = places_of(log, "hand_ended")
    if len(ends) > 1:
        refuse([*log[: ends[0] + 1], event], ends[0] + 2, "match_ended where hand_started must come")
    refuse([*log[: ends[-1]], event], ends[-1] + 1, "match_ended where hand_ended must come")


def test_true_and_false_are_no_numbers(refuse):
    log = honest("domino-duplas", 4, form={"kind": "single"})
    last = len(log) - 1
    assert sorted(log[last]["places"]) == [1, 2]
    places = [True if place == 1 else place for place in log[last]["places"]]
    refuse(changed(log, last, places=places), last + 1, "match_ended: places is")
    refuse(changed(log, 1, hand=False), 2, "hand_started: hand is False")
    refuse(changed(log, 2, turn=True), 3, "action: turn is True")
    refuse(changed(log, 0, schema=True), 1, "schema is True")
