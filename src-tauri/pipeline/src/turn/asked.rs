//! What a turn asks its agent, and how its answer is read and begun.

use super::TurnRunner;
use crate::{
    brief::{Brief, ToldBeside, brief},
    deliver::lead::Lead,
    history::{CompactedConversation, Conversation},
    output::OutputEvent,
    pending::{JoinedMessage, Pending},
    ports::Port,
    recorder::Recorder,
    rules::Rule,
    session_settings::TurnSettings,
    stages::scan::Scan,
    user_text::UserText,
};
use foldback_agents::{Agent, TurnRequest};
use foldback_directives::Settings;
use foldback_store::StoreError;
use foldback_wire::{Answerer, DecidingSetting};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

impl TurnRunner {
    /// What the agent is asked for a turn, once it remembers what was said before.
    pub(super) async fn request(
        &self,
        pending: &Pending,
        joined: &[JoinedMessage],
        port: &Port,
        agent: &dyn Agent,
        cancel: &CancellationToken,
        (settings, told, output): (&TurnSettings, ToldBeside<'_>, &mpsc::Sender<OutputEvent>),
    ) -> Result<Brief, StoreError> {
        let mut brief = brief(&self.context, pending, joined, told, port, agent, cancel).await?;
        let request = &mut brief.request;
        if self.context.rules.holds(Rule::InlineLevels) {
            request.levels = settings.levels(&self.context.ports.config.agent.models);
        }
        let compacted = self.recall(pending, agent, request, cancel).await?;
        if let Some(CompactedConversation { compaction, .. }) = compacted.filter(|_| settings.is_verbose()) {
            let told = UserText::Compacted {
                before: compaction.tokens_before,
                after: compaction.tokens_after,
            };
            // The delivery takes it as it begins.
            let _ = output.send(OutputEvent::Aside(told)).await;
        }
        Ok(brief)
    }

    /// The settings of the turn's scanners: in a heartbeat, and only there, its acknowledgement counts.
    pub(super) fn grammar_of(&self, port: &Port, is_heartbeat: bool) -> Settings {
        let mut grammar = self.context.scan_settings(port);
        if is_heartbeat {
            grammar.heartbeat = true;
            let all_clear = self.context.ports.config.heartbeat.all_clear.clone();
            grammar.all_clear = all_clear.or(grammar.all_clear);
        }
        grammar
    }

    /// The scanners of a turn whose agent was given these words of people.
    pub(super) fn scan<'a>(
        &'a self,
        grammar: &'a Settings,
        written: &'a str,
        is_heartbeat: bool,
        recorder: &Recorder,
    ) -> Scan<'a> {
        let context = &self.context;
        let scan = Scan::new(grammar, written, context.redaction.as_ref(), context.rules);
        scan.with_actions(!context.actions.is_empty())
            .with_all_clear(self.all_clear_of(grammar, is_heartbeat, recorder))
    }

    /// The setting whose pattern makes a text of a turn an acknowledgement, where one does.
    pub(super) fn all_clear_of(
        &self,
        grammar: &Settings,
        is_heartbeat: bool,
        recorder: &Recorder,
    ) -> Option<DecidingSetting> {
        if !grammar.heartbeat || grammar.all_clear.is_none() {
            return None;
        }
        let is_own = is_heartbeat && self.context.ports.config.heartbeat.all_clear.is_some();
        Some(recorder.deciding(if is_own {
            "heartbeat.all_clear"
        } else {
            "output.all_clear"
        }))
    }

    /// The words before the answer, where the channel has any.
    pub(super) fn lead(
        &self,
        pending: &Pending,
        agent: &dyn Agent,
        request: &TurnRequest,
    ) -> Option<Arc<Lead>> {
        let (backend, model) = agent.answering(request);
        let answerer = Answerer {
            backend: backend.to_owned(),
            model: model.map(str::to_owned),
        };
        let think = request.levels.think.map(|level| level.code().to_owned());
        let config = &self.context.ports.config;
        Lead::of(config, &pending.message.channel, answerer, think).map(Arc::new)
    }

    /// Has the agent remember what was said before, as far as it fits, where that is not its backend's own to remember.
    /// Answers the compaction that took.
    async fn recall(
        &self,
        pending: &Pending,
        agent: &dyn Agent,
        request: &TurnRequest,
        cancel: &CancellationToken,
    ) -> Result<Option<CompactedConversation>, StoreError> {
        let conversation = self.conversation(pending, agent);
        if !request.resume.contains_key(agent.backend()) {
            conversation.restore().await?;
        }
        conversation.make_room(cancel).await
    }

    /// Has the agent remember the turn as it was delivered so far. What it remembers is not worth a turn that does not end.
    pub(super) async fn retell(&self, pending: &Pending) {
        let agent = self.context.agents.of(&pending.message.channel);
        if let Err(error) = self.conversation(pending, agent.as_ref()).retell().await {
            tracing::warn!(turn = %pending.id, %error, "the agent remembers the turn as it was said");
        }
    }

    fn conversation<'a>(&'a self, pending: &'a Pending, agent: &'a dyn Agent) -> Conversation<'a> {
        Conversation {
            context: &self.context,
            recorder: &pending.recorder,
            session: &pending.session,
            turn: pending.id,
            message: &pending.message,
            agent,
        }
    }
}
