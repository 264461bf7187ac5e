//! A random bot whose choices can be repeated, in any language.
//!
//! The place chosen is the first 8 bytes (big-endian) of SHA-256 of `MATCH_ID/TURN_ID`, modulo the number of legal
//! actions.

use domino_referee_bot::{Action, Error, Turn, run};
use sha2::{Digest, Sha256};

/// An action by chance: the same in the same turn of the same match.
fn choose(turn: &Turn) -> Action {
    let digest = Sha256::digest(format!("{}/{}", turn.match_info.id, turn.id));
    let number = digest[..8].iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
    let place = number % turn.legal.len() as u64;
    turn.legal[usize::try_from(place).expect("a place in the list")].clone()
}

fn main() -> Result<(), Error> {
    run(choose)
}
