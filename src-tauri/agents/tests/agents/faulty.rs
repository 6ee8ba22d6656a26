//! Planned faults: how each makes a run go wrong, and that nothing else changes.

use crate::{
    contract::{Script, Subject},
    support::{PausedClock, answer, request, said, start, start_with},
};
use foldback_agents::{Agent, Faulty, ScriptAgent, ScriptStep, Step};
use foldback_wire::{AgentFault, ChunkCut, Clock, Fault, RunFault, RunId, StopReason};
use std::sync::Arc;

/// The script agent with an empty deck in front.
pub(crate) struct Unplanned;

impl Subject for Unplanned {
    async fn new() -> Self {
        Self
    }

    fn agent(&self, pieces: &[&str], endless: bool) -> Arc<dyn Agent> {
        Arc::new(Faulty::new(Script.agent(pieces, endless), PausedClock::new()))
    }
}

crate::contract::contract!(unplanned_keeps, crate::faulty::Unplanned, #[tokio::test(start_paused = true)]);

/// An agent that says `pieces`, and goes wrong so in its first run.
fn planned(pieces: &[&str], fault: &RunFault) -> Arc<dyn Agent> {
    let faulty = Faulty::new(Script.agent(pieces, false), PausedClock::new());
    faulty.deck().plan(5, Fault::Run(fault.clone()));
    Arc::new(faulty)
}

fn texts(steps: &[Step]) -> Vec<&str> {
    let mut texts = Vec::new();
    for step in steps {
        if let Step::Text { text, .. } = step {
            texts.push(text.as_str());
        }
    }
    texts
}

const WELL: RunFault = RunFault::nth(1);

#[tokio::test(start_paused = true)]
async fn a_run_that_goes_wrong_says_so_first() {
    let fault = RunFault { stall_ms: 10, ..WELL };
    let steps = answer(&planned(&["a"], &fault), request(1, "go")).await;
    assert_eq!(steps[0], Step::Faulted { number: 5, fault });
    assert_eq!(
        (said(&steps).as_str(), steps.last()),
        ("a", Some(&Step::Done(StopReason::End)))
    );
}

#[tokio::test(start_paused = true)]
async fn a_failure_comes_after_its_bytes_or_at_the_end() {
    for (after_bytes, before) in [(0, ""), (1, "a"), (3, "ab\u{fffd}"), (4, "abé"), (99, "abéc")] {
        let fault = RunFault {
            after_bytes,
            fail: Some(AgentFault::Disconnected),
            ..WELL
        };
        let steps = answer(&planned(&["a", "bé", "c"], &fault), request(1, "go")).await;
        assert_eq!(said(&steps), before, "after {after_bytes} bytes");
        let failed = matches!(
            steps.last(),
            Some(Step::Failed { fault: AgentFault::Disconnected, detail }) if detail.ends_with("A planned fault.")
        );
        assert!(failed, "{steps:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_fails_at_once_is_not_asked() {
    let script = Arc::new(ScriptAgent::new(PausedClock::new()));
    script.queue(None, vec![ScriptStep::text("unheard")]);
    let faulty = Faulty::new(script.clone(), PausedClock::new());
    let fault = RunFault {
        fail: Some(AgentFault::RateLimited),
        ..WELL
    };
    faulty.deck().plan(1, Fault::Run(fault));
    let faulty: Arc<dyn Agent> = Arc::new(faulty);
    answer(&faulty, request(1, "go")).await;
    assert_eq!(script.queued(), 1);
    assert_eq!(
        said(&answer(&faulty, request(2, "go")).await),
        "unheard",
        "the next run goes well"
    );
}

#[tokio::test(start_paused = true)]
async fn waits_are_as_long_as_planned() {
    let clock = PausedClock::new();
    let fault = RunFault {
        first_byte_ms: 700,
        after_bytes: 1,
        stall_ms: 40,
        ..WELL
    };
    let mut running = start(&planned(&["a", "b"], &fault), request(1, "go"));
    let mut at = Vec::new();
    while let Some(event) = running.steps.recv().await {
        at.push((clock.now().0, event.step));
    }
    let at: Vec<_> = at
        .iter()
        .filter_map(|(at, step)| Some((*at, *texts(std::slice::from_ref(step)).first()?)))
        .collect();
    assert_eq!(at, [(700, "a"), (740, "b")]);
}

#[tokio::test(start_paused = true)]
async fn every_byte_comes_on_its_own_and_every_character_whole() {
    let fault = RunFault {
        cut: Some(ChunkCut::Bytes),
        ..WELL
    };
    let steps = answer(&planned(&["a👍🏽", "é"], &fault), request(1, "go")).await;
    assert_eq!(texts(&steps), ["a", "👍", "🏽", "é"]);
}

#[tokio::test(start_paused = true)]
async fn a_burst_comes_at_the_end_in_order() {
    let fault = RunFault {
        after_bytes: 1,
        stall_ms: 500,
        cut: Some(ChunkCut::Burst),
        ..WELL
    };
    let clock = PausedClock::new();
    let mut running = start_with(&planned(&["a", "b", "c"], &fault), request(1, "go"), 1);
    running.next().await;
    let mut said = Vec::new();
    while let Some(event) = running.steps.recv().await {
        assert!(clock.now().0 >= 500, "nothing comes before the end");
        said.push(event.step);
    }
    assert_eq!(texts(&said), ["a", "b", "c"]);
}

/// The agent goes on when it is answered, and it can be answered only when the question came.
#[tokio::test(start_paused = true)]
async fn a_burst_lets_a_question_through_with_what_came_before_it() {
    let script = Arc::new(ScriptAgent::new(PausedClock::new()));
    let steps = "[before, {permission: {id: p, title: Look?, options: [{id: o, name: Yes, kind: allow_once}]}}, after]";
    script.queue(None, serde_saphyr::from_str(steps).expect("steps"));
    let faulty = Faulty::new(script, PausedClock::new());
    let fault = RunFault {
        cut: Some(ChunkCut::Burst),
        ..WELL
    };
    faulty.deck().plan(1, Fault::Run(fault));
    let faulty: Arc<dyn Agent> = Arc::new(faulty);
    let mut running = start(&faulty, request(1, "go"));
    let mut before = Vec::new();
    let asked = loop {
        match running.next().await {
            Step::Permission(asked) => break asked,
            step => before.push(step),
        }
    };
    assert_eq!(said(&before), "before");
    faulty.decide(RunId(1), &asked.id, asked.options.first());
    let after = running.rest().await;
    assert_eq!(
        (said(&after).as_str(), after.last()),
        ("after", Some(&Step::Done(StopReason::End)))
    );
}

#[tokio::test(start_paused = true)]
async fn a_stalled_run_can_be_cancelled() {
    let fault = RunFault {
        after_bytes: 1,
        stall_ms: 3_600_000,
        ..WELL
    };
    let mut running = start(&planned(&["a", "b"], &fault), request(1, "go"));
    running.next().await;
    assert_eq!(said(&[running.next().await]), "a");
    running.cancel.cancel();
    assert_eq!(running.rest().await, [Step::Done(StopReason::Cancelled)]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_of_its_own_stays_its_own() {
    let fault = RunFault {
        cut: Some(ChunkCut::Bytes),
        ..WELL
    };
    let faulty = Faulty::new(Arc::new(ScriptAgent::new(PausedClock::new())), PausedClock::new());
    faulty.deck().plan(1, Fault::Run(fault));
    let faulty: Arc<dyn Agent> = Arc::new(faulty);
    let steps = answer(&faulty, request(1, "nothing is queued")).await;
    let own = matches!(
        steps.last(),
        Some(Step::Failed {
            fault: AgentFault::Internal,
            ..
        })
    );
    assert!(own, "{steps:?}");
}
