//! Tool calls of a turn, and their bars in the waterfall.

use crate::story::{Story, asked, detail, inbound};
use foldback_wire::{
    ActionEnded, ActionStarted, Actor, DeliveryOutcome, Kind, PerformedAction, PermissionKind,
    PermissionOption, RunId, StopReason, Terminal, ToolCall, ToolStatus,
    rpc::{Lane, TurnDetail},
};

#[test]
fn reasoning_is_one_text_and_a_tool_call_is_what_was_last_said_of_it() {
    let mut story = Story::default();
    story.at(
        0,
        Kind::Received {
            message: Box::new(inbound()),
        },
    );
    let call = |status, result: Option<&str>| Kind::Tool {
        call: ToolCall {
            id: "call-1".into(),
            name: "search".to_owned(),
            status,
            arguments: Some("{}".to_owned()),
            result: result.map(str::to_owned),
        },
    };
    for text in ["They ask ", "about it."] {
        story.at(
            1,
            Kind::Reasoning {
                text: text.to_owned(),
            },
        );
    }
    story.at(2, call(ToolStatus::Running, None));
    story.at(3, call(ToolStatus::Completed, Some("found")));
    let detail = detail(&story);
    assert_eq!(detail.reasoning, "They ask about it.");
    let [tool] = detail.tools.as_slice() else {
        panic!("{:?}", detail.tools)
    };
    assert_eq!(
        (
            tool.call.status,
            tool.call.result.as_deref(),
            tool.at_ms,
            tool.took_ms
        ),
        (ToolStatus::Completed, Some("found"), 2, Some(1))
    );
}

fn tool(id: &str, status: ToolStatus) -> Kind {
    Kind::Tool {
        call: ToolCall {
            id: id.into(),
            name: "search".to_owned(),
            status,
            arguments: None,
            result: None,
        },
    }
}

/// The bars of tool calls, requests for permission and actions: from, until, and what they are.
fn tool_bars(detail: &TurnDetail) -> Vec<(u64, Option<u64>, &str)> {
    let of = [Lane::Tools, Lane::Permission, Lane::Actions];
    let bars = detail.lanes.iter().filter(|bar| of.contains(&bar.lane));
    bars.map(|bar| (bar.from_ms, bar.until_ms, bar.label.as_str()))
        .collect()
}

#[test]
fn with_the_run_ends_what_nobody_told_the_end_of() {
    let ends = [
        Kind::RunEnded {
            run: RunId(1),
            reason: StopReason::End,
        },
        Kind::TurnEnded {
            terminal: Terminal::Failed {
                detail: "the process ended".into(),
            },
        },
    ];
    for end in ends {
        let mut story = Story::default();
        story.at(
            0,
            Kind::Received {
                message: Box::new(inbound()),
            },
        );
        story.at(10, tool("done", ToolStatus::Running));
        story.at(20, tool("pending", ToolStatus::Pending));
        story.at(30, tool("running", ToolStatus::Running));
        story.at(40, tool("done", ToolStatus::Completed));
        story.at(50, asked());
        assert_eq!(
            tool_bars(&detail(&story)),
            [
                (10, Some(40), "search"),
                (20, None, "search"),
                (30, None, "search"),
                (50, None, "needs permission: Write notes.md")
            ]
        );
        story.at(60, end);
        story.at(
            900,
            Kind::TurnEnded {
                terminal: Terminal::Replied,
            },
        );
        let detail = detail(&story);
        assert_eq!(
            tool_bars(&detail),
            [
                (10, Some(40), "search"),
                (20, Some(60), "search, end not told"),
                (30, Some(60), "search, end not told"),
                (50, Some(60), "needs permission: Write notes.md, not answered")
            ]
        );
        let times: Vec<_> = detail.tools.iter().map(|t| (t.took_ms, t.lapsed_ms)).collect();
        assert_eq!(times, [(Some(30), None), (None, Some(60)), (None, Some(60))]);
    }
}

#[test]
fn the_wait_for_a_person_and_the_time_that_a_command_runs_are_bars_of_their_own() {
    let mut story = Story::default();
    let message = Box::new(inbound());
    story.at(0, Kind::Received { message });
    let (run, reason) = (RunId(1), StopReason::End);
    story.at(10, Kind::RunEnded { run, reason });
    story.at(20, asked());
    story.at(
        4_020,
        Kind::PermissionDecided {
            id: "p1".into(),
            option: Some(PermissionOption {
                id: "yes".into(),
                name: "Yes".to_owned(),
                kind: PermissionKind::AllowOnce,
            }),
            by: Actor::Console,
            why: String::new(),
            decided_by: None,
        },
    );
    let begun = |index, command: &str| {
        Kind::ActionStarted(ActionStarted {
            index,
            action: PerformedAction {
                name: "bash".to_owned(),
                command: Some(command.to_owned()),
            },
            allowed_by: None,
        })
    };
    story.at(4_030, begun(0, "df -h"));
    story.at(
        6_030,
        Kind::ActionEnded(ActionEnded {
            index: 0,
            name: "bash".to_owned(),
            outcome: DeliveryOutcome::Error,
            exit: None,
            note: None,
            bytes: 0,
        }),
    );
    story.at(6_040, begun(1, "sleep 9"));
    let lanes = |detail: &TurnDetail| -> Vec<_> {
        let bars = detail.lanes.iter().filter(|bar| bar.from_ms > 10);
        bars.map(|bar| (bar.lane, bar.from_ms, bar.until_ms, bar.label.clone(), bar.error))
            .collect()
    };
    let asked = (
        Lane::Permission,
        20,
        Some(4_020),
        "needs permission: Write notes.md".to_owned(),
        false,
    );
    let ran = (Lane::Actions, 4_030, Some(6_030), "bash: df -h".to_owned(), true);
    let runs = |until, label: &str| (Lane::Actions, 6_040, until, label.to_owned(), false);
    assert_eq!(
        lanes(&detail(&story)),
        [asked.clone(), ran.clone(), runs(None, "bash: sleep 9")]
    );
    let terminal = Terminal::Replied;
    story.at(7_000, Kind::TurnEnded { terminal });
    assert_eq!(
        lanes(&detail(&story)),
        [asked, ran, runs(Some(7_000), "bash: sleep 9, end not told")]
    );
}

#[test]
fn a_call_that_the_journal_ends_with_its_run_has_no_time_of_its_own() {
    let mut story = Story::default();
    story.at(
        0,
        Kind::Received {
            message: Box::new(inbound()),
        },
    );
    story.at(10, tool("t1", ToolStatus::Running));
    story.at(60, tool("t1", ToolStatus::Unfinished));
    let detail = detail(&story);
    assert_eq!(tool_bars(&detail), [(10, Some(60), "search, end not told")]);
    let entry = &detail.tools[0];
    assert_eq!(
        (entry.call.status, entry.took_ms, entry.lapsed_ms),
        (ToolStatus::Unfinished, None, Some(60))
    );
}

#[test]
fn a_call_of_an_attempt_that_failed_is_over_until_it_is_told_of_again() {
    let mut story = Story::default();
    story.at(
        0,
        Kind::Received {
            message: Box::new(inbound()),
        },
    );
    story.at(10, tool("t1", ToolStatus::Running));
    story.at(
        20,
        Kind::Retrying {
            attempt: 2,
            after_ms: 0,
            detail: "overloaded".into(),
            next: None,
        },
    );
    assert_eq!(
        tool_bars(&detail(&story)),
        [(10, Some(20), "search, end not told")]
    );
    story.at(30, tool("t1", ToolStatus::Running));
    assert_eq!(tool_bars(&detail(&story)), [(10, None, "search")]);
    story.at(40, tool("t1", ToolStatus::Failed));
    assert_eq!(tool_bars(&detail(&story)), [(10, Some(40), "search")]);
}
