"""``referee play``: one match on an embedded server."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import shlex
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from referee.bots.registry import find_bot
from referee.cli.commands import command_problem
from referee.cli.common import counted, fail, print_json, printable
from referee.cli.faults import SeatFaults, faults_of, last_lines, printed_lines
from referee.cli.policy import transport_of, transport_options
from referee.cli.settings import parse_settings, seed_of
from referee.cli.show_match import Progress, show_result
from referee.match.deal import commitment
from referee.match.events import MatchSpec
from referee.match.fold import Match
from referee.match.log import read_log
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
@click.option(
    "--log",
    "log_path",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="NAME.jsonl",
    help="Write the match log here, and what the bot of cmd: at seat N prints beside it, to NAME-seatN.out.",
)
@click.option("--overwrite", is_flag=True, help="Replace a log that exists.")
@click.option("--listen", default="127.0.0.1:0", show_default=True, metavar="HOST:PORT", help="Where bots dial in.")
@transport_options
@click.option("--json", "as_json", is_flag=True, help="The result as JSON.")
def play(
    game: str,
    seats: str,
    settings: tuple[str, ...],
    seed: str | None,
    log_path: Path | None,
    overwrite: bool,
    listen: str,
    as_json: bool,
    **tls: Any,
) -> None:
    """Play one match and show its result.

    GAME is a game or a preset (see `referee games`). A seat is the name of a built-in bot (see `referee bots`),
    cmd:COMMAND (a bot process that the referee starts) or remote (waits for a bot to dial in; the address and the
    token are printed). What a bot process prints is shown as it comes; with --log it goes to a file instead.
    """
    policy = embedded(transport_of(tls, listen))
    words = split_seats(seats)
    chosen = parse_settings(game, settings)
    resolve_players(chosen.game, len(words), "--seats")
    secret = seed_of(seed)
    outputs = _outputs(words, log_path)
    if log_path is not None and not overwrite:
        _check_free(log_path, outputs.values())
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
            progress = Progress(spec, quiet=as_json)
            match = asyncio.run(_play(spec, secret, words, path, outputs, Path(folder), listen, policy, progress))
            faults = faults_of(read_log(path)) if path.is_file() else []
            if as_json:
                print_json(_as_dict(spec, match, faults, log_path, outputs))
            else:
                show_result(spec, match, progress, faults)
                _tell_outputs(faults, log_path, outputs)
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


def _outputs(words: list[str], log_path: Path | None) -> dict[int, Path]:
    """Where each bot process prints, by seat: beside the log, if one is kept."""
    if log_path is None:
        return {}
    return {
        seat: log_path.with_name(f"{log_path.stem}-seat{seat}.out")
        for seat, word in enumerate(words)
        if word.startswith(COMMAND_PREFIX)
    }


def _check_free(log_path: Path, outputs: Iterable[Path]) -> None:
    """See that the match's files are not there: what is there is lost only if that was asked for."""
    for path in (log_path, *outputs):
        if path.is_file():
            fail(f"--log {log_path}: {path} exists; give another name, or --overwrite")


def _as_dict(
    spec: MatchSpec, match: Match, faults: list[SeatFaults], log_path: Path | None, outputs: dict[int, Path]
) -> dict[str, Any]:
    """The result for programs: the match's last event, and what is not in it."""
    assert match.ended is not None
    return {
        **match.ended,
        "names": list(spec.names),
        "faults": [one.as_dict() for one in faults],
        "log": None if log_path is None else str(log_path),
        "printed": [{"seat": seat, "file": str(path)} for seat, path in outputs.items() if path.is_file()],
    }


def _tell_outputs(faults: list[SeatFaults], log_path: Path | None, outputs: dict[int, Path]) -> None:
    """Say where the bots' output is, and show its end where the bot was at fault."""
    at_fault = {one.seat for one in faults}
    for seat, path in outputs.items():
        if path.is_file():
            click.echo(f"seat {seat} printed {counted(printed_lines(path), 'line')}: {printable(str(path))}")
            for line in last_lines(path) if seat in at_fault else ():
                click.echo(f"  | {line}")
    if faults and log_path is None:
        click.echo("--log FILE keeps what happened, to be looked at with `referee replay FILE`")


def _name(word: str, seat: int) -> str:
    if word.startswith(COMMAND_PREFIX):
        return (word.rstrip().rsplit("/", 1)[-1].removeprefix(COMMAND_PREFIX) or word)[:64]
    return f"remote {seat}" if word == "remote" else word


def _command(word: str) -> list[str]:
    """The words of a bot's command. Raises `SettingError`."""
    try:
        words = shlex.split(word.removeprefix(COMMAND_PREFIX))
    except ValueError:
        raise SettingError(f"--seats {word}", "a quote is not closed") from None
    problem = command_problem(words, Path.cwd()) if words else "its command is empty"
    if problem is not None:
        raise SettingError(f"--seats {word}", problem)
    return words


def _player(
    word: str, seat: int, match_id: str, server: RefereeServer, tokens: dict[int, str], name: str
) -> Bot | Ticket:
    if word.startswith(COMMAND_PREFIX):
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
    outputs: dict[int, Path],
    folder: Path,
    listen: str,
    policy: Policy,
    progress: Progress,
) -> Match:
    server = RefereeServer(folder, listen, policy=policy)
    tokens: dict[int, str] = {}
    players = [_player(word, seat, spec.id, server, tokens, spec.names[seat]) for seat, word in enumerate(words)]
    try:
        await server.start()
    except ListenError as error:
        fail(f"--listen: {error}")
    processes: list[BotProcess] = []
    reaper = Reaper() if any(word.startswith(COMMAND_PREFIX) for word in words) else None
    try:
        for old in (path, *outputs.values()):  # only now: nothing that was asked wrongly may cost a log
            if old.is_file():
                old.unlink()
        hosted = server.host.create(spec, seed, players, path, listener=progress.heard)
        for seat, token in tokens.items():
            if words[seat] == "remote":
                click.echo(
                    f"seat {seat} waits: REFEREE_ADDRESS={server.address} REFEREE_TOKEN={token}", err=progress.quiet
                )
                continue
            assert reaper is not None
            process = await BotProcess.start(
                _command(words[seat]),
                name=spec.names[seat],
                address=server.local_address,
                token=token,
                output=outputs.get(seat),
                reaper=reaper,
            )
            processes.append(process)
            process.on_exit(lambda how, seat=seat: hosted.crashed(seat, how))  # type: ignore[misc]
        with progress:
            await server.host.finished(hosted)
        if hosted.stage is MatchStage.FAILED or hosted.match.ended is None:
            fail(f"the match could not be played: {hosted.problem}", status=1)
        return hosted.match
    except StartError as error:
        if path.is_file():
            path.unlink()  # nothing was played
        fail(str(error))
    except OSError as error:
        fail(f"{'' if path.parent == folder else '--log '}{path}: {error.strerror}")
    finally:
        await asyncio.gather(*[process.end() for process in processes])
        await server.stop()
        if reaper is not None:
            reaper.close()
        for output in outputs.values():
            if output.is_file() and not output.stat().st_size:
                output.unlink()
