"""Matches made by the oracle alone, as logs, so that another referee can be compared with it."""

import datetime

from . import deals, games
from .canonical import chained
from .formats import DEFAULT_MAX_HANDS, Tally, fault_of


def play_match(game, seats, options, form, seed, choose):
    """Play a match and give its log, a list of events with their hash chain.

    `seats` is how many play; `options` the game's options, and `auto_forced`, as far as they differ from the
    defaults; `form` the format (`max_hands` is filled in); `seed` 64 hex digits. `choose` gets the list of legal
    actions and gives one of them: `random.Random(1).choice` will do. The same arguments give the same log.
    """
    form = {"max_hands": DEFAULT_MAX_HANDS, **form}
    fault = fault_of(game, form)
    if fault is not None:
        raise ValueError(fault)
    if seats not in games.PLAYERS[game]:
        raise ValueError(f"{game} is not played by {seats}")
    defaults = {name: values[0] for name, values in games.OPTIONS[game].items()}
    options = {**defaults, "auto_forced": False, **(options or {})}
    events = [
        {
            "event": "match_started",
            "schema": 1,
            "match": f"oracle-{seed[:8]}",
            "game": game,
            "rules_version": 1,
            "options": options,
            "format": form,
            "seats": [
                {"seat": seat, "name": f"seat {seat}", "side": games.side_of(game, seat)} for seat in range(seats)
            ],
            "commitment": deals.commitment(seed),
            "clock": {},
        }
    ]
    tally = Tally(game, seats, form)
    dealer = None
    turn = 0
    while not tally.over:
        dealer = tally.next_dealer(dealer)
        state, attempt = deal(game, seats, dealer, options, tally, seed)
        events.append(
            {
                "event": "hand_started",
                "hand": tally.hands,
                "attempt": attempt,
                "dealer": dealer,
                "hands": [None if hand is None else list(hand) for hand in state.hands],
                "stock": list(state.stock),
                "laid": list(state.laid),
                "starter": state.starter,
            }
        )
        while state.result is None:
            turn += 1
            events.append(take_turn(state, tally.hands, turn, options["auto_forced"], choose))
        result = state.result
        hand = tally.hands
        tally.add(result)
        events.append(
            {
                "event": "hand_ended",
                "hand": hand,
                "reason": result["reason"],
                "winners": result["winners"],
                "left": result["left"],
                "points": result["points"],
                "totals": list(tally.totals),
            }
        )
    events.append(
        {
            "event": "match_ended",
            "reason": "completed",
            "places": tally.places(),
            "totals": list(tally.totals),
            "seed": seed,
        }
    )
    return chained([{**event, "ts": timestamp(number)} for number, event in enumerate(events)])


def deal(game, seats, dealer, options, tally, seed):
    """Deal the tally's next hand, as often as it takes; give the state and the attempt that counted."""
    attempt = 0
    while True:
        order = deals.deck_order(games.DECK_OF[game], seed, tally.hands, attempt)
        state = games.start(game, order, seats, dealer, options, tally.facts())
        if state != "void":
            return state, attempt
        attempt += 1


def take_turn(state, hand, turn, auto_forced, choose):
    """Take one turn, by choice or by force, and give its event."""
    choices = games.legal(state)
    forced = len(choices) == 1 and (auto_forced or (state.game == "domino-duplas" and choices == [games.PASS]))
    action = choices[0] if forced else choose(choices)
    event = {
        "event": "action",
        "hand": hand,
        "turn": turn,
        "seat": state.seat,
        "action": dict(action),
        "by": "forced" if forced else "bot",
        "took_ms": 0,
        "lag_ms": 0,
    }
    return {**event, **games.apply(state, action)}


def timestamp(number):
    """Give a made-up time: one millisecond a line from the year 2000 on."""
    start = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
    moment = start + datetime.timedelta(milliseconds=number)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"
