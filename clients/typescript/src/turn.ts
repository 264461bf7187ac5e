import {
  type Action as ActionMessage,
  ActionKind,
  Arm,
  type Format,
  type MatchStarted,
  Piece,
  type Turn as TurnMessage,
  type View,
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
export class MatchInfo {
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

  /** @param message - the protocol's own message, for what is not here */
  constructor(readonly message: MatchStarted) {
    this.id = message.matchId;
    this.game = message.game;
    this.options = Object.fromEntries(
      message.options.map(({ name, value: { value } }) => [
        name,
        typeof value === "bigint" ? Number(value) : (value ?? ""),
      ]),
    );
    this.format = message.format;
    this.names = message.seats.map((seat) => seat.name);
    this.sides = message.seats.map((seat) => seat.side ?? 0);
    this.seat = message.seat ?? 0;
    this.side = this.sides.at(this.seat) ?? this.seat;
  }
}

/**
 * A question of the referee: everything that a bot needs to choose by, so it need remember nothing.
 *
 * Lists by seat begin with seat 0, lists by side with side 0. What a game does not have is empty or undefined.
 */
export class Turn {
  /** Why the last answer to this turn was refused; undefined if there was none. */
  refusal: string | undefined;
  #legal: Turn["legal"] | undefined;
  #history: Turn["history"] | undefined;

  /**
   * @param message - the protocol's own message, for what is not here
   * @param match - what holds for the whole match
   */
  constructor(
    readonly message: TurnMessage,
    readonly match: MatchInfo,
  ) {}

  /** The number of the question; the same if it is asked again. */
  get turnId(): number {
    return this.message.turnId;
  }

  /** The protocol's own `View`, which most of this is read from. */
  get view(): View | undefined {
    return this.message.view;
  }

  /** All legal actions, at least one. The bot returns one of them. */
  get legal(): readonly [Action, ...Action[]] {
    return (this.#legal ??= this.message.legal.map(legalAction) as [Action, ...Action[]]);
  }

  /** The bot's own pieces, in deck order. */
  get hand(): readonly string[] {
    return pieces(this.view?.pieces);
  }

  /** The game's id, such as `domino-belga`. */
  get game(): string {
    return this.match.game;
  }

  /** The bot's own seat, from 0. */
  get seat(): number {
    return this.view?.seat ?? 0;
  }

  /** How many seats the match has. */
  get players(): number {
    return this.counts.length;
  }

  /** The seats that play this hand, in turn order from the lowest; who is out of the match is missing. */
  get seatsIn(): readonly number[] {
    return this.view?.seatsIn ?? [];
  }

  /** The number of the hand in the match, from 0. */
  get handNumber(): number {
    return this.view?.hand ?? 0;
  }

  /** The seat that dealt this hand. */
  get dealer(): number {
    return this.view?.dealer ?? 0;
  }

  /** The seat that had the first turn of this hand. */
  get starter(): number {
    return this.view?.starter ?? 0;
  }

  /** How many pieces each seat holds. */
  get counts(): readonly number[] {
    return this.view?.pieceCounts ?? [];
  }

  /** How many pieces are left to draw. */
  get stock(): number {
    return this.view?.stockSize ?? 0;
  }

  /** All pieces on the table: those laid by the deal, then the others as they came. */
  get table(): readonly string[] {
    return pieces(this.view?.table);
  }

  /** Dominoes: the number to match at each open arm. */
  get ends(): Readonly<Partial<Record<ArmName, number>>> {
    if (this.view?.layout.case !== "line") return {};
    const { leftEnd: left, rightEnd: right, upEnd: up, downEnd: down } = this.view.layout.value;
    return Object.fromEntries(Object.entries({ left, right, up, down }).filter(([, end]) => end !== undefined));
  }

  /** Dominoes: the first double played, where the game has such a thing. */
  get spinner(): string | undefined {
    return this.view?.layout.case === "line" ? NAMES.get(this.view.layout.value.spinner) : undefined;
  }

  /** Cards: the lowest and the highest card of each open row, by suit letter: `{ O: ["4O", "7O"] }`. */
  get rows(): Readonly<Record<string, readonly [string, string]>> {
    if (this.view?.layout.case !== "rows") return {};
    const high = pieces(this.view.layout.value.high);
    const pairs = pieces(this.view.layout.value.low).map((low, row) => [low, high[row]] as const);
    return Object.fromEntries(pairs.filter(([low]) => !low.startsWith("#")).map((pair) => [pair[0].slice(-1), pair]));
  }

  /** `domino-a-carte`: how many passes each seat has used in this hand. */
  get passesUsed(): readonly number[] {
    return this.view?.passesUsed ?? [];
  }

  /** `domino-belga`: the points scored in this hand so far, by side. */
  get points(): readonly number[] {
    return this.view?.handPoints ?? [];
  }

  /** What the match format counts so far, by side: hands won, or points. */
  get totals(): readonly number[] {
    return this.view?.totals ?? [];
  }

  /** The actions of this hand so far, each with the seat that took it. */
  get history(): readonly { readonly seat: number; readonly action: Action }[] {
    const { seats, kinds, pieces, arms } = this.view?.history ?? { seats: [], kinds: [], pieces: [], arms: [] };
    return (this.#history ??= seats.map((seat, i) => ({ seat, action: pastAction(kinds[i], pieces[i], arms[i]) })));
  }

  /** The piece that the bot has just drawn, if that was the last action. */
  get drawn(): string | undefined {
    return this.view && NAMES.get(this.view.drawn);
  }

  /** Milliseconds left of this turn's own time when the referee asked; undefined: not timed. */
  get moveMs(): number | undefined {
    return this.message.clock?.moveMs;
  }

  /** Milliseconds left in the bank, used once `moveMs` is; undefined: there is no bank. */
  get bankMs(): number | undefined {
    return this.message.clock?.bankMs;
  }
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

function pastAction(kind: ActionKind, piece: Piece, arm: Arm): Action {
  switch (kind) {
    case ActionKind.PLAY:
      return play([pieceName(piece), ARMS.get(arm) ?? []].flat().join(" "), piece, arm);
    case ActionKind.DRAW:
      return { notation: "draw", kind: "draw" };
    case ActionKind.PASS:
      return { notation: "pass", kind: "pass" };
    default:
      return { notation: `#${kind}`, kind: "other" };
  }
}

function play(notation: string, piece: Piece, at: Arm): Action {
  const arm = ARMS.get(at);
  return { notation, kind: "play", piece: pieceName(piece), ...(arm && { arm }) };
}

function pieces(list: readonly Piece[] = []): readonly string[] {
  return list.map(pieceName);
}
