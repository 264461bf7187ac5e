"""Write a domino bot: a function from a `Turn` to one of its actions.

from referee_bot import Action, Turn, run

def choose(turn: Turn) -> Action:
    return turn.legal[0]

if __name__ == "__main__":
    run(choose)
"""

from referee_bot._run import CLIENT, BotError, LostError, RefusedError, SettingError, run
from referee_bot._turn import Action, MatchInfo, Turn, piece_name

__all__ = [
    "CLIENT",
    "Action",
    "BotError",
    "LostError",
    "MatchInfo",
    "RefusedError",
    "SettingError",
    "Turn",
    "piece_name",
    "run",
]
