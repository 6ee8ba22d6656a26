//! A message whose turn came to nothing, run again by a person.
//!
//! An example: the agent could not be reached, and turn 7 ended as failed. An operator mends the agent and has the message
//! run again: turn 9 begins with it, says that it is the message of turn 7, and goes through all gates like a new one. Where
//! turn 9 is answered, a third try ends as a duplicate.

use super::{Core, Engine, Turn};
use crate::{gates::TurnOrigin, turn_cause::TurnCause};
use foldback_store::StoreError;
use foldback_wire::{Actor, Gate, Inbound, Kind, Terminal, TurnId};
use std::sync::Arc;

/// A message cannot be run again.
#[derive(Debug, thiserror::Error)]
pub enum RunAgainFault {
    /// There is no turn of this number, or none with a message.
    #[error("there is no turn {0}")]
    Unknown(TurnId),
    /// It has not ended.
    #[error("turn {0} has not ended")]
    Open(TurnId),
    /// It came to something.
    #[error("turn {0} ended as {1}: only one that failed, or found no room, is run again")]
    Ended(TurnId, Box<Terminal>),
    /// A person stopped its run, or a newer message took its place.
    #[error("the run of turn {0} was stopped: whoever stopped it did not want the answer")]
    Cancelled(TurnId),
    /// An action began in it, which would be carried out twice.
    #[error("an action of turn {0} has begun: with its message it could be carried out twice")]
    Acted(TurnId),
    /// A clock began it, and the schedule has an order of its own for that.
    #[error("turn {0} is a run of the schedule {1:?}: run the schedule")]
    Scheduled(TurnId, String),
    /// The journal cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Engine {
    /// Runs the message of a turn again that failed, or found no room: the queue full, its sender's limit reached, its chat dead,
    /// the bot at its end. It is a new turn, and goes through all gates but those of age and of too many messages.
    ///
    /// # Errors
    /// With the reason for which it is not run.
    pub async fn run_again(&self, turn: TurnId, by: Actor) -> Result<Turn, RunAgainFault> {
        let (message, cause) = self.core.message_without_answer(turn).await?;
        Ok(self.core.begin_again(turn, message, cause, by).await?)
    }
}

impl Core {
    /// The message of a turn that came to nothing, and what began the turn.
    async fn message_without_answer(&self, turn: TurnId) -> Result<(Inbound, TurnCause), RunAgainFault> {
        let journal = &self.context.recorder.journal;
        journal.flush().await?;
        let (mut message, mut ended) = (None, None);
        let (mut cancelled, mut has_acted) = (false, false);
        let mut cause = TurnCause::Message;
        for event in journal.turn(turn).await? {
            cause = TurnCause::of_event(&event.kind).unwrap_or(cause);
            match event.kind {
                Kind::Received { message: received } => message = Some(*received),
                // Without its schedule it would be a message of a sender whom nobody knows.
                Kind::ScheduleDue(due) => return Err(RunAgainFault::Scheduled(turn, due.schedule)),
                Kind::RunCancelled { .. } => cancelled = true,
                Kind::ActionStarted(_) => has_acted = true,
                Kind::TurnEnded { terminal } => ended = Some(terminal),
                _ => {}
            }
        }
        let message = message.ok_or(RunAgainFault::Unknown(turn))?;
        let terminal = ended.ok_or(RunAgainFault::Open(turn))?;
        if cancelled {
            return Err(RunAgainFault::Cancelled(turn));
        }
        if !came_to_nothing(&terminal) {
            return Err(RunAgainFault::Ended(turn, Box::new(terminal)));
        }
        if has_acted {
            return Err(RunAgainFault::Acted(turn));
        }
        Ok((message, cause))
    }

    async fn begin_again(
        self: &Arc<Self>,
        of: TurnId,
        message: Inbound,
        cause: TurnCause,
        by: Actor,
    ) -> Result<Turn, StoreError> {
        let (turn, recorder, inbound) = self.receive(message)?;
        let kinds = cause.event().into_iter().chain([Kind::RunAgain { of, by }]);
        recorder.note_all(kinds.collect())?;
        self.admit_turn(turn, recorder, inbound, TurnOrigin::Again, cause, None)
            .await
    }
}

/// True for the end of a message that nothing was done about, so that it can be run again. What a person dropped, or what
/// went into another run, was dealt with.
const fn came_to_nothing(terminal: &Terminal) -> bool {
    match terminal {
        Terminal::Failed { .. } => true,
        Terminal::Blocked { gate } => {
            matches!(
                gate,
                Gate::QueueFull | Gate::SenderLimit | Gate::DeadTarget | Gate::ShuttingDown
            )
        }
        _ => false,
    }
}
