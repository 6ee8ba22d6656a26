//! The turn at a byte: the scanner reads exactly so many.

use crate::story::{RAW, Story, inbound, reaction_then_text, telegram};
use foldback_api::TurnFold;
use foldback_directives::{HoldReason, Settings, Span};
use foldback_wire::{Event, Kind, TurnId};

fn fold(events: &[Event], seq: u64) -> TurnFold {
    TurnFold::until(TurnId(7), events, seq)
}

#[test]
fn at_a_byte_the_scanner_reads_exactly_so_many() {
    let (story, places) = reaction_then_text();
    let at_byte = |bytes| {
        fold(&story.events, places.held)
            .moment_at_byte(&telegram(), &story.events, (0, bytes), &Settings::default())
            .unwrap()
    };
    let in_tag = at_byte(30);
    let message = &in_tag.messages[0];
    assert_eq!((message.raw_bytes, message.released.as_str()), (30, ""));
    assert_eq!(message.hold.as_ref().unwrap().reason, HoldReason::OpenBlock);
    assert_eq!(
        message.held_since_ms,
        Some(100),
        "it has been open since the first chunk"
    );
    assert!(in_tag.directives.is_empty());

    let closed = at_byte(RAW.find("Gr").unwrap() + 2);
    assert_eq!(closed.messages[0].released, "Gr");
    assert_eq!(closed.messages[0].hold, None);
    assert_eq!(closed.directives.len(), 1);
    assert_eq!(
        closed.directives[0].op, None,
        "at this event it was not yet carried out"
    );

    let whole = at_byte(RAW.len());
    let journalled = fold(&story.events, places.end).moment(&telegram()).unwrap();
    assert_eq!(whole.messages, journalled.messages);
}

#[test]
fn a_byte_inside_a_character_is_rounded_down() {
    let mut story = Story::default();
    story.at(
        0,
        Kind::Received {
            message: Box::new(inbound()),
        },
    );
    let end = story.at(
        5,
        Kind::Chunk {
            message: 0,
            span: Span::new(0, 4),
            text: "né!".into(),
            came: None,
        },
    );
    let moment = fold(&story.events, end)
        .moment_at_byte(&telegram(), &story.events, (0, 2), &Settings::default())
        .unwrap();
    assert_eq!(
        (moment.messages[0].raw_bytes, moment.messages[0].released.as_str()),
        (1, "n")
    );
}
