//! A message that waits for a person, and a tool call that nobody told the end of.

use super::{ask, end, noes, received, running};
use foldback_wire::{Kind, RunId, StopReason, Terminal, ToolCall, ToolStatus};

#[test]
fn a_message_that_waited_over_a_stop_for_too_long_waits_for_a_person_until_its_turn_has_come() {
    let mut story = received();
    let aged = Kind::Queued {
        position: 1,
        runs: None,
        needs_consent: true,
    };
    story.at(900_000, aged);
    let why = ask(&story);
    assert_eq!(noes(&why), [("queue", Some("outbox.max_age"))]);
    assert!(
        why.answer
            .starts_with("Still running: the message waited over a stop for longer"),
        "{}",
        why.answer
    );
    story.at(900_500, Kind::Dequeued { waited_ms: 500 });
    assert_eq!(noes(&ask(&story)), []);
}

#[test]
fn a_tool_call_that_ended_with_its_run_is_named_and_keeps_no_answer_back() {
    let mut story = running();
    story.at(
        20,
        Kind::Tool {
            call: ToolCall {
                status: ToolStatus::Running,
                ..ToolCall::unfinished("t1".into(), "search".to_owned())
            },
        },
    );
    story.at(
        30,
        Kind::Tool {
            call: ToolCall::unfinished("t1".into(), "search".to_owned()),
        },
    );
    story.at(
        31,
        Kind::RunEnded {
            run: RunId(1),
            reason: StopReason::End,
        },
    );
    let why = end(story, Terminal::Replied);
    assert_eq!(noes(&why), []);
    let told = |text: &str| why.steps.iter().filter(|step| step.text == text).count();
    assert_eq!(
        told("the agent called search and did not tell how that ended"),
        1,
        "{why:?}"
    );
}
