"""How strong the built-in bots are against each other, over duplicate deals.

Run ``python -m tests.bench.strength``. A deal set is played once for every way to seat the two bots at the table, so
that the luck of the deal cancels out; its value is the first bot's mean score less the second's, where a match scores
1 for the best place, 0 for the worst and linear in between. The 95 % interval is Student's over deal sets (normal, as
there are hundreds). The same command gives the same table, but for the times.
"""

import argparse
import itertools
import math
import statistics
import time
from dataclasses import dataclass

from referee.bots.registry import find_bot
from referee.match.deal import deck_order, set_seed
from referee.rules.actions import PASS_ONLY
from referee.rules.formats import Tally
from referee.rules.game import Deal
from referee.rules.registry import GAMES, resolve_options
from referee.rules.view import View

BENCH_SEED = bytes(range(32))
PAIRS = (("expert", "beginner"), ("expert", "medium"), ("medium", "beginner"))


@dataclass
class Clock:
    """Processor time spent by a bot: nanoseconds; decisions, and of those the ones with a choice."""

    spent: int = 0
    decisions: int = 0
    choices: int = 0

    def timed(self, bot):
        """The bot, with its time taken."""

        def choose(view):
            start = time.process_time_ns()
            action = bot(view)
            self.spent += time.process_time_ns() - start
            self.decisions += 1
            self.choices += len(view.legal) > 1
            return action

        return choose


def play_match(game, spec, bots, seed, options=None):
    """Play a match without a server and give the places by side."""
    players = len(bots)
    sides = game.sides(players)
    options = resolve_options(game, options or {})
    tally = Tally(spec, sides)
    dealer = players - 1
    leader = None
    turn = 0
    while not tally.over:
        seats = tuple(seat for seat in range(players) if sides[seat] not in tally.out)
        number = tally.hands
        hand = None
        for attempt in itertools.count():
            order = deck_order(seed, number, attempt, len(game.deck))
            hand = game.deal(Deal(order, players, seats, dealer, options, leader))
            if hand is not None:
                break
        while hand.result is None:
            if game.passes_itself and hand.legal == PASS_ONLY:
                game.act(hand, hand.legal[0])
                continue
            turn += 1
            game.act(hand, bots[hand.seat](View(hand, sides, tally.totals, number, turn)))
            if game.scores_in_play and tally.reached(hand.points):
                break
        if hand.result is None:
            totals = [total + points for total, points in zip(tally.totals, hand.points, strict=True)]
            return tuple(1 + sum(other > total for other in totals) for total in totals)
        tally.add(hand.result)
        leader = hand.result.leader
        dealer = next((seat for seat in range(dealer + 1, players) if sides[seat] not in tally.out), None)
        if dealer is None:
            dealer = next(seat for seat in range(players) if sides[seat] not in tally.out)
    return tally.places()


def scores(places):
    """A match's score by side: 1 for the best place, 0 for the worst, linear, shared places share."""
    last = len(places) - 1
    return [1 - (place - 1 + (places.count(place) - 1) / 2) / last for place in places]


def seatings(game, players):
    """Every way to seat bots A (True) and B (False): pairs stay together, else the table is halved."""
    if game.pairs:
        return [[seat % 2 == side for seat in range(players)] for side in (0, 1)]
    half = players // 2
    return [[seat in chosen for seat in range(players)] for chosen in itertools.combinations(range(players), half)]


def compare(game, spec, players, first, second, deals, seed=BENCH_SEED):
    """The first bot's mean score less the second's, one value for every deal set."""
    sides = game.sides(players)
    values = []
    for deal_set in range(deals):
        deal_seed = set_seed(seed, deal_set)
        mine, theirs = [], []
        for seating in seatings(game, players):
            bots = [first if is_first else second for is_first in seating]
            score = scores(play_match(game, spec, bots, deal_seed))
            for seat in range(players):
                (mine if seating[seat] else theirs).append(score[sides[seat]])
        values.append(statistics.fmean(mine) - statistics.fmean(theirs))
    return values


def interval(values):
    """The mean of the values and the half width of its 95 % interval."""
    return statistics.fmean(values), 1.96 * statistics.stdev(values) / math.sqrt(len(values))


def main():
    """Play and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--deals", type=int, default=1000, help="deal sets a game and pair of bots (at least 2)")
    parser.add_argument("--game", choices=list(GAMES), help="only this game")
    parser.add_argument("--players", type=int, help="so many seats instead of the fewest, where the game allows it")
    parser.add_argument("--format", help="this kind of format instead of the game's default")
    parser.add_argument("--pair", help="only this pair of bots, as A:B")
    given = parser.parse_args()
    pairs = [tuple(given.pair.split(":"))] if given.pair else PAIRS
    print(f"{'game':16} {'seats':>5} {'format':9} {'bots':20} {'mean difference':>16} {'95 % interval':>18} ", end="")
    print(f"{'deals':>6} {'µs per decision':>16} {'per choice':>16}")
    for game in GAMES.values():
        if given.game not in (None, game.id):
            continue
        players = given.players if given.players in game.players else min(game.players)
        spec = next((spec for spec in game.formats if spec.kind == given.format), game.formats[0])
        for pair in pairs:
            clocks = [Clock(), Clock()]
            bots = [
                clock.timed(find_bot(name).make(f"bench {place}"))
                for place, (name, clock) in enumerate(zip(pair, clocks, strict=True))
            ]
            mean, half = interval(compare(game, spec, players, *bots, given.deals))
            each = " / ".join(f"{clock.spent / 1000 / max(1, clock.decisions):.0f}" for clock in clocks)
            real = " / ".join(f"{clock.spent / 1000 / max(1, clock.choices):.0f}" for clock in clocks)
            print(
                f"{game.id:16} {players:5} {spec.kind:9} {pair[0] + ' : ' + pair[1]:20} {mean:+16.3f} "
                f"{f'{mean - half:+.3f} .. {mean + half:+.3f}':>18} {given.deals:6} {each:>16} {real:>16}",
                flush=True,
            )


if __name__ == "__main__":
    main()
