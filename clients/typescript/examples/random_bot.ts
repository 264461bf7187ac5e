// A random bot whose choices can be repeated, in any language. The place chosen is the first 8 bytes (big-endian) of
// SHA-256 of "MATCH_ID/TURN_ID", modulo the number of legal actions.
import { createHash } from "node:crypto";

import { run, type Action, type Turn } from "domino-referee-bot";

function choose(turn: Turn): Action {
  const digest = createHash("sha256").update(`${turn.match.id}/${turn.turnId}`).digest();
  return turn.legal[Number(digest.readBigUInt64BE() % BigInt(turn.legal.length))];
}

await run(choose);
