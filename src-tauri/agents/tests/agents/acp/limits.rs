//! Time: what counts as silence, and what becomes of a process that took too long.

use super::{Bench, failed, until_asked};
use crate::support::{request, resuming, said, start_with};
use foldback_agents::Step;
use foldback_wire::{AgentFault, PermissionKind, RunId, SessionStart, StopReason};
use std::time::Duration;

/// A moment for a process to say what it has to say.
async fn moment() {
    tokio::time::sleep(Duration::from_millis(100)).await;
}

#[tokio::test]
async fn a_program_that_never_says_hello_is_given_up() {
    let bench = Bench::new("mute");
    let running = bench.start(1, "say a");
    bench.until("said").await;
    moment().await;
    bench.clock.jump(Duration::from_mins(1));
    let steps = running.rest().await;
    assert_eq!(
        failed(&steps),
        (
            AgentFault::Timeout,
            "the agent was not ready within 60000 ms; it said: waiting for a licence"
        )
    );
    bench.nobody_left().await;
}

#[tokio::test]
async fn silence_in_the_middle_ends_the_run_and_the_next_takes_the_session_up_in_a_new_process() {
    let bench = Bench::new("opencode");
    let (running, id) = bench.deaf().await;
    bench.clock.jump(Duration::from_mins(2));
    let steps = running.rest().await;
    assert_eq!(
        failed(&steps),
        (
            AgentFault::Timeout,
            "nothing came for 120000 ms; it said: starting up"
        )
    );
    bench.nobody_left().await;
    let request = resuming(2, "say back", "acp", &id);
    let steps = crate::support::answer(&bench.agent, request).await;
    assert!(
        matches!(&steps[0], Step::Session { id: same, start: SessionStart::Resumed, .. } if *same == id),
        "{steps:?}"
    );
    assert_eq!(said(&steps), "back");
    bench.end().await;
}

#[tokio::test]
async fn a_tool_that_runs_is_no_silence_but_the_whole_has_its_time() {
    let bench = Bench::new("opencode");
    let mut running = bench.start(1, "works w1");
    while !matches!(running.next().await, Step::Tool(_)) {}
    bench.clock.jump(Duration::from_mins(20));
    moment().await;
    assert!(!running.task.is_finished(), "it works");
    bench.clock.jump(Duration::from_mins(10));
    let steps = running.rest().await;
    assert_eq!(
        failed(&steps),
        (
            AgentFault::Timeout,
            "the run took longer than 1800000 ms; it said: starting up"
        )
    );
    bench.nobody_left().await;
}

#[tokio::test]
async fn a_permission_that_is_waited_for_is_no_silence() {
    let bench = Bench::new("codex");
    let mut running = bench.start(1, "tool");
    let (_, asked) = until_asked(&mut running).await;
    bench.clock.jump(Duration::from_mins(20));
    moment().await;
    assert!(!running.task.is_finished(), "a person may think");
    let option = super::option(&asked, PermissionKind::AllowOnce);
    bench.agent.decide(RunId(1), &asked.id, Some(option));
    let steps = running.rest().await;
    assert_eq!(said(&steps), "chose approved");
    bench.end().await;
}

#[tokio::test]
async fn an_agent_that_does_not_confirm_a_cancellation_is_stopped() {
    let bench = Bench::new("other");
    let (running, _) = bench.deaf().await;
    running.cancel.cancel();
    assert_eq!(
        running.rest().await,
        [Step::Done(StopReason::Cancelled)],
        "nobody waits for it"
    );
    assert!(bench.processes() > 0, "it has its time to confirm");
    bench.nobody_left().await;
    assert_eq!(said(&bench.ask(2, "say anew").await), "anew");
    bench.end().await;
}

#[tokio::test]
async fn a_session_whose_taking_up_hangs_is_given_up_for_a_new_one() {
    let bench = Bench::new("opencode");
    let request = resuming(1, "say hello", "acp", "hangs");
    let running = crate::support::start(&bench.agent, request);
    bench.until("loading").await;
    bench.clock.jump(Duration::from_mins(1));
    let steps = running.rest().await;
    let why = "session/load: the agent was not ready within 60000 ms; it said: starting up";
    assert!(
        matches!(&steps[0], Step::Session { start: SessionStart::Lost, detail, .. } if detail == why),
        "{steps:?}"
    );
    assert_eq!(said(&steps), "hello");
    bench.end().await;
}

#[tokio::test]
async fn who_is_cancelled_while_the_process_before_ends_leaves_it_heard() {
    let bench = Bench::new("opencode");
    let mut running = bench.start(1, "later");
    while said(&[running.next().await]) != "early" {}
    running.cancel.cancel();
    running.rest().await;
    // It waits for the process, which still ends the run before.
    let second = bench.start(2, "say never");
    tokio::task::yield_now().await;
    second.cancel.cancel();
    assert_eq!(second.rest().await, [Step::Done(StopReason::Cancelled)]);
    // The process is at rest again, and says its last word only now.
    tokio::time::sleep(Duration::from_millis(500)).await;
    std::fs::write(bench.folder.path().join("speak"), "").expect("a file");
    bench.until("spoke").await;
    moment().await;
    let steps = bench.ask(3, "say fresh").await;
    assert_eq!(said(&steps), "fresh");
    assert!(
        matches!(&steps[0], Step::Text { .. }),
        "the same process: {steps:?}"
    );
    bench.end().await;
}

#[tokio::test]
async fn a_slow_reader_is_not_the_agents_silence() {
    let bench = Bench::new("opencode");
    let mut running = start_with(&bench.agent, request(1, "say a|b|c"), 1);
    assert!(matches!(running.next().await, Step::Session { .. }));
    // The first word fills the sink, and the second waits for it.
    moment().await;
    bench.clock.jump(Duration::from_mins(3));
    moment().await;
    let steps = running.rest().await;
    assert_eq!(said(&steps), "abc");
    assert_eq!(steps.last(), Some(&Step::Done(StopReason::End)));
    bench.end().await;
}

#[tokio::test]
async fn a_cancel_after_the_last_word_is_not_waited_for() {
    let bench = Bench::new("opencode");
    let mut running = start_with(&bench.agent, request(1, "say a"), 1);
    assert!(matches!(running.next().await, Step::Session { .. }));
    // The agent has ended, and its tokens wait behind its text.
    while running.steps.is_empty() {
        moment().await;
    }
    moment().await;
    running.cancel.cancel();
    let steps = running.rest().await;
    assert_eq!(said(&steps), "a");
    assert_eq!(steps.last(), Some(&Step::Done(StopReason::Cancelled)));
    let steps = bench.ask(2, "say b").await;
    assert!(
        matches!(&steps[0], Step::Text { .. }),
        "the same session: {steps:?}"
    );
    bench.end().await;
}

#[tokio::test]
async fn a_process_that_nobody_needs_is_stopped_and_its_session_taken_up_later() {
    let bench = Bench::new("opencode");
    let steps = bench.ask(1, "say a").await;
    let Step::Session {
        id,
        start: SessionStart::New,
        ..
    } = &steps[0]
    else {
        panic!("{steps:?}")
    };
    moment().await;
    assert!(bench.processes() > 0);
    bench.clock.jump(Duration::from_mins(15));
    bench.nobody_left().await;
    let request = resuming(2, "say b", "acp", id);
    let steps = crate::support::answer(&bench.agent, request).await;
    assert!(
        matches!(
            &steps[0],
            Step::Session {
                start: SessionStart::Resumed,
                ..
            }
        ),
        "{steps:?}"
    );
    bench.end().await;
}

#[tokio::test]
async fn after_a_timeout_the_next_message_waits_for_the_end_of_the_process_before() {
    let bench = Bench::new("opencode");
    let (running, id) = bench.deaf().await;
    bench.clock.jump(Duration::from_mins(2));
    assert_eq!(failed(&running.rest().await).0, AgentFault::Timeout);
    // Whoever is cancelled meanwhile changes nothing.
    let second = bench.start(2, "say never");
    moment().await;
    second.cancel.cancel();
    assert_eq!(second.rest().await, [Step::Done(StopReason::Cancelled)]);
    let steps = crate::support::answer(&bench.agent, resuming(3, "say back", "acp", &id)).await;
    assert_eq!(said(&steps), "back");
    assert_eq!(
        bench.processes(),
        2,
        "one agent and its guard: two in one session spoil it"
    );
    bench.end().await;
}
