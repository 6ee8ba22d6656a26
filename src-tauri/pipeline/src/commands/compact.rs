//! `/compact`: the model summarises the conversation.

use super::Commands;
use crate::{
    gates::OwnAnswer,
    history::{CompactedConversation, Conversation},
    recorder::Recorder,
};
use foldback_agents::{CompactionError, CompactionOrder};
use foldback_store::StoreError;
use foldback_wire::{Actor, TurnId};

impl Commands {
    /// Has the model summarise all but the last answers. What runs in the session goes on.
    pub(super) async fn compact(
        &self,
        turn: TurnId,
        answer: &OwnAnswer,
        instructions: &str,
        recorder: &Recorder,
        by: Actor,
    ) -> Result<String, StoreError> {
        let context = &self.context;
        let agent = context.agents.of(&answer.message.channel);
        let conversation = Conversation {
            context,
            recorder,
            session: &answer.session,
            turn,
            message: &answer.message,
            agent: agent.as_ref(),
        };
        let order = CompactionOrder {
            instructions: instructions.to_owned(),
            ..CompactionOrder::default()
        };
        let cancel = context.shutdown.cancel_runs.child_token();
        conversation.restore().await?;
        let done = conversation.compact(&order, by, &cancel).await?;
        Ok(match done {
            Ok(compacted) => in_words(&compacted),
            Err(CompactionError::Nothing { .. }) => {
                "ℹ️ The conversation is short: there is nothing to summarise.".to_owned()
            }
            Err(error @ CompactionError::NotOurs { .. }) => {
                format!("ℹ️ {error}, so that it cannot be compacted here.")
            }
            Err(error) => {
                let why = error.to_string();
                format!("⚠️ The conversation was not compacted: {}.", recorder.words(&why))
            }
        })
    }
}

fn in_words(compacted: &CompactedConversation) -> String {
    let CompactedConversation { compaction, flushed } = compacted;
    let answers = |count| match count {
        1 => "1 answer".to_owned(),
        many => format!("{many} answers"),
    };
    let memory = match flushed {
        Some(true) => " The agent wrote its memory down before.",
        Some(false) => " ⚠️ The agent could not write its memory down before; the journal says why.",
        None => "",
    };
    format!(
        "✅ {} became a summary, {} kept word for word: {} tokens became {}.{memory}",
        answers(compaction.summarised),
        answers(compaction.kept),
        compaction.tokens_before,
        compaction.tokens_after,
    )
}
