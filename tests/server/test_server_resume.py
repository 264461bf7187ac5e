"""A server that is started again takes up every match where its log ends."""

import asyncio
import json
import stat

import grpc
import pytest
from resume_kit import cut_after, frozen, game_of, restarted
from server_kit import PATIENT, error_info, of_kind, run, serving

from referee.match.log import read_log
from referee.match.verify import verify
from referee.server.hosted import MatchStage
from referee.server.resume import Resumer
from referee.v1 import match_pb2, play_pb2

LONG = play_pb2.Format(kind="best_of", hands=3)


async def _play_on(kit, tokens, log=None):
    """Play to the end; who was ready by the log need not say so again."""
    loaded = {event["seat"] for event in read_log(log) if event["event"] == "seat_ready"} if log else set()
    seats = [kit.server.admission.find(token) for token in tokens]
    hosted = next(one for one in kit.server.host.matches.values() if seats[0] in one.players)
    bots = [
        await kit.joined(token, ready=hosted.players.index(seat) not in loaded)
        for token, seat in zip(tokens, seats, strict=True)
    ]
    closed = await asyncio.gather(*[bot.play() for bot in bots])
    return bots, closed


async def _whole(folder, game, seats, format=None):
    """A match that was never disturbed: its id, its tokens, and its folder as it stood before its first deal."""
    async with serving(folder) as kit:
        match_id, tokens = await kit.create(game, seats, format=format)
        before = frozen(folder, folder.with_name("before"))
        await _play_on(kit, tokens)
        await kit.ended(match_id)
    return match_id, tokens, before


@pytest.mark.parametrize(
    ("game", "seats"),
    [("domino-classico", "rb"), ("domino-belga", "rr"), ("domino-cartas", "rbb"), ("domino-a-carte", "rbrb")],
)
def test_a_match_goes_on_from_any_line_of_its_log_as_if_nothing_had_happened(tmp_path, game, seats):
    """Same hands, stock, actions and result, wherever the log ends; the bots come back with their tokens."""

    async def promise():
        folder = tmp_path / "data"
        folder.mkdir()
        match_id, tokens, before = await _whole(folder, game, seats)
        log = folder / f"{match_id}.jsonl"
        wanted = game_of(log)
        lines = len(log.read_bytes().splitlines())
        for kept in range(1, lines, max(1, lines // 12)):
            again = frozen(before, tmp_path / f"again-{kept}")
            (again / log.name).write_bytes(log.read_bytes())
            cut_after(again, match_id, kept)
            so_far = frozen(again, tmp_path / f"so-far-{kept}") / log.name
            async with restarted(again) as kit:
                bots, closed = await _play_on(kit, tokens, so_far)
                events = await kit.ended(match_id)
                assert game_of(again / log.name) == wanted, kept
                assert len(of_kind(events, "resumed", cut_bytes=0)) == 1
                assert {one.reason for one in closed} == {play_pb2.CLOSE_REASON_MATCH_OVER}
                assert all(any(event.HasField("match_ended") for event in bot.seen) for bot in bots)

    run(promise)


def test_a_bot_that_comes_back_is_told_all_and_asked_its_open_turn_with_the_time_that_it_had(tmp_path):
    """Time down is not charged: the turn is sent again with the whole of its time and the bank as it was."""

    async def promise():
        folder = tmp_path / "data"
        folder.mkdir()
        async with serving(folder) as kit:
            clock = {"move_ms": 20_000, "bank_ms": 777}
            match_id, tokens = await kit.create(seats="rb", clock=clock)
            bot = await kit.joined(tokens[0])
            await bot.play(3)
            turn = await bot.until("turn")
            again = frozen(folder, tmp_path / "again")
            hands = [event for event in bot.seen if event.HasField("hand_started")]
        async with restarted(again) as kit:
            back = await kit.joined(tokens[0], ready=False)
            first = back.seen[0].joined
            assert first.resumed
            asked = await back.until("turn")
            assert (asked.turn_id, asked.view, asked.legal) == (turn.turn_id, turn.view, turn.legal)
            assert (asked.clock.move_ms, asked.clock.bank_ms) == (20_000, 777)
            assert [event for event in back.seen if event.HasField("hand_started")] == hands
            assert back.seen[1].HasField("match_started")
            await back.answer(asked.turn_id, index=0)
            await back.play()
            await kit.ended(match_id)

    run(promise)


@pytest.mark.parametrize("torn", [b"{", b'{"event":"action","turn":99', b"\0" * 600])
def test_a_torn_last_line_is_cut_and_said(tmp_path, torn):
    """The beginning of a line that nobody was told of goes; the log says what was cut, and verifies."""

    async def promise():
        folder = tmp_path / "data"
        folder.mkdir()
        match_id, tokens, before = await _whole(folder, "domino-classico", "rb")
        wanted = game_of(folder / f"{match_id}.jsonl")
        (before / f"{match_id}.jsonl").write_bytes((folder / f"{match_id}.jsonl").read_bytes())
        cut_after(before, match_id, 12, torn)
        async with restarted(before) as kit:
            await _play_on(kit, tokens, before / f"{match_id}.jsonl")
            events = await kit.ended(match_id)
            (resumed,) = of_kind(events, "resumed")
            assert resumed["cut_bytes"] == len(torn)
            assert resumed["cut"] == torn.decode()[:400]
            assert game_of(before / f"{match_id}.jsonl") == wanted

    run(promise)


def test_damage_in_the_middle_stops_that_match_with_file_and_line_and_no_other(tmp_path):
    """A changed line is never played on from, nor given out; other matches go on, and nothing is removed."""

    async def promise():
        folder = tmp_path / "data"
        folder.mkdir()
        async with serving(folder) as kit:
            made = [await kit.create(seats="rb", format=LONG) for _ in range(2)]
            for _, tokens in made:
                bot = await kit.joined(tokens[0])
                await bot.play(4)
                await bot.until("turn")
            again = frozen(folder, tmp_path / "again")
        (bad, bad_tokens), (good, good_tokens) = made
        path = again / f"{bad}.jsonl"
        lines = path.read_bytes().splitlines(keepends=True)
        lines[6] = lines[6].replace(b'"turn":', b'"turn":1')
        path.write_bytes(b"".join(lines))
        data = path.read_bytes()
        async with restarted(again) as kit:
            hosted = kit.server.host.matches[bad]
            assert hosted.stage is MatchStage.FAILED
            assert f"{path}:7:" in hosted.problem
            info = (await kit.matches.GetMatch(match_pb2.GetMatchRequest(match_id=bad))).info
            assert info.state == match_pb2.MATCH_STATE_FAILED
            with pytest.raises(grpc.aio.AioRpcError) as failed:
                await kit.matches.FetchMatchLog(match_pb2.FetchMatchLogRequest(match_id=bad)).read()
            assert error_info(failed.value).reason == "LOG_DAMAGED"
            bot = kit.bot()
            await bot.join(bad_tokens[0])
            assert (await bot.end()).reason == play_pb2.CLOSE_REASON_REFUSED
            await _play_on(kit, good_tokens, again / f"{good}.jsonl")
            assert (await kit.ended(good))[-1]["reason"] == "completed"
        assert path.read_bytes() == data
        assert path.with_suffix(".private").exists()

    run(promise)


@pytest.mark.parametrize("after", ["fault", "forfeited"])
def test_faults_that_were_counted_stay_counted(tmp_path, after):
    """The third turn that runs out is the last, whatever was in between; a remedy that was still to come, comes."""

    async def promise():
        folder = tmp_path / "data"
        folder.mkdir()
        async with serving(folder) as kit:
            match_id, tokens = await kit.create(seats="rb", clock={"move_ms": 1}, format=LONG)
            before = frozen(folder, tmp_path / "before")
            await kit.joined(tokens[0])
            events = await kit.ended(match_id)
            log = folder / f"{match_id}.jsonl"
        kinds = [event["event"] for event in events]
        faults = [place for place, kind in enumerate(kinds) if kind == "fault"]
        assert [events[place]["remedy"] for place in faults] == ["stand_in", "stand_in", "forfeit"]
        cuts = [place + 1 for place in faults] if after == "fault" else [kinds.index("forfeited") + 1]
        for kept in cuts:
            again = frozen(before, tmp_path / f"again-{kept}")
            (again / log.name).write_bytes(log.read_bytes())
            cut_after(again, match_id, kept)
            async with restarted(again) as kit:
                await kit.joined(tokens[0], ready=False) if kept != cuts[-1] else None
                ended = await kit.ended(match_id)
            assert [event["count"] for event in of_kind(ended, "fault")] == [1, 2, 3]
            assert of_kind(ended, "match_ended")[0]["reason"] == "forfeit"
            assert verify(again / log.name).match.forfeited == [0]

    run(promise)


def test_a_bot_that_was_there_and_does_not_come_back_has_its_clock_and_one_that_never_came_has_not(tmp_path):
    """After the restart `join_ms` counts again; then the one is gone for a turn, the other has never come."""

    async def promise():
        folder = tmp_path / "data"
        folder.mkdir()
        async with serving(folder) as kit:
            clock = {"join_ms": 20_000, "move_ms": 1}
            match_id, tokens = await kit.create(seats="rr", clock=clock)
            await kit.joined(tokens[0])
            await kit.until_logged(match_id, "seat_ready")
            again = frozen(folder, tmp_path / "again")
        _shorten(again, match_id)
        async with restarted(again) as kit:
            events = await kit.ended(match_id)
        assert [(one["seat"], one["kind"]) for one in of_kind(events, "fault")] == [(1, "never_came")]

    run(promise)


def _shorten(folder, match_id):
    """Write a match's first line, and what is kept of it, anew with no time to join."""
    from referee.match.events import MatchSpec
    from referee.match.log import MatchLog

    path = folder / f"{match_id}.jsonl"
    events = list(read_log(path))
    events[0]["clock"]["join_ms"] = 1
    kept = json.loads(path.with_suffix(".private").read_bytes())
    kept["started"]["clock"]["join_ms"] = 1
    path.with_suffix(".private").write_text(json.dumps(kept))
    MatchSpec.from_started(events[0])
    with path.open("wb", buffering=0) as file:
        log = MatchLog(file)
        for event in events:
            log.append({key: value for key, value in event.items() if key not in {"seq", "ts", "prev", "hash"}})


def test_a_bot_that_had_left_has_left(tmp_path):
    """That a bot will not play on is in the log before it is told so, and holds after a restart."""

    async def promise():
        folder = tmp_path / "data"
        folder.mkdir()
        async with serving(folder) as kit:
            match_id, tokens = await kit.create(seats="rr")
            bots = [await kit.joined(token) for token in tokens]
            asked = {asyncio.create_task(bot.until("turn")): place for place, bot in enumerate(bots)}
            done, waiting = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            waiting.pop().cancel()
            leaver = 1 - asked[done.pop()]
            bot = await kit.joined(tokens[leaver])
            await bot.leave("enough")
            await bot.end()
            again = frozen(folder, tmp_path / "again")
        async with restarted(again) as kit:
            await kit.bot().join(tokens[1 - leaver])
            events = await kit.ended(match_id)
        assert [(one["seat"], one["kind"]) for one in of_kind(events, "fault")] == [(leaver, "gone")]

    run(promise)


def test_matches_that_are_over_are_listed_again_and_their_logs_given_out(tmp_path):
    """Places, totals and times are as before; nothing is kept of them but the log."""

    async def promise():
        folder = tmp_path / "data"
        folder.mkdir()
        async with serving(folder) as kit:
            made = []
            for _ in range(3):
                match_id, tokens = await kit.create(seats="rb", format=LONG)
                await _play_on(kit, tokens)
                await kit.ended(match_id)
                made.append(match_id)
            before = (await kit.matches.ListMatches(match_pb2.ListMatchesRequest())).matches
        assert not list(folder.glob("*.private"))
        (folder / "stranger.jsonl").write_text("no log\n")
        async with restarted(folder) as kit:
            after = (await kit.matches.ListMatches(match_pb2.ListMatchesRequest())).matches
            for one, other in zip(before, after, strict=True):
                other.created_at = one.created_at
                assert one == other
            request = match_pb2.FetchMatchLogRequest(match_id=made[0])
            log = b"".join([response.chunk async for response in kit.matches.FetchMatchLog(request)])
            assert log == (folder / f"{made[0]}.jsonl").read_bytes()

    run(promise)


def test_a_bot_hears_of_the_end_even_if_the_server_was_killed_as_it_came(tmp_path):
    """What is kept of a match outlives its last line, so that a bot that comes back is told how it ended."""

    async def promise():
        folder = tmp_path / "data"
        folder.mkdir()
        match_id, tokens, before = await _whole(folder, "domino-classico", "rb")
        log = folder / f"{match_id}.jsonl"
        (before / log.name).write_bytes(log.read_bytes())
        async with restarted(before) as kit:
            bot = await kit.joined(tokens[0], ready=False)
            ended = await bot.until("match_ended")
            assert list(ended.places) == list(read_log(log))[-1].get("places", list(ended.places))
            assert (await bot.end()).reason == play_pb2.CLOSE_REASON_MATCH_OVER
            await kit.ended(match_id)
        assert (before / log.name).read_bytes().startswith(log.read_bytes())

    run(promise)


def test_what_is_kept_is_for_the_servers_user_alone_and_holds_no_token(tmp_path):
    """The file beside a running match's log has the seed and hashes, and goes when the match is over; both: 0600."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create(seats="rb")
            path = tmp_path / f"{match_id}.private"
            assert stat.S_IMODE(path.with_suffix(".jsonl").stat().st_mode) == 0o600
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            text = path.read_text()
            assert "5e" * 32 in text
            assert tokens[0] not in text
            await _play_on(kit, tokens)
            await kit.ended(match_id)
        assert not path.exists()

    run(promise)


def test_a_match_that_was_not_announced_leaves_nothing(tmp_path):
    """A kill between what is kept and the first line: nobody knows of the match, and its files go."""

    async def promise():
        folder = tmp_path / "data"
        folder.mkdir()
        async with serving(folder) as kit:
            for _ in range(2):
                await kit.create(seats="rb", clock=PATIENT)
            again = frozen(folder, tmp_path / "again")
        first, second = sorted(again.glob("*.jsonl"))
        first.unlink()
        second.write_bytes(b'{"clock"')
        async with restarted(again) as kit:
            assert not kit.server.host.matches
        assert not list(again.iterdir())

    run(promise)


def test_only_what_is_ones_own_is_taken_up(tmp_path):
    """A server of several takes up the matches that it claims."""

    async def promise():
        folder = tmp_path / "data"
        folder.mkdir()
        async with serving(folder) as kit:
            made = [(await kit.create(seats="rb"))[0] for _ in range(4)]
            again = frozen(folder, tmp_path / "again")
        async with serving(tmp_path) as kit:
            mine = set(made[:2])
            Resumer(kit.server.admission, kit.server.host, again, mine.__contains__).restore()
            assert set(kit.server.host.matches) == mine

    run(promise)
