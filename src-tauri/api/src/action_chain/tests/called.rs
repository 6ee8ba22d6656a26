//! Actions that tool calls ask for within a run.

use super::*;
use foldback_wire::{
    ActionAnswered, ActionEnded, ActionRefusal, ActionRefusalCode, ActionStarted, DeliveryOutcome,
    PerformedAction, RunId, StopReason,
};

/// A turn whose model called `bash` twice, and that is still at work.
fn called(text: &str) -> MemoryJournal {
    let journal = played("json-actions/allowed.yaml");
    let events = wait(journal.turn(TurnId(1))).unwrap();
    let received = events[0].kind.clone();
    let started = |index, command: &str| {
        Kind::ActionStarted(ActionStarted {
            index,
            action: PerformedAction {
                name: "bash".to_owned(),
                command: Some(command.to_owned()),
            },
            allowed_by: None,
        })
    };
    let journal = MemoryJournal::new();
    let drafts = vec![
        draft(0, received),
        draft(100, started(0, "df -h")),
        draft(
            350,
            Kind::ActionEnded(ActionEnded {
                index: 0,
                name: "bash".to_owned(),
                outcome: DeliveryOutcome::Output,
                exit: Some(1),
                note: None,
                bytes: 9,
            }),
        ),
        draft(
            350,
            Kind::ActionAnswered(ActionAnswered {
                index: 0,
                text: text.to_owned(),
                is_error: false,
            }),
        ),
        draft(400, started(1, "uptime")),
    ];
    journal.append(drafts).unwrap();
    wait(journal.flush()).unwrap();
    journal
}

#[test]
fn a_call_has_the_result_that_went_back_within_the_run_and_one_without_an_end_has_none() {
    let data = r#"{"action":"bash","items":[{"text":"50 \u0026"}]}"#;
    let journal = called(data);
    let chain = chain(&journal, 1);
    assert_eq!(
        lines(&chain)[1..],
        ["  bash, `df -h`, called, output 1", "  bash, `uptime`, called"]
    );
    let first = action(&chain, 0);
    assert_eq!(first.end.as_ref().unwrap().took_ms, 250);
    assert_eq!(first.answer.as_ref().unwrap().text.as_deref(), Some(data));
    assert_eq!(chain.turns[0].terminal, None);
}

#[test]
fn what_a_text_asks_for_behind_the_run_is_no_call() {
    let journal = called("{}");
    let ended = Kind::RunEnded {
        run: RunId(1),
        reason: StopReason::End,
    };
    let refused = ActionRefusal {
        index: 2,
        name: "bash".to_owned(),
        code: ActionRefusalCode::NotPermitted,
        detail: "no".to_owned(),
        findings: Vec::new(),
        setting: None,
        decided_by: None,
    };
    journal
        .append(vec![draft(500, ended), draft(501, Kind::ActionRefused(refused))])
        .unwrap();
    wait(journal.flush()).unwrap();
    let told = lines(&chain(&journal, 1));
    assert_eq!(told[3], "  bash, refused not_permitted");
}
