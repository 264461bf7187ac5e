"""A client with one fault, chosen by name; with none it keeps every promise of the protocol.

python faulty_client.py [--fault NAME]

It is written against the stubs alone, so that it can do what no SDK lets a bot do. `FAULTS` says what each fault is.
"""

import argparse
import os
import queue
import sys
import time

import grpc

from referee.v1 import fault_pb2, play_pb2, play_pb2_grpc

FAULTS = {
    "answers_every_refusal": "answers every refusal, whatever its remedy",
    "answers_twice": "answers every turn twice",
    "ascii_only": "knows no letters but ASCII",
    "drops_unknown_actions": "chooses only among the actions it knows, and has nothing to choose where it knows none",
    "exit_status": "ends with status 3 when all went well",
    "exits_on_end": "takes the end of a stream for the end of the match",
    "exits_on_fault": "ends when it is told of a fault",
    "exits_on_refusal": "ends when an answer is refused",
    "exits_on_repeated_turn": "ends when it sees a turn again",
    "first_event_only": "handles the first event of a response only",
    "first_turn_only": "answers the first turn of a response only",
    "ignores_refusals": "never answers again",
    "illegal_choice": "chooses a place beyond the end of the list",
    "impatient": "has a deadline of two seconds on its stream, and ends when it is over",
    "index_from_one": "counts places from 1",
    "join_twice": "joins twice on a stream",
    "joins_forever": "joins again after every Closed",
    "last_event_only": "handles the last event of a response only",
    "never_exits": "does not end when it is told that there is no more to play",
    "never_gives_up": "tries again whatever the status of its call",
    "no_pause": "tries again at once, and again",
    "no_ready": "never says Ready",
    "no_ready_again": "says Ready on its first stream only",
    "no_rejoin_token": "joins again without its token",
    "once_ended_always_ended": "takes every match for ended once one has",
    "one_attempt": "tries to connect once more, not again and again",
    "one_match": "ends after its first match",
    "ready_before_joined": "says Ready at once",
    "ready_twice": "says Ready twice",
    "refused_is_fine": "ends with status 0 when it is refused",
    "remembers_seat": "believes that its seat never changes",
    "same_pause": "makes the same short pause before every attempt",
    "settings_are_optional": "ends with status 0, without a word, when a variable is missing",
    "silent_refusal": "does not say why it was refused",
    "skips_forced": "does not answer where it has no choice",
    "skips_resent_turn": "does not answer a turn that it has answered before",
    "small_messages": "cannot take messages of more than 2,000 bytes",
    "small_turn_ids": "keeps turn ids in ten bits",
    "speaks_unasked": "repeats its last answer, or answers turn 1, when nothing comes for half a second",
    "strict_actions": "ends when it sees an action of a kind that it does not know",
    "strict_enums": "ends when it sees a value of an enum that it does not know",
    "strict_events": "ends when it sees an event of a kind that it does not know",
    "strict_fields": "ends when it sees a field that it does not know",
    "turn_needs_company": "believes that a turn is never alone in its response",
    "wrong_token": "joins with a token of its own",
    "wrong_turn_id": "counts its turns itself",
    "zero_is_nothing": "leaves out a choice that is 0",
}


class Client:
    """Plays the first legal action."""

    def __init__(self, fault):
        self.fault = fault
        self.token = os.environ["REFEREE_TOKEN"]
        self.streams = self.turns = 0
        self.seats, self.seen = set(), set()
        self.over = False
        self.given_up = False
        self.legal = []
        self.turn_id = 0
        self.last = None

    def play(self):
        """Stream after stream; the exit status."""
        options = [("grpc.max_receive_message_length", 2_000)] if self.fault == "small_messages" else []
        options += [("grpc.initial_reconnect_backoff_ms", 50), ("grpc.max_reconnect_backoff_ms", 500)]
        give_up, pause = time.monotonic() + 20, 0.05
        with grpc.insecure_channel(os.environ["REFEREE_ADDRESS"], options) as channel:
            stub = play_pb2_grpc.PlayServiceStub(channel)
            while time.monotonic() < give_up:
                closed = self.stream(stub)
                if closed is None:
                    if self.fault in {"exits_on_end", "impatient"}:
                        return 0
                    if self.fault == "one_attempt" and self.streams > 2:
                        return 1
                    if self.given_up:
                        return 1
                    time.sleep({"no_pause": 0.0, "same_pause": 0.05}.get(self.fault, pause))
                    pause = min(2 * pause, 1.0)
                    continue
                status = self.after(closed)
                if status is not None:
                    return status
                pause = 0.05
                give_up = time.monotonic() + 20
        return 1

    def after(self, closed):
        """What follows from Closed: the exit status, or None to join again."""
        if self.fault == "joins_forever":
            time.sleep(0.1)
            return None
        refused = closed.reason == play_pb2.CLOSE_REASON_REFUSED and not self.over
        if refused:
            if self.fault != "silent_refusal":
                print(closed.message, file=sys.stderr, flush=True)
            return 0 if self.fault == "refused_is_fine" else 1
        if closed.join_again and self.fault != "one_match":
            return None
        if self.fault == "never_exits":
            time.sleep(60)
        return 3 if self.fault == "exit_status" else 0

    def stream(self, stub):
        """One stream; Closed, or None if it broke."""
        self.streams += 1
        self.requests = queue.SimpleQueue()
        token = self.token
        if self.fault == "wrong_token" or (self.fault == "no_rejoin_token" and self.streams > 1):
            token = "mine"
        self.ready, self.joined = False, False
        self.send(join=play_pb2.Join(token=token, client="faulty client", version="1"))
        if self.fault == "join_twice":
            self.send(join=play_pb2.Join(token=token))
        if self.fault == "ready_before_joined":
            self.say_ready()
        call = stub.Play(self.outgoing(), timeout=2 if self.fault == "impatient" else None)
        try:
            for response in call:
                closed = self.response(response)
                if closed is not None:
                    return closed
        except grpc.RpcError as error:
            self.given_up = error.code() == grpc.StatusCode.UNIMPLEMENTED and self.fault != "never_gives_up"
        finally:
            self.requests.put(None)
            call.cancel()
        return None

    def outgoing(self):
        """What is to be sent, as it comes."""
        while True:
            try:
                request = self.requests.get(timeout=0.5 if self.fault == "speaks_unasked" else None)
            except queue.Empty:
                request = self.last or play_pb2.PlayRequest(answer=play_pb2.Answer(turn_id=1, index=0))
            if request is None:
                return
            yield request

    def send(self, **request):
        """Queue a request."""
        self.requests.put(play_pb2.PlayRequest(**request))

    def say_ready(self):
        """Say Ready, once on a stream."""
        if self.fault == "no_ready" or self.ready or (self.fault == "no_ready_again" and self.streams > 1):
            return
        self.ready = True
        for _ in range(2 if self.fault == "ready_twice" else 1):
            self.send(ready=play_pb2.Ready())

    def response(self, response):
        """Handle a response; Closed if it is in it."""
        self.check(response)
        events = list(response.events)
        if self.fault == "first_event_only":
            events = events[:1]
        elif self.fault == "last_event_only":
            events = events[-1:]
        elif self.fault == "turn_needs_company" and len(events) == 1 and events[0].HasField("turn"):
            events = []
        turns = 0
        for event in events:
            kind = event.WhichOneof("event")
            turns += kind == "turn"
            if kind == "joined":
                self.joined = True
                self.meet(event.joined)
            elif kind == "turn" and (self.fault != "first_turn_only" or turns == 1):
                self.turn(event.turn)
            elif kind == "refusal":
                self.refusal(event.refusal)
            elif kind == "fault" and self.fault == "exits_on_fault":
                sys.exit(1)
            elif kind == "match_started":
                self.over = self.over and self.fault == "once_ended_always_ended"
            elif kind == "match_ended":
                self.over = True
            elif kind == "closed":
                return event.closed
        if self.joined:
            self.say_ready()
        return None

    def meet(self, joined):
        """What it is told when it has joined."""
        self.seats.add(joined.seat)
        if self.fault == "remembers_seat" and len(self.seats) > 1:
            sys.exit(1)
        if self.fault == "ascii_only":
            joined.name.encode("ascii")

    def turn(self, turn):
        """A turn: answer it."""
        if self.fault == "skips_forced" and len(turn.legal) == 1:
            return
        seen = turn.turn_id in self.seen
        self.seen.add(turn.turn_id)
        if seen and self.fault == "exits_on_repeated_turn":
            sys.exit(1)
        if seen and self.fault == "skips_resent_turn":
            return
        self.turns += 1
        self.turn_id, self.legal = turn.turn_id, turn.legal
        self.answer()
        if self.fault == "answers_twice":
            self.answer()

    def refusal(self, refusal):
        """A refusal: answer again if it says so."""
        if self.fault == "exits_on_refusal":
            sys.exit(1)
        again = refusal.remedy == fault_pb2.REMEDY_ASK_AGAIN and refusal.turn_id == self.turn_id
        if (again and self.fault != "ignores_refusals") or self.fault == "answers_every_refusal":
            self.answer()

    def answer(self):
        """Answer the open turn by the place of its first action."""
        turn_id, place = self.turn_id, 0
        if self.fault == "wrong_turn_id":
            turn_id = self.turns
        elif self.fault == "small_turn_ids":
            turn_id &= 0x3FF
        if self.fault == "illegal_choice":
            place = len(self.legal)
        elif self.fault == "index_from_one":
            place = 1
        elif self.fault == "drops_unknown_actions":
            place = next(place for place, action in enumerate(self.legal) if action.WhichOneof("kind"))
        answer = play_pb2.Answer(turn_id=turn_id)
        if place or self.fault != "zero_is_nothing":
            answer.index = place
        self.last = play_pb2.PlayRequest(answer=answer)
        self.requests.put(self.last)

    def check(self, response):
        """Be stricter than a client may be."""
        if self.fault == "strict_fields":
            cleaned = play_pb2.PlayResponse.FromString(response.SerializeToString())
            cleaned.DiscardUnknownFields()
            if cleaned.ByteSize() != response.ByteSize():
                sys.exit(1)
        for event in response.events:
            if self.fault == "strict_events" and event.WhichOneof("event") is None:
                sys.exit(1)
            known = all(action.WhichOneof("kind") for action in event.turn.legal)
            if self.fault == "strict_actions" and not known:
                sys.exit(1)
            if self.fault == "strict_enums" and any(kind > 3 for kind in event.turn.view.history.kinds):
                sys.exit(1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--fault", choices=FAULTS, default="")
    fault = parser.parse_args().fault
    if fault == "settings_are_optional" and not {"REFEREE_ADDRESS", "REFEREE_TOKEN"} <= set(os.environ):
        sys.exit(0)
    sys.exit(Client(fault).play())
