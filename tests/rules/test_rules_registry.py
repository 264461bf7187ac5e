"""The registry: what can be played and set, and what is said to whoever asks for something else."""
# ruff: noqa: D103

import pytest

from referee.rules.game import FormatSpec
from referee.rules.registry import (
    GAMES,
    SettingError,
    find_game,
    resolve_format,
    resolve_options,
    resolve_players,
)


def test_the_five_games_and_who_plays_them():
    assert {game.id: game.players for game in GAMES.values()} == {
        "domino-cartas": (2, 3, 4, 5, 6, 7, 8),
        "domino-a-carte": (4,),
        "domino-classico": (2, 3, 4),
        "domino-belga": (2, 3, 4),
        "domino-duplas": (4,),
    }
    assert all(key == game.id for key, game in GAMES.items())


def test_the_formats_of_the_rulebook_the_default_first():
    assert {game.id: [spec.parameters() for spec in game.formats] for game in GAMES.values()} == {
        "domino-cartas": [
            {"kind": "single", "max_hands": 200},
            {"kind": "best_of", "hands": 3, "max_hands": 200},
            {"kind": "best_of", "hands": 5, "max_hands": 200},
            {"kind": "points", "target": 100, "ending": "lowest", "max_hands": 200},
            {"kind": "points", "target": 100, "ending": "eliminate", "max_hands": 200},
        ],
        "domino-a-carte": [
            {"kind": "hands", "hands": 5, "max_hands": 200},
            {"kind": "single", "max_hands": 200},
        ],
        "domino-classico": [
            {"kind": "best_of", "hands": 5, "max_hands": 200},
            {"kind": "single", "max_hands": 200},
        ],
        "domino-belga": [{"kind": "points", "target": 100, "ending": "first", "max_hands": 200}],
        "domino-duplas": [
            {"kind": "points", "target": 50, "ending": "first", "max_hands": 200},
            {"kind": "single", "max_hands": 200},
        ],
    }


@pytest.mark.parametrize(("preset", "opener"), [("cuatrillo", 4), ("cinquillo", 5), ("seisillo", 6)])
def test_presets_are_domino_cartas_with_another_opener(preset, opener):
    assert find_game(preset) == (GAMES["domino-cartas"], {"opener": opener})
    assert find_game("domino-cartas") == (GAMES["domino-cartas"], {})


@pytest.mark.parametrize(
    ("game", "defaults"),
    [
        ("domino-cartas", {"opener": 7, "auto_forced": False}),
        ("domino-a-carte", {"auto_forced": False}),
        ("domino-classico", {"spinner_opens": "after_both_sides", "auto_forced": False}),
        ("domino-belga", {"spinner_opens": "after_both_sides", "auto_forced": False}),
        ("domino-duplas", {"auto_forced": False}),
    ],
)
def test_options_have_the_rulebooks_defaults(game, defaults):
    assert resolve_options(GAMES[game], {}) == defaults


def said(call, *arguments):
    """The key and the message of a refused setting."""
    with pytest.raises(SettingError) as caught:
        call(*arguments)
    assert str(caught.value) == f"{caught.value.key}: {caught.value.problem}"
    return caught.value.key, caught.value.problem


def test_an_unknown_game_is_refused_with_a_guess_and_the_list():
    key, problem = said(find_game, "domino-belge")
    assert key == "game"
    assert "unknown game 'domino-belge'; did you mean 'domino-belga'?" in problem
    for name in [*GAMES, "cuatrillo", "cinquillo", "seisillo"]:
        assert name in problem
    assert len(said(find_game, "x" * 10_000)[1]) < 300


@pytest.mark.parametrize(("game", "players"), [("domino-duplas", 2), ("domino-cartas", 9), ("domino-classico", 1)])
def test_a_number_of_players_that_the_game_does_not_have_is_refused(game, players):
    key, problem = said(resolve_players, GAMES[game], players)
    assert key == "seats"
    assert f"not by {players}" in problem


@pytest.mark.parametrize(
    ("game", "given", "key", "part"),
    [
        ("domino-cartas", {"opner": 5}, "options.opner", "did you mean 'opener'?"),
        ("domino-cartas", {"opener": 3}, "options.opener", "accepted: 7, 4, 5, 6"),
        ("domino-cartas", {"opener": "7"}, "options.opener", "unknown value '7'"),
        ("domino-cartas", {"opener": 7.0}, "options.opener", "unknown value '7.0'"),
        ("domino-cartas", {"spinner_opens": "at_once"}, "options.spinner_opens", "accepted: opener, auto_forced"),
        ("domino-belga", {"spinner_opens": "at_onse"}, "options.spinner_opens", "did you mean 'at_once'?"),
        ("domino-duplas", {"auto_forced": 1}, "options.auto_forced", "accepted: false, true"),
        ("domino-duplas", {"auto_forced": None}, "options.auto_forced", "accepted: false, true"),
    ],
)
def test_an_option_that_is_not_accepted_is_refused_by_its_key(game, given, key, part):
    found, problem = said(resolve_options, GAMES[game], given)
    assert found == key
    assert part in problem


@pytest.mark.parametrize(
    ("game", "given", "spec"),
    [
        ("domino-classico", None, FormatSpec("best_of", hands=5)),
        ("domino-classico", {}, FormatSpec("best_of", hands=5)),
        ("domino-classico", {"kind": "single"}, FormatSpec("single")),
        ("domino-classico", {"hands": 7}, FormatSpec("best_of", hands=7)),
        ("domino-cartas", {"kind": "best_of"}, FormatSpec("best_of", hands=3)),
        ("domino-cartas", {"kind": "points"}, FormatSpec("points", target=100, ending="lowest")),
        (
            "domino-cartas",
            {"kind": "points", "ending": "eliminate", "target": 40},
            FormatSpec("points", target=40, ending="eliminate"),
        ),
        ("domino-duplas", {"target": 30}, FormatSpec("points", target=30, ending="first")),
        ("domino-duplas", {"kind": "single", "max_hands": 1}, FormatSpec("single", max_hands=1)),
    ],
)
def test_a_format_is_one_of_the_games_with_its_parameters_as_set(game, given, spec):
    assert resolve_format(GAMES[game], given) == spec


@pytest.mark.parametrize(
    ("game", "given", "key", "part"),
    [
        ("domino-belga", {"kind": "single"}, "format.kind", "accepted: points (for domino-belga)"),
        ("domino-classico", {"kind": "bestof"}, "format.kind", "did you mean 'best_of'?"),
        ("domino-cartas", {"kind": "points", "ending": "first"}, "format.ending", "accepted: lowest, eliminate"),
        ("domino-classico", {"kind": "single", "ending": "first"}, "format.ending", "has no ending"),
        ("domino-classico", {"kind": "single", "hands": 3}, "format.hands", "has no hands"),
        ("domino-classico", {"hands": 4}, "format.hands", "best of 4 can be drawn"),
        ("domino-classico", {"hands": 0}, "format.hands", "not a whole number from 1"),
        ("domino-duplas", {"target": True}, "format.target", "not a whole number from 1"),
        ("domino-duplas", {"target": 2.5}, "format.target", "not a whole number from 1"),
        ("domino-duplas", {"target": -1}, "format.target", "not a whole number from 1"),
        ("domino-duplas", {"max_hands": 10**9}, "format.max_hands", "not a whole number from 1 to"),
        ("domino-duplas", {"points": 50}, "format.points", "unknown parameter 'points'"),
    ],
)
def test_a_format_that_the_game_does_not_have_is_refused_by_its_key(game, given, key, part):
    found, problem = said(resolve_format, GAMES[game], given)
    assert found == key
    assert part in problem
