"""Match formats: when a match is over, and who is placed where."""

from .games import side_count, side_of

# Game -> the kinds of format it may be played in (with the ending, where there is one).
ALLOWED = {
    "domino-cartas": ["single", "best_of", "points lowest", "points eliminate"],
    "domino-a-carte": ["hands", "single"],
    "domino-classico": ["best_of", "single"],
    "domino-belga": ["points first"],
    "domino-duplas": ["points first", "single"],
}

DEFAULT_MAX_HANDS = 200


def whole(value, least):
    """Tell whether a value is an integer (and no boolean) of at least `least`."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def fault_of(game, form):
    """Say what is wrong with a format for a game, or None."""
    if not isinstance(form, dict) or not isinstance(form.get("kind"), str):
        return "a format needs a kind"
    kind = form["kind"]
    name = f"{kind} {form.get('ending')}" if kind == "points" else kind
    if name not in ALLOWED[game]:
        return f"{game} is not played in the format {name}"
    if kind in ("best_of", "hands") and not whole(form.get("hands"), 1):
        return f"{kind} needs hands, at least 1"
    if kind == "best_of" and form["hands"] % 2 == 0:
        return "best_of needs an odd number of hands"
    if kind == "points" and not whole(form.get("target"), 1):
        return "points needs a target, at least 1"
    if not whole(form.get("max_hands", DEFAULT_MAX_HANDS), 1):
        return "max_hands must be at least 1"
    return None


def shared_places(keys):
    """Rank some keys, the smallest first; equal keys share a place, and as many places after it are skipped."""
    return [1 + sum(1 for other in keys if other < key) for key in keys]


class Tally:
    """What a match's format counts. Feed it every hand's result; then ask `over`, `totals`, `places()`, `out`."""

    def __init__(self, game, n, form):
        self.game = game
        self.n = n
        self.form = form
        self.kind = form["kind"]
        self.sides = side_count(game, n)
        self.totals = [0] * self.sides
        self.hands = 0
        self.out = []  # seats out of the match (eliminate)
        self.out_after = {}  # seat -> the number of the hand that put it out
        self.last = None
        self.over = False

    @property
    def target_in_hand(self):
        """The target that ends a hand in its middle, or None."""
        return self.form["target"] if self.game == "domino-belga" else None

    def facts(self):
        """Give what the next hand needs to know of the match so far."""
        return {
            "starter": self.last["next_starter"] if self.last else None,
            "out": list(self.out),
            "totals": list(self.totals),
            "target": self.target_in_hand,
        }

    def next_dealer(self, dealer):
        """Give the dealer after `dealer` (None before the first hand)."""
        if dealer is None:
            return self.n - 1
        seat = (dealer + 1) % self.n
        while seat in self.out:
            seat = (seat + 1) % self.n
        return seat

    def add(self, result):
        """Count a hand that has ended."""
        if self.kind in ("single", "best_of"):
            for side in {side_of(self.game, seat) for seat in result["winners"]}:
                self.totals[side] += 1
        else:
            for side in range(self.sides):
                self.totals[side] += result["points"][side]
        self.hands += 1
        self.last = result
        if self.form.get("ending") == "eliminate":
            for seat in range(self.n):
                if seat not in self.out_after and self.totals[seat] >= self.form["target"]:
                    self.out_after[seat] = self.hands
            self.out = sorted(self.out_after)
        self.over = self.is_over()

    def is_over(self):
        """Tell whether the match has ended."""
        if self.hands >= self.form.get("max_hands", DEFAULT_MAX_HANDS):
            return True
        if self.kind == "single":
            return True
        if self.kind == "best_of":
            return max(self.totals) >= (self.form["hands"] + 1) // 2
        if self.kind == "hands":
            return self.hands >= self.form["hands"]
        if self.form["ending"] == "eliminate":
            return self.n - len(self.out) == 1
        return max(self.totals) >= self.form["target"]

    def places(self):
        """Give the places by side as they stand after the hands counted."""
        if self.kind == "single":
            if "places" in self.last:
                return list(self.last["places"])
            if not self.last["winners"]:
                return [1] * self.sides
            winning = {side_of(self.game, seat) for seat in self.last["winners"]}
            return [1 if side in winning else 2 for side in range(self.sides)]
        if self.form.get("ending") == "lowest":
            return shared_places(self.totals)
        if self.form.get("ending") == "eliminate":
            # Those still in come first; then whoever was put out later; then the lower total.
            never = self.hands + 1
            return shared_places([(-self.out_after.get(seat, never), self.totals[seat]) for seat in range(self.n)])
        return shared_places([-total for total in self.totals])
