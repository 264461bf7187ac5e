"""The server under the turn benchmarks: long matches of bots that dial in.

Its arguments are how many matches, and how many of the two seats of each are remote; a built-in bot has the other. It
prints its address and the tokens, match by match. With a third argument ``nolog`` the logs are not kept.
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
from referee.match.seat import Bot
from referee.rules.registry import GAMES, resolve_format, resolve_options
from referee.server.admission import Ticket
from referee.server.app import RefereeServer


async def main() -> None:
    """Serve until killed."""
    count, remote = int(sys.argv[1]), int(sys.argv[2])
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
                ("first", "second"),
                ClockSpec(),
                commitment(seed),
            )
            players: list[Bot | Ticket] = [find_bot("beginner").make(str(number))] * 2
            for seat in range(remote):
                token, players[seat] = server.admission.issue("remote")
                tokens.append(token)
            path = folder / f"{number}.jsonl" if sys.argv[3:] != ["nolog"] else Path("/dev/null")
            server.host.create(spec, seed, players, path)
        print(server.address, *tokens, flush=True)
        await server.wait()


if __name__ == "__main__":
    asyncio.run(main())
