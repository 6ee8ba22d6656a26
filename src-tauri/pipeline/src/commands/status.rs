//! `/status` and `/context`: the state of a session, in words.

use super::Commands;
use crate::{gates::OwnAnswer, recorder::Recorder};
use foldback_store::{SessionRecord, StoreError};
use foldback_wire::{Kind, Usage, messages};

impl Commands {
    /// The agent, what goes on, what was counted, and what is set.
    pub(super) async fn status(&self, answer: &OwnAnswer, recorder: &Recorder) -> Result<String, StoreError> {
        let context = &self.context;
        let session = &answer.session;
        let agent = context.agents.of(&answer.message.channel);
        let record = recorder.journal.session(session).await?;
        let turns = record.as_ref().map_or(0, |record| record.turns);
        let running = context.runs.lock().values().any(|run| run.session == *session);
        let waiting = self.control.waiting(session);
        let model = agent.model().unwrap_or("its own model");
        let state = match (running, waiting) {
            (false, 0) => "idle".to_owned(),
            (false, waiting) => format!("{waiting} waiting"),
            (true, 0) => "answering".to_owned(),
            (true, waiting) => format!("answering, {waiting} waiting"),
        };
        let mut lines = vec![
            format!("ℹ️ Foldback {}", env!("CARGO_PKG_VERSION")),
            format!("Agent: {} with {model}", agent.backend()),
            format!("Conversation: {}, {state}", messages(turns)),
        ];
        let used = latest(record.as_ref(), recorder, |kind| match kind {
            Kind::Used { usage } => Some(usage),
            _ => None,
        });
        let Usage { input, output } = used.await?.unwrap_or_default();
        if input.saturating_add(output) > 0 {
            lines.push(format!("Last answer: {input} tokens read, {output} written"));
        }
        let settings = record.map(|record| record.settings).unwrap_or_default();
        let settings = self.stored_here(answer, settings).await?;
        lines.push(format!(
            "Queue: {}",
            self.queue_settings(answer, &settings).in_words()
        ));
        let set = self.set_in_words(answer, &settings);
        lines.extend(set.map(|set| format!("Set: {set}")));
        Ok(lines.join("\n"))
    }

    /// The latest prompt of the session, by its size and its sections.
    pub(super) async fn latest_prompt(answer: &OwnAnswer, recorder: &Recorder) -> Result<String, StoreError> {
        let record = recorder.journal.session(&answer.session).await?;
        let prompt = latest(record.as_ref(), recorder, |kind| match kind {
            Kind::Prepared { prompt } => Some(prompt),
            _ => None,
        });
        let Some(prompt) = prompt.await? else {
            return Ok("ℹ️ The agent was not asked anything in this conversation yet.".to_owned());
        };
        let mut sections = Vec::new();
        let mut rest = prompt.as_str();
        while let Some(section) = rest.strip_prefix("## ") {
            let end = section.find("\n## ").map_or(section.len(), |at| at + 1);
            let title = section.lines().next().unwrap_or_default();
            sections.push(format!("{title}: {} B", end + 3));
            // What follows the last heading is the sender's own text, which may look like another.
            if title == "Message" {
                break;
            }
            rest = &section[end..];
        }
        Ok(format!(
            "ℹ️ The agent was given {} B last.\n{}",
            prompt.len(),
            sections.join("\n")
        ))
    }
}

/// The last event that `wanted` takes of the latest turn of a session.
async fn latest<T>(
    record: Option<&SessionRecord>,
    recorder: &Recorder,
    wanted: impl Fn(Kind) -> Option<T>,
) -> Result<Option<T>, StoreError> {
    let Some(turn) = record.and_then(|record| record.latest_turn) else {
        return Ok(None);
    };
    let events = recorder.journal.turn(turn).await?;
    Ok(events.into_iter().rev().find_map(|event| wanted(event.kind)))
}
