//! The whole turn: texts, holds, directives, decisions, the waterfall.

use crate::story::{CLEAN, RAW, detail, range, reaction_then_text};
use foldback_api::TurnFold;
use foldback_wire::{
    Fate, RangeReason, TurnId,
    rpc::{DecisionKind, Lane},
};

#[test]
fn raw_text_clean_text_and_a_partition_come_out_of_chunks_and_ranges() {
    let message = &detail(&reaction_then_text().0).messages[0];
    assert_eq!(message.raw, RAW);
    assert_eq!(message.clean, CLEAN);
    assert!(message.ended && !message.narration);
    // The text was decided in two pieces; the map shows one.
    assert_eq!(
        message.ranges,
        [
            range(0, 49, Fate::Strip, Some(RangeReason::ActionsBlock)),
            range(49, 50, Fate::Drop, Some(RangeReason::Trim)),
            range(50, 61, Fate::Show, None),
        ]
    );
    let chunks: Vec<_> = message
        .chunks
        .iter()
        .map(|c| (c.at_ms, c.span.start, c.span.end))
        .collect();
    // Times count from the message, as those of everything else.
    assert_eq!(chunks, [(100, 0, 21), (140, 21, 55), (300, 55, 61)]);
}

#[test]
fn a_hold_that_grows_is_one_hold() {
    let holds = detail(&reaction_then_text().0).messages.remove(0).holds;
    assert_eq!(holds.len(), 1);
    assert_eq!((holds[0].from_ms, holds[0].until_ms), (100, Some(140)));
    assert_eq!(holds[0].hold.span.end, 40, "the hold as it was last");
}

#[test]
fn a_directive_points_to_its_operation_and_outcome() {
    let directive = &detail(&reaction_then_text().0).directives[0];
    assert_eq!(directive.op.map(|op| op.0), Some(1));
    assert_eq!(directive.outcome.as_ref().unwrap().code.code(), "sent");
    assert_eq!((directive.at_ms, directive.took_ms), (140, Some(51)));
}

#[test]
fn every_step_is_a_decision_in_order_and_only_the_start_of_a_hold_is_one() {
    let decisions = detail(&reaction_then_text().0).decisions;
    assert!(decisions.is_sorted_by_key(|d| d.seq));
    let count = |kind| decisions.iter().filter(|d| d.kind == kind).count();
    assert_eq!(count(DecisionKind::Chunk), 3);
    assert_eq!(count(DecisionKind::Hold), 1);
    assert_eq!(count(DecisionKind::Range), 4);
    assert_eq!(count(DecisionKind::Directive), 1);
    assert_eq!(count(DecisionKind::Delivery), 3 * 3 + 1);
    let read = decisions
        .iter()
        .find(|d| d.kind == DecisionKind::Directive)
        .unwrap();
    assert_eq!(read.text, "react thumbsup");
    assert_eq!(read.span.unwrap().of(RAW), "<react emoji=\"thumbsup\" />");
    assert!(decisions.iter().all(|d| !d.error));
}

#[test]
fn the_waterfall_has_a_bar_for_everything_that_took_time() {
    let lanes = detail(&reaction_then_text().0).lanes;
    let of = |lane| -> Vec<_> {
        let bars = lanes.iter().filter(|b| b.lane == lane);
        bars.map(|b| (b.from_ms, b.until_ms.unwrap(), b.label.as_str()))
            .collect()
    };
    assert_eq!(of(Lane::Inbound), [(0, 10, "inbound")]);
    assert_eq!(of(Lane::Agent), [(10, 310, "script")]);
    assert_eq!(of(Lane::Held), [(100, 140, "open_block")]);
    assert_eq!(of(Lane::Directives), [(140, 191, "react")]);
    assert_eq!(
        of(Lane::Delivery),
        [
            (141, 191, "react"),
            (200, 250, "send_text"),
            (1_700, 1_750, "edit_text")
        ]
    );
}

#[test]
fn deliveries_are_those_that_replay_prints() {
    let deliveries = detail(&reaction_then_text().0).deliveries;
    let printed: Vec<_> = deliveries
        .iter()
        .map(|d| {
            (
                d.op.code(),
                d.message.as_ref().unwrap().as_str(),
                d.text.as_deref(),
                d.emoji.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        printed,
        [
            ("react", "m1", None, Some("👍")),
            ("send_text", "b1", Some("Great"), None),
            ("edit_text", "b1", Some(CLEAN), None),
        ]
    );
}

#[test]
fn a_live_turn_grows_event_by_event_into_the_same() {
    let (story, _) = reaction_then_text();
    let mut live = TurnFold::new(TurnId(7));
    for (n, event) in story.events.iter().enumerate() {
        live.push(event);
        live.push(event);
        let anew = TurnFold::of(TurnId(7), &story.events[..=n]);
        assert_eq!(live.detail(), anew.detail(), "after event {}", event.seq);
        assert_eq!(live.settled(), n + 1 == story.events.len());
    }
}

#[test]
fn events_of_other_turns_are_not_its_own() {
    let (story, _) = reaction_then_text();
    let other = TurnFold::of(TurnId(8), &story.events);
    assert_eq!((other.head(), other.detail()), (0, None));
}
