//! What an agent without a memory of its own remembers of a conversation: rebuilt from the journal where a restart took
//! it, and summarised by the model where it is full.
//!
//! A chat before and after a restart, with `agent.context_tokens` for five turns:
//!
//! ```text
//!   turn 1 … 4   answered; the agent remembers them
//!   turn 5       the conversation is over `agent.compact_at`: turns 1 and 2 become a summary (`history_compacted`, which
//!                has its words and says that two answers before it stay), then the run begins
//!   restart      the agent remembers nothing
//!   turn 6       read backwards: turn 5, the compaction, turns 4 and 3, and no further
//!                the agent is given the summary and three turns (`history_restored`), then the run begins
//! ```
//!
//! What must hold:
//! - Nothing from before the latest reset is told, also of a turn that was under way then.
//! - What a summary stands for is not told beside it, and nothing is in neither of them.
//! - The journal is read from its end, turn by turn, and no further than what fits.

mod export;
mod read;
mod turn;

pub(crate) use export::{ExportedConversation, export_conversation};

use crate::{context::TurnContext, deadline::Deadline, recorder::Recorder};
use foldback_agents::{Agent, Compaction, CompactionError, CompactionOrder};
use foldback_store::StoreError;
use foldback_wire::{Actor, AgentFault, Kind, SessionId, TurnId};
use read::ReadHistory;
use tokio_util::sync::CancellationToken;

/// A conversation as a turn finds it.
pub(crate) struct Conversation<'a> {
    pub(crate) context: &'a TurnContext,
    pub(crate) recorder: &'a Recorder,
    pub(crate) session: &'a SessionId,
    /// The turn, which is no part of what was said before.
    pub(crate) turn: TurnId,
    pub(crate) agent: &'a dyn Agent,
}

impl Conversation<'_> {
    /// Gives the agent the conversation as the journal has it, where it keeps conversations and remembers nothing of this
    /// one.
    pub(crate) async fn restore(&self) -> Result<(), StoreError> {
        let size = self.agent.conversation(self.session);
        if size.is_none_or(|size| size.exchanges > 0 || size.summarised) {
            return Ok(());
        }
        let most = u64::from(self.context.ports.config.agent.context_tokens);
        let journal = self.recorder.journal.as_ref();
        let read = read::history_of(journal, self.session, self.turn, most).await?;
        let ReadHistory {
            history,
            turns,
            tokens,
            left_out,
        } = read;
        let is_empty = history.entries.is_empty() && history.summary.is_none();
        if is_empty || !self.agent.restore(self.session, &history) {
            return Ok(());
        }
        self.recorder.note(Kind::HistoryRestored {
            turns,
            tokens,
            left_out,
            summarised: history.summary.is_some(),
        })
    }

    /// Compacts the conversation where it is over `agent.compact_at`; answers what came of it. Where that fails, the run
    /// goes on: the agent then leaves out what is oldest.
    pub(crate) async fn make_room(
        &self,
        cancel: &CancellationToken,
    ) -> Result<Option<Compaction>, StoreError> {
        let config = &self.context.ports.config.agent;
        let is_full = self.agent.conversation(self.session).is_some_and(|size| {
            // More than fits is full whatever the number.
            let tokens = u32::try_from(size.tokens).unwrap_or(u32::MAX);
            f64::from(tokens) > f64::from(config.context_tokens) * config.compact_at
        });
        if !is_full {
            return Ok(None);
        }
        let order = CompactionOrder::default();
        match self.compact(&order, Actor::Pipeline, cancel).await? {
            Ok(compaction) => Ok(Some(compaction)),
            Err(CompactionError::Nothing { .. } | CompactionError::Cancelled) => Ok(None),
            Err(error) => {
                let detail = self.recorder.words(&error.to_string()).into_owned();
                self.recorder
                    .warn(format!("the conversation was not compacted: {detail}"))?;
                Ok(None)
            }
        }
    }

    /// Has the model summarise the conversation, and notes what came of it.
    pub(crate) async fn compact(
        &self,
        order: &CompactionOrder,
        by: Actor,
        cancel: &CancellationToken,
    ) -> Result<Result<Compaction, CompactionError>, StoreError> {
        let halt = cancel.child_token();
        let limit = self.context.ports.config.agent.idle_timeout.0;
        let clock = self.recorder.clock.as_ref();
        let work = self.agent.compact(self.session, order, halt.clone());
        let Some(done) = Deadline::after(clock, limit).within(clock, work).await else {
            halt.cancel();
            return Ok(Err(CompactionError::Failed {
                fault: AgentFault::Timeout,
                detail: format!("there was no summary after {} ms", limit.as_millis()),
            }));
        };
        let compaction = match done {
            Ok(compaction) => compaction,
            Err(error) => return Ok(Err(error)),
        };
        // A reset since then made the agent forget it, and the next start must not bring it back.
        let is_kept = self
            .agent
            .conversation(self.session)
            .is_some_and(|size| size.summarised);
        if !is_kept {
            return Ok(Err(CompactionError::Changed));
        }
        let count = |answers: usize| u32::try_from(answers).unwrap_or(u32::MAX);
        self.recorder.note(Kind::HistoryCompacted {
            by,
            summary: compaction.summary.clone(),
            summarised: count(compaction.summarised),
            kept: count(compaction.kept),
            tokens_before: compaction.tokens_before,
            tokens_after: compaction.tokens_after,
            usage: compaction.usage,
        })?;
        Ok(Ok(compaction))
    }
}
