"""A match on a terminal: the whole of it hand by hand, one hand, or the table after one turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.table import Table as Grid
from rich.text import Text

from referee.cli.common import counted, printable
from referee.cli.screen import Screen, table
from referee.match.events import Event, MatchSpec
from referee.replay.drawing import ASCII, in_order, pieces_text, table_drawing
from referee.replay.story import Frame, Story, worth_telling
from referee.replay.table import Table
from referee.replay.words import (
    action_text,
    by_side,
    clipped,
    how,
    noted,
    result_line,
    scored_text,
    seat_name,
    side_name,
)
from referee.rules.games import domino_a_carte

_GAP: Final = 3
_RULED: Final = frozenset({"hand_started", "action", "hand_ended", "match_ended"})
_COUNTS_WINS: Final = ("single", "best_of")


class Teller:
    """Tells a story on a screen.

    Args:
        story: the match.
        screen: where it is shown.
    """

    def __init__(self, story: Story, screen: Screen) -> None:
        self.story = story
        self.spec: MatchSpec = story.spec
        self.screen = screen
        self._plain = not screen.encoding.lower().startswith("utf")

    def match(self) -> None:
        """The whole match."""
        self.heading()
        self._notes(self.story.before_hands())
        for frames in self.story.hands():
            self.hand(frames)
        self.ending()

    def heading(self) -> None:
        """What the match is and who plays."""
        spec = self.spec
        self._say(Text.assemble((spec.game.title, "bold"), f"  match {printable(spec.id)}"))
        rules = ", ".join(f"{key}={str(value).lower()}" for key, value in spec.options.items())
        kind = " ".join(str(value) for key, value in spec.format.parameters().items() if key != "max_hands")
        self._say(Text(f"{kind}; {rules}; begun {printable(str(self.story.opening.get('ts')))}", "dim"))
        sides = spec.game.sides(len(spec.names))
        for seat in range(len(spec.names)):
            pair = f", pair {sides[seat]}" if spec.game.pairs else ""
            self._say(Text(f"  seat {seat}  {clipped(spec.names[seat], 64)}{pair}"))
        if self.story.viewer is not None:
            self._say(Text(f"as seat {seat_name(spec, self.story.viewer)} could see it", "yellow"))

    def hand(self, frames: list[Frame]) -> None:
        """One hand: its deal, its turns, the table at its end and its result."""
        first = frames[0]
        self._say()
        self.screen.rule(self._safe(Text(f"Hand {first.table.hand}", "bold")), align="left", style="dim")
        self._deal(first)
        self._turns([frame.event for frame in frames if frame.event["event"] == "action"])
        self._notes(frames)
        self._say()
        self._table(frames[-1])

    def turn(self, frames: list[Frame], number: int) -> None:
        """The table exactly after a turn."""
        place = next(i for i, frame in enumerate(frames) if frame.turn == number and frame.event["event"] == "action")
        frame = frames[place]
        event = frame.event
        self._say(Text(f"Hand {frame.table.hand}, after turn {number} of {self.story.turns}", "bold"))
        self._say(
            Text.assemble(seat_name(self.spec, event["seat"]), ": ", action_text(self.spec, event), "  ", how(event))
        )
        self._notes([one for one in frames if one.noted_turn == number])
        self._say()
        over = frames[place + 1 : place + 2]
        self._table(over[0] if over and over[0].table.result is not None else frame)

    def ending(self) -> None:
        """The final places, or that the match goes on."""
        spec, ended = self.spec, self.story.ended
        self._say()
        self.screen.rule(self._safe(Text("End of the match" if ended else "So far", "bold")), align="left", style="dim")
        if ended is None:
            turns, hands = self.story.turns, len(self.story.hands())
            self._say(
                Text(
                    f"The log ends here, before the match does: {counted(hands, 'hand')}, {counted(turns, 'turn')}.",
                    "yellow",
                )
            )
            return
        made = table(">place", "side" if spec.game.pairs else "seat", f">{self._unit()}")
        order = sorted(range(len(ended["places"])), key=lambda side: (ended["places"][side], side))
        for side in order:
            style = "bold" if ended["places"][side] == 1 else ""
            name = self._safe(Text(side_name(spec, side), style))
            made.add_row(str(ended["places"][side]), name, str(ended["totals"][side]), style=style)
        self.screen.print(made)
        seed = "its seed is withheld" if self.story.seed is None else f"seed {self.story.seed}"
        if self.story.viewer is None:
            self._say(Text(f"{printable(str(ended['reason']))}; {seed}", "dim"), soft_wrap=True)

    def _unit(self) -> str:
        return "hands won" if self.spec.format.kind in _COUNTS_WINS else "points"

    def _deal(self, frame: Frame) -> None:
        event = frame.event
        again = f", deal {event['attempt'] + 1} (void before)" if event["attempt"] else ""
        laid = f", laid {' '.join(event['laid'])}" if event["laid"] else ""
        dealer, starter = seat_name(self.spec, event["dealer"]), seat_name(self.spec, event["starter"])
        self._say(Text(f"dealer {dealer}, starter {starter}, stock {frame.table.stock}{laid}{again}", "dim"))
        self._hands(frame)
        self._say()

    def _turns(self, events: Sequence[Event]) -> None:
        """Turns in as many columns as there is room for, each column read downwards."""
        if not events:
            return
        spec = self.spec
        long = [event for event in events if event.get("laid")]
        names = [Text(seat_name(spec, event["seat"])) for event in events]
        actions = [Text("pass, lost", "red") if event in long else action_text(spec, event) for event in events]
        scores, others = [scored_text(event) for event in events], [how(event) for event in events]
        for column in (names, actions, scores, others):
            widest = max(text.cell_len for text in column)
            for text in column:
                text.pad_right(widest - text.cell_len)
        entries = [
            Text.assemble((f"{event['turn']:>4}", "dim"), "  ", name, "  ", action, "  ", score, "  ", other)
            for event, name, action, score, other in zip(events, names, actions, scores, others, strict=True)
        ]
        size = max(entry.cell_len for entry in entries) + _GAP
        columns = max(1, (self.screen.width + _GAP) // size)
        height = -(-len(entries) // columns)
        for row in range(height):
            self._say(Text(" " * _GAP).join(entries[row::height]))
        for event in long:
            who = f"turn {event['turn']}, {seat_name(spec, event['seat'])}: "
            self._say(Text(who) + action_text(spec, event))

    def _notes(self, frames: Sequence[Frame]) -> None:
        for frame in worth_telling(frames):
            if frame.event["event"] not in _RULED:
                self._say(Text("  ! ") + noted(self.spec, frame.event, frame.noted_turn))

    def _table(self, frame: Frame) -> None:
        """The table, the hands and what they count."""
        drawn = table_drawing(frame.table, self.screen.width)
        for line in drawn or [Text("(nothing on the table yet)", "dim")]:
            self._say(line, soft_wrap=True)
        ends = frame.table.open_ends()
        if ends and frame.table.result is None:
            self._say(Text("open ends: " + ", ".join(f"{arm} {number}" for arm, number in ends.items()), "dim"))
        self._say()
        self._hands(frame)
        self._say()
        self._counted(frame.table)

    def _hands(self, frame: Frame) -> None:
        """Who holds what, with an arrow at the seat whose turn it is."""
        spec, shown = self.spec, frame.table
        grid = Grid(box=None, show_header=False, pad_edge=False, padding=(0, 1))
        passes = spec.game.id == domino_a_carte.ID
        for seat in range(len(spec.names)):
            arrow = "→" if frame.next == seat else ""
            count, pieces = shown.counts[seat], shown.hands[seat]
            used = f"passes {shown.passes[seat]}" if passes and shown.passes else ""
            if count is None:
                row = (Text("out of the match", "dim"), "")
            elif pieces is None:
                row = (Text("hidden", "dim"), str(count))
            else:
                row = (pieces_text(shown.deck, in_order(shown.deck, pieces)), str(count))
            grid.add_row(
                self._safe(Text(arrow, "bold green")),
                str(seat),
                self._safe(Text(clipped(spec.names[seat], 20), "bold" if arrow else "")),
                row[1],
                self._safe(row[0]),
                used,
            )
        grid.columns[3].justify = "right"
        for column in (0, 1, 2, 3, 5):
            grid.columns[column].no_wrap = True
        self.screen.print(grid)

    def _counted(self, shown: Table) -> None:
        spec = self.spec
        if shown.stock:
            self._say(Text(f"stock: {shown.stock}"))
        if shown.result is not None:
            self._say(result_line(spec, shown.result))
        elif spec.game.scores_in_play:
            self._say(Text(f"scored in this hand: {by_side(spec, shown.points)}"))
        self._say(Text(f"{self._unit()} so far: {by_side(spec, shown.totals)}"))

    def _say(self, text: Text | None = None, soft_wrap: bool = False) -> None:
        self.screen.print(self._safe(text if text is not None else Text()), soft_wrap=soft_wrap)

    def _safe(self, text: Text) -> Text:
        """The text for this terminal: without characters that its encoding lacks."""
        if self._plain:
            text.plain = text.plain.translate(ASCII)
        return text
