"""The five games, one hand at a time.

`start(game, order, n, dealer, options, facts)` gives a `State` or "void"; `legal(state)` gives the list of legal
actions, written exactly as in the log; `apply(state, action)` changes the state and gives what the log adds to the
action (`drawn`, `scored`, `laid`). When the hand is over `state.result` holds what `hand_ended` says of it:
`reason`, `winners`, `left`, `points` (by side), in domino-a-carte `places`, and `next_starter`.

`facts` is what a hand needs to know of the match before it, each with a default: `starter` (the seat that starts by
what the hand before decided, or None: open as a first hand does), `out` (seats out of the match), `totals` and
`target` (of the match, for the game that can end in the middle of a hand).
"""

from .deals import DOMINO_28, FRENCH_52, SPANISH_40

PLAYERS = {
    "domino-cartas": [2, 3, 4, 5, 6, 7, 8],
    "domino-a-carte": [4],
    "domino-classico": [2, 3, 4],
    "domino-belga": [2, 3, 4],
    "domino-duplas": [4],
}

DECK_OF = {
    "domino-cartas": SPANISH_40,
    "domino-a-carte": FRENCH_52,
    "domino-classico": DOMINO_28,
    "domino-belga": DOMINO_28,
    "domino-duplas": DOMINO_28,
}

# Option -> allowed values, the default first.
OPTIONS = {
    "domino-cartas": {"opener": [7, 4, 5, 6]},
    "domino-a-carte": {},
    "domino-classico": {"spinner_opens": ["after_both_sides", "at_once"]},
    "domino-belga": {"spinner_opens": ["after_both_sides", "at_once"]},
    "domino-duplas": {},
}

SPANISH_RANKS = ["1", "2", "3", "4", "5", "6", "7", "10", "11", "12"]
FRENCH_RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K"]

PASS = {"type": "pass"}
DRAW = {"type": "draw"}


def side_of(game, seat):
    """Give the side a seat plays for: its pair in domino-duplas, else itself."""
    return seat % 2 if game == "domino-duplas" else seat


def side_count(game, n):
    """Give how many sides a match of `n` seats has."""
    return 2 if game == "domino-duplas" else n


def cards_each(game, n):
    """Give how many pieces everybody gets, where `n` seats are in the hand."""
    if game == "domino-cartas":
        return 5
    if game == "domino-a-carte":
        return 13
    if game in ("domino-classico", "domino-belga") and n == 2:
        return 9
    return 7


def play(piece, arm=None):
    """Write down the action of playing a piece."""
    if arm is None:
        return {"type": "play", "piece": piece}
    return {"type": "play", "piece": piece, "arm": arm}


def suit(card):
    """Give a card's suit."""
    return card[-1]


def rank(card):
    """Give a card's rank as written."""
    return card[:-1]


def halves(tile):
    """Give a tile's two numbers, the high one first."""
    return int(tile[0]), int(tile[2])


def is_double(tile):
    """Tell whether a tile bears one number twice."""
    return tile[0] == tile[2]


def pips(tiles):
    """Add up the pips of some tiles."""
    return sum(sum(halves(tile)) for tile in tiles)


def card_points(cards):
    """Add up what cards left in hand cost in domino-cartas: their number, figures 8."""
    return sum(8 if rank(card) in ("10", "11", "12") else int(rank(card)) for card in cards)


class State:
    """One hand being played. `seat` is whose turn it is; `result` is None until the hand is over."""

    def __init__(self, game, n, dealer, options, facts):
        self.game = game
        self.n = n
        self.dealer = dealer
        self.options = {name: values[0] for name, values in OPTIONS[game].items()}
        self.options.update(options or {})
        facts = facts or {}
        self.out = list(facts.get("out", []))
        self.fixed_starter = facts.get("starter")
        self.totals = list(facts.get("totals") or [0] * side_count(game, n))
        self.target = facts.get("target")
        # For every game.
        self.hands = []  # by seat; None for a seat that is out of the match
        self.stock = []  # top first
        self.laid = []  # on the table by the deal
        self.starter = None
        self.seat = None
        self.first_turn = True
        self.result = None
        # For the card games.
        self.table = []  # every card on the table
        self.drawn = None  # domino-cartas: the card drawn in this turn
        self.passes = [0] * n  # domino-a-carte
        self.finished = []  # domino-a-carte: seats in the order of running out
        self.lost = []  # domino-a-carte: seats in the order of losing
        # For the dominoes.
        self.must_open = None  # the tile that has to be played first
        self.line = []  # tiles from left to right, each as (its left number, its right number)
        self.spinner = None  # place of the spinner in the line
        self.arms = {"up": [], "down": []}  # each tile as (inner number, outer number)
        self.scored = [0] * n  # domino-belga: in this hand
        self.plays = []  # domino-duplas: seats in the order of their plays

    def seats_from(self, first):
        """Give the seats of the match in turn order, starting with the one given (or the first after it)."""
        order = [(first + i) % self.n for i in range(self.n)]
        return [seat for seat in order if seat not in self.out]

    def playing(self, seat):
        """Tell whether a seat still takes turns in this hand."""
        return seat not in self.out and seat not in self.finished and seat not in self.lost

    def next_seat(self):
        """Give the next seat in turn order still in the hand."""
        return next(seat for seat in self.seats_from(self.seat + 1) if self.playing(seat))


# ---------------------------------------------------------------------------------------------------- the start


def start(game, order, n, dealer, options=None, facts=None):
    """Deal a deck order (or the part of it that matters) and open the hand; "void" if the deal does not count."""
    state = State(game, n, dealer, options, facts)
    state.stock = list(order)
    state.hands = [None if seat in state.out else [] for seat in range(n)]
    round_table = state.seats_from(dealer + 1)
    for _ in range(cards_each(game, len(round_table))):
        for seat in round_table:
            state.hands[seat].append(state.stock.pop(0))
    return open_hand(state)


def start_with(game, hands, stock, dealer, options=None, facts=None):
    """Open a hand whose hands and stock are given as just dealt, for examples; else as `start`."""
    state = State(game, len(hands), dealer, options, facts)
    state.hands = [None if hand is None else list(hand) for hand in hands]
    state.stock = list(stock)
    return open_hand(state)


def open_hand(state):
    """Find who starts, and with what; lay what is laid by the deal."""
    if state.game == "domino-cartas":
        state.starter = find_cartas_starter(state)
    elif state.game == "domino-a-carte":
        for seat in range(state.n):
            if "7D" in state.hands[seat]:
                state.starter = seat
        lay_sevens(state)
    elif state.fixed_starter is not None:
        state.starter = state.fixed_starter
    else:
        doubles = ["6-6"] if state.game == "domino-duplas" else ["6-6", "5-5", "4-4", "3-3", "2-2", "1-1", "0-0"]
        for double in doubles:
            for seat in range(state.n):
                if state.starter is None and double in state.hands[seat]:
                    state.starter = seat
                    state.must_open = double
        if state.starter is None:
            return "void"
    state.seat = state.starter
    return state


def lay_sevens(state):
    """Take the four sevens of domino-a-carte out of the hands and lay them on the table."""
    state.laid = ["7D", "7H", "7S", "7C"]
    state.table = list(state.laid)
    state.hands = [[card for card in hand if card not in state.laid] for hand in state.hands]


def find_cartas_starter(state):
    """Find the starter of domino-cartas, dealing further rounds for as long as nobody holds an opener."""
    opener = str(state.options["opener"])
    while True:
        for seat in state.seats_from(state.dealer + 1):
            if opener + "O" in state.hands[seat]:
                return seat
        for seat in state.seats_from(state.dealer + 1):
            if any(rank(card) == opener for card in state.hands[seat]):
                return seat
        if not state.stock:
            raise ValueError("no opener in the whole deck")
        for seat in state.seats_from(state.dealer + 1):
            if state.stock:
                state.hands[seat].append(state.stock.pop(0))


# ------------------------------------------------------------------------------------------------ what is legal


def legal(state):
    """List the legal actions of the seat whose turn it is; empty once the hand is over."""
    if state.result is not None:
        return []
    if state.game == "domino-cartas":
        return legal_cartas(state)
    if state.game == "domino-a-carte":
        return legal_a_carte(state)
    return legal_tiles(state)


def cartas_fits(state, card):
    """Tell whether a card may be laid: an opener, or next above the top or below the bottom of its row."""
    if rank(card) == str(state.options["opener"]):
        return True
    row = [SPANISH_RANKS.index(rank(other)) for other in state.table if suit(other) == suit(card)]
    if not row:
        return False
    place = SPANISH_RANKS.index(rank(card))
    return place in (max(row) + 1, min(row) - 1)


def legal_cartas(state):
    """List the legal actions of domino-cartas."""
    opener = str(state.options["opener"])
    hand = state.hands[state.seat]
    if state.first_turn:
        if opener + "O" in hand:
            return [play(opener + "O")]
        return [play(card) for card in hand if rank(card) == opener]
    if state.drawn is not None:
        if cartas_fits(state, state.drawn):
            return [play(state.drawn), PASS]
        return [PASS]
    fitting = [play(card) for card in hand if cartas_fits(state, card)]
    if fitting:
        return fitting
    return [DRAW] if state.stock else [PASS]


def a_carte_run(state, of_suit):
    """Give the unbroken run of a suit that contains its seven, as places in the rank order (bottom, top)."""
    places = [FRENCH_RANKS.index(rank(card)) for card in state.table if suit(card) == of_suit]
    bottom = top = FRENCH_RANKS.index("7")
    while bottom - 1 in places:
        bottom -= 1
    while top + 1 in places:
        top += 1
    return bottom, top


def legal_a_carte(state):
    """List the legal actions of domino-a-carte."""
    fitting = []
    for card in state.hands[state.seat]:
        bottom, top = a_carte_run(state, suit(card))
        if FRENCH_RANKS.index(rank(card)) in (bottom - 1, top + 1):
            fitting.append(play(card))
    if state.passes[state.seat] < 3:
        return [*fitting, PASS]
    return fitting or [PASS]


def has_spinner(state):
    """Tell whether the game is one with a spinner."""
    return state.game in ("domino-classico", "domino-belga")


def spinner_covered(state):
    """Tell whether both long sides of the spinner are covered."""
    return state.spinner is not None and 0 < state.spinner < len(state.line) - 1


def open_ends(state):
    """Give the open ends of a layout that has a tile: arm -> the number asked for."""
    ends = {"left": state.line[0][0], "right": state.line[-1][1]}
    if state.spinner is not None and (spinner_covered(state) or state.options["spinner_opens"] == "at_once"):
        for arm in ("up", "down"):
            tiles = state.arms[arm]
            ends[arm] = tiles[-1][1] if tiles else state.line[state.spinner][0]
    return ends


def tile_plays(state, seat):
    """List every way in which a seat could play one of its tiles on the layout as it is."""
    ends = open_ends(state)
    return [play(tile, arm) for tile in state.hands[seat] for arm in ends if ends[arm] in halves(tile)]


def legal_tiles(state):
    """List the legal actions of the three games with tiles."""
    if not state.line:
        if state.must_open is not None:
            return [play(state.must_open)]
        return [play(tile) for tile in state.hands[state.seat]]
    fitting = tile_plays(state, state.seat)
    if fitting:
        return fitting
    return [DRAW] if state.stock else [PASS]


# -------------------------------------------------------------------------------------------- what an action does


def apply(state, action):
    """Do a legal action; give the fields that the log adds to it. Raises ValueError on any other action."""
    if action not in legal(state):
        raise ValueError(f"seat {state.seat} may not {action}")
    if state.game == "domino-cartas":
        extra = apply_cartas(state, action)
    elif state.game == "domino-a-carte":
        extra = apply_a_carte(state, action)
    else:
        extra = apply_tiles(state, action)
    state.first_turn = False
    return extra


def finish(state, reason, winners, points, next_starter=None):
    """End the hand."""
    state.result = {
        "reason": reason,
        "winners": sorted(winners),
        "left": [None if hand is None else list(hand) for hand in state.hands],
        "points": points,
        "next_starter": next_starter,
    }
    state.seat = None


def apply_cartas(state, action):
    """Do an action of domino-cartas."""
    hand = state.hands[state.seat]
    if action["type"] == "draw":
        state.drawn = state.stock.pop(0)
        hand.append(state.drawn)
        return {"drawn": state.drawn}
    state.drawn = None
    if action["type"] == "play":
        hand.remove(action["piece"])
        state.table.append(action["piece"])
        if not hand:
            points = [0 if cards is None else card_points(cards) for cards in state.hands]
            finish(state, "out", [state.seat], points)
            return {}
    state.seat = state.next_seat()
    return {}


def apply_a_carte(state, action):
    """Do an action of domino-a-carte."""
    extra = {}
    hand = state.hands[state.seat]
    if action["type"] == "play":
        hand.remove(action["piece"])
        state.table.append(action["piece"])
        if not hand:
            state.finished.append(state.seat)
    else:
        state.passes[state.seat] += 1
        if state.passes[state.seat] == 4:
            extra["laid"] = list(hand)
            state.table.extend(hand)
            hand.clear()
            state.lost.append(state.seat)
    still_playing = [seat for seat in range(4) if state.playing(seat)]
    if len(still_playing) == 1:
        ranking = state.finished + still_playing + state.lost[::-1]
        points = [3 - ranking.index(seat) for seat in range(4)]
        finish(state, "last_player", [ranking[0]], points)
        state.result["places"] = [1 + ranking.index(seat) for seat in range(4)]
    else:
        state.seat = state.next_seat()
    return extra


def belga_count(state):
    """Add up the numbers at the ends of the layout."""
    total = 0
    last = len(state.line) - 1
    if state.spinner is not None and not spinner_covered(state):
        total += 2 * state.line[state.spinner][0]
    if state.spinner != 0:
        left, inner = state.line[0]
        total += 2 * left if left == inner else left
    if state.spinner != last:
        inner, right = state.line[last]
        total += 2 * right if right == inner else right
    for tiles in state.arms.values():
        if tiles:
            inner, outer = tiles[-1]
            total += 2 * outer if inner == outer else outer
    return total


def put_tile(state, tile, arm):
    """Put a tile on the layout."""
    high, low = halves(tile)
    if not state.line:
        state.line = [(high, low)]
        placed = 0
    else:
        wanted = open_ends(state)[arm]
        other = low if high == wanted else high
        if arm == "left":
            state.line.insert(0, (other, wanted))
            placed = 0
            if state.spinner is not None:
                state.spinner += 1
        elif arm == "right":
            state.line.append((wanted, other))
            placed = len(state.line) - 1
        else:
            state.arms[arm].append((wanted, other))
            return
    if has_spinner(state) and state.spinner is None and is_double(tile):
        state.spinner = placed


def is_blocked(state):
    """Tell whether the stock is empty and nobody can play anywhere."""
    return not state.stock and not any(tile_plays(state, seat) for seat in range(state.n))


def apply_tiles(state, action):
    """Do an action of one of the three games with tiles."""
    seat = state.seat
    if action["type"] == "pass":
        state.seat = state.next_seat()
        return {}
    if action["type"] == "draw":
        drawn = state.stock.pop(0)
        state.hands[seat].append(drawn)
        if is_blocked(state):
            finish_blocked(state, seat)
        return {"drawn": drawn}
    extra = {}
    state.hands[seat].remove(action["piece"])
    put_tile(state, action["piece"], action.get("arm"))
    state.plays.append(seat)
    if state.game == "domino-belga":
        count = belga_count(state)
        extra["scored"] = count if count > 0 and count % 5 == 0 else 0
        state.scored[seat] += extra["scored"]
        if state.target is not None and state.totals[seat] + state.scored[seat] >= state.target:
            finish(state, "target", [seat], list(state.scored))
            return extra
    if not state.hands[seat]:
        finish_out(state, seat)
    elif is_blocked(state):
        finish_blocked(state, seat)
    else:
        state.seat = state.next_seat()
    return extra


def points_by_side(state, winning_side=None, score=0):
    """Give the points that a hand of tiles leaves."""
    if state.game == "domino-belga":
        return list(state.scored)
    if state.game == "domino-classico":
        return [0] * state.n
    return [score if side == winning_side else 0 for side in (0, 1)]


def finish_out(state, seat):
    """End a hand of tiles because a seat has none left."""
    if state.game != "domino-duplas":
        finish(state, "out", [seat], points_by_side(state), seat)
        return
    pair = seat % 2
    score = pips(state.hands[(seat + 1) % 4]) + pips(state.hands[(seat + 3) % 4])
    finish(state, "out", [pair, pair + 2], points_by_side(state, pair, score), seat)


def finish_blocked(state, locker):
    """End a hand of tiles because nobody can play; `locker` made the play or the draw that caused it."""
    counts = [pips(hand) for hand in state.hands]
    if state.game != "domino-duplas":
        fewest = [seat for seat in range(state.n) if counts[seat] == min(counts)]
        if len(fewest) == 1:
            finish(state, "blocked", fewest, points_by_side(state), fewest[0])
        else:
            finish(state, "blocked", [], points_by_side(state), None)
        return
    pairs = [counts[0] + counts[2], counts[1] + counts[3]]
    if pairs[0] < pairs[1]:
        pair = 0
    elif pairs[1] < pairs[0]:
        pair = 1
    else:
        pair = 1 - locker % 2
    own_plays = [seat for seat in state.plays if seat % 2 == pair]
    after_locker = [seat for seat in state.seats_from(locker + 1) if seat % 2 == pair]
    next_starter = own_plays[-1] if own_plays else after_locker[0]
    finish(state, "blocked", [pair, pair + 2], points_by_side(state, pair, pairs[1 - pair]), next_starter)
