"""What the codec encodes by hand is what protobuf reads and would have written."""

from hypothesis import given
from hypothesis import strategies as st

from referee.server.codec.wire import embedded, keys, number, packed, packed_signed
from referee.v1 import play_pb2, table_pb2

VIEW = keys(table_pb2.View.DESCRIPTOR)
TURN = keys(play_pb2.Turn.DESCRIPTOR)
small = st.integers(0, 127)
unsigned = st.integers(0, 2**32 - 1)
signed = st.integers(-(2**31), 2**31 - 1)


@given(unsigned, unsigned, st.lists(small, max_size=60), st.lists(signed, max_size=8))
def test_encoded_fields_are_read_by_protobuf(turn: int, stock: int, counts: list[int], points: list[int]) -> None:
    """Numbers, lists of small numbers and lists of signed numbers come out as they went in, zeros included."""
    data = (
        number(VIEW["turn"], turn)
        + number(VIEW["stock_size"], stock)
        + packed(VIEW["piece_counts"], bytes(counts))
        + packed_signed(VIEW["hand_points"], points)
    )
    view = table_pb2.View.FromString(data)
    assert (view.turn, view.stock_size, list(view.piece_counts), list(view.hand_points)) == (
        turn,
        stock,
        counts,
        points,
    )
    assert view.HasField("stock_size")


@given(st.lists(small, min_size=1, max_size=300), unsigned)
def test_an_embedded_message_is_what_protobuf_would_write(seats: list[int], turn: int) -> None:
    """A view within a turn is byte for byte protobuf's own encoding, also where its length takes two bytes."""
    message = play_pb2.Turn(turn_id=turn or 1, view=table_pb2.View(seats_in=seats))
    data = number(TURN["turn_id"], turn or 1) + embedded(TURN["view"], packed(VIEW["seats_in"], bytes(seats)))
    assert data == message.SerializeToString(deterministic=True)
