//! The leak alarm, with a scanner that is sabotaged: what it holds is shown all the same.

use crate::bot::{Bot, World, later, text};
use foldback_pipeline::{Rule, Rules};
use foldback_wire::{Body, Event, Kind, OpId, OpKind, Platform, Span};

/// The tag is cut so that its first part is shown by a live edit, seconds before its end comes.
const SHOWN: &str = "Sure <react em";

async fn streamed(rules: Rules) -> (Bot, Vec<Event>) {
    let bot = Bot::in_world(World::new(), "", rules).await;
    bot.says([
        text("Sure"),
        later(5_000, " <react em"),
        later(5_000, "oji=\"eyes\" /> thing"),
        later(5_000, " and more"),
    ]);
    bot.turn(Platform::Telegram, "hi").await;
    let events = bot.events().await;
    (bot, events)
}

fn leaks(events: &[Event]) -> Vec<(OpId, u32, Span)> {
    let leak = |event: &Event| match event.kind {
        Kind::Leaked { op, message, span } => Some((op, message, span)),
        _ => None,
    };
    events.iter().filter_map(leak).collect()
}

#[tokio::test(start_paused = true)]
async fn a_byte_that_was_shown_for_one_edit_is_journalled_with_that_edit() {
    let (bot, events) = streamed(Rules::without(Rule::ScanHold)).await;
    assert!(
        bot.ever_shown(Platform::Telegram)
            .iter()
            .any(|shown| shown == SHOWN),
        "the sabotage works: {:?}",
        bot.ever_shown(Platform::Telegram)
    );
    let leaks = leaks(&events);
    let (op, _, _) = leaks[0];
    let of_op = leaks
        .iter()
        .filter(|leak| leak.0 == op)
        .map(|leak| (leak.1, leak.2));
    // From the space that belongs to the tag on; each part is told as soon as it is decided.
    let parts = [(0, Span::new(4, 5)), (0, Span::new(5, SHOWN.len()))];
    assert_eq!(of_op.collect::<Vec<_>>(), parts, "{leaks:?}");
    let intent = events.iter().find_map(|event| match &event.kind {
        Kind::Intended { op: id, intent } if *id == op => Some(intent),
        _ => None,
    });
    let intent = intent.expect("the leak names an operation");
    assert_eq!(intent.kind, OpKind::EditText);
    let Some(Body::Clean { span, .. }) = &intent.body else {
        panic!("{intent:?}")
    };
    assert_eq!(
        *span,
        Span::new(0, SHOWN.len()),
        "the edit that showed it, and no other first"
    );
    let at = |wanted: fn(&Kind) -> bool| events.iter().position(|event| wanted(&event.kind)).unwrap();
    assert!(
        at(|kind| matches!(kind, Kind::Leaked { .. })) < at(|kind| matches!(kind, Kind::TurnEnded { .. })),
        "it is known before the turn ends"
    );
}

#[tokio::test(start_paused = true)]
async fn a_sound_scanner_raises_no_alarm() {
    let (bot, events) = streamed(Rules::all()).await;
    assert_eq!(leaks(&events), []);
    assert!(
        bot.ever_shown(Platform::Telegram)
            .iter()
            .all(|shown| !shown.contains('<'))
    );
}
