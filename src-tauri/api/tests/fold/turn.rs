//! The whole turn.

use crate::story::{BEGAN, CLEAN, RAW, Story, asked, hold, inbound, range, reaction_then_text};
use foldback_api::TurnFold;
use foldback_wire::{
    Actor, Answerer, Fate, Gate, HoldReason, Kind, RangeReason, RunId, Stage, StopReason, Terminal,
    Timestamp, ToolCall, ToolStatus, TurnId,
    rpc::{DecisionKind, Lane, TurnDetail},
};
use std::collections::BTreeMap;

fn detail(story: &Story) -> TurnDetail {
    TurnFold::of(TurnId(7), &story.events).detail().unwrap()
}

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

/// The bars of the tools' lane: from, until, and what they are.
fn tool_bars(detail: &TurnDetail) -> Vec<(u64, Option<u64>, &str)> {
    let bars = detail.lanes.iter().filter(|bar| bar.lane == Lane::Tools);
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
        .map(|stroke| (stroke.lane, stroke.from_ms, stroke.until_ms))
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
    let held = summary.strokes.iter().filter(|stroke| stroke.lane == Lane::Held);
    assert!(held.clone().count() <= 121, "{}", held.count());
    assert_eq!(summary.longest_hold.unwrap().ms, 2);
    assert_eq!(summary.latency_ms, None);
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
fn events_of_other_turns_are_not_its_own() {
    let (story, _) = reaction_then_text();
    let other = TurnFold::of(TurnId(8), &story.events);
    assert_eq!((other.head(), other.detail()), (0, None));
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
            story.at(10, Kind::RunCancelled { by: Actor::Console });
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
