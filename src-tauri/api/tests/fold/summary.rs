//! A turn in one line of the list.

use crate::story::{BEGAN, CLEAN, Story, hold, inbound, reaction_then_text, telegram};
use foldback_api::TurnFold;
use foldback_wire::{
    ActionEnded, ActionRefusal, ActionRefusalCode, ActionStarted, DeliveryAccepted, DeliveryOutcome,
    HoldReason, Kind, PerformedAction, SilentReason, Terminal, Timestamp, TurnId,
    rpc::{ActionCounts, Lane},
};

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
fn the_end_of_a_turn_of_actions_is_told_alike_in_the_list_the_story_and_its_card() {
    let message = Box::new(inbound());
    let refused = |index, code| {
        Kind::ActionRefused(ActionRefusal {
            index,
            name: "bash".to_owned(),
            code,
            detail: "no".to_owned(),
            findings: Vec::new(),
            setting: None,
            decided_by: None,
        })
    };
    let mut story = Story::default();
    story.at(0, Kind::Received { message });
    story.at(10, refused(0, ActionRefusalCode::PayloadInvalid));
    assert_eq!(
        counts(&story),
        (0, vec![ActionRefusalCode::PayloadInvalid], 0),
        "as long as it is not corrected"
    );
    // The agent writes the first one anew; of the last one nobody knows how it ended.
    for index in [1, 2] {
        let action = PerformedAction {
            name: "bash".to_owned(),
            command: None,
        };
        let allowed_by = None;
        story.at(
            20,
            Kind::ActionStarted(ActionStarted {
                index,
                action,
                allowed_by,
            }),
        );
    }
    let ended = ActionEnded {
        index: 1,
        name: "bash".to_owned(),
        outcome: DeliveryOutcome::Output,
        exit: Some(0),
        note: None,
        bytes: 2,
    };
    story.at(21, Kind::ActionEnded(ended));
    story.at(22, refused(3, ActionRefusalCode::Denied));
    assert_eq!(
        counts(&story),
        (1, vec![ActionRefusalCode::Denied], 0),
        "the last one runs"
    );
    let (id, turn) = ("actions-7".into(), TurnId(8));
    story.at(23, Kind::DeliveryAccepted(DeliveryAccepted { id, turn }));
    let terminal = Terminal::Silent {
        reason: SilentReason::DirectivesOnly,
    };
    story.at(24, Kind::TurnEnded { terminal });
    assert_eq!(counts(&story), (1, vec![ActionRefusalCode::Denied], 1));
    let fold = TurnFold::of(TurnId(7), &story.events);
    let said = "It asked for 3 actions, of which 1 was not carried out (denied); the answer is in turn 8";
    assert_eq!(fold.detail().unwrap().decisions.last().unwrap().text, said);
    let card = fold.moment(&telegram()).unwrap().decision.unwrap();
    assert_eq!(card.effect, format!("{said}."));
}

fn counts(story: &Story) -> (u32, Vec<ActionRefusalCode>, u32) {
    let summary = TurnFold::of(TurnId(7), &story.events).summary().unwrap();
    let ActionCounts {
        carried_out,
        refused,
        unknown,
    } = summary.actions.unwrap();
    (carried_out, refused, unknown)
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
