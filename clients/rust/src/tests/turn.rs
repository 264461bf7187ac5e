use crate::proto::{self, option::Value, view::Layout};
use crate::{Acted, Action, Arm, Kind, MatchInfo, Turn, piece_name};
use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

/// The protocol says how every piece is written.
#[test]
fn piece_names() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/proto/referee/v1/table.proto");
    let text = fs::read_to_string(path).expect("the protocol's file");
    let mut pieces = 0;
    let mut notation = "";
    for line in text.lines().map(str::trim) {
        if let Some((_, number)) =
            line.strip_prefix("PIECE_").and_then(|line| line.strip_suffix(';')?.split_once(" = "))
        {
            let number = number.parse().expect("a number");
            if number != 0 {
                assert_eq!(format!("// `{}`", piece_name(number)), notation);
                pieces += 1;
            }
        }
        notation = line;
    }
    assert_eq!(pieces, 28 + 40 + 52);
    assert_eq!(["#-1", "#0", "#29", "#999"], [-1, 0, 29, 999].map(piece_name).each_ref().map(String::as_str));
}

#[test]
fn actions_from_text() {
    for (text, kind, piece, arm) in [
        ("6-5 left", Kind::Play, Some("6-5"), Some(Arm::Left)),
        ("6-5 right", Kind::Play, Some("6-5"), Some(Arm::Right)),
        ("6-5 up", Kind::Play, Some("6-5"), Some(Arm::Up)),
        ("6-5 down", Kind::Play, Some("6-5"), Some(Arm::Down)),
        ("0-0", Kind::Play, Some("0-0"), None),
        ("10O", Kind::Play, Some("10O"), None),
        ("TD", Kind::Play, Some("TD"), None),
        ("draw", Kind::Draw, None, None),
        ("pass", Kind::Pass, None, None),
        ("swap 6-5", Kind::Other, None, None),
        ("6-5 askew", Kind::Other, None, None),
        ("", Kind::Other, None, None),
    ] {
        let piece = piece.map(str::to_owned);
        assert_eq!(Action::from(text), Action { notation: text.into(), kind, piece, arm });
        assert_eq!(Action::from(text).to_string(), text);
    }
    assert_eq!(format!("{:>6}", Arm::Left), "  left");
}

fn pairs() -> Arc<MatchInfo> {
    let option = |name: &str, value| proto::Option { name: name.into(), value };
    Arc::new(MatchInfo::new(proto::MatchStarted {
        match_id: "m1".into(),
        game: "domino-duplas".into(),
        seat: Some(3),
        options: vec![
            option("opener", Some(Value::Number(0))),
            option("spinner_opens", Some(Value::Text("at_once".into()))),
            option("auto_forced", Some(Value::Flag(false))),
            option("of a kind to come", None),
        ],
        seats: (0..4).map(|seat| proto::Seat { seat: Some(seat), name: "p".into(), side: Some(seat % 2) }).collect(),
        ..Default::default()
    }))
}

fn played(seat: usize, notation: &str) -> Acted {
    Acted { seat, action: Action::from(notation) }
}

#[test]
fn a_match() {
    let info = pairs();
    let options = info.options.iter().map(|(name, value)| (name.as_str(), value)).collect::<Vec<_>>();
    assert_eq!(
        options,
        [
            ("auto_forced", &Value::Flag(false)),
            ("opener", &Value::Number(0)),
            ("spinner_opens", &Value::Text("at_once".into()))
        ]
    );
    assert_eq!(info.sides, [0, 1, 0, 1]);
    assert_eq!(info.names, ["p", "p", "p", "p"]);
    assert_eq!((info.id.as_str(), info.game.as_str(), info.seat, info.side), ("m1", "domino-duplas", 3, 1));
    let alone = MatchInfo::new(proto::MatchStarted { seat: Some(2), ..Default::default() });
    assert_eq!((alone.seat, alone.side), (2, 2));
}

#[test]
fn a_turn_with_dominoes() {
    let legal = ["6-5 left", "6-5 up", ""].map(|notation| proto::Action { notation: notation.into(), kind: None });
    let line = proto::Line { left_end: Some(6), right_end: Some(0), up_end: None, down_end: Some(4), spinner: 28 };
    let history = proto::History {
        seats: vec![3, 0, 1, 2, 3, 0], // the last two: a piece and an arm, and a kind, to come
        kinds: vec![1, 2, 3, 1, 1, 99],
        pieces: vec![28, 0, 0, 27, 999, 0],
        arms: vec![0, 0, 0, 3, 99, -1],
    };
    let view = proto::View {
        seat: Some(3),
        hand: Some(0),
        dealer: Some(2),
        starter: Some(3),
        turn: 17,
        pieces: vec![1, 27, 999],
        piece_counts: vec![7, 6, 5, 2],
        stock_size: Some(0),
        table: vec![28],
        hand_points: vec![5, 0],
        totals: vec![-5, 10],
        drawn: 1,
        layout: Some(Layout::Line(line)),
        seats_in: vec![0, 1, 2, 3],
        history: Some(history),
        ..Default::default()
    };
    let clock = proto::ClockState { move_ms: Some(0), bank_ms: None };
    let message = proto::Turn { turn_id: 9, legal: legal.into(), view: Some(view.clone()), clock: Some(clock) };
    let turn = Turn::new(message, pairs());
    assert_eq!(turn.legal, ["6-5 left", "6-5 up", "#2"].map(Action::from));
    assert_eq!(turn.legal[2].kind, Kind::Other);
    assert_eq!(turn.hand, ["0-0", "6-5", "#999"]);
    assert_eq!(turn.ends, BTreeMap::from([(Arm::Left, 6), (Arm::Right, 0), (Arm::Down, 4)]));
    assert_eq!((turn.spinner.as_deref(), turn.drawn.as_deref()), (Some("6-6"), Some("0-0")));
    assert_eq!(turn.table, ["6-6"]);
    assert_eq!(turn.counts, [7, 6, 5, 2]);
    assert_eq!(turn.seats_in, [0, 1, 2, 3]);
    assert_eq!((turn.points.as_slice(), turn.totals.as_slice()), ([5, 0].as_slice(), [-5, 10].as_slice()));
    assert!(turn.rows.is_empty() && turn.passes_used.is_empty());
    let known = [played(3, "6-6"), played(0, "draw"), played(1, "pass"), played(2, "6-5 up")];
    assert_eq!(turn.history[..4], known);
    assert_eq!(turn.history[4].action.piece.as_deref(), Some("#999"));
    assert_eq!(turn.history[5], played(0, "#99"));
    assert_eq!((turn.id, turn.seat, turn.players, turn.hand_number), (9, 3, 4, 0));
    assert_eq!((turn.dealer, turn.starter, turn.stock), (2, 3, 0));
    assert_eq!((turn.move_ms, turn.bank_ms), (Some(0), None));
    assert_eq!((turn.view, turn.game.as_str()), (view, "domino-duplas"));
}

#[test]
fn a_turn_with_cards() {
    let rows = proto::Rows { low: vec![34, 0, 55, 999], high: vec![37, 0, 55, 999] };
    let view = proto::View { passes_used: vec![1, 0, 3], layout: Some(Layout::Rows(rows)), ..Default::default() };
    let turn = Turn::new(proto::Turn { view: Some(view), ..Default::default() }, pairs());
    let row = |low: &str, high: &str| (low.to_owned(), high.to_owned());
    assert_eq!(turn.rows, BTreeMap::from([('O', row("4O", "7O")), ('E', row("5E", "5E"))]));
    assert_eq!(turn.passes_used, [1, 0, 3]);
    assert_eq!((turn.ends.len(), turn.spinner, turn.drawn, turn.refusal), (0, None, None, None));
    let empty = Turn::new(proto::Turn::default(), Arc::default());
    assert_eq!((empty.legal.len(), empty.move_ms, empty.bank_ms), (0, None, None));
}
