import { create } from "@bufbuild/protobuf";

import {
  type Action as ActionMessage,
  ActionKind,
  Arm,
  type Format,
  HistorySchema,
  type Line,
  type MatchStarted,
  Piece,
  type Rows,
  type Turn as TurnMessage,
  type View,
  ViewSchema,
} from "./proto.js";

/** An arm of the line of dominoes. */
export type ArmName = "left" | "right" | "up" | "down";

/** What a seat does in one turn. */
export interface Action {
  /** The action in text: `6-5 left`, `6-6`, `7O`, `draw` or `pass`. */
  readonly notation: string;
  /** `other` if this SDK is too old to know the action. */
  readonly kind: "play" | "draw" | "pass" | "other";
  /** The piece played, such as `6-5` or `7O`; undefined if none is. */
  readonly piece?: string;
  /** Where the tile goes; undefined for the first tile of a hand and for cards. */
  readonly arm?: ArmName;
}

const ARMS = new Map<Arm, ArmName>([
  [Arm.LEFT, "left"],
  [Arm.RIGHT, "right"],
  [Arm.UP, "up"],
  [Arm.DOWN, "down"],
]);

const NUMBERS = [0, 1, 2, 3, 4, 5, 6];
const NAMES = new Map([
  ...numbered(
    Piece.TILE_0_0,
    NUMBERS.flatMap((high) => NUMBERS.slice(0, high + 1).map((low) => `${high}-${low}`)),
  ),
  ...numbered(Piece.SPANISH_OROS_1, deck("O C E B", "1 2 3 4 5 6 7 10 11 12")),
  ...numbered(Piece.FRENCH_DIAMONDS_ACE, deck("D H S C", "A 2 3 4 5 6 7 8 9 T J Q K")),
]);

function numbered(first: number, names: readonly string[]): [number, string][] {
  return names.map((name, place) => [first + place, name]);
}

function deck(suits: string, ranks: string): string[] {
  return suits.split(" ").flatMap((suit) => ranks.split(" ").map((rank) => rank + suit));
}

/**
 * The notation of a piece in a protocol message: 27 is `6-5`, 37 is `7O`.
 *
 * @param piece - the piece's number
 * @returns its notation; `#` and the number if this SDK is too old to know the piece
 */
export function pieceName(piece: Piece): string {
  return NAMES.get(piece) ?? `#${piece}`;
}

/** What holds for the whole match. */
export interface MatchInfo {
  /** The match's id. */
  readonly id: string;
  /** The game's id, such as `domino-belga`. */
  readonly game: string;
  /** All options of the game by name, with the values in force. */
  readonly options: Readonly<Record<string, number | string | boolean>>;
  /** When the match ends and who is placed where: the protocol's own message. */
  readonly format: Format | undefined;
  /** The players' names, by seat. */
  readonly names: readonly string[];
  /** The side that each seat plays for: the pair's number in `domino-duplas`, else the seat's own. */
  readonly sides: readonly number[];
  /** The bot's own seat, from 0. */
  readonly seat: number;
  /** The bot's own side. `turn.points` and `turn.totals` are by side. */
  readonly side: number;
  /** The protocol's own message, for what is not here. */
  readonly message: MatchStarted;
}

/**
 * A question of the referee: everything that a bot needs to choose by, so it need remember nothing.
 *
 * Lists by seat begin with seat 0, lists by side with side 0. What a game does not have is empty or undefined.
 */
export interface Turn {
  /** The number of the question; the same if it is asked again. */
  readonly turnId: number;
  /** All legal actions, at least one. The bot returns one of them. */
  readonly legal: readonly [Action, ...Action[]];
  /** The bot's own pieces, in deck order. */
  readonly hand: readonly string[];
  /** All pieces on the table: those laid by the deal, then the others as they came. */
  readonly table: readonly string[];
  /** Dominoes: the number to match at each open arm. */
  readonly ends: Readonly<Partial<Record<ArmName, number>>>;
  /** Dominoes: the first double played, where the game has such a thing. */
  readonly spinner: string | undefined;
  /** Cards: the lowest and the highest card of each open row, by suit letter: `{ O: ["4O", "7O"] }`. */
  readonly rows: Readonly<Record<string, readonly [string, string]>>;
  /** How many pieces each seat holds. */
  readonly counts: readonly number[];
  /** How many pieces are left to draw. */
  readonly stock: number;
  /** The actions of this hand so far, each with the seat that took it. */
  readonly history: readonly { readonly seat: number; readonly action: Action }[];
  /** The piece that the bot has just drawn, if that was the last action. */
  readonly drawn: string | undefined;
  /** `domino-belga`: the points scored in this hand so far, by side. */
  readonly points: readonly number[];
  /** What the match format counts so far, by side: hands won, or points. */
  readonly totals: readonly number[];
  /** `domino-a-carte`: how many passes each seat has used in this hand. */
  readonly passesUsed: readonly number[];
  /** The game's id, such as `domino-belga`. */
  readonly game: string;
  /** How many seats the match has. */
  readonly players: number;
  /** The bot's own seat, from 0. */
  readonly seat: number;
  /** The number of the hand in the match, from 0. */
  readonly handNumber: number;
  /** The seat that dealt this hand. */
  readonly dealer: number;
  /** The seat that had the first turn of this hand. */
  readonly starter: number;
  /** The seats that play this hand, in turn order from the lowest; who is out of the match is missing. */
  readonly seatsIn: readonly number[];
  /** What holds for the whole match. */
  readonly match: MatchInfo;
  /** Milliseconds left of this turn's own time when the referee asked; undefined: not timed. */
  readonly moveMs: number | undefined;
  /** Milliseconds left in the bank, used once `moveMs` is; undefined: there is no bank. */
  readonly bankMs: number | undefined;
  /** Why the last answer to this turn was refused; undefined if there was none. */
  readonly refusal: string | undefined;
  /** The protocol's own message, which most of this is read from. */
  readonly view: View;
}

/**
 * Reads the start of a match.
 *
 * @param message - the protocol's message
 * @returns what it tells
 */
export function readMatch(message: MatchStarted): MatchInfo {
  const seat = message.seat ?? 0;
  const sides = message.seats.map((one) => one.side ?? 0);
  const options = message.options.map(({ name, value: { value } }) => [
    name,
    typeof value === "bigint" ? Number(value) : (value ?? ""),
  ]);
  return {
    id: message.matchId,
    game: message.game,
    options: Object.fromEntries(options) as MatchInfo["options"],
    format: message.format,
    names: message.seats.map((one) => one.name),
    sides,
    seat,
    side: sides.at(seat) ?? seat,
    message,
  };
}

/**
 * Reads a turn.
 *
 * @param message - the protocol's message
 * @param match - the match that it belongs to
 * @returns what it tells
 */
export function readTurn(message: TurnMessage, match: MatchInfo): Turn {
  const view = message.view ?? create(ViewSchema);
  const { layout } = view;
  const { seats, kinds, pieces, arms } = view.history ?? create(HistorySchema);
  return {
    turnId: message.turnId,
    legal: message.legal.map(legalAction) as [Action, ...Action[]],
    hand: view.pieces.map(pieceName),
    table: view.table.map(pieceName),
    ends: layout.case === "line" ? openEnds(layout.value) : {},
    spinner: layout.case === "line" ? NAMES.get(layout.value.spinner) : undefined,
    rows: layout.case === "rows" ? openRows(layout.value) : {},
    counts: view.pieceCounts,
    stock: view.stockSize ?? 0,
    history: seats.map((seat, i) => ({ seat, action: pastAction(kinds[i], pieces[i], arms[i]) })),
    drawn: NAMES.get(view.drawn),
    points: view.handPoints,
    totals: view.totals,
    passesUsed: view.passesUsed,
    game: match.game,
    players: view.pieceCounts.length,
    seat: view.seat ?? 0,
    handNumber: view.hand ?? 0,
    dealer: view.dealer ?? 0,
    starter: view.starter ?? 0,
    seatsIn: view.seatsIn,
    match,
    moveMs: message.clock?.moveMs,
    bankMs: message.clock?.bankMs,
    refusal: undefined,
    view,
  };
}

function openEnds({ leftEnd: left, rightEnd: right, upEnd: up, downEnd: down }: Line): Turn["ends"] {
  return Object.fromEntries(Object.entries({ left, right, up, down }).filter(([, end]) => end !== undefined));
}

function openRows({ low, high }: Rows): Turn["rows"] {
  const rows = low.map((piece, suit) => [pieceName(piece), pieceName(high[suit])] as const);
  return Object.fromEntries(rows.filter(([name]) => !name.startsWith("#")).map((row) => [row[0].slice(-1), row]));
}

function legalAction({ notation, kind }: ActionMessage): Action {
  switch (kind.case) {
    case "play":
      return play(notation, kind.value.piece, kind.value.arm);
    case "draw":
      return { notation, kind: "draw" };
    case "passTurn":
      return { notation, kind: "pass" };
    default:
      return { notation, kind: "other" };
  }
}

function pastAction(kind: ActionKind, piece: Piece, at: Arm): Action {
  if (kind === ActionKind.DRAW) return { notation: "draw", kind: "draw" };
  if (kind === ActionKind.PASS) return { notation: "pass", kind: "pass" };
  if (kind !== ActionKind.PLAY) return { notation: `#${kind}`, kind: "other" };
  const arm = ARMS.get(at);
  return play(pieceName(piece) + (arm ? ` ${arm}` : ""), piece, at);
}

function play(notation: string, piece: Piece, at: Arm): Action {
  const arm = ARMS.get(at);
  return { notation, kind: "play", piece: pieceName(piece), ...(arm && { arm }) };
}
