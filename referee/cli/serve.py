"""``referee serve``: the long-running server."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import signal
import tempfile
import tomllib
from collections.abc import Collection, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import click

from referee.cli.policy import DEFAULTS as POLICY
from referee.cli.policy import check, policy_of, policy_options, told_line
from referee.rules.registry import SettingError, unknown
from referee.server.app import ListenError, Policy, RefereeServer
from referee.server.fleet import Fleet
from referee.server.operations import configure_logging

DEFAULTS: Final[Mapping[str, Any]] = {
    "listen": "127.0.0.1:50051",
    "data": None,
    "drain_s": 5,
    "processes": 1,
    "durability": "process",
    **POLICY,
}
"""What `--config` may set; a flag wins over the file."""

DURABILITY: Final = ("process", "power")
"""What an acknowledged action outlasts: the end of the server's process, or the machine's loss of power."""

_NUMBERS: Final = {"drain_s": (0, 3600), "processes": (1, 256)}


@click.command()
@click.option("--listen", metavar="HOST:PORT", help="Where bots dial in.  [default: 127.0.0.1:50051]")
@click.option("--data", metavar="DIR", help="Keep the match logs here; else in a temporary folder.")
@click.option("--config", metavar="FILE", help="A TOML file that sets what the flags set, and limits.")
@policy_options
@click.option("--drain-s", type=click.IntRange(0, 3600), help="How long running matches may end in.  [default: 5]")
@click.option("--processes", type=click.IntRange(1, 256), help="Server processes.  [default: 1]")
@click.option("--durability", type=click.Choice(DURABILITY), help="What actions outlast.  [default: process]")
def serve(
    listen: str | None,
    data: str | None,
    config: str | None,
    drain_s: int | None,
    processes: int | None,
    durability: str | None,
    **trust: Any,
) -> None:
    """Run the long-running server until SIGINT or SIGTERM.

    Matches are created over the network (MatchService.CreateMatch). On the first signal the server takes no more
    matches and lets running ones end for a while; on the second it stops at once.

    Started again with the same DIR after a crash, it goes on with every match that was running.
    """
    read = _read(config) if config else {}
    given = {
        "listen": listen,
        "data": data,
        "drain_s": drain_s,
        "processes": processes,
        "durability": durability,
    } | trust
    given = {key: value for key, value in given.items() if value is not None}
    values = {**DEFAULTS, **read, **given}
    configure_logging()
    with contextlib.ExitStack() as stack:
        stack.enter_context(_named(config, read.keys() - given.keys()))
        address = _address(values["listen"])
        if values["data"] is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="referee-")))
        else:
            folder = Path(values["data"])
            try:
                folder.mkdir(0o700, parents=True, exist_ok=True)
            except OSError as error:
                problem = f"{error.strerror}; a folder that can be written is needed"
                raise SettingError(f"--data {folder}", problem) from None
            _lock(folder, stack)
        policy = policy_of(values, power=values["durability"] == "power")
        asyncio.run(_serve(address, folder, values["drain_s"], values["processes"], policy))


@contextlib.contextmanager
def _named(config: str | None, keys: Collection[str]) -> Iterator[None]:
    """Let an error name the file and the key, where the value came from there."""
    try:
        yield
    except SettingError as error:
        flag, space, value = error.key.partition(" ")
        key = flag.removeprefix("--").replace("-", "_")
        if key not in keys:
            raise
        raise SettingError(f"{config}: {key}{space}{value}", error.problem) from None


def _read(name: str) -> dict[str, Any]:
    """The settings of a file. Raises `SettingError`."""
    try:
        with Path(name).open("rb") as file:
            settings = tomllib.load(file)
    except OSError as error:
        raise SettingError(f"--config {name}", f"cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingError(f"--config {name}", f"is no TOML: {error}") from None
    for key, value in settings.items():
        where = f"{name}: {key}"
        if key not in DEFAULTS:
            raise SettingError(where, unknown("key", key, DEFAULTS))
        if key in _NUMBERS:
            least, most = _NUMBERS[key]
            if type(value) is not int or not least <= value <= most:
                raise SettingError(where, f"{value!r} is not a whole number from {least} to {most}")
        elif key == "durability" and value not in DURABILITY:
            raise SettingError(where, unknown("durability", str(value), DURABILITY))
        elif key in POLICY:
            check(where, key, value)
        elif not isinstance(value, str):
            raise SettingError(where, f"{value!r} is no text")
    return settings


def _address(text: str) -> str:
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port[:6]) > 65535:
        raise SettingError(f"--listen {text[:80]}", "HOST:PORT is needed, such as 127.0.0.1:50051")
    return text


def _lock(folder: Path, stack: contextlib.ExitStack) -> None:
    """Keep a second server out of the folder."""
    try:
        lock = stack.enter_context((folder / ".lock").open("w"))
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SettingError(f"--data {folder}", "another server uses this folder; each needs one of its own") from None
    except OSError as error:
        problem = f"{error.strerror}; a folder that can be written is needed"
        raise SettingError(f"--data {folder}", problem) from None


def _server(data: Path, listen: str, processes: int, policy: Policy) -> RefereeServer | Fleet:
    if processes > 1:
        return Fleet(data, listen, processes, policy)
    return RefereeServer(data, listen, policy=policy, claims=lambda _: True)


def http_line(address: str, metrics: bool) -> str:
    """What stands at the HTTP address."""
    if metrics:
        return f"metrics on http://{address}/metrics"
    return f"only http://{address}/healthz: metrics need prometheus-client; pip install 'domino-referee[metrics]'"


def has_metrics() -> bool:
    """Whether numbers can be told."""
    return find_spec("prometheus_client") is not None


async def _serve(listen: str, data: Path, drain_s: float, processes: int, policy: Policy) -> None:
    loop = asyncio.get_running_loop()
    signals = asyncio.Queue[int]()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, signals.put_nowait, number)
    server = _server(data, listen, processes, policy)
    try:
        await server.start()
    except ListenError as error:
        raise SettingError("--listen", str(error)) from None
    click.echo(f"listening on {server.address}, match logs in {data}")
    if line := told_line(policy.transport, listen, server.address):
        click.echo(line, err=True)
    if server.http_address:
        click.echo(http_line(server.http_address, has_metrics()))
    await signals.get()
    click.echo("draining: no new matches", err=True)
    stopping = loop.create_task(server.stop(drain_s))
    again = loop.create_task(signals.get())
    await asyncio.wait([stopping, again], return_when=asyncio.FIRST_COMPLETED)
    if not stopping.done():
        server.hurry()
    again.cancel()
    await stopping
