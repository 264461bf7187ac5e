"""The oracle held against itself: it accepts the logs of its own matches, and nothing that differs from them."""

# ruff: noqa: D103

import json
import random

import pytest

from oracle import games
from oracle.canonical import canonical, chained
from oracle.playout import play_match
from oracle.rulebook import COMBINATIONS, FORMATS, refuse
from oracle.verify import OracleError, check_log


def random_match(game, n, form, number, auto_forced=False):
    """Play a match at random, with random options."""
    source = random.Random(f"{game} {n} {sorted(form.items())} {number}")
    options = {name: source.choice(values) for name, values in games.OPTIONS[game].items()}
    options["auto_forced"] = auto_forced
    return play_match(game, n, options, form, source.randbytes(32).hex(), source.choice)


def without_seed(log):
    """Give a log that keeps its seed to itself."""
    last = {key: value for key, value in log[-1].items() if key != "seed"}
    return chained([*log[:-1], {**last, "seed_withheld": True}])


@pytest.mark.parametrize(("game", "n", "form"), COMBINATIONS)
@pytest.mark.parametrize("auto_forced", [False, True])
def test_random_matches_check(game, n, form, auto_forced):
    log = random_match(game, n, form, 0, auto_forced)
    check_log(log)
    hidden = without_seed(log)
    check_log(hidden)
    check_log(hidden, log[-1]["seed"])
    for event in log:
        if event["event"] == "action" and auto_forced:
            assert event["by"] in ("bot", "forced")


def test_every_piece_is_somewhere_after_every_action():
    for game, forms in FORMATS.items():
        n = games.PLAYERS[game][0]
        for event in random_match(game, n, forms[0], 7):
            if event["event"] == "hand_started":
                pieces = [piece for hand in event["hands"] for piece in hand] + event["stock"] + event["laid"]
                assert sorted(pieces) == sorted(games.DECK_OF[game])


def test_a_log_is_read_from_a_file(tmp_path):
    log = random_match("domino-belga", 3, FORMATS["domino-belga"][0], 1)
    path = tmp_path / "match.jsonl"
    path.write_text("".join(json.dumps(event) + "\n" for event in log))
    check_log(path)
    check_log(str(path))
    check_log(path.read_text().splitlines())
    check_log(path.read_bytes().splitlines())


@pytest.mark.parametrize("game", list(FORMATS))
def test_a_changed_byte_is_refused(game, tmp_path):
    log = random_match(game, games.PLAYERS[game][-1], FORMATS[game][0], 2)
    raw = "".join(canonical(event) + "\n" for event in log).encode()
    path = tmp_path / "match.jsonl"
    path.write_bytes(raw)
    check_log(path)
    source = random.Random(game)
    for _ in range(60):
        place = source.randrange(len(raw) - 1)
        changed = bytearray(raw)
        changed[place] ^= source.randrange(1, 256)
        path.write_bytes(bytes(changed))
        with pytest.raises(OracleError):
            check_log(path)
    # A cut is refused too, wherever it is.
    path.write_bytes(b"\n".join(raw.split(b"\n")[:-2]) + b"\n")
    with pytest.raises(OracleError):
        check_log(path)


MATCHES = [
    pytest.param("domino-cartas", 2, {"kind": "points", "target": 30, "ending": "lowest"}, id="cartas-lowest"),
    pytest.param("domino-cartas", 4, {"kind": "points", "target": 30, "ending": "eliminate"}, id="cartas-eliminate"),
    pytest.param("domino-a-carte", 4, {"kind": "hands", "hands": 2}, id="a-carte"),
    pytest.param("domino-classico", 2, FORMATS["domino-classico"][0], id="classico-2"),
    pytest.param("domino-classico", 4, FORMATS["domino-classico"][0], id="classico-4"),
    pytest.param("domino-belga", 3, FORMATS["domino-belga"][0], id="belga"),
    pytest.param("domino-duplas", 4, FORMATS["domino-duplas"][0], id="duplas"),
]


def changed(log, place, **fields):
    """Give a log with some fields of one event changed."""
    return [*log[:place], {**log[place], **fields}, *log[place + 1 :]]


@pytest.mark.parametrize(("game", "n", "form"), MATCHES)
def test_a_changed_action_is_refused(game, n, form):
    log = random_match(game, n, form, 3)
    check_log(log)
    source = random.Random(3)
    places = [i for i, event in enumerate(log) if event["event"] == "action"]
    for place in source.sample(places, min(8, len(places))):
        event = log[place]
        refuse(changed(log, place, turn=event["turn"] + 1), place + 1)
        refuse(changed(log, place, hand=event["hand"] + 1), place + 1)
        refuse(changed(log, place, seat=(event["seat"] + 1) % n), place + 1)
        refuse(changed(log, place, by="forced" if event["by"] == "bot" else "bot"), place + 1)
        refuse(changed(log, place, took_ms=-1), place + 1)
        refuse(changed(log, place, action={"type": "play", "piece": "9-9", "arm": "left"}), place + 1)
        refuse(changed(log, place, action={**event["action"], "arm": "middle"}), place + 1)
        refuse(log[:place] + log[place + 1 :], place + 1)
        refuse([*log[: place + 1], *log[place:]], place + 2)
        if "drawn" in event:
            refuse(changed(log, place, drawn="9-9"), place + 1)
        if game == "domino-belga":
            refuse(changed(log, place, scored=event.get("scored", 0) + 5), place + 1)
        if "laid" in event:
            refuse(changed(log, place, laid=event["laid"][1:]), place + 1)


@pytest.mark.parametrize(("game", "n", "form"), MATCHES)
def test_a_changed_deal_is_refused(game, n, form):
    log = random_match(game, n, form, 4)
    check_log(log)
    for place, event in enumerate(log):
        if event["event"] != "hand_started":
            continue
        refuse(changed(log, place, starter=(event["starter"] + 1) % n), place + 1)
        refuse(changed(log, place, dealer=(event["dealer"] + 1) % n), place + 1)
        refuse(changed(log, place, attempt=event["attempt"] + 1), place + 1)
        refuse(changed(log, place, hand=event["hand"] + 1), place + 1)
        hands = [None if hand is None else list(hand) for hand in event["hands"]]
        first, second = [hand for hand in hands if hand is not None][:2]
        first[0], second[0] = second[0], first[0]
        refuse(changed(log, place, hands=hands), place + 1)
        if len(event["stock"]) > 1:
            refuse(changed(log, place, stock=event["stock"][::-1]), place + 1)
        # Without the seed, the deck must still be whole.
        first[0] = second[0]
        refuse(without_seed(changed(log, place, hands=hands)), place + 1)
        refuse(changed(log, place, laid=event["laid"][1:] or ["7D"]), place + 1)


@pytest.mark.parametrize(("game", "n", "form"), MATCHES)
def test_a_changed_end_is_refused(game, n, form):
    log = random_match(game, n, form, 5)
    check_log(log)
    for place, event in enumerate(log):
        if event["event"] != "hand_ended":
            continue
        for field in ("points", "totals"):
            wrong = list(event[field])
            wrong[0] += 1
            refuse(changed(log, place, **{field: wrong}), place + 1)
        refuse(changed(log, place, winners=[*event["winners"], 7]), place + 1)
        refuse(changed(log, place, reason="target" if event["reason"] == "out" else "out"), place + 1)
        left = [None if hand is None else hand[1:] for hand in event["left"]]
        refuse(changed(log, place, left=left), place + 1)
    last = len(log) - 1
    refuse(changed(log, last, places=[*log[last]["places"], 9]), last + 1)
    refuse(changed(log, last, places=[2 if place == 1 else 1 for place in log[last]["places"]]), last + 1)
    refuse(changed(log, last, totals=[total + 1 for total in log[last]["totals"]]), last + 1)
    refuse(changed(log, last, reason="won"), last + 1)
    refuse(changed(log, last, seed="0" * 64), 1)
    refuse(changed(log, last, seed_withheld=True), last + 1)
    refuse(log[:last], last)
    refuse([*log, log[last]], last + 2)
    # A match cannot be completed before its format says so, nor go on after.
    ends = [i for i, event in enumerate(log) if event["event"] == "hand_ended"]
    if len(ends) > 1:
        refuse([*log[: ends[-2] + 1], log[last]], ends[-2] + 2)


def test_a_changed_start_is_refused():
    log = random_match("domino-belga", 2, FORMATS["domino-belga"][0], 6)
    start = log[0]
    wrong = [
        {"schema": 2},
        {"game": "domino-inglese"},
        {"game": "domino-duplas"},
        {"rules_version": "1"},
        {"options": {"auto_forced": False}},
        {"options": {"spinner_opens": "never", "auto_forced": False}},
        {"options": {"spinner_opens": "at_once"}},
        {"format": {"kind": "single", "max_hands": 200}},
        {"format": {"kind": "points", "target": 100, "ending": "first"}},
        {"seats": start["seats"][:1]},
        {"seats": start["seats"][::-1]},
        {"seats": [{**seat, "side": 0} for seat in start["seats"]]},
        {"commitment": "0" * 64},
        {"clock": None},
    ]
    for fields in wrong:
        refuse(changed(log, 0, **fields), 1)
    for field in ("schema", "match", "game", "options", "format", "seats", "commitment", "clock"):
        refuse([{key: value for key, value in start.items() if key != field}, *log[1:]], 1)


def test_the_options_in_force_are_those_of_the_log():
    form = {"kind": "best_of", "hands": 5}
    log = play_match("domino-classico", 2, {"spinner_opens": "at_once"}, form, "0" * 64, play_up)
    check_log(log)
    place = next(i for i, event in enumerate(log) if event.get("action", {}).get("arm") == "up")
    refuse(changed(log, 0, options={"spinner_opens": "after_both_sides", "auto_forced": False}), place + 1)


def play_up(choices):
    """Choose a play on the upper side arm where there is one."""
    return next((choice for choice in choices if choice.get("arm") == "up"), choices[0])


def test_unknown_events_and_fields_are_skipped():
    log = random_match("domino-duplas", 4, FORMATS["domino-duplas"][0], 8)
    noise = {"event": "connected", "ts": log[0]["ts"], "anything": [None, True, {"ü": "€"}]}
    noisy = [noise]
    for event in log:
        noisy += [{**event, "colour": "red"}, noise]
    check_log(chained(noisy))
    chain = chained(noisy)
    chain[0]["anything"] = []
    with pytest.raises(OracleError, match="line 1: "):
        check_log(chain)


def test_rejected_answers_change_nothing():
    log = random_match("domino-classico", 3, FORMATS["domino-classico"][0], 9)
    place = next(i for i, event in enumerate(log) if event["event"] == "action")
    rejected = {key: log[place][key] for key in ("ts", "hand", "turn", "seat")}
    rejected |= {"event": "rejected", "code": "illegal", "message": "no", "given": {"type": "pass"}}
    check_log(chained([*log[:place], rejected, *log[place:]]))
    del rejected["code"]
    refuse([*log[:place], rejected, *log[place:]], place + 1)


def test_a_match_may_end_by_forfeit_in_the_middle_of_a_hand():
    log = random_match("domino-classico", 3, FORMATS["domino-classico"][0], 10)
    place = next(i for i, event in enumerate(log) if event["event"] == "action")
    end = {**log[-1], "reason": "forfeit", "places": [1, 1, 3], "totals": [0, 0, 0]}
    cut = [*log[: place + 2], end]
    check_log(chained(cut))
    refuse([*log[: place + 2], {**end, "places": [1, 1, 2]}], place + 3)
    refuse([*log[: place + 2], {**end, "reason": "completed"}], place + 3)
    check_log(chained([*log[: place + 2], {**end, "reason": "aborted"}]))


def test_what_may_not_occur_in_a_log():
    log = random_match("domino-duplas", 4, {"kind": "single"}, 11)
    lines = [canonical(event) for event in log]
    for bad in ("1.5", "NaN", "1e3", str(2**60), '"\\ud800"', '{"a":1,"a":1}'):
        line = lines[0][:-1] + f',"zz":{bad}}}'
        with pytest.raises(OracleError, match="line 1: "):
            check_log([line, *lines[1:]])
    with pytest.raises(OracleError):
        check_log([])
    with pytest.raises(OracleError, match="line 3: "):
        check_log([*lines[:2], "", *lines[2:]])


def test_canonical_json():
    assert canonical({"b": [1, True, None], "a": 'é"\n', "ä": {}}) == '{"a":"é\\"\\n","b":[1,true,null],"ä":{}}'
    # Keys are sorted by UTF-16 units: the surrogates of a face come before U+FB33.
    assert canonical({"\ufb33": 1, "\U0001f600": 2}) == '{"\U0001f600":2,"\ufb33":1}'
