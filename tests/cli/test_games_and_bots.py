"""``referee games`` and ``referee bots``."""
# ruff: noqa: D103

import json

import pytest
from click.testing import CliRunner

from referee.bots.registry import BOTS
from referee.cli.main import main
from referee.cli.settings import parse_settings
from referee.rules.registry import GAMES, find_game, resolve_format, resolve_options, resolve_players


def run(*args):
    result = CliRunner().invoke(main, args, env={"COLUMNS": "100"})
    assert result.exit_code == 0, result.output
    return result.stdout


def test_every_game_is_listed_with_its_facts():
    text = run("games")
    for game in GAMES.values():
        assert game.id in text
        assert game.title in text
    for fact in ("opener=7", "points 100 eliminate", "4 in pairs", "spinner_opens=after_both_sides", "Kaartdomino"):
        assert fact in text


def test_what_the_json_says_is_accepted_by_the_rules():
    for said in json.loads(run("games", "--json")):
        game, _ = find_game(said["game"])
        assert said["source"] == game.source
        assert said["players"] == list(game.players)
        defaults = {option["name"]: option["default"] for option in said["options"]}
        assert resolve_options(game, {}) == defaults
        for option in said["options"]:
            for value in option["accepted"]:
                resolve_options(game, {option["name"]: value})
        assert resolve_format(game, None) == resolve_format(game, said["formats"][0])


@pytest.mark.parametrize("name", [*GAMES, "cuatrillo", "cinquillo", "seisillo"])
def test_every_game_and_preset_has_a_page(name):
    game, preset = find_game(name)
    assert game.source.split()[0] in run("games", name)
    said = json.loads(run("games", name, "--json"))
    for option in said["options"]:
        if option["name"] in preset:
            assert option["default"] == preset[option["name"]]


@pytest.mark.parametrize("name", [*GAMES, "cuatrillo", "cinquillo", "seisillo"])
def test_the_example_of_a_game_is_accepted(name):
    words = run("games", name).rpartition("Set them so: ")[2].split()
    assert words[:3] == ["referee", "play", name]
    chosen = [words[place + 1] for place, word in enumerate(words) if word == "--set"]
    settings = parse_settings(name, chosen)
    assert settings.format.kind in {spec.kind for spec in GAMES[settings.game.id].formats}
    resolve_players(settings.game, len(words[words.index("--seats") + 1].split(",")), "--seats")


def test_bots():
    text = run("bots")
    assert all(name in text for name in BOTS)
    assert [bot["name"] for bot in json.loads(run("bots", "--json"))] == list(BOTS)
