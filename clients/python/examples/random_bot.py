"""A random bot whose choices can be repeated, in any language.

The place chosen is the first 8 bytes (big-endian) of SHA-256 of "MATCH_ID/TURN_ID", modulo the number of legal actions.
"""

import hashlib

from referee_bot import Action, Turn, run


def choose(turn: Turn) -> Action:
    """An action by chance: the same in the same turn of the same match."""
    digest = hashlib.sha256(f"{turn.match.id}/{turn.turn_id}".encode()).digest()
    return turn.legal[int.from_bytes(digest[:8], "big") % len(turn.legal)]


if __name__ == "__main__":
    run(choose)
