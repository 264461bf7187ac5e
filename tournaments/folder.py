"""A tournament's folder: what is kept there so that a run can go on where another stopped."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from referee.match.deal import commitment, new_seed, parse_seed
from referee.server.tokens import new_token
from tournaments import resume
from tournaments.entrants import Entrant, identity
from tournaments.layers import Layer
from tournaments.player import Setting
from tournaments.spec import SpecError, TournamentSpec

STATE: Final = "tournament.json"
"""The organiser's file: the seed and the tokens are in it, so it is readable by its owner only."""


class FolderError(Exception):
    """A folder that cannot be used for this run; the text says why."""


class State(msgspec.Struct, kw_only=True):
    """What `STATE` holds.

    Attributes:
        spec: the tournament, with every default filled in.
        base_dir: the tournament file's folder, in which commands run.
        seed: the tournament's seed, 64 hex digits.
        commitment: the hex SHA-256 of the seed, which may be published.
        identities: each entrant's identity, by name.
        tokens: the tokens of remote entrants, by name.
        layers: what was asked for at first, and each time after it had grown.
        committed_at: when the commitment was made: RFC 3339, UTC, as in the logs.
        digest: the hex SHA-256 of all the rest, by which damage is found.
    """

    spec: TournamentSpec
    base_dir: str
    seed: str
    commitment: str
    identities: dict[str, str]
    tokens: dict[str, str]
    layers: tuple[Layer, ...] = ()
    committed_at: str = ""
    digest: str = ""

    def setting(self, folder: Path) -> Setting:
        """What the processes of a run need to know."""
        return Setting(self.spec, parse_seed(self.seed), folder, Path(self.base_dir), self.identities)


def write_atomically(path: Path, content: str | bytes | Iterable[str], mode: int = 0o644) -> None:
    """Replace a file as a whole: a reader, or a crash, finds the old text or the new one. It may come in pieces."""
    pieces = [content] if isinstance(content, str | bytes) else content
    temporary = path.with_name(f".{path.name}.new")
    with open(temporary, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
        for piece in pieces:
            file.write(piece.encode() if isinstance(piece, str) else piece)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a tournament's folder, made if need be.

    Raises:
        FolderError: it cannot be written, or another run holds it.
    """
    try:
        for part in (folder, folder / "matches", folder / "bots"):
            part.mkdir(parents=True, exist_ok=True)
        file = (folder / ".lock").open("a")
    except OSError as error:
        raise FolderError(f"{folder}: {error.strerror}; a folder that can be written is needed") from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FolderError(f"{folder}: another run is at work here") from None
        yield


def at_work(folder: Path) -> bool:
    """Whether a run is at work in a tournament's folder."""
    try:
        with (folder / ".lock").open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def read_state(folder: Path) -> State:
    """The state of a tournament that was begun. Raises `FolderError`."""
    path = folder / STATE
    try:
        state = msgspec.json.decode(path.read_bytes(), type=State)
        parse_seed(state.seed)
        if state.identities.keys() != {entrant.name for entrant in state.spec.entrants}:
            raise ValueError("its identities are not those of its entrants")
        return state
    except FileNotFoundError:
        raise FolderError(f"{folder}: no tournament has been run here: it has no {STATE}") from None
    except OSError as error:
        raise FolderError(f"{path}: {error.strerror}") from None
    except (msgspec.MsgspecError, ValueError) as error:
        raise FolderError(f"{path}: damaged: {error}") from None


def begin(folder: Path, spec: TournamentSpec, base_dir: Path, file: str) -> State:
    """The state of the tournament in this folder: begun now if it has not been, and grown where more is asked for.

    Raises:
        FolderError: finished matches do not fit what is asked for; the text names the first difference.
        SpecError: a file of an entrant cannot be read.
    """
    identities = {entrant.name: _identity(entrant, base_dir, file) for entrant in spec.entrants}
    if (folder / STATE).exists():
        state = read_state(folder)
        try:
            grown = resume.grown(state.spec, spec, state.layers)
        except ValueError as error:
            raise FolderError(f"{folder}: {error}") from None
        changed = [name for name, one in state.identities.items() if identities[name] != one]
        _rerun(folder, state, spec, identities, changed)
        return _written(folder, state, spec, base_dir, identities, grown)
    seed = parse_seed(spec.seed) if spec.seed else new_seed()
    fresh = State(
        spec=spec,
        base_dir="",
        seed=seed.hex(),
        commitment=commitment(seed),
        identities={},
        tokens={},
        committed_at=datetime.now(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z",
    )
    return _written(folder, fresh, spec, base_dir, identities, (spec, (resume.layer(spec),)))


def _written(
    folder: Path,
    state: State,
    spec: TournamentSpec,
    base_dir: Path,
    identities: Mapping[str, str],
    grown: tuple[TournamentSpec, tuple[Layer, ...]],
) -> State:
    """The state with what is asked for now, written if it is another."""
    now, layers = grown
    tokens = {one.name: state.tokens.get(one.name) or new_token() for one in spec.entrants if one.remote}
    found = msgspec.structs.replace(
        state, spec=now, base_dir=str(base_dir.resolve()), identities=dict(identities), tokens=tokens, layers=layers
    )
    found.digest = digest_of(found)
    if found != state:
        write_atomically(folder / STATE, text_of(found), 0o600)
    return found


def text_of(state: State) -> str:
    """What is written."""
    return msgspec.json.format(msgspec.json.encode(state), indent=2).decode() + "\n"


def digest_of(state: State) -> str:
    """The digest that a state must have."""
    return hashlib.sha256(text_of(msgspec.structs.replace(state, digest="")).encode()).hexdigest()


def _rerun(
    folder: Path, state: State, spec: TournamentSpec, identities: Mapping[str, str], changed: Sequence[str]
) -> None:
    """Move the matches of entrants that are others now out of the way, if the file says so."""
    if changed and spec.rerun != "changed":
        name = changed[0]
        raise FolderError(
            f"{folder}: the entrant {name!r} is another than the one that played here "
            f"({state.identities[name]}, now {identities[name]}); results are not mixed: another folder is needed, "
            'or rerun = "changed" to play its matches again'
        )
    if changed:
        resume.set_aside_matches_of(folder, changed)


def _identity(entrant: Entrant, base_dir: Path, file: str) -> str:
    try:
        return identity(entrant, base_dir)
    except ValueError as error:
        raise SpecError(file, entrant.name, str(error)) from None
