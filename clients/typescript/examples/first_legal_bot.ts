// The smallest bot: always the first legal action.
import { run } from "domino-referee-bot";

await run((turn) => turn.legal[0]);
