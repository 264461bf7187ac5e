"""The certificate: who was tried, when, by what, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from referee.conformance.run import Result
from referee.rules.registry import RULES_VERSION
from referee.v1 import play_pb2

SCHEMA: Final = 1


def referee_version() -> str:
    """The version of the installed referee; empty if it is run from its sources."""
    try:
        return version("domino-referee")
    except PackageNotFoundError:
        return ""


def certificate(command: Sequence[str], game: str | None, whole: bool, results: Sequence[Result]) -> dict[str, Any]:
    """What the certificate says.

    Args:
        command: what started the client.
        game: the game that the run was confined to, if it was.
        whole: whether every scenario (of the game) was run.
        results: what came of each.
    """
    client, bot_version = next(((one.client, one.version) for one in results if one.client), ("", ""))
    return {
        "schema": SCHEMA,
        "passed": all(one.passed for one in results),
        "whole": whole,
        "game": game,
        "client": client,
        "version": bot_version,
        "command": list(command),
        "referee": referee_version(),
        "protocol": play_pb2.DESCRIPTOR.package,
        "rules_version": RULES_VERSION,
        "date": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "scenarios": [
            {
                "name": one.name,
                "promise": one.promise,
                "game": one.game,
                "passed": one.passed,
                "expected": one.expected,
                "came": one.came,
                "seconds": one.seconds,
                **({"output": one.output} if one.output else {}),
            }
            for one in results
        ],
    }


def problem_with(content: Any, game: str) -> str:
    """Why a certificate does not show that its client conforms in a game; empty if it does."""
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        return f"it is no certificate of schema {SCHEMA}"
    if content.get("protocol") != play_pb2.DESCRIPTOR.package:
        return f"it is for the protocol {content.get('protocol')!r}, not {play_pb2.DESCRIPTOR.package!r}"
    if content.get("rules_version") != RULES_VERSION:
        return f"its run was under version {content.get('rules_version')!r} of the rules, not {RULES_VERSION}"
    if content.get("whole") is not True:
        return "some scenarios were left out of its run"
    if content.get("game") not in {None, game}:
        return f"its run was for {content['game']} only, not for {game}"
    if content.get("passed") is not True:
        return "the client failed in some scenarios"
    return ""


def write_certificate(path: Path, content: dict[str, Any]) -> None:
    """Write it, whole or not at all. Raises `OSError`."""
    draft = path.with_name(path.name + ".part")
    draft.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    draft.replace(path)
