"""The smallest bot: always the first legal action."""

from referee_bot import Action, Turn, run


def choose(turn: Turn) -> Action:
    """The first of the list."""
    return turn.legal[0]


if __name__ == "__main__":
    run(choose)
