import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";

import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { type ChannelCredentials, Client, credentials, type ServiceError, status } from "@grpc/grpc-js";

import {
  type Closed,
  CloseReason,
  MatchStartedSchema,
  type PlayEvent,
  PlayRequestSchema,
  type PlayResponse,
  PlayResponseSchema,
  PlayService,
  Remedy,
} from "./proto.js";
import { readMatch, readTurn, type Turn } from "./turn.js";

/** What `run` tells the referee about itself. */
export const CLIENT = "referee-bot-typescript 0.1.0";

// Milliseconds: the first and the longest pause between attempts to join, all of them together, and what a stream that
// was no mere attempt lives for (a bot may wait long, and hear nothing, until it gets a seat).
const [FIRST_DELAY, LAST_DELAY, GIVE_UP, ALIVE] = [50, 2_000, 20_000, 5_000];
// A call that ends so would end so again.
const FINAL = new Set([
  status.UNAUTHENTICATED,
  status.PERMISSION_DENIED,
  status.INVALID_ARGUMENT,
  status.FAILED_PRECONDITION,
  status.NOT_FOUND,
  status.UNIMPLEMENTED,
]);
const CHANNEL = {
  "grpc.initial_reconnect_backoff_ms": FIRST_DELAY,
  "grpc.max_reconnect_backoff_ms": LAST_DELAY,
  "grpc.enable_retries": 0,
  "grpc.service_config_disable_resolution": 1,
  "grpc.keepalive_time_ms": 60_000, // finds a referee that is gone
  "grpc.keepalive_timeout_ms": 20_000,
};
const LOOPBACK = /^(127\.|localhost:|\[::1\]:)/;

/** What a bot answers: one of `turn.legal`, or any action by its notation. */
export interface Choice {
  /** The action in text, such as `6-5 left`. */
  readonly notation: string;
}

/** A bot: gives one of `turn.legal`. */
export type Choose = (turn: Turn) => Choice | Promise<Choice>;

/** Where a bot plays, and as what. */
export interface RunOptions {
  /** The referee's `HOST:PORT`. Default: the environment variable `REFEREE_ADDRESS`. */
  readonly address?: string;
  /** The secret that names the seat. Default: the environment variable `REFEREE_TOKEN`. */
  readonly token?: string;
  /** The bot's own version; results of different versions are not mixed. */
  readonly version?: string;
  /** Is called with every event of the stream, in order, before it is dealt with. */
  readonly onEvent?: (event: PlayEvent["event"]) => void | Promise<void>;
}

/** The bot cannot play. */
export class BotError extends Error {
  /** The class's name. */
  override readonly name: string = this.constructor.name;
}

/** The address or the token is missing, or a certificate cannot be read. */
export class SettingError extends BotError {}

/** The referee does not accept the bot, for instance because it does not know the token. */
export class RefusedError extends BotError {}

/** The referee cannot be reached (any more). */
export class LostError extends BotError {}

/**
 * Plays until the referee has no more for this bot: one match, or all of a tournament.
 *
 * A broken connection is mended: the bot joins again and gets its open turn again. An exception in `choose` ends the
 * bot. Refusals and faults are told on standard error.
 *
 * With TLS, the environment variable `REFEREE_CA` names the PEM file of the authority that signed the referee's
 * certificate; `REFEREE_CERT` and `REFEREE_KEY` name the bot's own, where the referee asks for one.
 *
 * @param choose - the bot. An action that is not legal is refused by the referee, and `choose` is asked again with the
 *   reason in `turn.refusal`, while the time lasts.
 * @param options - where the bot plays, and as what
 * @returns when there is no more to play
 * @throws {SettingError} there is no address or no token, or a certificate cannot be read
 * @throws {RefusedError} the referee does not accept the bot
 * @throws {LostError} the referee could not be reached for 20 seconds
 */
export async function run(choose: Choose, options: RunOptions = {}): Promise<void> {
  const address = setting("address", options.address, "REFEREE_ADDRESS");
  const token = setting("token", options.token, "REFEREE_TOKEN");
  // gRPC would send even a connection within this machine through an `http_proxy`.
  const proxy = { "grpc.enable_http_proxy": LOOPBACK.test(address) ? 0 : 1 };
  const client = new Client(address, transport(), { ...CHANNEL, ...proxy });
  try {
    await new Player(client, token, choose, options).play(address);
  } finally {
    client.close();
  }
}

// TLS, if `REFEREE_CA` names the certificate of whoever signed the referee's.
function transport(): ChannelCredentials {
  const [ca, cert, key] = [file("REFEREE_CA"), file("REFEREE_CERT"), file("REFEREE_KEY")];
  if (!cert !== !key || (cert && !ca)) {
    throw new SettingError("a certificate of the bot's own needs all of REFEREE_CA, REFEREE_CERT and REFEREE_KEY");
  }
  if (!ca) return credentials.createInsecure();
  try {
    return credentials.createSsl(ca, key, cert);
  } catch (error) {
    throw new SettingError(`REFEREE_CA, REFEREE_CERT, REFEREE_KEY: ${String(error)}; they must name PEM files`);
  }
}

// The content of the file that an environment variable names, if it is set.
function file(variable: string): Buffer | null {
  const path = process.env[variable];
  if (!path) return null;
  try {
    return readFileSync(path);
  } catch (error) {
    throw new SettingError(`${variable}: ${(error as Error).message}; it must name a PEM file`);
  }
}

function setting(name: string, given: string | undefined, variable: string): string {
  const value = given ?? process.env[variable];
  if (!value) throw new SettingError(`no ${name}: set the environment variable ${variable}, or the option ${name}`);
  return value;
}

type Request = NonNullable<MessageInitShape<typeof PlayRequestSchema>["request"]>;

class Player {
  private name = process.env.REFEREE_NAME ?? "bot";
  // In the last stream: since when it was one, and whether the bot has taken its seat, had a turn, seen the end.
  private begun = Infinity;
  private joined = false;
  private played = false;
  private ended = false;
  private problem = "";
  private match = readMatch(create(MatchStartedSchema));

  constructor(
    private readonly client: Client,
    private readonly token: string,
    private readonly choose: Choose,
    private readonly options: RunOptions,
  ) {}

  // Stream after stream, until there is no more to play.
  async play(address: string): Promise<void> {
    let delay = FIRST_DELAY;
    let deadline = performance.now() + GIVE_UP;
    let over = false;
    for (;;) {
      const closed = await this.stream(deadline);
      over = this.ended || (over && !this.joined);
      if (closed) {
        if (closed.reason === CloseReason.REFUSED && !over) throw new RefusedError(closed.message);
        if (closed.reason !== CloseReason.MATCH_OVER) this.say(closed.message);
        if (!closed.joinAgain) return;
      }
      const now = performance.now();
      if (this.joined || now > this.begun + ALIVE) deadline = now + GIVE_UP;
      if (this.played) delay = FIRST_DELAY;
      if (closed && this.ended) continue;
      if (now > deadline) {
        if (over) return; // the referee went away after a match was over: nothing is lost
        throw new LostError(`no referee at ${address}: ${this.problem}`);
      }
      await sleep(delay * (0.5 + Math.random() / 2));
      delay = Math.min(2 * delay, LAST_DELAY);
    }
  }

  // One stream from Join to Closed; undefined if it broke, or there was no connection until the deadline.
  private async stream(deadline: number): Promise<Closed | undefined> {
    this.joined = this.played = this.ended = false;
    const connected = await this.connected(deadline);
    this.begun = connected ? performance.now() : Infinity;
    const call = this.client.makeBidiStreamRequest<Request, PlayResponse>(
      `/${PlayService.typeName}/${PlayService.method.play.name}`,
      (request) => Buffer.from(toBinary(PlayRequestSchema, create(PlayRequestSchema, { request }))),
      (bytes) => fromBinary(PlayResponseSchema, bytes),
      connected ? {} : { deadline: Date.now() + 1_000 }, // only to hear why
    );
    call.on("error", () => undefined); // told by the iterator
    const responses = call[Symbol.asyncIterator]() as AsyncIterator<PlayResponse, undefined>;
    const { version = "", onEvent } = this.options;
    let turn: Turn | undefined;
    try {
      call.write({ case: "join", value: { token: this.token, client: CLIENT, version } });
      for (;;) {
        const response = await this.receive(responses);
        if (!response) return undefined;
        const fresh = !this.joined;
        for (const { event } of response.events) {
          if (event.case) await onEvent?.(event);
          switch (event.case) {
            case "joined":
              this.joined = true;
              this.name = event.value.name;
              break;
            case "matchStarted":
              this.match = readMatch(event.value);
              break;
            case "turn":
              this.played = true;
              turn = readTurn(event.value, this.match);
              call.write(await this.answer(turn));
              break;
            case "refusal":
              this.say(`refused: ${event.value.message}`);
              if (turn && event.value.remedy === Remedy.ASK_AGAIN && event.value.turnId === turn.turnId) {
                turn = { ...turn, refusal: event.value.message };
                call.write(await this.answer(turn));
              }
              break;
            case "fault":
              if (event.value.seat === this.match.seat) this.say(`fault: ${event.value.message}`);
              break;
            case "matchEnded":
              this.ended = true;
              break;
            case "closed":
              return event.value;
          }
        }
        // After all of the response, so that `onEvent` may load what the match needs.
        if (fresh && this.joined) call.write({ case: "ready", value: {} });
      }
    } finally {
      call.cancel();
    }
  }

  private connected(deadline: number): Promise<boolean> {
    return new Promise((resolve) => {
      this.client.waitForReady(Date.now() + deadline - performance.now(), (error) => {
        resolve(!error);
      });
    });
  }

  // The next response; undefined if the stream is at its end.
  private async receive(responses: AsyncIterator<PlayResponse, undefined>): Promise<PlayResponse | undefined> {
    this.problem = "the stream ended";
    try {
      return (await responses.next()).value;
    } catch (error) {
      const { code, details } = error as ServiceError;
      this.problem = `${status[code]}: ${details}`;
      if (FINAL.has(code)) throw new RefusedError(this.problem);
      return undefined;
    }
  }

  // The answer that the bot chooses: by place if the action is in the list, else as it stands.
  private async answer(turn: Turn): Promise<Request> {
    const choice = (await this.choose(turn)) as Choice | undefined;
    if (typeof choice?.notation !== "string") {
      throw new TypeError(`the bot gave ${inspect(choice)}; it must give an action: one of turn.legal`);
    }
    const legal: readonly Choice[] = turn.legal;
    const { notation } = choice;
    const index = legal.includes(choice) ? legal.indexOf(choice) : legal.findIndex((one) => one.notation === notation);
    return {
      case: "answer",
      value: {
        turnId: turn.turnId,
        choice: index < 0 ? { case: "action", value: { notation } } : { case: "index", value: index },
      },
    };
  }

  private say(text: string): void {
    process.stderr.write(`${this.name}: ${text}\n`);
  }
}
