//! The smallest bot: always the first legal action.

use domino_referee_bot::{Action, Error, Turn, run};

fn choose(turn: &Turn) -> Action {
    turn.legal[0].clone()
}

fn main() -> Result<(), Error> {
    run(choose)
}
