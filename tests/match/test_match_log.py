"""The match log: every line's place in the chain, canonical JSON, and what happens when it cannot be written."""
# ruff: noqa: D103

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.canonical import canonical as independent
from oracle.canonical import line_hash

from referee.match.events import LogFault
from referee.match.log import GENESIS, MatchLog, canonical, parse_line, read_log

EVENTS = [
    {"event": "match_started", "names": ["Zoë", "\u2028<&>"]},
    {"event": "one"},
    {"event": "two", "b": 1, "a": None},
]


def written(events, now=lambda: 1_700_000_000.9999):
    file = io.BytesIO()
    log = MatchLog(file, now)
    for event in events:
        log.append(event)
    return file.getvalue()


def test_every_line_has_its_number_time_and_place_in_the_chain():
    lines = [json.loads(line) for line in written(EVENTS).splitlines()]
    prev = "0" * 64
    for seq, (line, event) in enumerate(zip(lines, EVENTS, strict=True)):
        assert line["seq"] == seq
        assert line["ts"] == "2023-11-14T22:13:20.999Z"
        assert line["prev"] == prev
        assert line["hash"] == line_hash(line)  # by the oracle's own canonical JSON
        assert {key: line[key] for key in event} == event
        prev = line["hash"]


def test_a_line_ends_with_a_line_feed_and_holds_none():
    data = written(EVENTS)
    assert data.endswith(b"}\n")
    assert data.count(b"\n") == len(EVENTS)
    assert b" " not in data


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(codec="ascii")), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(json_values)
def test_canonical_json_is_what_an_independent_writer_makes_of_it(value):
    assert canonical(value) == independent(value).encode()


@given(json_values)
def test_what_is_written_is_read_back(value):
    data = written([{"event": "match_started", "value": value}])
    line = parse_line(data, 0, GENESIS)
    assert line["value"] == value
    assert line["hash"] == line_hash(line)


@pytest.mark.parametrize(("seq", "prev"), [(1, GENESIS), (True, GENESIS), (0, "1" * 64), (0, "")])
def test_a_line_is_refused_in_another_place(seq, prev):
    data = written(EVENTS[:1])
    with pytest.raises(LogFault, match=r"chain: (seq|prev) is"):
        parse_line(data, seq, prev)


def test_append_gives_the_line_and_leaves_the_event_alone():
    log = MatchLog(io.BytesIO(), lambda: 0.0)
    event = {"event": "one"}
    line = log.append(event)
    assert (line["seq"], line["ts"], line["prev"]) == (0, "1970-01-01T00:00:00.000Z", GENESIS)
    assert event == {"event": "one"}
    assert (log.seq, log.head) == (1, line["hash"])


def test_a_log_without_a_file_makes_the_same_chain():
    kept = MatchLog(io.BytesIO(), lambda: 5.0)
    unkept = MatchLog(None, lambda: 5.0)
    for event in EVENTS:
        assert dict(kept.append(event)) == dict(unkept.append(event))


def test_a_log_is_gone_on_with_after_its_last_line(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(written(EVENTS))
    last = list(read_log(path))[-1]
    with path.open("ab") as file:
        log = MatchLog(file)
        log.continue_from(last)
        log.append({"event": "three"})
    assert [event["event"] for event in read_log(path)] == ["match_started", "one", "two", "three"]


class Full(io.BytesIO):
    """A disk that takes so many bytes and no more."""

    def __init__(self, room):
        super().__init__()
        self.room = room

    def write(self, data):
        """Take what there is room for."""
        taken = min(len(data), self.room)
        self.room -= taken
        if not taken:
            raise OSError(28, "No space left on device")
        return super().write(data[:taken])


@pytest.mark.parametrize("room", [0, 1, 100, 300])
def test_what_cannot_be_written_is_said_and_nothing_follows_a_torn_line(room):
    file = Full(room)
    log = MatchLog(file)
    with pytest.raises(OSError, match="No space left"):
        list(map(log.append, EVENTS))
    before = file.getvalue()
    file.room = 10_000
    with pytest.raises(OSError, match="No space left"):
        log.append({"event": "three"})
    assert file.getvalue() == before
    assert len(before) == room
    assert log.seq == before.count(b"\n")


class Slow(io.BytesIO):
    """A file that takes a few bytes at a time, as the operating system may."""

    def write(self, data):
        """Take seven bytes."""
        return super().write(data[:7])


def test_a_line_is_written_whole_though_the_file_takes_it_piece_by_piece():
    file = Slow()
    log = MatchLog(file, lambda: 1_700_000_000.9999)
    for event in EVENTS:
        log.append(event)
    assert file.getvalue() == written(EVENTS)


def test_lines_may_wait_in_the_file_s_buffer():
    """Nothing reaches the disk line by line; closed, the file holds what it would have held anyhow."""
    disk = io.BytesIO()
    file = io.BufferedWriter(disk)
    log = MatchLog(file, lambda: 1_700_000_000.9999, hold_back=True)
    for event in EVENTS:
        log.append(event)
    assert disk.getvalue() == b""
    file.flush()
    assert disk.getvalue() == written(EVENTS)
