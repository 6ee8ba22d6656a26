//! A turn in one line of the list.

use crate::story::{BEGAN, CLEAN, Story, hold, inbound, reaction_then_text};
use foldback_api::TurnFold;
use foldback_wire::{HoldReason, Kind, Timestamp, TurnId, rpc::Lane};

#[test]
fn the_summary_is_one_line() {
    let (story, places) = reaction_then_text();
    let fold = TurnFold::of(TurnId(7), &story.events);
    let summary = fold.summary().unwrap();
    assert_eq!(summary.at, Timestamp(BEGAN));
    assert_eq!(
        (summary.sender.as_str(), summary.user_text.as_str()),
        ("Alice", "How was my talk?")
    );
    assert_eq!(summary.answer, CLEAN);
    assert_eq!(
        (summary.directives, summary.diagnostics, summary.failed_ops),
        (1, 0, 0)
    );
    assert_eq!(summary.took_ms, 1_760);
    assert_eq!(fold.head(), places.end);
    assert!(fold.settled());
}

#[test]
fn the_summary_has_latency_longest_hold_and_the_waterfall_in_small() {
    let (story, _) = reaction_then_text();
    let fold = TurnFold::of(TurnId(7), &story.events);
    let summary = fold.summary().unwrap();
    // The reaction was there earlier, but a person waits for the text.
    assert_eq!(summary.latency_ms, Some(250));
    let longest = summary.longest_hold.unwrap();
    assert_eq!((longest.ms, longest.reason), (40, HoldReason::OpenBlock));
    let strokes: Vec<_> = summary
        .strokes
        .iter()
        .flat_map(|of| of.sound.iter().map(|stroke| (of.lane, stroke.0, stroke.1)))
        .collect();
    assert_eq!(
        strokes,
        [
            (Lane::Inbound, 0, 10),
            (Lane::Agent, 10, 310),
            (Lane::Held, 100, 140),
            // Two operations so close to each other that a row cannot tell them apart.
            (Lane::Delivery, 141, 250),
            (Lane::Delivery, 1_700, 1_750),
        ]
    );
}

#[test]
fn a_turn_with_a_thousand_holds_has_no_more_strokes_than_a_row_can_show() {
    let mut story = Story::default();
    let message = Box::new(inbound());
    story.at(0, Kind::Received { message });
    for n in 0..1_000 {
        let word = hold(n, n + 1, HoldReason::TrailingSpace);
        story.at(
            n as i64 * 10,
            Kind::Held {
                message: 0,
                hold: word,
            },
        );
        story.at(n as i64 * 10 + 2, Kind::Released { message: 0 });
    }
    let summary = TurnFold::of(TurnId(7), &story.events).summary().unwrap();
    let held = summary.strokes.iter().find(|lane| lane.lane == Lane::Held);
    let held = held.unwrap().sound.len();
    assert!((1..=121).contains(&held), "{held}");
    assert_eq!(summary.longest_hold.unwrap().ms, 2);
    assert_eq!(summary.latency_ms, None);
}
