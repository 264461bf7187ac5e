"""``referee play``: one match on an embedded server."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import shlex
import tempfile
from pathlib import Path
from typing import Any

import click

from referee.bots.registry import find_bot
from referee.cli.common import fail, print_json
from referee.cli.policy import transport_of, transport_options
from referee.cli.settings import parse_settings, seed_of
from referee.cli.show_match import Progress, show_result
from referee.match.deal import commitment
from referee.match.events import Event, MatchSpec
from referee.match.seat import Bot
from referee.processes.bot_process import BotProcess, Reaper, StartError
from referee.rules.registry import SettingError, resolve_players
from referee.server.admission import Ticket
from referee.server.app import ListenError, Policy, RefereeServer, embedded
from referee.server.host import MatchStage

COMMAND_PREFIX = "cmd:"


@click.command()
@click.argument("game")
@click.option("--seats", required=True, metavar="A,B[,…]", help="By seat: a built-in bot, cmd:COMMAND, or remote.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="An option, format.… or clock.… value.")
@click.option("--seed", metavar="HEX", help="64 hex digits that the deals come from; else drawn.")
@click.option("--log", "log_path", type=click.Path(dir_okay=False, path_type=Path), help="Write the match log here.")
@click.option("--listen", default="127.0.0.1:0", show_default=True, metavar="HOST:PORT", help="Where bots dial in.")
@transport_options
@click.option("--json", "as_json", is_flag=True, help="The result as JSON.")
def play(
    game: str,
    seats: str,
    settings: tuple[str, ...],
    seed: str | None,
    log_path: Path | None,
    listen: str,
    as_json: bool,
    **tls: Any,
) -> None:
    """Play one match and show its result.

    GAME is a game or a preset (see `referee games`). A seat is the name of a built-in bot (see `referee bots`),
    cmd:COMMAND (a bot process that the referee starts) or remote (waits for a bot to dial in; the address and the
    token are printed).
    """
    policy = embedded(transport_of(tls, listen))
    words = split_seats(seats)
    chosen = parse_settings(game, settings)
    resolve_players(chosen.game, len(words), "--seats")
    secret = seed_of(seed)
    match_id = secrets.token_hex(8)
    spec = MatchSpec(
        match_id,
        chosen.game,
        chosen.options,
        chosen.format,
        tuple(_name(word, seat) for seat, word in enumerate(words)),
        chosen.clock,
        commitment(secret),
        chosen.policy,
    )
    with tempfile.TemporaryDirectory(prefix="referee-") as folder:
        path = log_path or Path(folder) / "match.jsonl"
        with contextlib.suppress(KeyboardInterrupt):
            ended = asyncio.run(_play(spec, secret, words, path, Path(folder), listen, policy, as_json))
            if as_json:
                print_json(ended)
            return
    raise SystemExit(130)


def split_seats(text: str) -> list[str]:
    """The words of ``--seats``. A comma within quotes belongs to a command."""
    reader = shlex.shlex(text, posix=False)
    reader.whitespace = ","
    reader.whitespace_split = True
    reader.commenters = ""
    try:
        words = [word.strip() for word in reader]
    except ValueError:
        fail("--seats: a quote is not closed")
    return [word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"" else word for word in words]


def _name(word: str, seat: int) -> str:
    if word.startswith(COMMAND_PREFIX):
        return (word.rstrip().rsplit("/", 1)[-1].removeprefix(COMMAND_PREFIX) or word)[:64]
    return f"remote {seat}" if word == "remote" else word


def _command(word: str) -> list[str]:
    """The words of a bot's command. Raises `SettingError`."""
    try:
        return shlex.split(word.removeprefix(COMMAND_PREFIX))
    except ValueError:
        raise SettingError(f"--seats {word}", "a quote is not closed") from None


def _player(
    word: str, seat: int, match_id: str, server: RefereeServer, tokens: dict[int, str], name: str
) -> Bot | Ticket:
    _command(word)
    if word == "remote" or word.startswith(COMMAND_PREFIX):
        tokens[seat], ticket = server.admission.issue(name)
        return ticket
    try:
        return find_bot(word).make(f"{match_id}/{seat}")
    except SettingError as error:
        raise SettingError("--seats", f"{error.problem}; or cmd:COMMAND, or remote") from None


async def _play(
    spec: MatchSpec,
    seed: bytes,
    words: list[str],
    path: Path,
    folder: Path,
    listen: str,
    policy: Policy,
    as_json: bool,
) -> dict[str, Any]:
    server = RefereeServer(folder, listen, policy=policy)
    tokens: dict[int, str] = {}
    players = [_player(word, seat, spec.id, server, tokens, spec.names[seat]) for seat, word in enumerate(words)]
    try:
        await server.start()
    except ListenError as error:
        fail(f"--listen: {error}")
    processes: list[BotProcess] = []
    reaper = Reaper() if any(word.startswith(COMMAND_PREFIX) for word in words) else None
    progress = Progress(spec, quiet=as_json)
    try:
        hosted = server.host.create(spec, seed, players, path, listener=progress.heard)
        for seat, token in tokens.items():
            if words[seat] == "remote":
                click.echo(f"seat {seat} waits: REFEREE_ADDRESS={server.address} REFEREE_TOKEN={token}", err=as_json)
                continue
            assert reaper is not None
            output = None if path.parent == folder else path.with_name(f"{path.stem}-seat{seat}.out")
            process = await BotProcess.start(
                _command(words[seat]),
                name=spec.names[seat],
                address=server.local_address,
                token=token,
                output=output,
                reaper=reaper,
            )
            processes.append(process)
            process.on_exit(lambda how, seat=seat: hosted.crashed(seat, how))  # type: ignore[misc]
        with progress:
            await server.host.finished(hosted)
        if hosted.stage is MatchStage.FAILED or hosted.match.ended is None:
            fail(f"the match could not be played: {hosted.problem}")
        ended: Event = hosted.match.ended
        if not as_json:
            show_result(spec, hosted.match, progress)
        return ended
    except StartError as error:
        fail(str(error))
    except OSError as error:
        fail(f"--log {path}: {error.strerror}")
    finally:
        await asyncio.gather(*[process.end() for process in processes])
        await server.stop()
        if reaper is not None:
            reaper.close()
