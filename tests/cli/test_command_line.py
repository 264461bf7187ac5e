"""The command line as a whole: exit status, one line for every error, and nothing imported too soon."""
# ruff: noqa: D103

import json
import os
import signal
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from referee.cli import main as main_module
from referee.cli.common import one_line, print_json, printable
from referee.cli.group import LazyGroup, NearGroup


def run(*args):
    return CliRunner().invoke(main_module.main, args)


def test_help_lists_every_command_and_imports_none():
    code = (
        "import sys; from referee.cli.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit as end: status = end.code\n"
        "slow = {'rich', 'grpc', 'msgspec', 'structlog', 'google'} & sys.modules.keys()\n"
        "sys.exit(status or bool(slow))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    for name in ("games", "bots", "play", "serve", "tournament", "replay", "verify"):
        assert f"\n  {name} " in done.stdout


def test_no_command_shows_the_help():
    assert run().exit_code == 0
    assert run().stdout == run("--help").stdout


def test_version():
    assert run("--version").exit_code == 0
    assert run("--version").stdout.startswith("referee ")


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("gmaes",), "did you mean 'games'?"),
        (("xyzzy",), "commands: games, bots"),
        (("--vresion",), "--version"),
        (("verify", "--parital", "x"), "--partial"),
        (("verify",), "LOG"),
        (("games", "domino-belag"), "did you mean 'domino-belga'?"),
        (("games", "cinquilo"), "did you mean 'cinquillo'?"),
        (("games", "evil\x1b[31m\n"), "accepted: domino-cartas"),
        (("bots", "surplus"), "surplus"),
        (("replay", "--hand", "x", "log"), "--hand"),
    ],
)
def test_what_was_asked_wrongly_is_said_in_one_line(args, says):
    result = run(*args)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.endswith("\n")
    assert result.stderr.count("\n") == 1
    assert "\x1b" not in result.stderr
    assert says in result.stderr


def group_with(function):
    @click.group("referee", cls=LazyGroup, lazy={"go": ""})
    def root():
        pass

    root.get_command = lambda ctx, name: click.command("go")(function)
    return root


def raising(error):
    def go():
        raise error

    return group_with(go)


def test_errors_of_users_have_no_traceback_and_defects_keep_theirs():
    from referee.match.log import LogError
    from referee.rules.registry import SettingError

    for error, status, line in (
        (SettingError("format.kind", "unknown"), 2, "referee: format.kind: unknown\n"),
        (LogError("a.jsonl", 3, "no such piece"), 1, "referee: a.jsonl:3: no such piece\n"),
        (OSError(28, "No space left on device", "out.jsonl"), 2, "referee: out.jsonl: No space left on device\n"),
        (KeyboardInterrupt(), 130, None),
    ):
        result = CliRunner().invoke(raising(error), ["go"])
        assert result.exit_code == status
        assert "Traceback" not in result.output
        assert line is None or result.stderr == line
    assert isinstance(CliRunner().invoke(raising(ZeroDivisionError()), ["go"]).exception, ZeroDivisionError)


def test_a_command_returns_its_exit_status():
    assert CliRunner().invoke(group_with(lambda: 1), ["go"]).exit_code == 1
    assert CliRunner().invoke(group_with(lambda: None), ["go"]).exit_code == 0


def test_a_group_offers_the_nearest_command():
    @click.group(cls=NearGroup)
    def inner():
        pass

    inner.command("standings")(lambda: None)
    with pytest.raises(click.UsageError, match="did you mean 'standings'"):
        inner.main(["standngs"], standalone_mode=False)


def test_a_closed_pipe_is_quiet():
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "referee.cli.main", "games"], stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert done.returncode == 128 + signal.SIGPIPE
    assert done.stderr == b""


def test_an_ascii_terminal_is_enough():
    done = subprocess.run(
        [sys.executable, "-m", "referee.cli.main", "games"],
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout.isascii()


def test_printable_escapes_what_a_terminal_obeys():
    assert printable("ana [béa] 7♦") == "ana [béa] 7♦"
    assert printable("\x1b[31m\x9b\u202e\ud800\n") == "\\x1b[31m\\x9b\\u202e\\ud800\\x0a"
    assert one_line("a\n  b\x07") == "a b\\x07"


def test_json_holds_nothing_that_a_terminal_obeys(capsys):
    value = {"name": "\x1b[31m\x9bé\u202e\u2028\x7f"}
    print_json(value)
    text = capsys.readouterr().out
    assert json.loads(text) == value
    assert not set(text) & set("\x1b\x9b\u202e\u2028\x7f")
    assert "é" in text
