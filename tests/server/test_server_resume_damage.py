"""Whatever stands in one match's files, the server starts, and every other match goes on."""

import json

import grpc
import pytest
from resume_kit import frozen, restarted
from server_kit import error_info, run, serving

from referee.server import host as hosting
from referee.server.hosted import MatchStage
from referee.v1 import match_pb2, play_pb2


def _private(log, text):
    log.with_suffix(".private").write_text(text)


def _with_private(log, **fields):
    path = log.with_suffix(".private")
    path.write_text(json.dumps(json.loads(path.read_bytes()) | fields))


def _with_last_line(log, event):
    """A log as it stands after its match, but for what its last line says; nothing is kept beside it."""
    log.with_suffix(".private").unlink()
    log.write_bytes(log.read_bytes() + json.dumps(event).encode() + b"\n")


def _folder(path):
    path.unlink()
    path.mkdir()


DAMAGE = {
    "private that is no JSON": lambda log: _private(log, "{damaged"),
    "private that is a list": lambda log: _private(log, "[]"),
    "private of nobody": lambda log: _with_private(log, players=[]),
    "private with an unknown bot": lambda log: _with_private(log, players=[{"builtin": "nobody"}] * 2),
    "private with a token that is none": lambda log: _with_private(log, players=[{"token": "x"}] * 2),
    "private of a time that is none": lambda log: _with_private(log, created_at=1e300),
    "private of another match": lambda log: _with_private(log, started={"event": "match_started"}),
    "private that is a folder": lambda log: _folder(log.with_suffix(".private")),
    "log that is a folder": _folder,
    "log of another match": lambda log: log.replace(log.with_stem("another")),
    "end without totals": lambda log: _with_last_line(log, {"event": "match_ended", "reason": "completed"}),
    "end of a kind that is none": lambda log: _with_last_line(
        log, {"event": "match_ended", "reason": "x", "places": [1, 2], "totals": [1, 0]}
    ),
    "action without a hand": lambda log: _with_last_line(log, {"event": "action", "turn": 1}),
    "action of a turn that is none": lambda log: _with_last_line(log, {"event": "action", "hand": 0, "turn": -1}),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_file_stops_its_own_match_and_no_other(tmp_path, kind):
    """The server starts, lists what it knows, and the bot of the match beside it plays on to the end."""

    async def promise():
        folder = tmp_path / "data"
        folder.mkdir()
        async with serving(folder) as kit:
            damaged, _ = await kit.create(seats="rb")
            sound, sound_tokens = await kit.create(seats="rb")
            again = frozen(folder, tmp_path / "again")
        DAMAGE[kind](again / f"{damaged}.jsonl")
        async with restarted(again) as kit:
            for hosted in kit.server.host.matches.values():
                assert (hosted.spec.id == sound) == (hosted.stage is MatchStage.WAITING), hosted.problem
            listed = (await kit.matches.ListMatches(match_pb2.ListMatchesRequest())).matches
            assert {one.match_id for one in listed} == set(kit.server.host.matches)
            bot = await kit.joined(sound_tokens[0])
            assert (await bot.play()).reason == play_pb2.CLOSE_REASON_MATCH_OVER
            await kit.ended(sound)

    run(promise)


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("private with an unknown bot", "{log}.private: "),
        ("end without totals", "{log}.jsonl:2: match_ended: "),
        ("action without a hand", "{log}.jsonl:2: action: "),
    ],
)
def test_what_is_damaged_is_said_with_file_and_line_and_its_log_stays_here(tmp_path, kind, told):
    """The hands of a match that may go on, once its file is mended, are given to nobody."""

    async def promise():
        folder = tmp_path / "data"
        folder.mkdir()
        async with serving(folder) as kit:
            damaged, tokens = await kit.create(seats="rb")
            again = frozen(folder, tmp_path / "again")
        DAMAGE[kind](again / f"{damaged}.jsonl")
        async with restarted(again) as kit:
            hosted = kit.server.host.matches[damaged]
            assert hosted.stage is MatchStage.FAILED
            assert told.format(log=again / damaged) in hosted.problem
            with pytest.raises(grpc.RpcError) as caught:
                await kit.matches.FetchMatchLog(match_pb2.FetchMatchLogRequest(match_id=damaged)).read()
            assert error_info(caught.value).reason == "LOG_DAMAGED"
            late = kit.bot()
            await late.join(tokens[0])
            assert (await late.end()).reason == play_pb2.CLOSE_REASON_REFUSED

    run(promise)


def test_a_match_that_has_ended_needs_nothing_of_what_was_kept_to_go_on_with_it(tmp_path):
    """It is listed as finished, and the damaged file is gone."""

    async def promise():
        folder = tmp_path / "data"
        folder.mkdir()
        async with serving(folder) as kit:
            match_id, _ = await kit.create(seats="bb")
            await kit.ended(match_id)
        kept = folder / f"{match_id}.private"
        kept.write_text("{damaged")
        async with restarted(folder) as kit:
            assert kit.server.host.matches[match_id].stage is MatchStage.FINISHED
        assert not kept.exists()

    run(promise)


def test_a_match_that_cannot_go_on_does_not_keep_the_others_waiting(tmp_path, monkeypatch):
    """Of those that are suspended one fails in an unforeseen way: it alone has failed, and they go on."""

    async def promise():
        folder = tmp_path / "data"
        folder.mkdir()
        async with serving(folder) as kit:
            made = [(await kit.create(seats="rb"))[0] for _ in range(3)]
            again = frozen(folder, tmp_path / "again")
        resume, wrong = hosting.resume, {path: OSError(5, "no disk") for path in made}

        def failing(path, *rest):
            if path.stem in wrong:
                raise wrong[path.stem]
            return resume(path, *rest)

        monkeypatch.setattr(hosting, "resume", failing)
        async with restarted(again) as kit:
            matches = kit.server.host.matches
            assert {matches[one].stage for one in made} == {MatchStage.SUSPENDED}
            wrong.clear()
            wrong[made[1]] = RuntimeError("unforeseen")
            kit.server._resumer.retry()
            assert [matches[one].stage for one in made] == [
                MatchStage.WAITING,
                MatchStage.FAILED,
                MatchStage.WAITING,
            ]
            assert "RuntimeError: unforeseen" in matches[made[1]].problem

    run(promise)


def test_a_log_that_cannot_be_closed_keeps_no_bot(tmp_path, monkeypatch):
    """The match is over for its bot all the same."""

    class Unclosed(hosting.CountedLog):
        def close(self):
            super().close()
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(hosting, "CountedLog", Unclosed)

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create(seats="rb")
            bot = await kit.joined(tokens[0])
            assert (await bot.play()).reason == play_pb2.CLOSE_REASON_MATCH_OVER
            await kit.ended(match_id)

    run(promise)
