"""Two readings of the rulebook: the referee and the oracle accept each other's logs, thousands of them."""
# ruff: noqa: D103

import itertools
import json
import random

import pytest
from oracle import games as oracle_games
from oracle.playout import play_match
from oracle.verify import check_log
from support.matches import at_random, log_of, new_match

from referee.match.log import canonical
from referee.match.verify import verify
from referee.rules.registry import AUTO_FORCED, GAMES

EACH_WAY = 1_005
"""So many logs of either side are read by the other."""

TABLES = [(game, players) for game in GAMES.values() for players in game.players]


def settings_of(game):
    """Every combination of the game's options, `auto_forced` among them."""
    options = (*game.options, AUTO_FORCED)
    for values in itertools.product(*(option.accepted for option in options)):
        yield dict(zip((option.name for option in options), values, strict=True))


def formats_of(game):
    """Each format of the game, with targets that are soon reached."""
    for spec in game.formats:
        yield spec.parameters() | ({"target": 30} if spec.target else {})


def one_hand(game):
    """The shortest format that the game has: one hand, or a few plays of one."""
    spec = next((spec for spec in game.formats if spec.kind == "single"), game.formats[0])
    return spec.parameters() | ({"target": 10} if spec.target else {})


def cases():
    """Every format of every table, under options by turns; then single hands under all options, over and over."""
    turns = {game.id: itertools.cycle(settings_of(game)) for game, _ in TABLES}
    every = [(game.id, players, form, next(turns[game.id])) for game, players in TABLES for form in formats_of(game)]
    hands = [(game.id, players, one_hand(game), option) for game, players in TABLES for option in settings_of(game)]
    return list(itertools.islice(itertools.chain(every, itertools.cycle(hands)), EACH_WAY))


def ours(number, game, players, form, options, kind):
    """A log of the referee's: plain, with turns that time out and seats that forfeit, or with its seed withheld."""
    source = random.Random(f"ours {number}")
    match = new_match(game, players, source.randbytes(32), format=form, withheld=kind == "withheld", **options)
    return match, log_of(match, at_random(source), source if kind == "faults" else None)


KINDS = ("plain", "faults", "withheld")


@pytest.fixture(scope="session")
def our_logs():
    return [(case, *ours(number, *case, KINDS[number % 3])) for number, case in enumerate(cases())]


@pytest.fixture(scope="session")
def their_logs():
    logs = []
    for number, (game, players, form, options) in enumerate(cases()):
        source = random.Random(f"theirs {number}")
        logs.append(play_match(game, players, options, form, source.randbytes(32).hex(), source.choice))
    return logs


def test_there_are_thousands_of_logs_of_every_game_format_and_option(our_logs, their_logs):
    assert len(our_logs) + len(their_logs) >= 2_000
    assert {game for (game, *_), *_ in our_logs} == set(oracle_games.PLAYERS)
    assert {log[0]["game"] for log in their_logs} == set(GAMES)
    options = {(game, repr(options)) for (game, _, _, options), *_ in our_logs}
    assert options == {(game.id, repr(options)) for game, _ in TABLES for options in settings_of(game)}
    by = {event["by"] for _, _, log in our_logs for event in map(json.loads, log.splitlines()) if "by" in event}
    assert by == {"bot", "forced", "timeout", "forfeit"}


def test_the_oracle_accepts_our_logs(our_logs):
    for case, match, log in our_logs:
        try:
            check_log(log.splitlines(), match.seed.hex())
        except Exception as error:
            raise AssertionError(f"{case}: {error}") from error


def test_we_accept_our_logs(our_logs, tmp_path):
    path = tmp_path / "match.jsonl"
    for number, (_, match, log) in enumerate(our_logs):
        path.write_bytes(log)
        verdict = verify(path)
        assert verdict.match.ended is not None
        assert verdict.actions == match.turn
        assert verdict.deals_checked == (KINDS[number % 3] != "withheld")
        assert verdict.match.tally.totals == match.tally.totals
        assert verdict.match.banks == match.banks


def test_we_accept_the_oracles_logs(their_logs, tmp_path):
    path = tmp_path / "match.jsonl"
    for log in their_logs:
        path.write_bytes(b"".join(canonical(event) + b"\n" for event in log))
        verdict = verify(path)
        assert verdict.deals_checked
        assert list(verdict.match.tally.places()) == log[-1]["places"]
