"""Tournament files: what is accepted, and what is said about what is not."""

import pickle
import sys
from pathlib import Path

import pytest

import tournaments
from referee.match.clock import ClockSpec
from tournaments.spec import Entrant, SpecError, argv, entrants_needed, identity, load, parse

EXAMPLES = sorted((Path(tournaments.__file__).parent / "examples").glob("*.toml"))
TWO = '[[entrants]]\nname = "a"\nbuiltin = "medium"\n[[entrants]]\nname = "b"\nremote = true\n'
HEAD = 'name = "cup"\ngame = "domino-belga"\ntable = 2\n'


def entered(*lines: str) -> str:
    """A file in which the second entrant has these lines."""
    return HEAD + '[[entrants]]\nname = "a"\nbuiltin = "medium"\n[[entrants]]\n' + "\n".join(lines)


def test_every_key_of_the_contract_is_read():
    """The contract's own example means what the contract says it means."""
    spec = parse(
        """
        name = "spring cup"
        game = "domino-belga"
        table = 2
        format = { kind = "points", target = 120 }
        options = { spinner_opens = "at_once" }
        deals = 7
        duplicate = false
        seed = "ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789"
        clock = { join_ms = 1, ready_ms = 2, move_ms = 3, bank_ms = 4, increment_ms = 5 }
        policy = "strict"
        [[entrants]]
        name = "greedy"
        builtin = "medium"
        [[entrants]]
        name = "blocker"
        command = ["python", "bots/blocker.py"]
        reuse = false
        [[entrants]]
        name = "counter"
        remote = true
        version = "3"
        """
    )
    assert (spec.name, spec.game, spec.table, spec.deals, spec.duplicate) == ("spring cup", "domino-belga", 2, 7, False)
    assert (spec.format.kind, spec.format.target, spec.format.ending) == ("points", 120, "first")
    assert spec.options == {"spinner_opens": "at_once", "auto_forced": False}
    assert spec.seed == "abcdef0123456789" * 4
    assert spec.clock == ClockSpec(1, 2, 3, 4, 5)
    assert spec.policy == "strict"
    assert spec.entrants == (
        Entrant(name="greedy", builtin="medium"),
        Entrant(name="blocker", command=("python", "bots/blocker.py"), reuse=False),
        Entrant(name="counter", remote=True, version="3"),
    )
    assert pickle.loads(pickle.dumps(spec)) == spec


def test_defaults():
    """What is left out has the documented default, and a part of the clock keeps the rest."""
    spec = parse(HEAD + "clock = { move_ms = 500 }\n" + TWO)
    assert (spec.deals, spec.duplicate, spec.seed, spec.policy) == (10, True, None, "lenient")
    assert spec.clock == ClockSpec(move_ms=500)
    assert spec.format.target == 100


def test_a_preset_is_a_game_with_options():
    """A preset's name stands for its game, with its options set."""
    text = HEAD.replace("domino-belga", "cuatrillo") + "options = { auto_forced = true }\n" + TWO
    spec = parse(text)
    assert spec.game == "domino-cartas"
    assert spec.options == {"opener": 4, "auto_forced": True}


def test_pairs_need_two_entrants_at_a_table_of_four():
    """In pairs, an entrant plays both seats, and the table need not be given."""
    assert parse('name = "cup"\ngame = "domino-duplas"\n' + TWO).table == 4


@pytest.mark.parametrize(
    ("text", "key", "said"),
    [
        ("", "", "is empty"),
        (" \n", "", "is empty"),
        ("name = 'a'\nx = = 1", "", "line 2, column 5"),
        ("name = 'a'\nx = ", "", "line 2"),
        ("name = 'a'\nname = 'b'", "", "line 2"),
        ("x = " + "[" * 50_000, "", "nested too deeply"),
        ("x\0y", "", "binary"),
        (HEAD + "tabel = 2\n" + TWO, "tabel", "unknown key 'tabel'; did you mean 'table'? accepted: name, game"),
        ('"a\\nb" = 1\n' + HEAD + TWO, "a\\nb", "unknown key"),
        (TWO, "name", "is missing"),
        ('name = "cup"\n' + TWO, "game", "is missing"),
        (HEAD, "entrants", "is missing"),
        (HEAD.replace('"cup"', "3") + TWO, "name", "3 is no text"),
        (HEAD.replace("cup", "x" * 65) + TWO, "name", "65 characters"),
        (HEAD.replace("belga", "belgo") + TWO, "game", "did you mean 'domino-belga'?"),
        (HEAD.replace('"domino-belga"', "1") + TWO, "game", "1 is no text"),
        (HEAD.replace("table = 2\n", "") + TWO, "table", "is missing; domino-belga is played by 2, 3, 4"),
        (HEAD.replace("2", "5") + TWO, "table", "played by 2, 3, 4, not by 5"),
        (HEAD.replace("2", "2.0") + TWO, "table", "2.0 is not a whole number"),
        (HEAD.replace("2", "4") + TWO, "entrants", "2 given; a match needs at least 4 (table = 4"),
        ('name = "c"\ngame = "domino-duplas"\ntable = 2\n' + TWO, "table", "played by 4, not by 2"),
        (HEAD + "format = 'points'\n" + TWO, "format", "'points' is no table"),
        (HEAD + "format = { kind = 'hands' }\n" + TWO, "format.kind", "accepted: points"),
        (HEAD + "format = { kind = [1] }\n" + TWO, "format.kind", "[1] is no text"),
        (HEAD + "format = { ending = {} }\n" + TWO, "format.ending", "{} is no text"),
        (HEAD + "format = { target = 0 }\n" + TWO, "format.target", "from 1 to"),
        (HEAD + "format = { targte = 1 }\n" + TWO, "format.targte", "did you mean 'target'?"),
        (HEAD + "options = []\n" + TWO, "options", "[] is no table"),
        (HEAD + "options = { opener = 4 }\n" + TWO, "options.opener", "unknown option"),
        (HEAD + "options = { auto_forced = 1 }\n" + TWO, "options.auto_forced", "accepted: false, true"),
        (HEAD + "options = { spinner_opens = [[1]] }\n" + TWO, "options.spinner_opens", "at_once"),
        (
            HEAD.replace("domino-belga", "cuatrillo") + "options = { opener = 5 }\n" + TWO,
            "options.opener",
            "5 is not what the preset sets it to",
        ),
        (HEAD + "deals = 0\n" + TWO, "deals", "0 is not a whole number from 1 to 1000000"),
        (HEAD + "deals = 1_000_001\n" + TWO, "deals", "1000001 is not"),
        (HEAD + "deals = true\n" + TWO, "deals", "true is not"),
        (HEAD + "deals = nan\n" + TWO, "deals", "nan is not"),
        (HEAD + "duplicate = 1\n" + TWO, "duplicate", "1 is no true or false"),
        (HEAD + "seed = 'abc'\n" + TWO, "seed", "(3 characters); a seed is 64 hex digits"),
        (HEAD + f"seed = '{'g' * 64}'\n" + TWO, "seed", "64 hex digits"),
        (HEAD + f"seed = '{'a ' * 32}'\n" + TWO, "seed", "64 hex digits"),
        (HEAD + "seed = 12\n" + TWO, "seed", "64 hex digits"),
        (HEAD + "clock = 5\n" + TWO, "clock", "5 is no table"),
        (HEAD + "clock = { move = 5 }\n" + TWO, "clock.move", "did you mean 'move_ms'?"),
        (HEAD + "clock = { move_ms = -1 }\n" + TWO, "clock.move_ms", "-1 is not a whole number from 0 to 86400000"),
        (HEAD + "clock = { bank_ms = 86_400_001 }\n" + TWO, "clock.bank_ms", "86400001"),
        (HEAD + "clock = { bank_ms = 1.5 }\n" + TWO, "clock.bank_ms", "1.5 is not"),
        (HEAD + "clock = { move_ms = 0, bank_ms = 0 }\n" + TWO, "clock.move_ms", "one must be above 0"),
        (HEAD + "clock = { join_ms = 0 }\n" + TWO, "clock.join_ms", "is 0, so that no bot could dial in in time"),
        (HEAD + "clock = { ready_ms = 0 }\n" + TWO, "clock.ready_ms", "is 0, so that no bot could say that it is"),
        (HEAD + "policy = 'harsh'\n" + TWO, "policy", "accepted: lenient, strict"),
        (HEAD + "entrants = 3\n", "entrants", "write [[entrants]]"),
        (HEAD + "entrants = []\n", "entrants", "0 given; a tournament has from 2"),
        (HEAD + "entrants = ['a', 'b']\n", "entrants", "write [[entrants]]"),
        (HEAD + "[entrants]\nname = 'a'\n", "entrants", "write [[entrants]]"),
        (HEAD + TWO.partition("\n[[")[0], "entrants", "1 given; a tournament has from 2"),
        (HEAD + "[[entrants]]\nname = 'a'\nremote = true\n" * 2, "entrants[1].name", "entrants[0] too"),
        (entered("remote = true"), "entrants[1].name", "is missing"),
        (entered("name = 1"), "entrants[1].name", "1 is no text"),
        (entered("name = ' '"), "entrants[1].name", "is empty"),
        (entered("name = ''"), "entrants[1].name", "is empty"),
        (entered(f"name = '{'x' * 65}'"), "entrants[1].name", "65 characters"),
        (entered('name = "a\\tb"'), "entrants[1].name", "control character"),
        (entered('name = "a\\u202eb"'), "entrants[1].name", "'a\\u202eb' has a control character"),
        (entered("name = '..'"), "entrants[1].name", "not accepted"),
        (entered("name = 'b '"), "entrants[1].name", "no blank at either end"),
        (entered("name = 'A'", "remote = true"), "entrants[1].name", "'A' is the name of entrants[0] too"),
        (entered("name = 'ａ'", "remote = true"), "entrants[1].name", "entrants[0] too"),
        (entered("name = 'b'"), "entrants[1]", "nothing given; exactly one of builtin"),
        (entered("name = 'b'", "remote = false"), "entrants[1]", "nothing given"),
        (entered("name = 'b'", "remote = true", "builtin = 'medium'"), "entrants[1]", "builtin and remote given"),
        (entered("name = 'b'", "remote = 'yes'"), "entrants[1].remote", "'yes' is no true or false"),
        (entered("name = 'b'", "builtin = 'mediun'"), "entrants[1].builtin", "did you mean 'medium'?"),
        (entered("name = 'b'", "builtin = ['medium']"), "entrants[1].builtin", "is no text"),
        (entered("name = 'b'", "command = []"), "entrants[1].command", "is empty"),
        (entered("name = 'b'", "command = [' ', 'x']"), "entrants[1].command", "is empty"),
        (entered("name = 'b'", "command = 'bot'"), "entrants[1].command", "'bot' is no list of texts"),
        (entered("name = 'b'", "command = ['bot', 1]"), "entrants[1].command", "is no list of texts"),
        (entered("name = 'b'", 'command = ["a\\u0000b"]'), "entrants[1].command", "NUL"),
        (entered("name = 'b'", "comand = ['bot']"), "entrants[1].comand", "did you mean 'command'?"),
        (entered("name = 'b'", "remote = true", "reuse = true"), "entrants[1].reuse", "for a command only"),
        (entered("name = 'b'", "command = ['bot']", "reuse = 0"), "entrants[1].reuse", "0 is no true or false"),
        (entered("name = 'b'", "remote = true", "version = 2"), "entrants[1].version", "2 is no text"),
        (entered("name = 'b'", "remote = true", 'version = "\\n"'), "entrants[1].version", "control character"),
        (entered("name = 'b'", "builtin = 'x'"), "entrants[1].builtin", "(entrant 'b')"),
    ],
)
def test_a_mistake_is_named_with_its_place(text, key, said):
    """The file, the key and what would be right, in one line that can be printed."""
    with pytest.raises(SpecError) as caught:
        parse(text, "cup.toml")
    error = caught.value
    assert error.key == key
    assert said in error.problem
    assert str(error).startswith("cup.toml: ")
    assert str(error).isprintable()
    assert len(str(error)) < 400
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_too_many_entrants():
    """A list that no schedule could be made of in good time is refused."""
    text = HEAD + "".join(f"[[entrants]]\nname = 'e{number}'\nremote = true\n" for number in range(1001))
    with pytest.raises(SpecError, match="1001 given; a tournament has from 2 to 1000"):
        parse(text)


def test_files_that_cannot_be_read(tmp_path):
    """Whatever stands in the way of reading is said with the file's name."""
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"name = 'a'\n\xff\xfe")
    long = tmp_path / "long.toml"
    long.write_bytes(b"#" * (5 << 20))
    for path, said in [
        (tmp_path / "none.toml", "No such file"),
        (tmp_path, "cannot be read"),
        ("a\0b", "cannot be read"),
        (binary, "line 2 is not UTF-8"),
        (long, "is longer than"),
    ]:
        with pytest.raises(SpecError, match=said) as caught:
            load(path)
        assert caught.value.file == str(path)


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path):
    """Some editors write one, and nobody sees it."""
    path = tmp_path / "cup.toml"
    path.write_bytes(b"\xef\xbb\xbf" + (HEAD + TWO).encode())
    assert load(path).name == "cup"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_load_and_their_files_exist(path):
    """An example runs as it stands."""
    spec = load(path)
    for entrant in spec.entrants:
        for word in entrant.command or ():
            assert not word.endswith(".py") or (path.parent / word).is_file()


def test_there_are_examples():
    """The examples are found where they are looked for."""
    assert {"first", "pairs", "cartas-table-of-four"} <= {path.stem for path in EXAMPLES}


def test_python_in_a_command_is_the_referees_own():
    """``{python}`` is filled in, alone or within a word; all else stays."""
    entrant = Entrant(name="a", command=("{python}", "-x={python}", "{}"))
    assert argv(entrant) == [sys.executable, f"-x={sys.executable}", "{}"]
    with pytest.raises(ValueError, match="no command"):
        argv(Entrant(name="a", remote=True))


def test_identity_is_what_was_entered(tmp_path):
    """It follows the content of the files named and the version declared, not the entrant's name."""
    bot = tmp_path / "bot.py"
    bot.write_text("one")

    def of(**given):
        return identity(Entrant(**{"name": "a", **given}), tmp_path)

    found = [
        of(command=("python", "bot.py")),
        of(command=("python", "bot.py"), version="2"),
        of(command=("python", "bot.py", "")),
        of(command=("pythonbot.py",)),
        of(command=("x" * 5000,)),
        of(builtin="medium"),
        of(builtin="beginner"),
        of(remote=True),
        of(remote=True, version="1"),
    ]
    assert len(set(found)) == len(found)
    assert all(len(one) == 16 and set(one) <= set("0123456789abcdef") for one in found)
    assert of(name="b", command=("python", "bot.py"), reuse=False) == found[0]
    bot.write_text("two")
    assert of(command=("python", "bot.py")) != found[0]
    bot.write_text("one")
    assert of(command=("python", "bot.py")) == found[0]


def test_entrants_needed():
    """One a seat, or one a pair."""
    from referee.rules.registry import GAMES

    assert entrants_needed(GAMES["domino-cartas"], 8) == 8
    assert entrants_needed(GAMES["domino-duplas"], 4) == 2
