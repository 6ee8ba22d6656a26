//! The stored state of sessions. Changes of one record go one after the other, so that none undoes another.

use super::{Agents, Runs};
use crate::{recorder::Recorder, session_settings::begin_anew};
use foldback_store::{Journal, SessionRecord, SessionSettings, StoreError};
use foldback_wire::{Actor, Inbound, Kind, SessionId, SettingChange, TurnId};
use std::sync::Arc;
use tokio::sync::Mutex;

/// The records of sessions.
pub(crate) struct Sessions {
    journal: Arc<dyn Journal>,
    /// Held while a record is read, changed and written.
    changing: Mutex<()>,
}

impl Sessions {
    pub(crate) fn new(journal: Arc<dyn Journal>) -> Self {
        Self {
            journal,
            changing: Mutex::default(),
        }
    }

    /// Counts a message of a session, unless an earlier process did, and answers its record. `turn` is that of a message
    /// for the agent.
    pub(crate) async fn count_message(
        &self,
        recorder: &Recorder,
        id: &SessionId,
        message: &Inbound,
        (turn, is_counted): (Option<TurnId>, bool),
    ) -> Result<SessionRecord, StoreError> {
        let _changing = self.changing.lock().await;
        let now = recorder.now();
        let known = self.journal.session(id).await?;
        let mut record = known.unwrap_or_else(|| SessionRecord {
            id: id.clone(),
            channel: message.channel.clone(),
            turns: 0,
            created: now,
            used: now,
            chat: None,
            sender: String::new(),
            latest_turn: None,
            settings: SessionSettings::default(),
        });
        record.turns += u64::from(!is_counted);
        record.used = now;
        record.chat = Some(message.chat.clone());
        record.sender = recorder.words(&message.sender.display_name).into_owned();
        record.latest_turn = turn.or(record.latest_turn);
        self.journal.put_session(record.clone()).await?;
        Ok(record)
    }

    /// The settings that are stored on a session; none where there is no such session.
    pub(crate) async fn settings(&self, id: &SessionId) -> Result<SessionSettings, StoreError> {
        let record = self.journal.session(id).await?;
        Ok(record.map(|record| record.settings).unwrap_or_default())
    }

    /// Changes the settings of a session, durable when it returns, and answers what changed. A session that does not
    /// exist is left so.
    pub(crate) async fn change_settings(
        &self,
        id: &SessionId,
        change: impl FnOnce(&mut SessionSettings) + Send,
    ) -> Result<Vec<SettingChange>, StoreError> {
        let _changing = self.changing.lock().await;
        let Some(mut record) = self.journal.session(id).await? else {
            return Ok(Vec::new());
        };
        let before = record.settings.clone();
        change(&mut record.settings);
        let changes = before.changes_to(&record.settings);
        if !changes.is_empty() {
            self.journal.put_session(record).await?;
        }
        Ok(changes)
    }

    /// Begins a session anew: the agents forget it, and what people set about the conversation is cleared. Answers the
    /// settings that are left.
    pub(crate) async fn begin_anew(
        &self,
        recorder: &Recorder,
        on: (&Runs, &Agents),
        id: &SessionId,
        model: Option<String>,
        by: Actor,
    ) -> Result<SessionSettings, StoreError> {
        self.reset(recorder, on, id, by.clone()).await?;
        let mut left = SessionSettings::default();
        let change = |settings: &mut SessionSettings| {
            begin_anew(settings, model);
            left = settings.clone();
        };
        let changes = self.change_settings(id, change).await?;
        if !changes.is_empty() {
            recorder.note(Kind::SettingsChanged { changes, by })?;
        }
        Ok(left)
    }

    /// Has the agents forget a session, and what runs in it keep nothing of it: its next turn begins a new conversation.
    /// What runs goes on.
    pub(crate) async fn reset(
        &self,
        recorder: &Recorder,
        (runs, agents): (&Runs, &Agents),
        id: &SessionId,
        by: Actor,
    ) -> Result<(), StoreError> {
        forget(runs, agents, id);
        let latest = self.journal.agent_sessions(id).await?.into_iter().next();
        let agent = latest.map(|kept| kept.id);
        let event = recorder.draft(Kind::SessionReset { by, agent });
        self.journal.put_agent_session(id, None, vec![event]).await?;
        // What began meanwhile may have been given what was written until now.
        forget(runs, agents, id);
        Ok(())
    }
}

fn forget(runs: &Runs, agents: &Agents, id: &SessionId) {
    for run in runs.lock().values().filter(|run| run.session == *id) {
        run.state.reset();
    }
    agents.default.forget(id);
    for agent in agents.by_channel.values() {
        agent.forget(id);
    }
}
