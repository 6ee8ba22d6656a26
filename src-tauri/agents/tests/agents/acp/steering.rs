//! Messages for a run that goes on.

use super::{Bench, failed};
use crate::support::{message, said};
use foldback_agents::{Steer, SteerInput, Step};
use foldback_wire::{AgentFault, RunId, StopReason, Usage};

fn queueing() -> Bench {
    Bench::with("opencode", |config| {
        config.env.insert("QUEUES".to_owned(), "1".to_owned());
    })
}

fn input(text: &str) -> SteerInput {
    SteerInput {
        prompt: text.to_owned(),
        message: message("m2", text),
        files: Vec::new(),
    }
}

/// Waits for the first word of a run.
async fn until_said(running: &mut crate::support::Running) {
    while said(&[running.next().await]).is_empty() {}
}

fn why(steer: Steer) -> String {
    match steer {
        Steer::NotNow { why } => why,
        Steer::Taken => panic!("it was taken"),
    }
}

#[tokio::test]
async fn a_prompt_that_is_steered_in_belongs_to_the_run() {
    let bench = queueing();
    let mut running = bench.start(1, "joins");
    until_said(&mut running).await;
    assert_eq!(bench.agent.steer(RunId(1), input("and more")).await, Steer::Taken);
    let steps = running.rest().await;
    assert_eq!(said(&steps), "and more");
    let ends = steps.iter().filter(|step| matches!(step, Step::Done(_)));
    assert_eq!(
        (ends.count(), steps.last()),
        (1, Some(&Step::Done(StopReason::End)))
    );
    let usage = steps.iter().rev().find_map(|step| match step {
        Step::Usage(usage) => Some(*usage),
        _ => None,
    });
    assert_eq!(
        usage,
        Some(Usage {
            input: 22,
            output: 14
        }),
        "of both prompts"
    );
    assert_eq!(said(&bench.ask(2, "say next").await), "next");
    assert_eq!(
        why(bench.agent.steer(RunId(1), input("x")).await),
        "acp: the run has ended"
    );
    bench.end().await;
}

#[tokio::test]
async fn an_agent_that_does_not_say_so_takes_no_second_prompt() {
    let bench = Bench::new("opencode");
    let mut running = bench.start(1, "stall early");
    until_said(&mut running).await;
    assert_eq!(
        why(bench.agent.steer(RunId(1), input("more")).await),
        "acp: this agent takes no prompt while it runs; it does not declare promptQueueing"
    );
    running.cancel.cancel();
    assert_eq!(
        running.rest().await.last(),
        Some(&Step::Done(StopReason::Cancelled))
    );
    bench.end().await;
}

#[tokio::test]
async fn nobody_waits_for_an_agent_that_starts() {
    let bench = Bench::new("mute");
    let running = bench.start(1, "say never");
    bench.until("said").await;
    assert_eq!(
        why(bench.agent.steer(RunId(1), input("more")).await),
        "acp: the agent has not been prompted yet"
    );
    running.cancel.cancel();
    running.rest().await;
    bench.end().await;
}

/// It was taken, and is not lost without a word.
#[tokio::test]
async fn a_second_prompt_that_is_refused_fails_the_run_once_the_first_has_ended() {
    let bench = queueing();
    let mut running = bench.start(1, "joins rejects");
    until_said(&mut running).await;
    assert_eq!(bench.agent.steer(RunId(1), input("more")).await, Steer::Taken);
    let steps = running.rest().await;
    assert_eq!(said(&steps), "alone");
    let (fault, detail) = failed(&steps);
    assert_eq!(fault, AgentFault::Rejected);
    assert!(detail.contains("no second prompt"), "{detail}");
    assert_eq!(said(&bench.ask(2, "say next").await), "next");
    bench.end().await;
}

#[tokio::test]
async fn both_prompts_of_a_cancelled_run_are_waited_for() {
    let bench = queueing();
    let mut running = bench.start(1, "joins stay");
    until_said(&mut running).await;
    assert_eq!(bench.agent.steer(RunId(1), input("more")).await, Steer::Taken);
    until_said(&mut running).await;
    running.cancel.cancel();
    let steps = running.rest().await;
    assert_eq!(steps, [Step::Done(StopReason::Cancelled)]);
    assert_eq!(
        said(&bench.ask(2, "say next").await),
        "next",
        "the late word is nobody's"
    );
    bench.end().await;
}
