"""Several server processes behind one address."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import grpc
import pytest
from referee_bot import RefusedError, run

from referee.v1 import match_pb2, match_pb2_grpc


@pytest.fixture
def front() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A front of two processes: its address, and its own process."""
    command = [sys.executable, "-m", "referee.cli.main", "serve", "--listen", "127.0.0.1:0", "--processes", "2"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ.copy())
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[2].rstrip(","), process
    finally:
        process.kill()
        process.wait()


def create(address: str) -> match_pb2.CreateMatchResponse:
    """A match between a bot that dials in and a built-in one."""
    seats = [match_pb2.SeatRequest(remote=match_pb2.Remote()), match_pb2.SeatRequest(builtin="beginner")]
    request = match_pb2.CreateMatchRequest(game="domino-classico", seats=seats)
    with grpc.insecure_channel(address) as channel:
        return match_pb2_grpc.MatchServiceStub(channel).CreateMatch(request)


def test_each_match_is_played_in_one_process_and_told_by_the_front(front: tuple[str, subprocess.Popen[str]]) -> None:
    """Matches go to one process after the other; bots dial in there, and the front lists, tells and gives out logs."""
    address, _ = front
    made = [create(address) for _ in range(4)]
    assert len({one.address for one in made}) == 2
    for one in made:
        run(lambda turn: turn.legal[0], address=one.address, token=one.tokens[0].token)
    with grpc.insecure_channel(address) as channel:
        stub = match_pb2_grpc.MatchServiceStub(channel)
        listed, token = [], ""
        while True:
            page = stub.ListMatches(match_pb2.ListMatchesRequest(page_size=1, page_token=token))
            listed += [match.match_id for match in page.matches]
            token = page.next_page_token
            if not token:
                break
        assert sorted(listed) == sorted(one.info.match_id for one in made)
        for one in made:
            watched = list(stub.WatchMatch(match_pb2.WatchMatchRequest(match_id=one.info.match_id)))
            assert watched[-1].events[0].HasField("match_ended")
            log = b"".join(
                part.chunk for part in stub.FetchMatchLog(match_pb2.FetchMatchLogRequest(match_id=one.info.match_id))
            )
            assert log.count(b"\n") == watched[-1].seq + 1
        with pytest.raises(grpc.RpcError) as unknown:
            stub.GetMatch(match_pb2.GetMatchRequest(match_id="2-nonsuch"))
        assert unknown.value.code() is grpc.StatusCode.NOT_FOUND


def test_a_bot_that_dials_in_at_the_front_is_sent_to_its_match(front: tuple[str, subprocess.Popen[str]]) -> None:
    """The refusal names the address of the match's own process."""
    address, _ = front
    made = create(address)
    with pytest.raises(RefusedError, match=made.address):
        run(lambda turn: turn.legal[0], address=address, token=made.tokens[0].token)


def test_a_front_drains_its_processes(front: tuple[str, subprocess.Popen[str]]) -> None:
    """SIGTERM ends the front and its processes with status 0, even while a match waits for its bot."""
    address, process = front
    create(address)
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0
