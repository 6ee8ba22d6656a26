//! Gives a message to the agent that runs.
//!
//! ```text
//!   10.0 s  turn 7 runs; "and the moons" comes as turn 8, with queue.mode = steer
//!   10.1 s  the agent takes it: turn 7 tells what came in, turn 8 that it joined turn 7
//!   14.0 s  the agent is done with both: turn 7 is answered, turn 8 ends as steered
//! ```
//!
//! What must hold:
//! - What is written at one place is never answered at another: only a message of the run's own route is given.
//! - A sender gets no rights of another: a run with settings of its own takes messages of its sender alone.
//! - An agent that does not answer in time is not waited for, and not asked again in that run.

use crate::{
    brief::{Brief, ToldBeside, brief},
    context::{RunHandle, TurnContext},
    deadline::Deadline,
    enclosed::has_file_to_read,
    pending::Pending,
    session_settings::TurnOverrides,
    stages::links::has_link,
};
use foldback_agents::{Steer, SteerInput};
use foldback_directives::{Scanner, Settings};
use foldback_store::StoreError;
use foldback_wire::{JoinKind, Kind, SessionId, TurnId};
use std::{sync::Arc, time::Duration};

/// The time within which a message is prepared, and again that within which the agent takes it.
const STEER: Duration = Duration::from_secs(2);

/// Gives messages to agents that run.
pub(crate) struct Steering {
    context: Arc<TurnContext>,
}

impl Steering {
    pub(crate) fn new(context: &Arc<TurnContext>) -> Self {
        Self {
            context: Arc::clone(context),
        }
    }

    /// Gives a message to the agent that runs in its conversation, and writes down what came of it. Answers the turn whose
    /// agent has it; `None` where it has to wait.
    ///
    /// `joined` counts the messages that came into a turn so far: as many as may wait.
    pub(crate) async fn steer(
        &self,
        pending: &Pending,
        how: JoinKind,
        joined: impl Fn(TurnId) -> usize,
    ) -> Result<Option<TurnId>, StoreError> {
        let Some((into, run)) = self.running(&pending.session) else {
            return not_taken(
                pending,
                None,
                "no agent is at work in the conversation".to_owned(),
            );
        };
        let cap = pending.queue.cap.value;
        if joined(into) >= cap {
            let why = format!("as many as may wait came into the run already: {cap}");
            return not_taken(pending, Some(into), why);
        }
        // Nothing of the run is carried out before its sender is known, too.
        let _offer = run.state.offer().await;
        match self.ask(pending, &run).await? {
            Ok(()) => {
                self.note_taken(pending, into, how)?;
                Ok(Some(into))
            }
            Err(why) => not_taken(pending, Some(into), why),
        }
    }

    fn running(&self, session: &SessionId) -> Option<(TurnId, RunHandle)> {
        let runs = self.context.runs.lock();
        let of = runs.iter().filter(|(_, run)| run.session == *session);
        let (turn, run) = of.max_by_key(|(turn, _)| **turn)?;
        Some((*turn, run.clone()))
    }

    /// Asks the agent; the reason where it does not take the message.
    async fn ask(&self, pending: &Pending, run: &RunHandle) -> Result<Result<(), String>, StoreError> {
        if let Some(why) = refusal(pending, run) {
            return Ok(Err(why.to_owned()));
        }
        let message = &pending.message;
        let agent = self.context.agents.of(&message.channel);
        if !agent.steers() {
            return Ok(Err(format!("{} takes no input while it runs", agent.backend())));
        }
        let (Some(number), Some(port)) = (run.state.run(), self.context.ports.port(&message.channel)) else {
            return Ok(Err("the run has not begun yet".to_owned()));
        };
        if self.context.links.is_some() && has_link(&message.text) {
            let why =
                "it has links, whose pages a run must know from its beginning to carry out nothing in them";
            return Ok(Err(why.to_owned()));
        }
        if has_file_to_read(&self.context, agent.as_ref(), message) {
            let why = "it has files that are read, whose text a run must know from its beginning to carry out nothing in it";
            return Ok(Err(why.to_owned()));
        }
        let clock = pending.recorder.clock.as_ref();
        if self.context.group_history.has_messages(message, clock.now()) {
            let why = "messages of its group wait for it, which a run must know from its beginning to carry out nothing in them";
            return Ok(Err(why.to_owned()));
        }
        let grammar = self.context.scan_settings(&port);
        if must_know(&grammar, pending) {
            let why =
                "it holds directives, which a run must know from its beginning to carry out none of them";
            return Ok(Err(why.to_owned()));
        }
        let none = ToldBeside::default();
        let (agent_given, cancel) = (agent.as_ref(), &run.cancel);
        let brief = brief(
            &self.context,
            pending,
            &pending.parts,
            none,
            &port,
            agent_given,
            cancel,
        );
        // Boxed, as all that a prompt may wait for is large.
        let ready = Deadline::after(clock, STEER).within(clock, Box::pin(brief)).await;
        let Some(request) = ready else {
            let limit = STEER.as_secs();
            return Ok(Err(format!("what came with it was not there within {limit} s")));
        };
        let Brief { request, read } = request?;
        if read.iter().any(|text| Scanner::must_know(&grammar, text)) {
            let why = "what is said in it holds directives, which a run must know from its beginning to carry out none of them";
            return Ok(Err(why.to_owned()));
        }
        let input = SteerInput {
            prompt: request.prompt,
            message: request.message,
            files: request.files,
        };
        let asked = Deadline::after(clock, STEER)
            .within(clock, agent.steer(number, input))
            .await;
        Ok(match asked {
            None => {
                run.state.refuse_input();
                let (backend, limit) = (agent.backend(), STEER.as_secs());
                Err(format!("{backend} did not take it within {limit} s"))
            }
            Some(Steer::Taken) => Ok(()),
            Some(Steer::NotNow { why }) => Err(why),
        })
    }

    fn note_taken(&self, pending: &Pending, into: TurnId, how: JoinKind) -> Result<(), StoreError> {
        // Kept while it is noted: a turn that is listed has not ended.
        let runs = self.context.runs.lock();
        let parts = pending.parts.iter().map(|part| &part.pending);
        for message in parts.chain([pending]) {
            let joined = Kind::Joined { into, how };
            let told = runs
                .get(&into)
                .map(|run| run.recorder.draft(message.taken_in(how)));
            message
                .recorder
                .note_beside(vec![joined], told.into_iter().collect())?;
        }
        Ok(())
    }
}

/// The reason for which a run is not given a message, whatever its agent can do.
fn refusal(pending: &Pending, run: &RunHandle) -> Option<&'static str> {
    let plain = TurnOverrides::default();
    if run.is_stopped() {
        Some("the run was stopped")
    } else if run.state.is_reset() {
        Some("the conversation began anew, and the run is of the one before")
    } else if run.state.is_delivering() {
        Some("the agent is done")
    } else if run.state.takes_no_input() {
        Some("the agent did not take an earlier message in time")
    } else if run.route != pending.route {
        Some("the run answers another chat")
    } else if pending.into.is_some() {
        Some("its answer is written into a message that is there")
    } else if pending.own_settings != plain {
        Some("it has settings of its own, which count for a run of its own")
    } else if run.is_delivery {
        Some("the run words the result of an action")
    } else if run.has_own_settings && run.sender != pending.message.sender.id {
        Some("the run has settings of its own, by another sender")
    } else {
        None
    }
}

fn not_taken(pending: &Pending, running: Option<TurnId>, why: String) -> Result<Option<TurnId>, StoreError> {
    pending.recorder.note(Kind::NotSteered { running, why })?;
    Ok(None)
}

/// True where a message, or one that came right before it, holds what would be carried out if the agent repeated it.
fn must_know(grammar: &Settings, pending: &Pending) -> bool {
    let parts = pending.parts.iter().map(|part| &part.pending.message);
    parts.chain([&pending.message]).any(|message| {
        let mut texts = std::iter::once(message.text.as_str()).chain(message.quoted_texts());
        texts.any(|text| Scanner::must_know(grammar, text))
    })
}
