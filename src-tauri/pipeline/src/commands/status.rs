//! `/status` and `/context`: the state of a session, in words.

use super::Commands;
use crate::{gates::OwnAnswer, recorder::Recorder};
use foldback_store::StoreError;
use foldback_wire::{Kind, SessionId, TurnId, Usage, messages};

/// Prompts that are looked at, the latest first: those of turns that run now tell no tokens yet.
const PROMPTS: usize = 8;

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
        let Usage { input, output } = latest_usage(session, recorder).await?.unwrap_or_default();
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
        let latest = prompts(&answer.session, recorder).await?.into_iter().next();
        let Some((_, prompt)) = latest else {
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

/// The latest prompts of a session since it last began anew, each with its turn, the latest first. Messages that did not
/// run have none.
async fn prompts(session: &SessionId, recorder: &Recorder) -> Result<Vec<(TurnId, String)>, StoreError> {
    let journal = &recorder.journal;
    let told = journal.conversation(session, journal.head(), PROMPTS).await?;
    let of_session = told
        .into_iter()
        .take_while(|event| !matches!(event.kind, Kind::SessionReset { .. }));
    let prompts = of_session.filter_map(|event| match (event.kind, event.turn) {
        (Kind::Prepared { prompt }, Some(turn)) => Some((turn, prompt)),
        _ => None,
    });
    Ok(prompts.collect())
}

/// The tokens that the latest answer of a session took, as far as its backend told.
async fn latest_usage(session: &SessionId, recorder: &Recorder) -> Result<Option<Usage>, StoreError> {
    for (turn, _) in prompts(session, recorder).await? {
        let events = recorder.journal.turn(turn).await?;
        let used = events.into_iter().rev().find_map(|event| match event.kind {
            Kind::Used { usage } => Some(usage),
            _ => None,
        });
        if used.is_some() {
            return Ok(used);
        }
    }
    Ok(None)
}
