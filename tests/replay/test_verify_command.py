"""``referee verify``: what it promises."""
# ruff: noqa: D103

import json

import pytest


def test_a_good_log_verifies(referee, write_log, tmp_path):
    match = write_log(tmp_path / "log", "domino-belga", 2)
    result = referee("verify", tmp_path / "log", "--json")
    assert result.exit_code == 0
    (said,) = json.loads(result.stdout)
    assert said == {
        "log": str(tmp_path / "log"),
        "ok": True,
        "match": "m1",
        "game": "domino-belga",
        "ended": True,
        "lines": said["lines"],
        "actions": match.turn,
        "hands": match.tally.hands,
        "deals_checked": True,
    }
    assert "from the seed" in referee("verify", tmp_path / "log").stdout


def test_a_seed_that_is_withheld_is_said_and_can_be_given(referee, write_log, tmp_path):
    match = write_log(tmp_path / "log", "domino-belga", 2, withheld=True)
    assert "seed withheld" in referee("verify", tmp_path / "log").stdout
    assert "from the seed" in referee("verify", tmp_path / "log", "--seed", match.seed.hex()).stdout
    wrong = referee("verify", tmp_path / "log", "--seed", "00" * 32)
    assert wrong.exit_code == 1
    assert ":1: match_started: the commitment" in wrong.stdout


def test_a_log_that_ends_early_verifies_only_as_partial(referee, write_log, tmp_path):
    write_log(tmp_path / "log", "domino-belga", 2, turns=5)
    result = referee("verify", tmp_path / "log")
    assert result.exit_code == 1
    assert f"{tmp_path / 'log'}:7: the log ends before match_ended" in result.stdout
    assert referee("verify", "--partial", tmp_path / "log").exit_code == 0


def test_each_fault_is_printed_with_its_file_and_line(referee, write_log, tmp_path):
    write_log(tmp_path / "good", "domino-belga", 2)
    write_log(tmp_path / "bad", "domino-belga", 2)
    text = (tmp_path / "bad").read_text().splitlines(keepends=True)
    (tmp_path / "bad").write_text("".join(text[:4] + text[5:]))
    result = referee("verify", tmp_path / "good", tmp_path / "bad")
    assert result.exit_code == 1
    assert f"fault {tmp_path / 'bad'}:5: chain: seq is 5; it must be 4" in result.stdout
    assert "1 of 2 logs verify" in result.stdout


@pytest.mark.parametrize("content", [b"", b"hello\n", b"\x00\xff\n", b"[]\n", b'{"event":"match_started"}\n', b"{}"])
@pytest.mark.parametrize("command", ["verify", "replay"])
def test_a_file_that_is_no_log_is_a_no(referee, tmp_path, command, content):
    (tmp_path / "log").write_bytes(content)
    result = referee(command, tmp_path / "log")
    assert result.exit_code == 1
    assert str(tmp_path / "log") in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize("command", ["verify", "replay"])
def test_a_file_that_is_not_there_was_asked_wrongly(referee, tmp_path, command):
    for path, says in ((tmp_path / "none", "No such file"), (tmp_path, "a directory")):
        result = referee(command, path)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr.count("\n") == 1
        assert says in result.stderr


def test_a_bad_seed_was_asked_wrongly(referee, write_log, tmp_path):
    write_log(tmp_path / "log", "domino-belga", 2)
    result = referee("verify", tmp_path / "log", "--seed", "12")
    assert result.exit_code == 2
    assert "--seed: a seed is 64 hex digits, not '12'" in result.stderr
