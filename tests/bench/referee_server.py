"""The server under the turn benchmarks: long matches between one remote bot and one built-in bot each.

Prints its address and the tokens of as many matches as its argument says. With the second argument ``nolog`` the
events are numbered and chained but not written.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from referee.bots.registry import find_bot
from referee.match.clock import ClockSpec
from referee.match.deal import commitment, new_seed
from referee.match.events import MatchSpec
from referee.rules.registry import GAMES, resolve_format, resolve_options
from referee.server.app import RefereeServer


async def main() -> None:
    """Serve until killed."""
    count = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = RefereeServer(folder)
        await server.start()
        game = GAMES["domino-belga"]
        tokens = []
        for number in range(count):
            seed = new_seed()
            spec = MatchSpec(
                f"bench{number}",
                game,
                resolve_options(game, {}),
                resolve_format(game, {"target": 1_000_000, "max_hands": 10_000}),
                ("remote", "beginner"),
                ClockSpec(),
                commitment(seed),
            )
            token, ticket = server.admission.issue("remote")
            path = folder / f"{number}.jsonl" if sys.argv[2:] != ["nolog"] else Path("/dev/null")
            server.host.create(spec, seed, [ticket, find_bot("beginner").make(str(number))], path)
            tokens.append(token)
        print(server.address, *tokens, flush=True)
        await server.wait()


if __name__ == "__main__":
    asyncio.run(main())
