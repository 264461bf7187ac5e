"""Creating and finding matches."""

import asyncio
import hashlib

import grpc
import pytest
from server_kit import DUEL, SEED, error_info, of_kind, run, serving

from referee.match.events import MatchSpec
from referee.v1 import match_pb2, play_pb2

SEATS = [match_pb2.SeatRequest(remote=match_pb2.Remote())] * 2
BEGINNER = match_pb2.SeatRequest(builtin="beginner")


def _request(**fields):
    return match_pb2.CreateMatchRequest(**({"game": DUEL, "seats": SEATS} | fields))


def _option(name, **value):
    return play_pb2.Option(name=name, **value)


BAD = {
    "no game": (_request(game=""), "game", "domino-belga"),
    "unknown game": (_request(game="domino-clasico"), "game", "did you mean 'domino-classico'"),
    "a very long game": (_request(game="x" * 50_000), "game", "unknown game"),
    "too few seats": (_request(seats=SEATS[:1]), "seats", "2, 3, 4"),
    "no seats": (_request(seats=[]), "seats", "2, 3, 4"),
    "too many seats": (_request(seats=SEATS * 4), "seats", "2, 3, 4"),
    "a seat for nobody": (_request(seats=[BEGINNER, match_pb2.SeatRequest(name="x")]), "seats[1]", "`builtin`"),
    "unknown bot": (
        _request(seats=[BEGINNER, match_pb2.SeatRequest(builtin="beginer")]),
        "seats[1].builtin",
        "did you mean 'beginner'",
    ),
    "long name": (
        _request(seats=[BEGINNER, match_pb2.SeatRequest(name="x" * 201, builtin="medium")]),
        "seats[1].name",
        "200",
    ),
    "unknown option": (
        _request(options=[_option("spiner_opens", text="at_once")]),
        "options.spiner_opens",
        "did you mean 'spinner_opens'",
    ),
    "option without value": (_request(options=[_option("spinner_opens")]), "options.spinner_opens", "at_once"),
    "value of another kind": (_request(options=[_option("auto_forced", number=1)]), "options.auto_forced", "true"),
    "option set twice": (
        _request(options=[_option("auto_forced", flag=True), _option("auto_forced", flag=False)]),
        "options.auto_forced",
        "twice",
    ),
    "no format kind": (_request(format=play_pb2.Format(kind="bestof")), "format.kind", "did you mean 'best_of'"),
    "format of another game": (_request(format=play_pb2.Format(kind="points")), "format.kind", "best_of"),
    "even best of": (_request(format=play_pb2.Format(kind="best_of", hands=4)), "format.hands", "odd"),
    "no hands": (_request(format=play_pb2.Format(kind="best_of", hands=0)), "format.hands", "1 to"),
    "hands of a single": (_request(format=play_pb2.Format(kind="single", hands=3)), "format.hands", "no hands"),
    "ending of a single": (_request(format=play_pb2.Format(kind="single", ending="first")), "format.ending", "no end"),
    "clock too long": (_request(clock=play_pb2.Clock(move_ms=86_400_001)), "clock.move_ms", "86400000"),
    "short seed": (_request(seed="5e"), "seed", "64"),
    "seed of other letters": (_request(seed="g" * 64), "seed", "64"),
    "unknown policy": (_request(policy="strickt"), "policy", "did you mean 'strict'"),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_match_that_cannot_be_is_refused_with_the_key_and_what_would_be_right(tmp_path, bad):
    """A bad request is INVALID_ARGUMENT; its details name the key at fault and what is accepted; nothing is left."""
    request, key, hint = BAD[bad]

    async def promise():
        async with serving(tmp_path) as kit:
            with pytest.raises(grpc.aio.AioRpcError) as failed:
                await kit.matches.CreateMatch(request)
            assert failed.value.code() is grpc.StatusCode.INVALID_ARGUMENT
            assert len(failed.value.details()) < 1000
            info = error_info(failed.value)
            assert info.reason == "BAD_SETTING"
            assert info.metadata["key"] == key
            assert hint in info.metadata["problem"]
            assert not list(tmp_path.iterdir())
            assert not (await kit.matches.ListMatches(match_pb2.ListMatchesRequest())).matches

    run(promise)


def test_what_is_asked_for_is_what_is_played(tmp_path):
    """Names, options, format, clock, seed and policy stand in the match's info and log as they were asked for."""

    async def promise():
        async with serving(tmp_path) as kit:
            seats = [
                match_pb2.SeatRequest(name="ana \x1b[2J \u2028 béa", builtin="medium"),
                match_pb2.SeatRequest(builtin="beginner"),
                match_pb2.SeatRequest(builtin="expert"),
            ]
            made = await kit.matches.CreateMatch(
                match_pb2.CreateMatchRequest(
                    game="cinquillo",
                    seats=seats,
                    options=[_option("auto_forced", flag=True)],
                    format=play_pb2.Format(kind="best_of", hands=3),
                    clock=play_pb2.Clock(move_ms=77, bank_ms=0),
                    seed=SEED,
                    policy="strict",
                )
            )
            assert not made.tokens
            assert made.info.state == match_pb2.MATCH_STATE_WAITING
            events = await kit.ended(made.info.match_id)
            spec = MatchSpec.from_started(events[0])
            assert spec.names == ("ana \x1b[2J \u2028 béa", "beginner", "expert")
            assert spec.game.id == made.info.game == "domino-cartas"
            assert spec.options["auto_forced"] is True
            assert spec.format.hands == made.info.format.hands == 3
            assert (spec.clock.move_ms, spec.clock.bank_ms, spec.clock.join_ms) == (77, 0, 30_000)
            assert spec.policy == "strict"
            assert events[-1]["seed"] == SEED
            assert made.info.commitment == hashlib.sha256(bytes.fromhex(SEED)).hexdigest()

    run(promise)


def test_info_tells_how_far_a_match_is(tmp_path):
    """Waiting, running, finished: what is not known yet is absent, and the end has places and a reason."""

    async def promise():
        async with serving(tmp_path) as kit:
            match_id, tokens = await kit.create(format=play_pb2.Format(kind="best_of", hands=3))

            async def info():
                return (await kit.matches.GetMatch(match_pb2.GetMatchRequest(match_id=match_id))).info

            waiting = await info()
            assert waiting.state == match_pb2.MATCH_STATE_WAITING
            assert not waiting.HasField("hand")
            assert not waiting.HasField("turn")
            assert not waiting.totals
            assert not waiting.places
            bots = [await kit.joined(token) for token in tokens]
            await kit.until_logged(match_id, "hand_started")
            running = await info()
            assert running.state == match_pb2.MATCH_STATE_RUNNING
            assert running.hand == 0
            assert list(running.totals) == [0, 0]
            await asyncio.gather(*[bot.play() for bot in bots])
            events = await kit.ended(match_id)
            over = await info()
            assert over.state == match_pb2.MATCH_STATE_FINISHED
            assert over.hand == of_kind(events, "hand_ended")[-1]["hand"]
            assert over.turn == of_kind(events, "action")[-1]["turn"]
            assert list(over.totals) == events[-1]["totals"]
            assert list(over.places) == events[-1]["places"]
            assert over.end_reason == play_pb2.MATCH_END_REASON_COMPLETED

    run(promise)


@pytest.mark.parametrize("call", ["GetMatch", "WatchMatch", "FetchMatchLog"])
@pytest.mark.parametrize("match_id", ["", "nope", "../../etc/passwd", "x" * 10_000])
def test_an_unknown_match_is_not_found(tmp_path, call, match_id):
    """NOT_FOUND, with its reason; never a file."""

    async def promise():
        async with serving(tmp_path) as kit:
            answer = getattr(kit.matches, call)(getattr(match_pb2, f"{call}Request")(match_id=match_id))
            with pytest.raises(grpc.aio.AioRpcError) as failed:
                await (answer if call == "GetMatch" else answer.read())
            assert failed.value.code() is grpc.StatusCode.NOT_FOUND
            assert error_info(failed.value).reason == "NO_SUCH_MATCH"
            assert len(failed.value.details()) < 200

    run(promise)


def test_matches_are_listed_newest_first_page_by_page(tmp_path):
    """Pages follow each other without gap or repetition, also while matches are being added."""

    async def promise():
        async with serving(tmp_path) as kit:
            made = [(await kit.create(seats="bb"))[0] for _ in range(7)]
            token, listed = "", []
            while True:
                page = await kit.matches.ListMatches(match_pb2.ListMatchesRequest(page_size=3, page_token=token))
                listed += [info.match_id for info in page.matches]
                assert len(page.matches) <= 3
                token = page.next_page_token
                await kit.create(seats="bb")
                if not token:
                    break
            assert listed == made[::-1]
            everything = await kit.matches.ListMatches(match_pb2.ListMatchesRequest(page_size=4_000_000_000))
            assert len(everything.matches) == 10
            for bad in ("x", "-1", "0", "99", "٣", "1" * 5000, "1.5"):
                with pytest.raises(grpc.aio.AioRpcError) as failed:
                    await kit.matches.ListMatches(match_pb2.ListMatchesRequest(page_token=bad))
                assert failed.value.code() is grpc.StatusCode.INVALID_ARGUMENT
                assert error_info(failed.value).reason == "BAD_PAGE_TOKEN"

    run(promise)


def test_old_matches_are_forgotten(tmp_path, monkeypatch):
    """So many matches that are over are kept in mind, and all that run; the list goes on without gaps."""
    monkeypatch.setattr("referee.server.host.MOST_KEPT", 3)

    async def promise():
        async with serving(tmp_path) as kit:
            running, _ = await kit.create()
            made = []
            for _ in range(6):
                made.append((await kit.create(seats="bb"))[0])
                await kit.ended(made[-1])
            listed, token = [], ""
            while not listed or token:
                page = await kit.matches.ListMatches(match_pb2.ListMatchesRequest(page_size=1, page_token=token))
                listed += [info.match_id for info in page.matches]
                token = page.next_page_token
            assert listed == [made[5], made[4], running]
            assert len(list(tmp_path.glob("*.jsonl"))) == 7

    run(promise)


def test_games_are_listed_as_they_can_be_asked_for(tmp_path):
    """Every format, preset and option that ListGames tells is accepted by CreateMatch."""

    async def promise():
        async with serving(tmp_path) as kit:
            games = (await kit.matches.ListGames(match_pb2.ListGamesRequest())).games
            assert len(games) == 5
            for game in games:
                for players in {game.min_players, game.max_players}:
                    for format in game.formats:
                        request = match_pb2.CreateMatchRequest(game=game.id, seats=[BEGINNER] * players, format=format)
                        made = await kit.matches.CreateMatch(request)
                        kit.server.host.matches[made.info.match_id].stop()
                for preset in game.presets:
                    seats = [BEGINNER] * game.min_players
                    by_name = match_pb2.CreateMatchRequest(game=preset.name, seats=seats)
                    by_options = match_pb2.CreateMatchRequest(game=game.id, seats=seats, options=preset.options)
                    made = [await kit.matches.CreateMatch(one) for one in (by_name, by_options)]
                    assert made[0].info.options == made[1].info.options
                    for one in made:
                        kit.server.host.matches[one.info.match_id].stop()

    run(promise)
