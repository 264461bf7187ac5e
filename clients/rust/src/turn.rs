//! What a bot sees: the referee's messages as plain data.

use crate::proto::{self, option::Value, view::Layout};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

/// What sort of action an [`Action`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A piece is played.
    Play,
    /// A piece is drawn from the stock.
    Draw,
    /// The turn is passed.
    Pass,
    /// One that this version of the SDK does not know; it can be chosen like any.
    Other,
}

/// Where a tile goes. Its text is `left`, `right`, `up` or `down`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Arm {
    /// The left end of the line.
    Left,
    /// The right end of the line.
    Right,
    /// The arm that goes up from the spinner.
    Up,
    /// The arm that goes down from the spinner.
    Down,
}

const ARMS: [(Arm, &str); 4] = [(Arm::Left, "left"), (Arm::Right, "right"), (Arm::Up, "up"), (Arm::Down, "down")];

impl fmt::Display for Arm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(ARMS[*self as usize].1)
    }
}

/// What a seat does in one turn. Its text is its notation, and `Action::from("6-5 left")` is the way back.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action {
    /// The action in text: `6-5 left`, `6-6`, `7O`, `draw` or `pass`.
    pub notation: String,
    /// What sort of action it is.
    pub kind: Kind,
    /// The piece played, such as `6-5` or `7O`.
    pub piece: Option<String>,
    /// Where the tile goes; `None` for the first tile of a hand and for cards.
    pub arm: Option<Arm>,
}

impl From<&str> for Action {
    fn from(notation: &str) -> Self {
        let (piece, arm) = notation.split_once(' ').map_or((notation, None), |(piece, arm)| (piece, Some(arm)));
        let place = arm.map(|arm| ARMS.iter().find(|known| known.1 == arm).map(|known| known.0));
        let (kind, piece, arm) = match (notation, place) {
            ("draw", _) => (Kind::Draw, None, None),
            ("pass", _) => (Kind::Pass, None, None),
            (_, None | Some(Some(_))) if PIECES.values().any(|known| known == piece) => {
                (Kind::Play, Some(piece.to_owned()), place.flatten())
            }
            _ => (Kind::Other, None, None),
        };
        Self { notation: notation.to_owned(), kind, piece, arm }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.notation)
    }
}

/// An action in the history of a hand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Acted {
    /// The seat that took it.
    pub seat: usize,
    /// What it did.
    pub action: Action,
}

/// What holds for the whole match.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MatchInfo {
    /// The match's id.
    pub id: String,
    /// The game's id, such as `domino-belga`.
    pub game: String,
    /// All options of the game by name, with the values in force.
    pub options: BTreeMap<String, Value>,
    /// When the match ends and who is placed where.
    pub format: proto::Format,
    /// The players' names, by seat.
    pub names: Vec<String>,
    /// The side that each seat plays for: the pair's number in `domino-duplas`, else the seat's own.
    pub sides: Vec<usize>,
    /// This bot's seat, from 0.
    pub seat: usize,
    /// This bot's side. [`Turn::points`] and [`Turn::totals`] are by side.
    pub side: usize,
    /// The protocol's message, for what is not here.
    pub message: proto::MatchStarted,
}

/// A question of the referee: all that a bot needs to choose by, so it need remember nothing.
///
/// Lists by seat begin with seat 0, lists by side with side 0. What a game does not have is empty or `None`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Turn {
    /// The number of the question, from 1; the same if it is asked again.
    pub id: u32,
    /// What holds for the whole match.
    pub match_info: Arc<MatchInfo>,
    /// All legal actions, at least one. The bot chooses one of them.
    pub legal: Vec<Action>,
    /// The bot's own pieces, in deck order.
    pub hand: Vec<String>,
    /// The game's id, such as `domino-belga`.
    pub game: String,
    /// The bot's own seat, from 0.
    pub seat: usize,
    /// How many seats the match has.
    pub players: usize,
    /// The seats that play this hand, in turn order from the lowest; who is out of the match is missing.
    pub seats_in: Vec<usize>,
    /// The number of the hand in the match, from 0.
    pub hand_number: u32,
    /// The seat that dealt this hand.
    pub dealer: usize,
    /// The seat that had the first turn of this hand.
    pub starter: usize,
    /// How many pieces each seat holds.
    pub counts: Vec<u32>,
    /// How many pieces are left to draw.
    pub stock: u32,
    /// All pieces on the table: those laid by the deal, then the others as they came.
    pub table: Vec<String>,
    /// Dominoes: the number to match at each open arm.
    pub ends: BTreeMap<Arm, u32>,
    /// Dominoes: the first double played, where the game has such a thing.
    pub spinner: Option<String>,
    /// Cards: the lowest and the highest card of each open row, by the letter of its suit.
    pub rows: BTreeMap<char, (String, String)>,
    /// `domino-a-carte`: how many passes each seat has used in this hand.
    pub passes_used: Vec<u32>,
    /// `domino-belga`: the points scored in this hand so far, by side.
    pub points: Vec<i32>,
    /// What the match format counts so far, by side: hands won, or points.
    pub totals: Vec<i32>,
    /// The actions of this hand so far.
    pub history: Vec<Acted>,
    /// The piece that the bot has just drawn, if that was the last action.
    pub drawn: Option<String>,
    /// Milliseconds left of this turn's own time when the referee asked; `None`: not timed.
    pub move_ms: Option<u32>,
    /// Milliseconds left in the bank, used once those of the turn are; `None`: there is no bank.
    pub bank_ms: Option<u32>,
    /// Why the last answer to this turn was refused; `None` if none was.
    pub refusal: Option<proto::Refusal>,
    /// The protocol's message, for what is not here.
    pub view: proto::View,
}

/// The notation of a piece in a message of the protocol: 27 is `6-5`, 37 is `7O`.
#[must_use]
pub fn piece_name(piece: i32) -> String {
    known(piece).unwrap_or_else(|| format!("#{piece}"))
}

impl MatchInfo {
    pub(crate) fn new(message: proto::MatchStarted) -> Self {
        let options = message.options.iter().filter_map(|option| Some((option.name.clone(), option.value.clone()?)));
        let sides: Vec<usize> = message.seats.iter().map(|seat| seat.side() as usize).collect();
        let seat = message.seat() as usize;
        Self {
            id: message.match_id.clone(),
            game: message.game.clone(),
            options: options.collect(),
            format: message.format.clone().unwrap_or_default(),
            names: message.seats.iter().map(|seat| seat.name.clone()).collect(),
            side: sides.get(seat).copied().unwrap_or(seat),
            sides,
            seat,
            message,
        }
    }
}

impl Turn {
    pub(crate) fn new(message: proto::Turn, match_info: Arc<MatchInfo>) -> Self {
        let (view, clock) = (message.view.unwrap_or_default(), message.clock.unwrap_or_default());
        let (mut ends, mut spinner, mut rows) = (BTreeMap::new(), None, BTreeMap::new());
        match &view.layout {
            Some(Layout::Line(line)) => {
                let numbers = [line.left_end, line.right_end, line.up_end, line.down_end];
                ends.extend(ARMS.iter().zip(numbers).filter_map(|(arm, number)| Some((arm.0, number?))));
                spinner = known(line.spinner);
            }
            Some(Layout::Rows(both)) => {
                let open =
                    both.low.iter().zip(&both.high).filter_map(|(low, high)| Some((known(*low)?, known(*high)?)));
                rows.extend(open.filter_map(|(low, high)| Some((low.chars().last()?, (low, high)))));
            }
            None => {}
        }
        let legal = message.legal.iter().enumerate().map(|(place, action)| match action.notation.as_str() {
            "" => Action::from(format!("#{place}").as_str()), // still another action than the others
            notation => Action::from(notation),
        });
        Self {
            id: message.turn_id,
            legal: legal.collect(),
            hand: names(&view.pieces),
            game: match_info.game.clone(),
            seat: view.seat() as usize,
            players: view.piece_counts.len(),
            seats_in: view.seats_in.iter().map(|seat| *seat as usize).collect(),
            hand_number: view.hand(),
            dealer: view.dealer() as usize,
            starter: view.starter() as usize,
            counts: view.piece_counts.clone(),
            stock: view.stock_size(),
            table: names(&view.table),
            ends,
            spinner,
            rows,
            passes_used: view.passes_used.clone(),
            points: view.hand_points.clone(),
            totals: view.totals.clone(),
            history: view.history.as_ref().map(past).unwrap_or_default(),
            drawn: known(view.drawn),
            move_ms: clock.move_ms,
            bank_ms: clock.bank_ms,
            refusal: None,
            view,
            match_info,
        }
    }
}

fn past(history: &proto::History) -> Vec<Acted> {
    let whats = history.kinds.iter().zip(&history.pieces).zip(&history.arms);
    let acted = whats.map(|((kind, piece), arm)| match proto::ActionKind::try_from(*kind) {
        Ok(proto::ActionKind::Play) => {
            let piece = piece_name(*piece);
            let arm = usize::try_from(*arm).ok().and_then(|arm| ARMS.get(arm.checked_sub(1)?));
            let notation = arm.map_or_else(|| piece.clone(), |arm| format!("{piece} {}", arm.1));
            Action { notation, kind: Kind::Play, piece: Some(piece), arm: arm.map(|arm| arm.0) }
        }
        Ok(proto::ActionKind::Draw) => Action::from("draw"),
        Ok(proto::ActionKind::Pass) => Action::from("pass"),
        _ => Action::from(format!("#{kind}").as_str()),
    });
    history.seats.iter().zip(acted).map(|(seat, action)| Acted { seat: *seat as usize, action }).collect()
}

fn known(piece: i32) -> Option<String> {
    PIECES.get(&piece).cloned()
}

fn names(pieces: &[i32]) -> Vec<String> {
    pieces.iter().map(|piece| piece_name(*piece)).collect()
}

/// All pieces, by number: `PIECE_TILE_6_5`, `PIECE_SPANISH_OROS_10`, `PIECE_FRENCH_SPADES_KING`.
static PIECES: LazyLock<BTreeMap<i32, String>> = LazyLock::new(|| {
    let named = |number| {
        let name = proto::Piece::try_from(number).ok()?.as_str_name();
        Some((
            number,
            match name.split('_').collect::<Vec<_>>()[1..] {
                ["TILE", high, low] => format!("{high}-{low}"),
                [_, suit, rank] if rank.starts_with(char::is_alphabetic) => format!("{}{}", &rank[..1], &suit[..1]),
                [_, suit, rank] => format!("{rank}{}", &suit[..1]),
                _ => return None,
            },
        ))
    };
    (1..256).filter_map(named).collect()
});
