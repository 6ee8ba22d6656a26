//! What every agent keeps, whatever stands behind it. A new backend adds a subject and one line.

use crate::support::{PausedClock, Running, request, said, start, start_with};
use foldback_agents::{Act, Agent, ScriptAgent, ScriptStep, Step};
use foldback_wire::{RunId, StopReason};
use std::{future::Future, sync::Arc};

/// A backend under test.
pub(crate) trait Subject: Sized + Send {
    /// Prepares the backend.
    fn new() -> impl Future<Output = Self> + Send;

    /// Its agent, about to say `pieces` to the next request and then to end, or, with `endless`, to fall
    /// silent for ever.
    fn agent(&self, pieces: &[&str], endless: bool) -> Arc<dyn Agent>;
}

pub(crate) struct Script;

impl Subject for Script {
    async fn new() -> Self {
        Self
    }

    fn agent(&self, pieces: &[&str], endless: bool) -> Arc<dyn Agent> {
        let agent = ScriptAgent::new(PausedClock::new()).with_silence(std::time::Duration::MAX);
        let text = pieces.iter().map(|piece| ScriptStep::text(*piece));
        let silence = endless.then(|| Act::Stall(u64::MAX / 2).into());
        agent.queue(None, text.chain(silence).collect());
        Arc::new(agent)
    }
}

/// The next step but for how the agent came to its session, which some agents tell first.
async fn next(running: &mut Running) -> Step {
    loop {
        match running.next().await {
            Step::Session { .. } => {}
            step => return step,
        }
    }
}

fn is_end(step: &Step) -> bool {
    matches!(step, Step::Done(_) | Step::Failed { .. })
}

pub(crate) async fn ends_exactly_once_and_last<S: Subject>() {
    let subject = S::new().await;
    let steps = start(&subject.agent(&["a", "b", "c"], false), request(1, "go"))
        .rest()
        .await;
    assert_eq!(said(&steps), "abc");
    assert_eq!(steps.iter().filter(|step| is_end(step)).count(), 1);
    assert_eq!(steps.last(), Some(&Step::Done(StopReason::End)));
}

pub(crate) async fn tags_every_step_with_its_run<S: Subject>() {
    let subject = S::new().await;
    let mut running = start(&subject.agent(&["a", "b"], false), request(77, "go"));
    let mut seen = 0;
    while let Some(event) = running.steps.recv().await {
        assert_eq!(event.run, RunId(77));
        seen += 1;
    }
    assert!(seen >= 3, "two texts and an ending, not {seen} steps");
}

pub(crate) async fn says_nothing_when_cancelled_before_it_began<S: Subject>() {
    let subject = S::new().await;
    let agent = subject.agent(&["a"], false);
    let running = start(&agent, request(1, "go"));
    running.cancel.cancel();
    // The single-threaded runtime has not polled the task yet.
    assert_eq!(running.rest().await, [Step::Done(StopReason::Cancelled)]);
}

pub(crate) async fn ends_when_cancelled_in_silence<S: Subject>() {
    let subject = S::new().await;
    let mut running = start(&subject.agent(&["a"], true), request(1, "go"));
    assert_eq!(said(&[next(&mut running).await]), "a");
    running.cancel.cancel();
    assert_eq!(running.rest().await, [Step::Done(StopReason::Cancelled)]);
}

pub(crate) async fn ends_when_cancelled_before_a_full_sink<S: Subject>() {
    let subject = S::new().await;
    let mut running = start_with(&subject.agent(&["a", "b", "c", "d"], false), request(1, "go"), 1);
    assert_eq!(said(&[next(&mut running).await]), "a");
    while running.steps.is_empty() {
        tokio::task::yield_now().await;
    }
    running.cancel.cancel();
    let rest = running.rest().await;
    assert_eq!(said(&rest), "b", "what was in the sink stays, nothing is added");
    assert_eq!(rest.last(), Some(&Step::Done(StopReason::Cancelled)));
}

pub(crate) async fn returns_when_nobody_listens<S: Subject>() {
    let subject = S::new().await;
    let mut running = start(&subject.agent(&["a"], true), request(1, "go"));
    next(&mut running).await;
    drop(running.steps);
    running.task.await.expect("the agent returns by itself");
}

pub(crate) async fn waits_for_a_slow_reader_and_loses_nothing<S: Subject>() {
    let pieces: Vec<String> = (0..500).map(|n| format!("{n} ")).collect();
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    let subject = S::new().await;
    let mut running = start_with(&subject.agent(&pieces, false), request(1, "go"), 1);
    let mut steps = vec![next(&mut running).await];
    for _ in 0..100 {
        tokio::task::yield_now().await;
        assert!(running.steps.len() <= 1, "the sink is the only store");
    }
    assert!(!running.task.is_finished(), "it waits for the reader");
    steps.extend(running.rest().await);
    assert_eq!(said(&steps), pieces.concat());
}

/// Runs the whole contract on a subject. The start of time may differ, the rules may not.
macro_rules! contract {
    ($name:ident, $subject:ty, $(#[$test:meta])+) => {
        mod $name {
            $crate::contract::contract!(@each $subject, [$(#[$test])+],
                ends_exactly_once_and_last
                tags_every_step_with_its_run
                says_nothing_when_cancelled_before_it_began
                ends_when_cancelled_in_silence
                ends_when_cancelled_before_a_full_sink
                returns_when_nobody_listens
                waits_for_a_slow_reader_and_loses_nothing
            );
        }
    };
    (@each $subject:ty, $tests:tt, $($rule:ident)+) => {
        $( $crate::contract::contract!(@one $subject, $tests, $rule); )+
    };
    (@one $subject:ty, [$(#[$test:meta])+], $rule:ident) => {
        $(#[$test])+
        async fn $rule() {
            crate::contract::$rule::<$subject>().await;
        }
    };
}

pub(crate) use contract;

contract!(script_keeps, crate::contract::Script, #[tokio::test(start_paused = true)]);
