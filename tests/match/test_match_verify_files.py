"""Verification of files that are no logs, or no longer."""
# ruff: noqa: D103

import json
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.falsify import chained, honest

from referee.match.log import LogError
from referee.match.verify import verify


@cache
def raw():
    return chained(honest("domino-duplas", 4, form={"kind": "single"}))


@pytest.fixture(scope="module")
def one_file(tmp_path_factory):
    return tmp_path_factory.mktemp("logs") / "match.jsonl"


@given(st.integers(0, 2**40), st.integers(1, 255))
@example(0, 1)
@example(-1, ord("\n") ^ ord(" "))
@settings(max_examples=400, deadline=None)
def test_any_changed_byte_is_refused(one_file, place, flip):
    data = bytearray(raw())
    data[place % len(data)] ^= flip
    one_file.write_bytes(data)
    line = raw()[: place % len(data)].count(b"\n") + 1
    with pytest.raises(LogError) as caught:
        verify(one_file)
    assert caught.value.line in (line, line + 1)


@given(st.integers(0, 2**40))
@settings(max_examples=200, deadline=None)
def test_a_log_that_is_cut_anywhere_is_refused_and_only_whole_lines_are_a_partial_one(one_file, place):
    data = raw()[: place % len(raw())]
    one_file.write_bytes(data)
    with pytest.raises(LogError) as caught:
        verify(one_file)
    lines = data.splitlines(keepends=True)
    if not lines:
        assert "empty" in caught.value.problem
    elif not data.endswith(b"\n"):
        assert (caught.value.line, caught.value.problem) == (len(lines), "the line is torn: it has no end")
        with pytest.raises(LogError):
            verify(one_file, partial=True)
    else:
        assert "the log ends before match_ended" in caught.value.problem
        assert verify(one_file, partial=True).lines == len(lines)


def line_of(text):
    """A first line whose chain would be right if the rest of it were."""
    return text.encode() + b"\n"


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        (b"", 0, "empty: a log begins with match_started"),
        (b"\n", 1, "not a JSON object"),
        (b"\x00\x01\x02\xff\n", 1, "not a JSON object"),
        (bytes(range(256)) * 20, 1, "not a JSON object"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", 1, "not a JSON object"),
        (b"\xef\xbb\xbf{}\n", 1, "not a JSON object"),
        (b'{"event":"\xff"}\n', 1, "not a JSON object"),
        (b'{"event":"\\ud800"}\n', 1, "not a JSON object"),
        (b"[]\n", 1, "not an event"),
        (b"null\n", 1, "not an event"),
        (b"{}\n", 1, "not an event"),
        (b'"match_started"\n', 1, "not an event"),
        (b'{"event":null}\n', 1, "not an event"),
        (b'{"name":"x","version":"1.0"}\n', 1, "not an event"),
        (b'{"event":"match_started"}\n', 1, "chain: seq is None; it must be 0"),
        (b'{"event":"match_started","seq":0,"prev":""}\n', 1, "chain: prev is ''"),
        (b'{"event":"x","seq":0.0}\n', 1, "the number 0.0 is no integer"),
        (b'{"event":"x","seq":1e3}\n', 1, "the number 1e3 is no integer"),
        (b'{"event":"x","seq":NaN}\n', 1, "not a JSON object"),
        (b'{"event":"x","seq":' + b"9" * 400 + b"}\n", 1, "chain: seq is"),
        (b'{"event":"x","seq":' + b"9" * 10_000 + b"}\n", 1, ""),
        (b'{"event":"x","seq":0,"seq":0}\n', 1, "a key stands twice"),
        (b"[" * 100_000 + b"\n", 1, "not a JSON object"),
        (b'{"event":"x","a":' + b"[" * 5_000 + b"]" * 5_000 + b"}\n", 1, "not a JSON object"),
        (b'{"event":"x","a":' + b'{"a":' * 5_000 + b"1" + b"}" * 5_001 + b"\n", 1, "not a JSON object"),
        (b'{"event":"x"}\r\n', 1, "chain: seq is None"),
        (b'{"event":"x"}', 1, "the line is torn"),
    ],
)
def test_what_is_no_log_is_refused_in_one_line(refuse, data, line, words):
    refuse(data, line, words)


@pytest.mark.parametrize("depth", range(100, 1100, 50))
def test_no_depth_of_nesting_is_a_crash(tmp_path, depth):
    path = tmp_path / "match.jsonl"
    log = honest("domino-duplas", 4, form={"kind": "single"})
    text = canonical_text(log[0]).replace("{", '{"deep":' + "[" * depth + "]" * depth + ",", 1)
    path.write_bytes(line_of(text))
    with pytest.raises(LogError):
        verify(path)


def canonical_text(event):
    return json.dumps(event, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def test_a_key_that_stands_twice_is_refused_though_the_chain_is_whole(refuse):
    lines = raw().splitlines(keepends=True)
    place = next(place for place, line in enumerate(lines) if b'"hand_ended"' in line)
    # The second `points` is the one that was hashed; another reader might take the first.
    lines[place] = lines[place].replace(b'{"', b'{"points":[0,999],"', 1)
    refuse(b"".join(lines), place + 1, "a key stands twice")


def test_blanks_and_the_order_of_keys_do_not_matter(tmp_path):
    path = tmp_path / "match.jsonl"
    log = [json.loads(line) for line in raw().splitlines()]
    path.write_text("".join(json.dumps(dict(reversed(event.items()))) + "\n" for event in log))
    assert verify(path).lines == len(log)


def test_a_file_that_cannot_be_read(tmp_path):
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(LogError) as caught:
            verify(path)
        assert (caught.value.line, caught.value.path) == (0, str(path))
        assert "cannot be read" in caught.value.problem


def test_lines_of_two_logs_do_not_make_one(refuse):
    first = raw().splitlines(keepends=True)
    second = chained(honest("domino-duplas", 4, 1, form={"kind": "single"})).splitlines(keepends=True)
    refuse(b"".join([*first[:4], *second[4:]]), 5, "chain: prev is")
    refuse(b"".join([first[0], *first[2:]]), 2, "chain: seq is 2; it must be 1")
