//! Plays dominoes under a referee: a bot is a function from a [`Turn`] to one of its actions.
//!
//! ```no_run
//! use domino_referee_bot::{Action, Error, Turn, run};
//!
//! fn choose(turn: &Turn) -> Action {
//!     turn.legal[0].clone()
//! }
//!
//! fn main() -> Result<(), Error> {
//!     run(choose)
//! }
//! ```
//!
//! [`Bot`] has more to set than [`run`]; all that a turn tells is in [`Turn`].

mod play;
mod turn;

#[cfg(test)]
mod tests;

pub use play::{Bot, CLIENT, Error, run};
pub use turn::{Acted, Action, Arm, Kind, MatchInfo, Turn, piece_name};

/// The messages of the protocol, as they are on the wire.
#[allow(missing_docs, clippy::all, clippy::pedantic)]
pub mod proto {
    tonic::include_proto!("referee.v1");
}
