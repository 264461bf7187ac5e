"""The domino line: ends, spinner, side arms, and a turn of the draw-and-block games played on it."""

from __future__ import annotations

from typing import Final

from referee.rules.actions import (
    ARM_BITS,
    ARM_MASK,
    ARM_NAMES,
    DOWN,
    DRAW,
    DRAW_ONLY,
    LEFT,
    NO_ARM,
    PASS,
    PASS_ONLY,
    RIGHT,
    UP,
    play,
)
from referee.rules.game import NO_PIECE, SEAT_SHIFT, Deal, Hand, HandEnd, IllegalAction, deal_round
from referee.rules.pieces import BEARING, DOMINO_28, DOUBLES, NUMBERS, PIPS, TILES, mask_of, pieces_of

CLOSED: Final = NUMBERS
"""The "number" of an arm on which nothing can be played; no tile fits it."""

FITTING: Final = (*BEARING, 0)
"""The set of tiles that fit an end, by the number there (`CLOSED` included)."""

NO_SPINNER: Final = "none"
AFTER_BOTH_SIDES: Final = "after_both_sides"
AT_ONCE: Final = "at_once"


def _plays_by_set(arm: int) -> dict[int, tuple[int, ...]]:
    """The plays on an arm for every set of tiles that bear one number: 7 times 2**7 sets, so a look-up will do."""
    plays: dict[int, tuple[int, ...]] = {0: ()}
    for bearing in BEARING:
        subset = bearing
        while subset:
            plays[subset] = tuple(play(tile, arm) for tile in pieces_of(subset))
            subset = (subset - 1) & bearing
    return plays


_ON_LEFT: Final = _plays_by_set(LEFT)
_ON_RIGHT: Final = _plays_by_set(RIGHT)
_ON_UP: Final = _plays_by_set(UP)
_ON_DOWN: Final = _plays_by_set(DOWN)


class LineHand(Hand):
    """A hand of a domino game.

    Attributes:
        ends: the number open on each arm, by arm (place 0 is unused); `CLOSED` where nothing can be played.
        tips: the last tile on each arm, by arm; `NO_PIECE` where there is none.
        spinner: the first double played, if the game has a spinner; else `NO_PIECE`.
        spinner_opens: when the spinner's side arms open: `AFTER_BOTH_SIDES`, `AT_ONCE`; `NO_SPINNER` without one.
        arms_open: True once the side arms can be played on.
        arms_to_open: True while they may still come to be, in games with a spinner.
        fitting: the set of tiles that fit any open end.
        held: the set of all tiles in hands.
    """

    __slots__ = ("arms_open", "arms_to_open", "ends", "fitting", "held", "spinner", "spinner_opens", "tips")

    def __init__(self, game: str, deal: Deal, hands: list[int], stock: list[int], starter: int, opens: str) -> None:
        super().__init__(game, DOMINO_28, deal, hands, stock, starter)
        self.ends = [CLOSED] * 5
        self.tips = [NO_PIECE] * 5
        self.spinner = NO_PIECE
        self.spinner_opens = opens
        self.arms_open = False
        self.arms_to_open = opens != NO_SPINNER
        self.fitting = 0
        self.held = 0
        for tiles in hands:
            self.held |= tiles

    def place(self, tile: int, arm: int) -> None:
        """Lay a tile on an arm; a hand's first tile (`NO_ARM`) lies with its high half to the left."""
        ends = self.ends
        tips = self.tips
        if arm == NO_ARM:
            ends[LEFT], ends[RIGHT] = TILES[tile]
            tips[LEFT] = tips[RIGHT] = tile
        else:
            ends[arm] = PIPS[tile] - ends[arm]
            tips[arm] = tile
        if self.arms_to_open:
            self._open_arms(tile)
        fitting = FITTING[ends[LEFT]] | FITTING[ends[RIGHT]]
        if self.arms_open:
            fitting |= FITTING[ends[UP]] | FITTING[ends[DOWN]]
        self.fitting = fitting

    def _open_arms(self, tile: int) -> None:
        """Make the first double the spinner, and open its side arms when it is time."""
        if self.spinner < 0:
            if not DOUBLES >> tile & 1:
                return
            self.spinner = tile
        spinner = self.spinner
        if self.spinner_opens == AT_ONCE or (self.tips[LEFT] != spinner and self.tips[RIGHT] != spinner):
            self.arms_open = True
            self.arms_to_open = False
            self.ends[UP] = self.ends[DOWN] = PIPS[spinner] // 2

    def plays(self, tiles: int) -> tuple[int, ...]:
        """Every play of a tile of the set on an open end."""
        ends = self.ends
        found = _ON_LEFT[tiles & FITTING[ends[LEFT]]] + _ON_RIGHT[tiles & FITTING[ends[RIGHT]]]
        if self.arms_open:
            return found + _ON_UP[tiles & FITTING[ends[UP]]] + _ON_DOWN[tiles & FITTING[ends[DOWN]]]
        return found


def count_of(ends: list[int], tips: list[int], spinner: int) -> int:
    """The sum of the numbers at the ends of a layout (`domino-belga`).

    Each end counts the exposed half of its last tile, a double both halves; the spinner counts once, and only until
    both its long sides are covered; a side arm counts from its first tile on.

    Args:
        ends: the number open on each arm, by arm.
        tips: the last tile on each arm, by arm; `NO_PIECE` where there is none.
        spinner: the spinner, or `NO_PIECE`.
    """
    total = 0
    spinner_counts = False
    for arm in (LEFT, RIGHT, UP, DOWN):
        tip = tips[arm]
        if tip < 0:
            continue
        if tip == spinner:
            spinner_counts = True
        elif DOUBLES >> tip & 1:
            total += PIPS[tip]
        else:
            total += ends[arm]
    return total + PIPS[spinner] if spinner_counts else total


def deal_line(game: str, deal: Deal, each: int, opens: str) -> LineHand | None:
    """Deal a domino hand and find who starts.

    The leader of the hand before starts with any tile. Without one the highest double dealt must be played first,
    by its holder; with no double dealt the deal is void (None).
    """
    hands, stock = deal_round(deal, each)
    if deal.leader is not None:
        hand = LineHand(game, deal, hands, stock, deal.leader, opens)
        hand.legal = tuple(play(tile) for tile in pieces_of(hands[deal.leader]))
        return hand
    dealt_doubles = DOUBLES & ~mask_of(stock)
    if not dealt_doubles:
        return None
    highest = dealt_doubles.bit_length() - 1
    starter = next(seat for seat in deal.seats if hands[seat] >> highest & 1)
    hand = LineHand(game, deal, hands, stock, starter, opens)
    hand.legal = (play(highest),)
    return hand


def step(hand: LineHand, action: int) -> HandEnd | None:
    """Check an action and carry it out: play, draw until a tile fits, or pass.

    Returns:
        `HandEnd.OUT` or `HandEnd.BLOCKED` if that ended the hand: the caller knows what it is worth. A block is seen
        at the play or draw that causes it.

    Raises:
        IllegalAction: the rules refuse it; nothing has changed.
    """
    if action not in hand.legal:
        raise _refuse(hand, action)
    seat = hand.seat
    hands = hand.hands
    hand.history.append(seat << SEAT_SHIFT | action)
    if action == DRAW:
        tile = hand.stock.pop()
        hand.drawn = tile
        hands[seat] |= 1 << tile
        hand.held |= 1 << tile
        if not hand.stock and not hand.held & hand.fitting:
            return HandEnd.BLOCKED
        hand.legal = hand.plays(hands[seat]) or (DRAW_ONLY if hand.stock else PASS_ONLY)
        return None
    if action != PASS:
        tile = action >> ARM_BITS
        hands[seat] ^= 1 << tile
        hand.held ^= 1 << tile
        hand.place(tile, action & ARM_MASK)
        if not hands[seat]:
            return HandEnd.OUT
        if not hand.stock and not hand.held & hand.fitting:
            return HandEnd.BLOCKED
    hand.drawn = NO_PIECE
    hand.seat = seat = hand.after[seat]
    tiles = hands[seat]
    if tiles & hand.fitting:
        hand.legal = hand.plays(tiles)
    else:
        hand.legal = DRAW_ONLY if hand.stock else PASS_ONLY
    return None


def _refuse(hand: LineHand, action: int) -> IllegalAction:
    """Why an action is refused; called only with one that is not legal."""
    legal = hand.legal
    if action in (DRAW, PASS):
        if legal == DRAW_ONLY:
            return hand.refusal("must_draw", "no tile fits and the stock is not empty", "who cannot play draws first")
        if legal == PASS_ONLY:
            return hand.refusal("stock_empty", "the stock is empty", "who cannot play passes once the stock is empty")
        return hand.refusal("must_play", f"`{hand.name(action)}` while a tile fits", "a player who can play must play")
    tile = action >> ARM_BITS
    arm = action & ARM_MASK
    text = hand.name(action)
    name = hand.deck.names[tile]
    if not hand.hands[hand.seat] >> tile & 1:
        return hand.refusal("not_in_hand", f"`{name}` is not in your hand", "a player plays tiles of the own hand")
    if not hand.history:
        if arm != NO_ARM:
            return hand.refusal(
                "arm_closed", f"`{text}`: a hand's first tile has no arm", "the first tile starts the line"
            )
        return hand.refusal(
            "opening_required",
            f"`{name}` may not open this hand",
            "the first hand opens with the 6-6, or else the highest double dealt",
        )
    if arm == NO_ARM and not hand.fitting >> tile & 1:
        numbers = sorted({end for end in hand.ends if end != CLOSED})
        return hand.refusal(
            "does_not_fit",
            f"`{name}` bears no open number: {', '.join(map(str, numbers))}",
            "a tile is played on an open end whose number it bears",
        )
    if arm == NO_ARM:
        return hand.refusal("arm_required", f"`{name}` needs an arm to be played on", "a tile is played on an open end")
    if hand.ends[arm] == CLOSED:
        why = (
            "the side arms open once both long sides of the spinner are covered"
            if hand.spinner_opens == AFTER_BOTH_SIDES
            else "the first double played is the only tile with side arms"
            if hand.spinner_opens == AT_ONCE
            else "there are two ends and no spinner"
        )
        return hand.refusal("arm_closed", f"`{text}`: the arm `{ARM_NAMES[arm]}` is not open", why)
    return hand.refusal(
        "does_not_fit",
        f"`{name}` does not bear the {hand.ends[arm]} of the arm `{ARM_NAMES[arm]}`",
        "a tile is played on an open end whose number it bears",
    )
