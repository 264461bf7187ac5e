"""The house: what may import what, how long a file may be, and what every game must have."""
# ruff: noqa: D103

import ast
import sys
from functools import cache
from pathlib import Path

import pytest

from referee.rules.registry import GAMES

ROOT = Path(__file__).parents[1]
GENERATED = ROOT / "referee" / "v1"
MOST_LINES = 400

PURE = {"__future__", "collections", "dataclasses", "difflib", "enum", "functools", "itertools", "typing"}
"""What the rules may use of the standard library: nothing that waits, reads a clock, draws a number or opens a file."""


def python_files(*folders):
    """The Python files under some folders, without what is generated."""
    found = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    assert found, folders
    return [path for path in found if GENERATED not in path.parents]


@cache
def imports_of(path):
    """The modules that a file imports, wherever in it: `from a import b` may mean a module `a.b`."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names if is_module(f"{node.module}.{alias.name}")}
    return found


def is_module(name):
    """Whether a module or package of this name stands in this repository."""
    path = ROOT / name.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").is_file()


def strangers(folder, *allowed):
    """What the files of a folder import besides the standard library and what is allowed."""
    found = set()
    for path in python_files(folder):
        for name in imports_of(path):
            ours = any(name == one or name.startswith(f"{one}.") for one in allowed)
            if not ours and name != "referee" and name.split(".")[0] not in sys.stdlib_module_names:
                found.add((str(path.relative_to(ROOT)), name))
    return found


def test_the_rules_know_nothing_but_themselves():
    assert not strangers("referee/rules", "referee.rules")
    used = {name.split(".")[0] for path in python_files("referee/rules") for name in imports_of(path)}
    assert used <= PURE | {"referee"}


@pytest.mark.parametrize(
    ("folder", "allowed"),
    [
        ("referee/bots", ["referee.rules", "referee.bots"]),
        ("referee/match", ["referee.rules", "referee.match", "msgspec", "structlog"]),
    ],
)
def test_what_a_layer_may_import(folder, allowed):
    assert not strangers(folder, *allowed)


@pytest.mark.parametrize("folder", ["referee/rules", "referee/match", "referee/bots", "referee/server"])
@pytest.mark.parametrize(
    "above", ["referee.cli", "referee.web", "referee.replay", "tournaments", "referee_bot", "tests"]
)
def test_nothing_below_imports_what_stands_above_it(folder, above):
    for path in python_files(folder):
        names = {name for name in imports_of(path) if name == above or name.startswith(f"{above}.")}
        assert not names, path


def test_match_does_not_know_the_server_and_tournaments_do_not_know_the_command_line():
    for folder, above in [("referee/match", "referee.server"), ("tournaments", "referee.cli")]:
        for path in python_files(folder):
            assert not [name for name in imports_of(path) if name.startswith(above)], path


def test_the_python_client_needs_grpc_and_the_stubs_alone():
    assert not strangers("clients/python/referee_bot", "grpc", "google.protobuf", "referee.v1", "referee_bot")


def test_importing_the_stubs_does_not_load_the_server():
    tree = ast.parse((ROOT / "referee" / "__init__.py").read_text(encoding="utf-8"))
    assert [type(node) for node in tree.body] == [ast.Expr], "referee/__init__.py holds a docstring and nothing else"
    for path in GENERATED.glob("*.py"):
        names = {name for name in imports_of(path) if name.startswith("referee.")}
        assert all(name.startswith("referee.v1") for name in names), path


def test_only_the_codec_makes_messages_of_pieces_actions_and_views():
    users = {path for path in python_files("referee", "tournaments") if "referee.v1.table_pb2" in imports_of(path)}
    assert users
    assert {path.parent.name for path in users} == {"codec"}


def test_only_the_server_and_its_callers_speak_protobuf():
    for folder in ("referee/rules", "referee/match", "referee/bots", "referee/replay"):
        for path in python_files(folder):
            names = {name.split(".")[0] for name in imports_of(path)}
            assert not names & {"grpc", "google"}, path
            assert not [name for name in imports_of(path) if name.startswith("referee.v1")], path


@pytest.mark.parametrize(
    "path",
    python_files("referee", "tournaments", "clients/python", "tests/rules", "tests/match", "tests/support"),
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_a_file_is_short_and_finished(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") < MOST_LINES
    assert not [word for word in ("TO" + "DO", "FIX" + "ME") if word in text]


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_file_of_its_own_tests_and_a_golden_log(game):
    module = game.replace("-", "_")
    assert (ROOT / "referee" / "rules" / "games" / f"{module}.py").is_file()
    assert (ROOT / "tests" / "rules" / f"test_rules_{module}.py").is_file()
    assert (ROOT / "tests" / "golden" / f"{game}.jsonl").is_file()


def test_every_file_of_a_game_is_registered():
    files = {path.stem for path in (ROOT / "referee" / "rules" / "games").glob("*.py")} - {"__init__"}
    assert files == {game.replace("-", "_") for game in GAMES}


def test_the_imports_are_read_at_all():
    """A reader of imports that finds none would let everything pass."""
    assert "referee.rules.game" in imports_of(ROOT / "referee" / "rules" / "line.py")
    assert {"msgspec", "structlog"} <= imports_of(ROOT / "referee" / "match" / "log.py")
    assert ("referee/match/log.py", "structlog") in strangers("referee/match", "referee.rules", "referee.match")
