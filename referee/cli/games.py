"""``referee games``: what can be played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click
from rich.text import Text

from referee.cli.common import print_json
from referee.cli.screen import Screen, table
from referee.rules.game import FormatSpec, Game, Option, OptionValue
from referee.rules.registry import AUTO_FORCED, GAMES, find_game


@click.command()
@click.argument("game", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def games(game: str | None, as_json: bool) -> None:
    """Show the games, or all about one GAME: its players, options, match formats and source.

    GAME is a game's name or a preset's, such as cinquillo.
    """
    if game is None:
        if as_json:
            print_json([as_dict(one, {}) for one in GAMES.values()])
        else:
            _list()
        return
    found, preset = find_game(game)
    if as_json:
        print_json(as_dict(found, preset))
    else:
        _page(found, preset, game)


def as_dict(game: Game, preset: dict[str, OptionValue]) -> dict[str, Any]:
    """A game for programs; the defaults are those of the preset by whose name it was asked for."""
    return {
        "game": game.id,
        "title": game.title,
        "players": list(game.players),
        "deck": game.deck.id,
        "pieces": len(game.deck),
        "pairs": game.pairs,
        "direction": game.direction,
        "options": [
            {
                "name": option.name,
                "default": preset.get(option.name, option.default),
                "accepted": list(option.accepted),
                "description": option.description,
            }
            for option in options_of(game)
        ],
        "presets": {name: dict(values) for name, values in game.presets.items()},
        "formats": [spec.parameters() for spec in game.formats],
        "source": game.source,
    }


def options_of(game: Game) -> tuple[Option, ...]:
    """Every option that may be set for a game."""
    return (*game.options, AUTO_FORCED)


def written(value: OptionValue) -> str:
    """An option's value as files and flags write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def settings(values: Mapping[str, OptionValue]) -> str:
    """Settings as flags write them, such as ``opener=5``."""
    return ", ".join(f"{name}={written(value)}" for name, value in values.items())


def format_name(spec: FormatSpec) -> str:
    """A match format in a few words, such as ``points 100 lowest``."""
    return " ".join(str(value) for key, value in spec.parameters().items() if key != "max_hands")


def players_name(game: Game) -> str:
    """The numbers of players, such as ``2-4``, ``4 in pairs``."""
    first, last = game.players[0], game.players[-1]
    numbers = str(first) if first == last else f"{first}-{last}"
    return f"{numbers} in pairs" if game.pairs else numbers


def _list() -> None:
    made = table("game", "", "")
    made.columns[0].no_wrap = made.columns[1].no_wrap = True
    for game in GAMES.values():
        options = {option.name: option.default for option in options_of(game)}
        made.add_row(Text(game.id, "bold"), "title", game.title)
        made.add_row("", "players", f"{players_name(game)}, {game.deck.id}")
        made.add_row("", "options", settings(options))
        made.add_row("", "formats", "; ".join(map(format_name, game.formats)))
        made.add_row("", "source", game.source, end_section=True)
    screen = Screen()
    screen.print(made)
    screen.print("Defaults first. `referee games GAME` tells all about one game.", style="dim")


def example(game: Game, preset: Mapping[str, OptionValue], name: str) -> str:
    """A command that plays a game with an option and a format that are not its defaults, where it has others."""
    option = next(one for one in options_of(game) if one.name not in preset and len(one.accepted) > 1)
    value = next(value for value in option.accepted if value != option.default)
    seats = ",".join(["medium"] * game.players[0])
    chosen = f"--set {option.name}={written(value)} --set format.kind={game.formats[-1].kind}"
    return f"referee play {name} --seats {seats} {chosen}"


def _page(game: Game, preset: dict[str, OptionValue], name: str) -> None:
    screen = Screen()
    screen.print(Text.assemble((game.id, "bold"), "  ", game.title, "\n"))
    if preset:
        screen.print(f"{name} is this game with {settings(preset)}.\n")
    facts = table("", "")
    facts.show_header = False
    facts.columns[0].no_wrap = True
    facts.add_row("players", players_name(game))
    facts.add_row("seats", f"in turn order, {game.direction} round the table")
    facts.add_row("deck", f"{game.deck.id}: {len(game.deck)} pieces")
    facts.add_row("source", game.source)
    for key, changes in game.presets.items():
        facts.add_row("preset", f"{key}: {settings(changes)}")
    screen.print(facts, "")
    options = table("option", "default", "accepted", "decides")
    options.columns[0].no_wrap = True
    for option in options_of(game):
        default = preset.get(option.name, option.default)
        accepted = ", ".join(map(written, option.accepted))
        options.add_row(option.name, written(default), accepted, option.description)
    screen.print(options, "")
    keys = ("kind", "hands", "target", "ending", "max_hands")
    formats = table(*(f">{key}" if key in {"hands", "target", "max_hands"} else key for key in keys), "")
    for place, spec in enumerate(game.formats):
        parameters = spec.parameters()
        formats.add_row(*(str(parameters.get(key, "")) for key in keys), "" if place else "the default")
    screen.print(formats, "")
    screen.print(f"Set them so: {example(game, preset, name)}", style="dim", soft_wrap=True)
