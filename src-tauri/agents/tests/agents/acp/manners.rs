//! What real agents do differently, row by row: each of these was seen in one of them.

use super::{Bench, failed, option, tool, until_asked};
use crate::support::{resuming, said};
use foldback_agents::{Secret, Step};
use foldback_wire::{AgentFault, PermissionKind, RunId, SessionStart, StopReason, ToolCall, ToolStatus};
use std::time::Duration;

const MANNERS: [&str; 3] = ["opencode", "codex", "other"];

fn calls(steps: &[Step]) -> Vec<&ToolCall> {
    steps.iter().filter_map(call_of).collect()
}

fn call_of(step: &Step) -> Option<&ToolCall> {
    match step {
        Step::Tool(call) => Some(call),
        _ => None,
    }
}

#[tokio::test]
async fn ids_are_zero_or_text_and_stand_where_they_like() {
    // The answer is heard only under the very id of the request; codex puts its own ids last, too.
    for manner in MANNERS {
        let bench = Bench::new(manner);
        assert_eq!(
            said(&bench.ask(1, "asks").await),
            "-32601 -32601 -32601",
            "{manner}"
        );
        bench.end().await;
    }
}

#[tokio::test]
async fn a_tool_that_asks_is_one_call_in_whatever_order_it_comes() {
    for manner in MANNERS {
        let bench = Bench::new(manner);
        let (asked, steps) = tool(&bench, 1, Some(PermissionKind::AllowOnce)).await;
        assert_eq!(asked.tool, Some("t1".into()), "{manner}");
        assert_eq!(
            (asked.title.as_str(), asked.does.as_str()),
            ("cat notes", "execute")
        );
        assert_eq!(asked.arguments.as_deref(), Some(r#"{"command":"cat notes"}"#));
        let calls = calls(&steps);
        assert!(
            calls.iter().all(|call| call.id == "t1".into()),
            "{manner}: {calls:?}"
        );
        let stands: Vec<ToolStatus> = calls.iter().map(|call| call.status).collect();
        let expected = [ToolStatus::Pending, ToolStatus::Running, ToolStatus::Completed];
        let expected = if manner == "opencode" {
            &expected[..]
        } else {
            &expected[1..]
        };
        assert_eq!(stands, expected, "{manner}: growing arguments are no news");
        let last = calls.last().expect("a call");
        assert_eq!(last.result.as_deref(), Some("the notes"));
        bench.end().await;
    }
}

#[tokio::test]
async fn a_secret_that_a_tool_prints_is_hidden() {
    let bench = Bench::with("opencode", |config| config.secrets.push(Secret::new("notes")));
    let (asked, steps) = tool(&bench, 1, Some(PermissionKind::AllowOnce)).await;
    assert_eq!(
        asked.title, "cat notes",
        "the pipeline masks a request, and can uncover it"
    );
    assert!(!format!("{:?}", calls(&steps)).contains("notes"), "{steps:?}");
    bench.end().await;
}

/// What is dangerous about a command may stand at its end.
#[tokio::test]
async fn a_permission_is_asked_with_the_whole_command() {
    let bench = Bench::new("opencode");
    let mut running = bench.start(1, "hides 100000");
    let (_, asked) = until_asked(&mut running).await;
    let arguments = asked.arguments.expect("arguments");
    assert!(
        arguments.len() > 100_000 && arguments.ends_with("yyy; rm -rf ~\"}"),
        "{}",
        arguments.len()
    );
    running.cancel.cancel();
    running.rest().await;
    bench.end().await;
}

#[tokio::test]
async fn an_option_is_chosen_by_its_kind() {
    for (manner, once, always) in [
        ("opencode", "once", "always"),
        ("codex", "approved", "approved-execpolicy-amendment"),
        ("other", "b", "a"),
    ] {
        let bench = Bench::new(manner);
        for (run, kind, id) in [
            (1, PermissionKind::AllowOnce, once),
            (2, PermissionKind::AllowAlways, always),
        ] {
            let (asked, steps) = tool(&bench, run, Some(kind)).await;
            assert_eq!(option(&asked, kind).id, id);
            assert_eq!(said(&steps), format!("chose {id}"), "{manner}");
        }
        bench.end().await;
    }
}

#[tokio::test]
async fn after_a_rejection_a_run_ends_without_a_word_or_goes_on() {
    for manner in MANNERS {
        // Chosen by a person, and not chosen by anybody.
        for kind in [Some(PermissionKind::RejectOnce), None] {
            let bench = Bench::new(manner);
            let (_, steps) = tool(&bench, 1, kind).await;
            // Not to choose is no rejection: whoever hears one may go on.
            let words = if manner == "other" && kind.is_some() {
                "Then not."
            } else {
                ""
            };
            assert_eq!(said(&steps), words, "{manner}");
            assert_eq!(
                steps.last(),
                Some(&Step::Done(StopReason::End)),
                "{manner}: nobody cancelled"
            );
            assert!(
                calls(&steps)
                    .iter()
                    .all(|call| call.status != ToolStatus::Completed),
                "{manner}"
            );
            assert_eq!(said(&bench.ask(2, "say on").await), "on", "{manner}");
            bench.end().await;
        }
    }
}

#[tokio::test]
async fn a_cancel_in_the_stream_ends_the_run_and_keeps_the_session() {
    for manner in MANNERS {
        let bench = Bench::new(manner);
        let mut running = bench.start(1, "stall half");
        while said(&[running.next().await]) != "half" {}
        running.cancel.cancel();
        assert_eq!(
            running.rest().await,
            [Step::Done(StopReason::Cancelled)],
            "{manner}"
        );
        // The same process in the same session: it says nothing about a new one.
        let steps = bench.ask(2, "say whole").await;
        assert_eq!(said(&steps), "whole", "{manner}");
        assert!(
            !steps.iter().any(|step| matches!(step, Step::Session { .. })),
            "{manner}: {steps:?}"
        );
        bench.end().await;
    }
}

#[tokio::test]
async fn a_cancel_while_a_permission_is_waited_for_answers_it_as_cancelled() {
    for manner in MANNERS {
        let bench = Bench::new(manner);
        let mut running = bench.start(1, "tool");
        let (_, asked) = until_asked(&mut running).await;
        running.cancel.cancel();
        assert_eq!(
            running.rest().await,
            [Step::Done(StopReason::Cancelled)],
            "{manner}"
        );
        // Too late, and the run is over: it changes nothing.
        bench.agent.decide(
            RunId(1),
            &asked.id,
            Some(option(&asked, PermissionKind::AllowOnce)),
        );
        let steps = bench.ask(2, "say next").await;
        assert_eq!(
            said(&steps),
            "next",
            "{manner}: the agent was answered, or it would not have heard this"
        );
        bench.end().await;
    }
}

#[tokio::test]
async fn an_error_of_the_model_is_the_end_of_the_run_alone() {
    let bench = Bench::new("codex");
    let steps = bench.ask(1, "error").await;
    assert_eq!(
        failed(&steps),
        (
            AgentFault::Internal,
            "session/prompt: the model answered 500 (-32603)"
        )
    );
    assert_eq!(failed(&bench.ask(2, "sign-in").await).0, AgentFault::Unauthorized);
    assert_eq!(said(&bench.ask(3, "say still here").await), "still here");
    bench.end().await;
}

#[tokio::test]
async fn an_agent_that_hides_an_error_in_silence_is_given_up() {
    for manner in ["opencode", "other"] {
        let bench = Bench::new(manner);
        let mut running = bench.start(1, "silent");
        assert!(matches!(running.next().await, Step::Session { .. }));
        tokio::time::sleep(Duration::from_millis(50)).await;
        bench.clock.jump(Duration::from_mins(2));
        let steps = running.rest().await;
        assert_eq!(failed(&steps).0, AgentFault::Timeout, "{manner}");
        assert!(
            failed(&steps).1.starts_with("no answer for 120000 ms"),
            "{steps:?}"
        );
        bench.nobody_left().await;
    }
}

#[tokio::test]
async fn a_session_that_is_unknown_begins_anew_and_says_so() {
    for (manner, why) in [
        ("opencode", "session/load: no such session (-32602)"),
        ("codex", "session/load: no such session (-32002)"),
        ("other", "the agent cannot take a session up again"),
    ] {
        let bench = Bench::new(manner);
        let request = resuming(1, "say hello", "acp", "gone");
        let steps = crate::support::answer(&bench.agent, request).await;
        let Step::Session { start, detail, .. } = &steps[0] else {
            panic!("{steps:?}")
        };
        assert_eq!((*start, detail.as_str()), (SessionStart::Lost, why));
        assert_eq!(said(&steps), "hello");
        bench.end().await;
    }
    let bench = Bench::with("other", |config| {
        config.env.insert("LOADS".to_owned(), "1".to_owned());
    });
    let request = resuming(1, "say hello", "acp", "gone");
    let steps = crate::support::answer(&bench.agent, request).await;
    assert!(
        matches!(&steps[0], Step::Session { start: SessionStart::Lost, detail, .. } if detail.contains("-32603"))
    );
    bench.end().await;
}

#[tokio::test]
async fn what_a_session_replays_is_not_said_again() {
    for manner in ["opencode", "codex"] {
        let bench = Bench::new(manner);
        let request = resuming(1, "say new", "acp", "s1-1");
        let steps = crate::support::answer(&bench.agent, request).await;
        let resumed = Step::Session {
            id: "s1-1".to_owned(),
            start: SessionStart::Resumed,
            detail: String::new(),
        };
        assert_eq!(steps[0], resumed);
        assert_eq!(said(&steps), "new", "{manner}");
        bench.end().await;
    }
}

#[tokio::test]
async fn a_warning_that_an_agent_says_as_its_answer_is_its_answer() {
    // Nothing tells it from one: it is not ours to leave out what an agent says.
    let bench = Bench::new("codex");
    assert_eq!(
        said(&bench.ask(1, "warned").await),
        "Model metadata not found.Hello."
    );
    bench.end().await;
}

#[tokio::test]
async fn an_empty_first_chunk_is_nothing() {
    let bench = Bench::new("other");
    let steps = bench.ask(1, "say a").await;
    assert!(
        !steps
            .iter()
            .any(|step| matches!(step, Step::Text { text, .. } if text.is_empty()))
    );
    assert_eq!(said(&steps), "a");
    bench.end().await;
}

#[tokio::test]
async fn noise_is_no_answer() {
    for manner in MANNERS {
        let bench = Bench::new(manner);
        let steps = bench.ask(1, "noise").await;
        assert_eq!(
            said(&steps),
            "heard",
            "{manner}: the flood on standard error stops nobody"
        );
        assert_eq!(steps.last(), Some(&Step::Done(StopReason::End)));
        bench.end().await;
    }
}

#[tokio::test]
async fn late_words_of_a_cancelled_run_reach_nobody() {
    let bench = Bench::new("opencode");
    let mut running = bench.start(1, "late");
    while !matches!(running.next().await, Step::Tool(_)) {}
    running.cancel.cancel();
    assert_eq!(running.rest().await, [Step::Done(StopReason::Cancelled)]);
    let steps = bench.ask(2, "anything").await;
    assert_eq!(said(&steps), "fresh");
    assert!(
        calls(&steps).is_empty(),
        "the old call is not of this run: {steps:?}"
    );
    bench.end().await;
}

#[tokio::test]
async fn late_news_of_any_cancelled_run_reach_nobody() {
    let bench = Bench::new("opencode");
    for (run, prompt) in [(1, "works a"), (2, "wants b"), (3, "works c")] {
        let mut running = bench.start(run, prompt);
        while !matches!(running.next().await, Step::Tool(_) | Step::Permission(_)) {}
        running.cancel.cancel();
        running.rest().await;
    }
    let steps = bench.ask(4, "news a b c").await;
    assert_eq!(said(&steps), "told");
    assert!(calls(&steps).is_empty(), "{steps:?}");
    bench.end().await;
}

/// Ids may begin anew with every prompt: whoever announces a call, or asks about one, begins it.
#[tokio::test]
async fn a_call_with_the_id_of_a_cancelled_one_is_told() {
    let bench = Bench::new("opencode");
    let mut running = bench.start(1, "works a");
    while !matches!(running.next().await, Step::Tool(_)) {}
    running.cancel.cancel();
    running.rest().await;
    let steps = bench.ask(2, "again a").await;
    let stands: Vec<ToolStatus> = calls(&steps).iter().map(|call| call.status).collect();
    assert_eq!(stands, [ToolStatus::Running, ToolStatus::Completed]);
    bench.end().await;
    for manner in MANNERS {
        let bench = Bench::new(manner);
        let mut running = bench.start(1, "tool");
        until_asked(&mut running).await;
        running.cancel.cancel();
        running.rest().await;
        let (_, steps) = tool(&bench, 2, Some(PermissionKind::AllowOnce)).await;
        let last = calls(&steps).last().map(|call| call.status);
        assert_eq!(last, Some(ToolStatus::Completed), "{manner}: {steps:?}");
        bench.end().await;
    }
}
