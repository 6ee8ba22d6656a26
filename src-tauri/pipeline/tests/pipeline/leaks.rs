//! The leak alarm, with a scanner or a delivery that is sabotaged: what it holds, what it read as markup, or the
//! raw text is shown all the same.

use crate::bot::{Bot, World, later, text};
use foldback_channels::platform;
use foldback_pipeline::{Rule, Rules};
use foldback_wire::{Body, Event, Kind, OpId, OpKind, Span};

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
    bot.turn(platform::TELEGRAM, "hi").await;
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
        bot.ever_shown(platform::TELEGRAM)
            .iter()
            .any(|shown| shown == SHOWN),
        "the sabotage works: {:?}",
        bot.ever_shown(platform::TELEGRAM)
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

/// Raw text with every kind of markup, in chunks.
const MARKED: [&str; 4] = [
    "[[reply_to_current]] [[silent:true]]\nSure",
    " <actions><react emoji=\"eyes\" /></actions>",
    "thing.\n<voice>else</voice>\nEverything is",
    " said. <no-reply/>",
];

async fn marked(rules: Rules) -> (Bot, Vec<Event>) {
    let bot = Bot::in_world(World::new(), "", rules).await;
    bot.says(MARKED.map(|chunk| later(5_000, chunk)));
    bot.turn(platform::TELEGRAM, "hi").await;
    let events = bot.events().await;
    (bot, events)
}

#[tokio::test(start_paused = true)]
async fn a_scanner_that_shows_what_it_read_as_markup_is_found_out() {
    let (bot, events) = marked(Rules::without(Rule::ScanStrip)).await;
    let last = bot.screen(platform::TELEGRAM).join("\n");
    assert!(last.contains("<react"), "the sabotage works: {last:?}");
    let range = |event: &Event| match &event.kind {
        Kind::Decided { range, .. } => Some(range.span),
        _ => None,
    };
    let ranges: Vec<Span> = events.iter().filter_map(range).collect();
    assert!(
        ranges.windows(2).all(|pair| pair[0].end == pair[1].start),
        "every range follows the one before: {ranges:?}"
    );
    let raw = MARKED.concat();
    let mut leaked: Vec<_> = leaks(&events).iter().map(|leak| leak.2.of(&raw)).collect();
    leaked.sort_unstable();
    leaked.dedup();
    assert_eq!(
        leaked,
        [
            "<no-reply/>",
            "<react emoji=\"eyes\" />",
            "<voice>else</voice>",
            "[[reply_to_current]] [[silent:true]]",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn the_text_of_a_reply_that_is_suppressed_is_a_leak() {
    let bot = Bot::in_world(World::new(), "", Rules::without(Rule::ScanStrip)).await;
    bot.says([text("NO_REPLY")]);
    bot.turn(platform::TELEGRAM, "hi").await;
    let leaks = leaks(&bot.events().await);
    let spans: Vec<_> = leaks.iter().map(|leak| leak.2).collect();
    assert_eq!(spans, [Span::new(0, 8)]);
}

#[tokio::test(start_paused = true)]
async fn a_delivery_that_sends_raw_text_for_a_place_of_the_clean_text_is_found_out() {
    let (bot, events) = marked(Rules::without(Rule::DeliverClean)).await;
    let last = bot.screen(platform::TELEGRAM).join("\n");
    assert!(last.contains("<react"), "the sabotage works: {last:?}");
    let leaks = leaks(&events);
    let mut told = 0;
    for event in &events {
        let Kind::Intended { op, intent } = &event.kind else {
            continue;
        };
        // The journal has a place of the clean text; the platform was given something else.
        if let Some(Body::Clean { .. }) = intent.body {
            let of_op: Vec<_> = leaks.iter().filter(|leak| leak.0 == *op).collect();
            assert_eq!(of_op.len(), 1, "{op} is told of once: {leaks:?}");
            assert_eq!(of_op[0].2.start, 0, "from the header on");
            told += 1;
        }
    }
    assert!(told > 2, "live frames too: {leaks:?}");
    assert_eq!(leaks.len(), told);
}

#[tokio::test(start_paused = true)]
async fn a_sound_scanner_and_delivery_raise_no_alarm() {
    let (bot, events) = streamed(Rules::all()).await;
    assert_eq!(leaks(&events), []);
    assert!(
        bot.ever_shown(platform::TELEGRAM)
            .iter()
            .all(|shown| !shown.contains('<'))
    );
    let (_, events) = marked(Rules::all()).await;
    assert_eq!(leaks(&events), []);
}

#[tokio::test(start_paused = true)]
async fn a_text_that_is_cut_in_a_fence_and_in_a_table_raises_no_alarm() {
    let bot = Bot::in_world(World::new(), "", Rules::all()).await;
    let code = "let x = 1; // <react emoji=\"eyes\"/>\n".repeat(300);
    let rows = "| a row | of a table |\n".repeat(300);
    let long = format!("Look. <react emoji=\"eyes\"/>\n```rust\n{code}```\n\n| x | y |\n|---|---|\n{rows}");
    bot.says([text(&long), later(9_000, " Done.")]);
    bot.turn(platform::TELEGRAM, "hi").await;
    let events = bot.events().await;
    let repaired = |event: &&Event| matches!(&event.kind, Kind::Intended { intent, .. } if matches!(intent.body, Some(Body::Literal { .. })));
    assert!(events.iter().filter(repaired).count() > 3);
    assert_eq!(leaks(&events), []);
}
