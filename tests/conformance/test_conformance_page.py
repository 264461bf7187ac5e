"""The page for authors of clients leaves nothing of the protocol out."""
# ruff: noqa: D103

import re

import pytest
from conformance.clients import ROOT

from referee.v1 import fault_pb2, match_pb2, play_pb2, table_pb2

PAGE = (ROOT / "proto" / "README.md").read_text(encoding="utf-8")
FAULTS = (ROOT / "proto" / "referee" / "v1" / "fault.proto").read_text(encoding="utf-8")


def named(name):
    """Whether the page has this word, as code or in a table of short names."""
    return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", PAGE) is not None


def test_every_refusal_code():
    codes = re.findall(r"^  // - `(\w+)`:", FAULTS, re.M)
    assert len(codes) > 15
    assert [code for code in codes if not named(code)] == []


@pytest.mark.parametrize("module", [play_pb2, table_pb2, fault_pb2])
def test_every_message(module):
    snake = {re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower(): name for name in module.DESCRIPTOR.message_types_by_name}
    inside = {"play_event", "play_request", "play_response"}
    missing = [name for word, name in snake.items() if word not in inside and not named(name) and not named(word)]
    assert missing == []


def test_every_event_reason_and_remedy():
    words = [field.name for field in play_pb2.PlayEvent.DESCRIPTOR.fields]
    words += [name.removeprefix("CLOSE_REASON_") for name in play_pb2.CloseReason.keys()[1:]]
    words += fault_pb2.Remedy.keys()[1:]
    words += play_pb2.EventDelivery.keys()[1:]
    words += [field.name for field in play_pb2.Clock.DESCRIPTOR.fields]
    words += [method.name for method in match_pb2.DESCRIPTOR.services_by_name["MatchService"].methods]
    words += ["REFEREE_ADDRESS", "REFEREE_TOKEN", "REFEREE_NAME", "REFEREE_CA", "REFEREE_CERT", "REFEREE_KEY"]
    assert [word for word in words if not named(word)] == []


def test_the_numbers_of_the_pieces():
    for deck, first in (("TILE", 1), ("SPANISH", 31), ("FRENCH", 71)):
        numbers = [number for name, number in table_pb2.Piece.items() if name.startswith(f"PIECE_{deck}")]
        assert min(numbers) == first
        assert named(f"{first}–{max(numbers)}")
