"""Verification of logs whose seed is withheld; and the oracle's word on logs that were changed anywhere."""
# ruff: noqa: D103

import random

import pytest
from oracle.verify import OracleError, check_log
from support.falsify import MATCHES, chained, changed, fault_in, honest, mutated

from referee.match.log import LogError
from referee.match.verify import verify


@pytest.mark.parametrize("name", MATCHES)
def test_a_log_whose_seed_is_withheld_verifies_as_far_as_it_can(name, tmp_path):
    game, players, form = MATCHES[name]
    log = honest(game, players, withheld=True, form=form)
    seed = honest(game, players, form=form)[-1]["seed"]
    path = tmp_path / "match.jsonl"
    path.write_bytes(chained(log))
    assert log[-1]["seed_withheld"] is True
    assert verify(path).deals_checked is False
    assert verify(path, bytes.fromhex(seed)).deals_checked is True
    with pytest.raises(LogError, match="the commitment is not that of the seed"):
        verify(path, bytes(32))
    revealed = {"event": "seed_revealed", "ts": log[-1]["ts"], "seed": seed}
    path.write_bytes(chained([*log, revealed]))
    assert verify(path).deals_checked is True
    path.write_bytes(chained([*log, {**revealed, "seed": "1" * 64}]))
    with pytest.raises(LogError, match=r"seed_revealed: the seed is not the one"):
        verify(path)


@pytest.mark.parametrize("name", MATCHES)
def test_without_the_seed_a_deal_must_be_a_possible_one(name, refuse):
    game, players, form = MATCHES[name]
    log = honest(game, players, withheld=True, form=form)
    event = log[1]
    hands = [list(hand) for hand in event["hands"]]
    twice = [[hands[1][0], *hands[0][1:]], *hands[1:]]
    refuse(changed(log, 1, hands=twice), 2, "are not the whole deck, each piece once")
    refuse(changed(log, 1, hands=[]), 2, "hand_started: ")
    refuse(changed(log, 1, hands=hands[:-1]), 2, "hand_started: ")
    refuse(changed(log, 1, hands=None), 2, "hand_started: ")
    refuse(changed(log, 1, hands=[[*hands[0], *hands[1]], [], *hands[2:]]), 2, "hand_started: ")
    for attempt in (-1, None, "0", True, [0]):
        refuse(changed(log, 1, attempt=attempt), 2, "attempt is")
    refuse(changed(log, 1, starter=(event["starter"] + 1) % players), 2, "hand_started: ")
    if game in ("domino-cartas", "domino-a-carte", "domino-duplas") or players == 4:
        refuse(changed(log, 1, attempt=1), 2, "there was no void deal before this one")


@pytest.mark.parametrize("name", MATCHES)
def test_without_the_seed_a_deal_must_come_where_one_is_due(name, refuse):
    game, players, form = MATCHES[name]
    log = honest(game, players, withheld=True, form=form)
    hand_ended = next(event for event in log if event["event"] == "hand_ended")
    for event in (log[-1], hand_ended, log[2]):
        refuse([log[0], event], 2, f"{event['event']} where hand_started must come")


def test_the_order_of_the_pieces_laid_by_the_deal_says_nothing(tmp_path):
    log = honest("domino-a-carte", 4, withheld=True)
    path = tmp_path / "match.jsonl"
    path.write_bytes(chained(changed(log, 1, laid=log[1]["laid"][::-1])))
    verify(path)


def test_without_the_seed_dealing_goes_on_only_until_somebody_holds_an_opener(refuse):
    def sevens(hand):
        return sum(card.startswith("7") for card in hand)

    logs = (honest("domino-cartas", 2, number, withheld=True) for number in range(50))
    log = next(log for log in logs if max(map(sevens, log[1]["hands"])) > 1)
    event = log[1]
    # One more round than was dealt; but of two sevens in one hand one was there before it.
    hands = [[*hand, card] for hand, card in zip(event["hands"], event["stock"], strict=False)]
    refuse(changed(log, 1, hands=hands, stock=event["stock"][2:]), 2, "hand_started: ")


@pytest.mark.parametrize("withheld", [False, True], ids=["seed", "withheld"])
@pytest.mark.parametrize("name", MATCHES)
def test_what_is_accepted_after_any_change_is_accepted_by_the_oracle_too(name, withheld, tmp_path):
    game, players, _ = MATCHES[name]
    form = {"target": 15} if game == "domino-belga" else {"kind": "single"}
    source = random.Random(name)
    path = tmp_path / "match.jsonl"
    log = honest(game, players, withheld=withheld, form=form)
    accepted = 0
    for _ in range(150):
        forged, place = mutated(log, source)
        path.write_bytes(chained(forged))
        fault = fault_in(path)
        if fault is not None:
            assert fault.line >= min(place, 1)
            continue
        accepted += 1
        try:
            check_log(path)
        except OracleError as error:
            raise AssertionError(f"line {place + 1}: {forged[place]}") from error
    assert accepted < 75
