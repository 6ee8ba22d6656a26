//! Turns that a gate, a failure or a person ended.

use crate::story::{Story, detail, inbound};
use foldback_wire::{Actor, Answerer, Gate, Kind, RunId, Stage, StopReason, Terminal, rpc::Lane};
use std::collections::BTreeMap;

#[test]
fn a_stopped_message_ends_in_its_gate() {
    let mut story = Story::default();
    story.at(
        0,
        Kind::Received {
            message: Box::new(inbound()),
        },
    );
    story.at(
        3,
        Kind::Stopping {
            stage: Stage::Authorize,
            gate: Gate::SenderNotAllowed,
            detail: "alice is not in channels.telegram.allow_from".into(),
            inputs: BTreeMap::new(),
            setting: None,
            source: None,
        },
    );
    let terminal = Terminal::Blocked {
        gate: Gate::SenderNotAllowed,
    };
    story.at(
        3,
        Kind::TurnEnded {
            terminal: terminal.clone(),
        },
    );
    let detail = detail(&story);
    assert_eq!(detail.summary.terminal, Some(terminal));
    assert_eq!(detail.summary.answer, "");
    let bar = &detail.lanes[0];
    assert_eq!(
        (bar.label.as_str(), bar.error, bar.until_ms),
        ("sender_not_allowed", true, Some(3))
    );
    let stopping = &detail.decisions[1];
    assert_eq!(
        stopping.text,
        "sender_not_allowed: alice is not in channels.telegram.allow_from"
    );
}

#[test]
fn who_steps_in_is_who_answered_and_who_failed_keeps_its_bar() {
    let mut story = Story::default();
    story.at(
        0,
        Kind::Received {
            message: Box::new(inbound()),
        },
    );
    story.at(
        10,
        Kind::RunStarted {
            run: RunId(1),
            backend: "anthropic".into(),
            model: Some("claude".into()),
        },
    );
    story.at(
        20,
        Kind::Retrying {
            attempt: 2,
            after_ms: 0,
            detail: "anthropic claude: overloaded: HTTP 529: busy".into(),
            next: Some(Answerer {
                backend: "openai".into(),
                model: Some("gpt".into()),
            }),
        },
    );
    story.at(
        30,
        Kind::RunEnded {
            run: RunId(1),
            reason: StopReason::End,
        },
    );
    let detail = detail(&story);
    assert_eq!(detail.agent.as_deref(), Some("openai gpt"));
    let bars: Vec<_> = detail
        .lanes
        .iter()
        .filter(|bar| bar.lane == Lane::Agent)
        .map(|bar| (bar.from_ms, bar.until_ms, bar.label.as_str(), bar.error))
        .collect();
    assert_eq!(
        bars,
        [(10, Some(20), "failed", true), (20, Some(30), "gpt", false)]
    );
}

#[test]
fn a_turn_that_a_person_stopped_has_failed_without_an_error() {
    for stopped in [true, false] {
        let mut story = Story::default();
        story.at(
            0,
            Kind::Received {
                message: Box::new(inbound()),
            },
        );
        if stopped {
            story.at(
                10,
                Kind::RunCancelled {
                    by: Actor::Console,
                    interrupted_by: None,
                },
            );
        }
        let terminal = Terminal::Failed {
            detail: "it was cancelled".into(),
        };
        story.at(20, Kind::TurnEnded { terminal });
        let detail = detail(&story);
        assert!(matches!(detail.summary.terminal, Some(Terminal::Failed { .. })));
        assert_eq!(detail.summary.stopped, stopped);
        let end = detail.decisions.last().unwrap();
        assert_eq!((end.seq, end.error), (if stopped { 3 } else { 2 }, !stopped));
    }
}
