//! Commands that change the sender's session.

use super::{Commands, in_words};
use crate::{
    context::{BegunSession, ResetRequest, stopped_in_words},
    gates::OwnAnswer,
    recorder::Recorder,
    session_settings::leading_model,
    stages::session::group_key,
};
use foldback_store::{SessionSettings, StoreError};
use foldback_wire::{Actor, ChatType, GroupActivation, SendPolicy};

impl Commands {
    /// Stops the run, and drops what waits behind it.
    pub(super) async fn stop(
        &self,
        answer: &OwnAnswer,
        recorder: &Recorder,
        by: &Actor,
    ) -> Result<Option<String>, StoreError> {
        let session = &answer.session;
        let dropped = self.control.drop_waiting(session, None, by)?;
        let sessions = &self.context.sessions;
        // Before it is stopped, as the next run may begin at once.
        let told = if self.control.is_running(session) {
            sessions
                .notify(recorder, session, "run", &stopped_in_words(by))
                .await?
        } else {
            Vec::new()
        };
        let stopped = self.control.stop_runs(session, None, by)?;
        if !stopped {
            sessions.end_notices(session, &told).await?;
        }
        // A run that is stopped says so itself.
        if stopped && dropped == 0 {
            return Ok(None);
        }
        let waiting = match dropped {
            0 => "Nothing runs here.".to_owned(),
            1 => "One message that waited was dropped.".to_owned(),
            many => format!("{many} messages that waited were dropped."),
        };
        Ok(Some(format!("ℹ️ {waiting}")))
    }

    /// Begins a new session: the agent forgets the conversation, and what was set is cleared.
    pub(super) async fn reset(
        &self,
        answer: &OwnAnswer,
        arguments: &str,
        recorder: &Recorder,
        by: Actor,
    ) -> Result<String, StoreError> {
        let agent = self.context.agents.of(&answer.message.channel);
        let names = &self.context.ports.config.agent.models;
        let (chosen, _) = leading_model(names, agent.as_ref(), arguments);
        self.begin_session(answer, chosen, recorder, by).await
    }

    /// Begins a new session with this model, or with the configured one, and says so.
    pub(super) async fn begin_session(
        &self,
        answer: &OwnAnswer,
        chosen: Option<String>,
        recorder: &Recorder,
        by: Actor,
    ) -> Result<String, StoreError> {
        let context = &self.context;
        let on = (&context.runs, &context.agents);
        let new = ResetRequest::asked_by(by, chosen.clone(), answer.access.is_owner);
        let begun = context
            .sessions
            .begin_anew(recorder, on, &answer.session, new)
            .await?;
        let with = chosen.map_or_else(String::new, |model| format!(" with {model}"));
        Ok(format!(
            "✅ A new conversation begins{with}.{}",
            kept_in_words(&begun)
        ))
    }

    pub(super) async fn set_activation(
        &self,
        answer: &OwnAnswer,
        argument: &str,
        recorder: &Recorder,
        by: Actor,
    ) -> Result<String, StoreError> {
        if answer.message.chat_type != ChatType::Group {
            return Ok("ℹ️ Activation is for groups. Here every message is for the bot.".to_owned());
        }
        let channel = &answer.message.channel;
        if !self.context.ports.settings(channel).activation_command {
            return Ok("ℹ️ Here only the operator decides which messages the bot answers.".to_owned());
        }
        let wanted = match argument.to_lowercase().as_str() {
            "default" => None,
            word => match GroupActivation::from_code(word) {
                Some(activation) => Some(activation),
                None => return Ok("⚠️ Write /activation mention, always or default.".to_owned()),
            },
        };
        self.change_here(answer, recorder, by, |settings| settings.activation = wanted)
            .await?;
        Ok(match wanted {
            Some(GroupActivation::Always) => "⚙️ The bot answers every message of this group.".to_owned(),
            Some(GroupActivation::Mention) => "⚙️ The bot answers messages that mention it.".to_owned(),
            None => "⚙️ Activation: default.".to_owned(),
        })
    }

    pub(super) async fn set_send(
        &self,
        answer: &OwnAnswer,
        argument: &str,
        recorder: &Recorder,
        by: Actor,
    ) -> Result<String, StoreError> {
        let wanted = match argument.to_lowercase().as_str() {
            "on" | "allow" => Some(SendPolicy::Allow),
            "off" | "deny" => Some(SendPolicy::Deny),
            "default" | "inherit" => None,
            _ => return Ok("⚠️ Write /send on, off or default.".to_owned()),
        };
        self.change_here(answer, recorder, by, |settings| settings.send = wanted)
            .await?;
        Ok(match wanted {
            Some(SendPolicy::Allow) => "⚙️ The agent answers here.".to_owned(),
            Some(SendPolicy::Deny) => "⚙️ The agent does not answer here. Commands still work.".to_owned(),
            None => "⚙️ Send: default.".to_owned(),
        })
    }

    /// Changes what counts for everybody who writes here: in a group that is kept beside their own sessions.
    async fn change_here(
        &self,
        answer: &OwnAnswer,
        recorder: &Recorder,
        by: Actor,
        change: impl FnOnce(&mut SessionSettings) + Send,
    ) -> Result<(), StoreError> {
        let (context, message) = (&self.context, &answer.message);
        let here = group_key(context.rules, &context.ports.config.session, message);
        let sessions = &context.sessions;
        sessions
            .change_group_settings(recorder, &here, message, by, change)
            .await
    }

    pub(super) async fn change(
        &self,
        answer: &OwnAnswer,
        recorder: &Recorder,
        by: Actor,
        change: impl FnOnce(&mut SessionSettings) + Send,
    ) -> Result<(), StoreError> {
        self.context
            .sessions
            .change_settings(recorder, &answer.session, by, change)
            .await
    }
}

/// The settings that a new session keeps, as a sentence.
fn kept_in_words(begun: &BegunSession) -> String {
    if begun.kept.is_empty() {
        return String::new();
    }
    let kept = begun.kept.iter();
    let kept: Vec<_> = kept
        .map(|kept| format!("{} {}", in_words(&kept.setting), kept.value))
        .collect();
    format!(" It keeps: {}.", kept.join(", "))
}
