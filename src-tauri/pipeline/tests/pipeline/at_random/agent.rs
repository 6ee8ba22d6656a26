//! An agent that does whatever agents do: it answers soon or late, takes messages while it runs or does not, says
//! nothing, reacts, fails in the middle.

use super::{Chance, marks::marks};
use async_trait::async_trait;
use foldback_agents::{Agent, AgentEvent, Steer, SteerInput, Step, StepSink, TurnRequest};
use foldback_wire::{AgentFault, RunId, StopReason};
use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};
use tokio_util::sync::CancellationToken;

pub(super) struct ErraticAgent {
    chance: Chance,
    /// The marks that each run was given while it went on.
    runs: Mutex<BTreeMap<RunId, Vec<String>>>,
}

/// What a run does.
#[derive(Clone, Copy)]
enum Conduct {
    Answers,
    Reacts,
    SaysNothing,
    Fails,
}

impl ErraticAgent {
    pub(super) fn new(chance: Chance) -> Self {
        let runs = Mutex::default();
        Self { chance, runs }
    }

    fn conduct(&self) -> Conduct {
        match self.chance.below(100) {
            0..5 => Conduct::Fails,
            5..10 => Conduct::SaysNothing,
            10..20 => Conduct::Reacts,
            _ => Conduct::Answers,
        }
    }

    /// The pieces of an answer that names the message it answers, then everything else it was asked.
    fn pieces(&self, conduct: Conduct, request: &TurnRequest) -> Vec<String> {
        let others: Vec<_> = marks(&request.prompt)
            .iter()
            .map(|mark| format!("[{mark}]"))
            .collect();
        let answer = format!("answer {} to {}", own(request), others.join(" "));
        match conduct {
            Conduct::SaysNothing => vec!["<no-reply/>".to_owned()],
            Conduct::Reacts => vec!["<actions><react emoji=\"eyes\"/></actions>".to_owned(), answer],
            _ if self.chance.percent(5) => vec![answer, " more".repeat(1_500)],
            Conduct::Answers | Conduct::Fails => vec![answer, " and".to_owned(), " more.".to_owned()],
        }
    }

    /// What came while it ran; from here on it takes nothing more.
    fn end(&self, run: RunId) -> Vec<String> {
        self.runs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&run)
            .unwrap_or_default()
    }
}

/// The mark of the message that a run answers.
fn own(request: &TurnRequest) -> String {
    let mark = marks(&request.message.text).first().copied();
    format!("[{}]", mark.unwrap_or("nothing"))
}

#[async_trait]
impl Agent for ErraticAgent {
    fn backend(&self) -> &'static str {
        "erratic"
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, cancel: CancellationToken) {
        let run = request.run;
        self.runs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(run, Vec::new());
        let conduct = self.conduct();
        let answering = async {
            for text in self.pieces(conduct, &request) {
                tokio::time::sleep(self.chance.ms(50, 3_000)).await;
                let step = Step::Text { message: None, text };
                if sink.send(AgentEvent { run, step }).await.is_err() {
                    return;
                }
            }
            let steered = self.end(run).join(" ");
            if !steered.is_empty() {
                let step = Step::Text {
                    message: None,
                    text: format!(" also {steered}, to {}", own(&request)),
                };
                // Nobody listens any more: the run was given up.
                let _ = sink.send(AgentEvent { run, step }).await;
            }
        };
        let is_cancelled = cancel.run_until_cancelled(answering).await.is_none();
        self.end(run);
        let step = match conduct {
            _ if is_cancelled => Step::Done(StopReason::Cancelled),
            Conduct::Fails => Step::Failed {
                fault: AgentFault::Internal,
                detail: "it broke".to_owned(),
            },
            _ => Step::Done(StopReason::End),
        };
        let _ = sink.send(AgentEvent { run, step }).await;
    }

    fn steers(&self) -> bool {
        true
    }

    async fn steer(&self, run: RunId, input: SteerInput) -> Steer {
        if self.chance.percent(2) {
            // Longer than anybody waits for it.
            tokio::time::sleep(Duration::from_mins(5)).await;
        }
        tokio::time::sleep(self.chance.ms(0, 300)).await;
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        match runs.get_mut(&run).filter(|_| self.chance.percent(75)) {
            Some(given) => {
                given.extend(marks(&input.prompt).into_iter().map(|mark| format!("[{mark}]")));
                Steer::Taken
            }
            None => Steer::not_now("erratic has no ear for it"),
        }
    }
}
