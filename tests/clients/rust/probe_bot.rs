//! Says on standard output all that a turn tells, and chooses as the test wants it.

use domino_referee_bot::proto::option::Value;
use domino_referee_bot::{Action, Arm, Bot, Error, Kind, Turn};

fn main() -> Result<(), Error> {
    let foreign = std::env::args().nth(1).is_some();
    let choose = |turn: &Turn| {
        println!("{}", facts(turn).join("|"));
        if foreign && turn.id < 7 && turn.refusal.is_none() {
            Action::from("6-6 left")
        } else {
            turn.legal[turn.legal.len() / 2].clone()
        }
    };
    let on_event = |event: &domino_referee_bot::proto::PlayEvent| {
        let text = format!("{:?}", event.event);
        println!("event {}", text.split(['(', ')']).nth(1).unwrap_or_default());
    };
    Bot::new(choose).version("7").on_event(on_event).run()
}

fn parts(action: &Action) -> String {
    let kind = match action.kind {
        Kind::Play => "play",
        Kind::Draw => "draw",
        Kind::Pass => "pass",
        _ => "other",
    };
    let arm = action.arm.as_ref().map(Arm::to_string);
    format!("{action}/{kind}/{}/{}", action.piece.as_deref().unwrap_or("-"), arm.as_deref().unwrap_or("-"))
}

fn text(value: &Option<String>) -> &str {
    value.as_deref().unwrap_or("-")
}

/// Each as JSON would write it.
fn facts(turn: &Turn) -> Vec<String> {
    let info = &turn.match_info;
    let acted = turn.history.iter().map(|acted| format!("{}:{}", acted.seat, parts(&acted.action)));
    let option = |(name, value): (&String, &Value)| match value {
        Value::Number(number) => format!("{name}={number}"),
        Value::Text(text) => format!("{name}={text}"),
        Value::Flag(flag) => format!("{name}={flag}"),
    };
    vec![
        format!("{:?}", [turn.id as usize, turn.seat, turn.players, turn.dealer, turn.starter, info.seat, info.side]),
        format!("{:?}", [turn.stock, turn.hand_number, turn.view.turn]),
        format!("{:?}", [&turn.game, &info.id, &info.game, &info.format.kind]),
        format!("{:?}", turn.hand),
        format!("{:?}", turn.table),
        format!("{:?}", turn.counts),
        format!("{:?}", turn.seats_in),
        format!("{:?}", turn.ends.iter().map(|(arm, end)| format!("{arm}:{end}")).collect::<Vec<_>>()),
        format!("{:?}", turn.rows.iter().map(|(suit, row)| format!("{suit}:{}..{}", row.0, row.1)).collect::<Vec<_>>()),
        format!("{:?}", acted.collect::<Vec<_>>()),
        format!("{:?}", [text(&turn.spinner), text(&turn.drawn)]),
        format!("{:?}", turn.points),
        format!("{:?}", turn.totals),
        format!("{:?}", turn.passes_used),
        format!("{:?}", [turn.move_ms.is_some(), turn.bank_ms.is_some()]),
        format!("{:?}", turn.legal.iter().map(parts).collect::<Vec<_>>()),
        format!("{:?}", [turn.refusal.as_ref().map_or("-", |refusal| &refusal.message)]),
        format!("{:?}", info.options.iter().map(option).collect::<Vec<_>>()),
        format!("{:?}", info.names),
        format!("{:?}", info.sides),
    ]
}
