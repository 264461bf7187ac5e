/**
 * Write a domino bot: a function from a turn to one of its actions.
 *
 * ```ts
 * import { run } from "domino-referee-bot";
 *
 * await run((turn) => turn.legal[0]);
 * ```
 */
export { BotError, CLIENT, LostError, RefusedError, run, SettingError } from "./run.js";
export type { Choice, Choose, RunOptions } from "./run.js";
export { pieceName } from "./turn.js";
export type { Action, ArmName, MatchInfo, Turn } from "./turn.js";
