//! Tests against the protocol's text, and against a referee that does what the real one rarely does.

mod play;
mod turn;
