//! A turn that waits.

use crate::story::{Story, inbound};
use foldback_api::TurnFold;
use foldback_wire::{Kind, TurnId};

#[test]
fn a_turn_waits_until_it_is_begun_and_one_that_was_taken_up_by_another_process_too() {
    for begins in [
        Kind::Dequeued { waited_ms: 20 },
        Kind::Prepared { prompt: "Hi".into() },
    ] {
        let mut story = Story::default();
        let waits = |story: &Story| {
            TurnFold::of(TurnId(7), &story.events)
                .detail()
                .unwrap()
                .summary
                .queued
        };
        story.at(
            0,
            Kind::Received {
                message: Box::new(inbound()),
            },
        );
        assert!(!waits(&story));
        story.at(
            1,
            Kind::Queued {
                position: 1,
                runs: None,
                needs_consent: false,
            },
        );
        assert!(waits(&story));
        story.at(20, begins);
        assert!(!waits(&story));
    }
}
