"""Referee a whole match log again."""

import json
import os
import re

from . import deals, games
from .canonical import canonical, line_hash
from .formats import DEFAULT_MAX_HANDS, Tally, fault_of, whole

FIXED_EVENTS = ["match_started", "hand_started", "action", "rejected", "hand_ended", "match_ended"]

TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d\.\d{3}([Zz]|\+00:00)")
HEX_64 = re.compile(r"[0-9a-f]{64}")


class OracleError(Exception):
    """What is wrong with a log, and on which line (counted from 1)."""

    def __init__(self, line, what):
        super().__init__(f"line {line}: {what}")
        self.line = line
        self.what = what


def check_log(path_or_lines, seed=None):
    """Check a match log from its first line to its last.

    Takes a path, or a list of lines (text, bytes, or events already parsed). Returns None for a log in which every
    line follows from the rules, the contract and the seats' actions, else raises OracleError. The deals are computed
    from the seed the log reveals, or from `seed` (64 hex digits); if neither is there, they are only checked to be
    possible deals of the whole deck.
    """
    events = parse(path_or_lines)
    check_chain(events)
    checker = Checker(find_seed(events, seed))
    for number, event in enumerate(events, start=1):
        checker.check(number, event)
    checker.end(len(events))


def no_twins(pairs):
    """Build a JSON object, refusing one in which a key occurs twice."""
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError("a key occurs twice")
    return dict(pairs)


def no_floats(text):
    """Refuse a number that is no integer."""
    raise ValueError(f"may not occur in a log: {text}")


def parse(path_or_lines):
    """Give the events of a log."""
    if isinstance(path_or_lines, (str, os.PathLike)):
        with open(path_or_lines, "rb") as file:
            lines = file.read().split(b"\n")
        if lines[-1] == b"":
            lines.pop()
    else:
        lines = list(path_or_lines)
    if not lines:
        raise OracleError(1, "the log is empty")
    events = []
    for number, line in enumerate(lines, start=1):
        event = line
        if not isinstance(line, dict):
            try:
                text = line.decode("utf-8") if isinstance(line, bytes) else line
                event = json.loads(text, object_pairs_hook=no_twins, parse_float=no_floats, parse_constant=no_floats)
            except ValueError as error:
                raise OracleError(number, f"not a line of JSON: {error}") from None
        if not isinstance(event, dict):
            raise OracleError(number, "not a JSON object")
        events.append(event)
    return events


def check_chain(events):
    """Check what every line has: `seq`, `event`, `ts`, `prev` and `hash`."""
    prev = "0" * 64
    for number, event in enumerate(events, start=1):
        if not whole(event.get("seq"), 0) or event["seq"] != number - 1:
            raise OracleError(number, f"seq is {event.get('seq')!r}, not {number - 1}")
        if not isinstance(event.get("event"), str):
            raise OracleError(number, "no event name")
        if not isinstance(event.get("ts"), str) or not TIMESTAMP.fullmatch(event["ts"]):
            raise OracleError(number, f"ts {event.get('ts')!r} is not RFC 3339, UTC, with milliseconds")
        if event.get("prev") != prev:
            raise OracleError(number, "prev is not the hash of the line before")
        try:
            right = line_hash(event)
        except ValueError as error:
            raise OracleError(number, str(error)) from None
        if event.get("hash") != right:
            raise OracleError(number, f"the hash should be {right}")
        prev = right


def find_seed(events, seed):
    """Give the seed of a log's deals, or None."""
    for number, event in enumerate(events, start=1):
        if event["event"] == "match_ended" and "seed" in event:
            revealed = event["seed"]
            if not isinstance(revealed, str) or not HEX_64.fullmatch(revealed):
                raise OracleError(number, "the seed is not 64 hex digits")
            if seed is not None and seed != revealed:
                raise OracleError(number, "the log reveals another seed than the one given")
            return revealed
    return seed


def same_pieces(a, b):
    """Tell whether two hands (or two Nones) hold the same pieces, in whatever order."""
    if a is None or b is None:
        return a is None and b is None
    return sorted(a) == sorted(b)


class Checker:
    """A match being refereed again, event by event."""

    def __init__(self, seed):
        self.seed = seed
        self.number = 0
        self.phase = "match_started"  # what must come next: also "hand_started", "hand", "match_ended", "nothing"
        self.game = None
        self.n = None
        self.options = None
        self.auto_forced = None
        self.tally = None
        self.dealer = None
        self.hand = -1
        self.turn = 0
        self.state = None

    # ------------------------------------------------------------------------------------------------- helpers

    def fail(self, what):
        """Refuse the line at hand."""
        raise OracleError(self.number, what)

    def expect(self, name, given, right):
        """Refuse the line unless a field has exactly its right value (types included)."""
        if canonical(given) != canonical(right):
            self.fail(f"{name} is {canonical(given)}, should be {canonical(right)}")

    def has(self, event, *names):
        """Refuse the line unless it has these fields."""
        for name in names:
            if name not in event:
                self.fail(f"{event['event']} has no {name}")

    def expect_hands(self, name, given, right):
        """Refuse the line unless a list of hands is right, whatever the order of the pieces in each."""
        self.want_hands(name, given)
        if not all(same_pieces(a, b) for a, b in zip(given, right, strict=True)):
            self.fail(f"{name} is {canonical(given)}, should be {canonical(right)}")

    def want_hands(self, name, given):
        """Refuse the line unless the value is a list of hands by seat (null for the seats that are out)."""
        if not isinstance(given, list) or len(given) != self.n:
            self.fail(f"{name} needs one entry for each of {self.n} seats")
        for seat, hand in enumerate(given):
            if (hand is None) != (seat in self.tally.out):
                self.fail(f"{name} of seat {seat}: null exactly for a seat that is out of the match")
            if hand is not None:
                self.want_pieces(name, hand)

    def want_pieces(self, name, given):
        """Refuse the line unless the value is a list of strings."""
        if not isinstance(given, list) or not all(isinstance(piece, str) for piece in given):
            self.fail(f"{name} must be a list of pieces")

    def want_whole(self, event, name, least=0):
        """Refuse the line unless a field is an integer of at least `least`."""
        if not whole(event[name], least):
            self.fail(f"{name} is {event[name]!r}, not an integer from {least} up")

    # -------------------------------------------------------------------------------------------------- events

    def check(self, number, event):
        """Check the next event."""
        self.number = number
        name = event["event"]
        if name not in FIXED_EVENTS:
            return
        if name == "rejected":
            self.rejected(event)
            return
        allowed = {
            "match_started": ["match_started"],
            "hand_started": ["hand_started", "match_ended"],
            "hand": ["action", "match_ended"],
            "hand_ended": ["hand_ended"],
            "match_ended": ["match_ended"],
            "nothing": [],
        }[self.phase]
        if name not in allowed:
            self.fail(f"{name} where {' or '.join(allowed) or 'nothing more'} must come")
        getattr(self, name)(event)

    def end(self, last_line):
        """Check that the log is whole."""
        if self.phase != "nothing":
            raise OracleError(last_line, "the log has no match_ended")

    def match_started(self, event):
        """Check the match's own facts."""
        self.has(event, "schema", "match", "game", "rules_version", "options", "format", "seats", "commitment", "clock")
        self.expect("schema", event["schema"], 1)
        if not isinstance(event["match"], str) or not event["match"]:
            self.fail("match must be an id")
        self.game = event["game"]
        if self.game not in list(games.PLAYERS):
            self.fail(f"unknown game {self.game!r}")
        self.want_whole(event, "rules_version", 1)
        self.check_options(event["options"])
        fault = fault_of(self.game, event["format"])
        if fault is not None:
            self.fail(fault)
        if "max_hands" not in event["format"]:
            self.fail(f"format has no max_hands (default {DEFAULT_MAX_HANDS})")
        self.check_seats(event["seats"])
        if not isinstance(event["commitment"], str) or not HEX_64.fullmatch(event["commitment"]):
            self.fail("the commitment is not 64 hex digits")
        if self.seed is not None and deals.commitment(self.seed) != event["commitment"]:
            self.fail("the commitment is not the SHA-256 of the seed")
        if not isinstance(event["clock"], dict):
            self.fail("clock must be an object")
        self.tally = Tally(self.game, self.n, event["format"])
        self.phase = "hand_started"

    def check_options(self, options):
        """Check that every option of the game is there with an allowed value."""
        if not isinstance(options, dict):
            self.fail("options must be an object")
        for name, values in games.OPTIONS[self.game].items():
            if canonical(options.get(name)) not in [canonical(value) for value in values]:
                self.fail(f"option {name} is {options.get(name)!r}, not one of {values}")
        if not isinstance(options.get("auto_forced"), bool):
            self.fail("option auto_forced must be true or false")
        self.options = {name: options[name] for name in games.OPTIONS[self.game]}
        self.auto_forced = options["auto_forced"]

    def check_seats(self, seats):
        """Check that the seats are as many as the game has, in order, on their sides."""
        if not isinstance(seats, list) or len(seats) not in games.PLAYERS[self.game]:
            self.fail(f"{self.game} is not played by so many seats")
        for number, seat in enumerate(seats):
            if not isinstance(seat, dict) or not isinstance(seat.get("name"), str):
                self.fail(f"seat {number} needs a name")
            self.expect("seat", seat.get("seat"), number)
            self.expect(f"side of seat {number}", seat.get("side"), games.side_of(self.game, number))
        self.n = len(seats)

    def hand_started(self, event):
        """Check a deal."""
        if self.tally.over:
            self.fail("the match is over, no hand can start")
        self.has(event, "hand", "attempt", "dealer", "hands", "stock", "laid", "starter")
        self.hand += 1
        self.dealer = self.tally.next_dealer(self.dealer)
        self.expect("hand", event["hand"], self.hand)
        self.expect("dealer", event["dealer"], self.dealer)
        self.want_whole(event, "attempt")
        self.want_hands("hands", event["hands"])
        self.want_pieces("stock", event["stock"])
        self.want_pieces("laid", event["laid"])
        state = self.possible_deal(event) if self.seed is None else self.deal_from_seed(event)
        self.expect_hands("hands", event["hands"], state.hands)
        self.expect("stock", event["stock"], state.stock)
        self.expect("laid", sorted(event["laid"]), sorted(state.laid))
        self.expect("starter", event["starter"], state.starter)
        self.state = state
        self.phase = "hand"

    def deal_from_seed(self, event):
        """Deal as the seed says, attempt after attempt until a deal counts."""
        attempt = 0
        while True:
            order = deals.deck_order(games.DECK_OF[self.game], self.seed, self.hand, attempt)
            state = games.start(self.game, order, self.n, self.dealer, self.options, self.tally.facts())
            if state != "void":
                self.expect("attempt", event["attempt"], attempt)
                return state
            attempt += 1

    def possible_deal(self, event):
        """Take the deal as the log tells it, if it could be one at all."""
        dealt = [hand for hand in event["hands"] if hand is not None]
        pieces = [piece for hand in dealt for piece in hand] + event["stock"] + event["laid"]
        if sorted(pieces) != sorted(games.DECK_OF[self.game]):
            self.fail("hands, stock and laid pieces are not the whole deck")
        each = games.cards_each(self.game, len(dealt))
        facts = self.tally.facts()
        if self.game == "domino-a-carte":
            return self.possible_a_carte(event)
        if self.game == "domino-cartas":
            self.possible_cartas(event, each)
        elif any(len(hand) != each for hand in dealt):
            self.fail(f"{each} tiles are dealt to each")
        state = games.start_with(self.game, event["hands"], event["stock"], self.dealer, self.options, facts)
        if state == "void":
            self.fail("a void deal was played")
        could_be_void = self.game in ("domino-classico", "domino-belga") and facts["starter"] is None and self.n < 4
        if event["attempt"] > 0 and not could_be_void:
            self.fail("there cannot have been a void deal before this one")
        return state

    def possible_a_carte(self, event):
        """Lay the deal as told; who held 7D can only be one who held a seven."""
        self.expect("attempt", event["attempt"], 0)
        if sorted(event["laid"]) != sorted(["7D", "7H", "7S", "7C"]):
            self.fail("the four sevens are laid by the deal, and nothing else")
        if any(len(hand) > 13 for hand in event["hands"]) or event["stock"]:
            self.fail("13 cards are dealt to each")
        state = games.State(self.game, self.n, self.dealer, self.options, self.tally.facts())
        state.hands = [list(hand) for hand in event["hands"]]
        state.laid = list(event["laid"])
        state.table = list(event["laid"])
        if not whole(event["starter"], 0) or event["starter"] >= self.n:
            self.fail("starter is no seat")
        if len(state.hands[event["starter"]]) == 13:
            self.fail("the starter held no seven")
        state.seat = state.starter = event["starter"]
        return state

    def possible_cartas(self, event, each):
        """Check that the hands can have come from the first five cards and whole further rounds."""
        seats = [(self.dealer + 1 + i) % self.n for i in range(self.n)]
        seats = [seat for seat in seats if seat not in self.tally.out]
        sizes = [len(event["hands"][seat]) for seat in seats]
        extra = sum(sizes) - each * len(seats)
        right = [each + extra // len(seats) + (1 if i < extra % len(seats) else 0) for i in range(len(seats))]
        if extra < 0 or sizes != right or (extra % len(seats) and event["stock"]):
            self.fail("the cards are not dealt round the table")
        opener = str(self.options["opener"])
        held = [sum(1 for card in event["hands"][seat] if games.rank(card) == opener) for seat in seats]
        if sum(held) == 0 or (extra and max(held) > 1):
            self.fail("further cards are dealt until somebody holds an opener, and no longer")

    def action(self, event):
        """Check an action, and do it."""
        self.has(event, "hand", "turn", "seat", "action", "by", "took_ms", "lag_ms")
        self.turn += 1
        self.expect("hand", event["hand"], self.hand)
        self.expect("turn", event["turn"], self.turn)
        self.expect("seat", event["seat"], self.state.seat)
        choices = games.legal(self.state)
        given = event["action"]
        if canonical(given) not in [canonical(choice) for choice in choices]:
            self.fail(f"{canonical(given)} is not legal; legal: {canonical(choices)}")
        self.check_by(event["by"], choices)
        self.want_whole(event, "took_ms")
        self.want_whole(event, "lag_ms")
        extra = games.apply(self.state, given)
        if "drawn" in extra or "drawn" in event:
            self.expect("drawn", event.get("drawn"), extra.get("drawn"))
        if "laid" in extra or "laid" in event:
            laid = event.get("laid")
            if "laid" not in extra:
                self.fail("laid belongs to a losing pass only")
            self.want_pieces("laid", laid)
            self.expect("laid", sorted(laid), sorted(extra["laid"]))
        if "scored" in extra or "scored" in event:
            # On a draw or a pass of domino-belga a 0 may stand as well as nothing.
            right = extra.get("scored", 0 if self.game == "domino-belga" else None)
            self.expect("scored", event.get("scored"), right)
        if self.state.result is not None:
            self.phase = "hand_ended"

    def check_by(self, by, choices):
        """Check that an action was taken by somebody who had it to take."""
        if by not in ("bot", "forced", "timeout", "forfeit"):
            self.fail(f"by is {by!r}")
        only_pass = self.game == "domino-duplas" and choices == [games.PASS]
        unasked = only_pass or (self.auto_forced and len(choices) == 1)
        if unasked and by != "forced":
            self.fail(f"by is {by}, but this turn is not asked: forced")
        if not unasked and by == "forced":
            self.fail("by is forced, but this turn has to be asked")

    def rejected(self, event):
        """Check that a rejected answer says what it has to; it changes nothing."""
        if self.phase in ("match_started", "nothing"):
            self.fail("rejected outside the match")
        self.has(event, "hand", "turn", "seat", "code", "message", "given")
        if not whole(event["seat"], 0) or event["seat"] >= self.n:
            self.fail(f"seat is {event['seat']!r}")

    def hand_ended(self, event):
        """Check a hand's end, and count it."""
        self.has(event, "hand", "reason", "winners", "left", "points", "totals")
        result = self.state.result
        self.expect("hand", event["hand"], self.hand)
        self.expect("reason", event["reason"], result["reason"])
        winners = event["winners"]
        if not isinstance(winners, list) or not all(whole(seat, 0) for seat in winners):
            self.fail("winners must be a list of seats")
        self.expect("winners", sorted(winners), result["winners"])
        self.expect_hands("left", event["left"], result["left"])
        self.expect("points", event["points"], result["points"])
        self.tally.add(result)
        self.expect("totals", event["totals"], self.tally.totals)
        self.state = None
        self.phase = "match_ended" if self.tally.over else "hand_started"

    def match_ended(self, event):
        """Check the match's end: places and totals of one played to its end, the seed of any."""
        self.has(event, "reason", "places", "totals")
        reason = event["reason"]
        if reason not in ("completed", "forfeit", "aborted"):
            self.fail(f"reason is {reason!r}")
        if reason == "completed":
            if not self.tally.over:
                self.fail("the match is not completed")
            self.expect("places", event["places"], self.tally.places())
            self.expect("totals", event["totals"], self.tally.totals)
        elif reason == "forfeit":
            places = event["places"]
            if not isinstance(places, list) or len(places) != self.tally.sides or not all(whole(p, 1) for p in places):
                self.fail(f"places needs a place for each of {self.tally.sides} sides")
            if places != [1 + sum(1 for other in places if other < place) for place in places]:
                self.fail("places are not ranked 1 1 3")
        if ("seed" in event) == (event.get("seed_withheld") is True):
            self.fail("either the seed, or seed_withheld: true")
        self.phase = "nothing"
