//! What an agent without a memory of its own remembers of a conversation: rebuilt from the journal where a restart took
//! it, and summarised by the model where it is full.
//!
//! A chat before and after a restart, with `agent.context_tokens` for five turns:
//!
//! ```text
//!   turn 1 … 4   answered; the agent remembers them
//!   turn 5       the conversation is over `agent.compact_at`: the agent may write its memory down (`memory_flushed`,
//!                where `agent.memory_flush` says so), turns 1 and 2 become a summary (`history_compacted`, which
//!                has its words and says that two answers before it stay), then the run begins
//!   restart      the agent remembers nothing
//!   turn 6       read backwards: turn 5, the compaction, turns 4 and 3, and no further
//!                the agent is given the summary and three turns (`history_restored`), then the run begins
//! ```
//!
//! What must hold:
//! - What the agent remembers of a turn is what the journal tells of it, with and without a restart.
//! - Nothing from before the latest reset is told, also of a turn that was under way then.
//! - What a summary stands for is not told beside it, and nothing is in neither of them.
//! - The journal is read from its end, turn by turn, and no further than what fits.

mod export;
mod flush;
mod read;
mod turn;

pub(crate) use export::{ExportedConversation, export_conversation};

use crate::{context::TurnContext, deadline::Deadline, recorder::Recorder};
use foldback_agents::{Agent, Compaction, CompactionError, CompactionOrder};
use foldback_store::StoreError;
use foldback_wire::{Actor, AgentFault, Inbound, Kind, SessionId, TurnId};
use read::ReadHistory;
use tokio_util::sync::CancellationToken;

/// A conversation that was compacted.
pub(crate) struct CompactedConversation {
    pub(crate) compaction: Compaction,
    /// True where the agent wrote its memory down before, false where that failed; `None` where it is not asked to.
    pub(crate) flushed: Option<bool>,
}

/// A conversation as a turn finds it.
pub(crate) struct Conversation<'a> {
    pub(crate) context: &'a TurnContext,
    pub(crate) recorder: &'a Recorder,
    pub(crate) session: &'a SessionId,
    /// The turn, which is no part of what was said before.
    pub(crate) turn: TurnId,
    /// Its message.
    pub(crate) message: &'a Inbound,
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
    ) -> Result<Option<CompactedConversation>, StoreError> {
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
            Ok(compacted) => Ok(Some(compacted)),
            Err(CompactionError::Nothing { .. } | CompactionError::Cancelled) => Ok(None),
            Err(error) => {
                let detail = self.recorder.words(&error.to_string()).into_owned();
                self.recorder
                    .warn(format!("the conversation was not compacted: {detail}"))?;
                Ok(None)
            }
        }
    }

    /// Puts the turn as it was delivered in the place of what the agent remembers of its run, where it keeps conversations by
    /// itself, so that it is told the same after a restart.
    pub(crate) async fn retell(&self) -> Result<(), StoreError> {
        if self.agent.conversation(self.session).is_none() {
            return Ok(());
        }
        let most = u64::from(self.context.ports.config.agent.context_tokens);
        let journal = self.recorder.journal.as_ref();
        // What was noted is read.
        journal.flush().await?;
        let told = turn::read_turn(journal, self.turn, most).await?;
        if let Some(run) = told.run {
            self.agent.retell(self.session, run, &told.entries);
        }
        Ok(())
    }

    /// Has the model summarise the conversation, and notes what came of it. Before that the agent may write its memory down,
    /// where that is set and there is something to summarise.
    pub(crate) async fn compact(
        &self,
        order: &CompactionOrder,
        by: Actor,
        cancel: &CancellationToken,
    ) -> Result<Result<CompactedConversation, CompactionError>, StoreError> {
        let flushed = self.flush_memory(order, cancel).await?;
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
            flushed,
        })?;
        Ok(Ok(CompactedConversation { compaction, flushed }))
    }
}
