"""Small tables, drawn by hand."""
# ruff: noqa: D103

import pytest

from referee.match.clock import ClockSpec
from referee.match.events import MatchSpec
from referee.replay.drawing import table_drawing
from referee.replay.table import Table, empty_table
from referee.rules.registry import find_game, resolve_format, resolve_options


def dealt(game_name: str, players: int, laid: tuple[str, ...] = (), **options: str) -> Table:
    game, preset = find_game(game_name)
    spec = MatchSpec(
        "m",
        game,
        resolve_options(game, {**preset, **options}),
        resolve_format(game, None),
        tuple("abcdefgh"[:players]),
        ClockSpec(),
        "",
    )
    deal = {"event": "hand_started", "hand": 0, "hands": [[]] * players, "stock": [], "laid": list(laid)}
    return empty_table(spec).after(deal)


def played(table: Table, *plays: str) -> Table:
    for text in plays:
        piece, _, arm = text.partition(" ")
        action = {"type": "play", "piece": piece} | ({"arm": arm} if arm else {})
        table = table.after({"event": "action", "seat": 0, "action": action})
    return table


def drawn(table: Table, width: int = 80) -> list[str]:
    return [line.plain.rstrip() for line in table_drawing(table, width)]


def test_a_tile_alone_lies_with_its_high_half_to_the_left():
    assert drawn(played(dealt("domino-duplas", 4), "6-4")) == ["  [6|4]"]


def test_tiles_are_turned_so_that_their_halves_meet():
    assert drawn(played(dealt("domino-duplas", 4), "6-4", "6-1 left", "4-2 right")) == ["  [1|6][6|4][4|2]"]


def test_a_double_lies_across():
    assert drawn(played(dealt("domino-duplas", 4), "6-4", "4-4 right")) == [
        "       ┌4┐",
        "  [6|4]├─┤",
        "       └4┘",
    ]


def test_the_first_double_is_the_spinner_and_has_its_arms_above_and_below():
    table = played(
        dealt("domino-classico", 2),
        "6-6",
        "6-1 left",
        "6-2 right",
        "6-5 up",
        "6-3 down",
        "3-3 down",
        "5-5 up",
        "5-0 up",
    )
    assert drawn(table) == [
        "       ┌0┐",
        "       ├─┤",
        "       └5┘",
        "      [5|5]",
        "       ┌5┐",
        "       ├─┤",
        "       └6┘",
        "       ╔6╗",
        "  [1|6]╠═╣[6|2]",
        "       ╚6╝",
        "       ┌6┐",
        "       ├─┤",
        "       └3┘",
        "      [3|3]",
    ]


def test_a_line_too_long_is_wrapped_at_dots():
    table = played(dealt("domino-duplas", 4), "6-5", "5-4 right", "4-3 right", "3-3 right")
    assert drawn(table, width=20) == [
        "  [6|5][5|4] …",
        "       ┌3┐",
        "… [4|3]├─┤",
        "       └3┘",
    ]


@pytest.mark.parametrize(("opens", "arms"), [("after_both_sides", {}), ("at_once", {"up": "6", "down": "6"})])
def test_open_ends(opens, arms):
    table = played(dealt("domino-belga", 2, spinner_opens=opens), "6-6")
    assert table.open_ends() == {"left": "6", "right": "6", **arms}
    table = played(table, "6-1 left", "6-2 right")
    assert table.open_ends() == {"left": "1", "right": "2", "up": "6", "down": "6"}
    assert played(table, "6-4 up").open_ends()["up"] == "4"


def test_a_double_on_an_end_does_not_open_the_arms_until_it_is_covered():
    table = played(dealt("domino-belga", 2), "6-5", "5-5 right")
    assert table.spinner == "5-5"
    assert table.open_ends() == {"left": "6", "right": "5"}
    assert played(table, "5-1 right").open_ends() == {"left": "6", "right": "1", "up": "5", "down": "5"}


def test_there_is_no_spinner_in_pairs():
    assert set(played(dealt("domino-duplas", 4), "6-6", "6-1 left", "6-2 right").open_ends()) == {"left", "right"}


def test_card_rows_join_the_cards_that_touch():
    table = played(dealt("domino-a-carte", 4, ("7D", "7H", "7S", "7C")), "8D", "6D", "TD")
    rows = drawn(table)
    assert rows[0] == "♦ diamonds ·  ·  ·  ·  ·  6──7──8  ·  T  ·  ·  ·"
    assert rows[1] == "♥ hearts   ·  ·  ·  ·  ·  ·  7  ·  ·  ·  ·  ·  ·"


def test_spanish_rows():
    rows = drawn(played(dealt("domino-cartas", 2), "7B", "10B", "11B"))
    assert rows == [
        "O oros     ·  ·  ·  ·  ·  ·  ·  ·  ·  ·",
        "C copas    ·  ·  ·  ·  ·  ·  ·  ·  ·  ·",
        "E espadas  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·",
        "B bastos   ·  ·  ·  ·  ·  ·  7──10─11 ·",
    ]
