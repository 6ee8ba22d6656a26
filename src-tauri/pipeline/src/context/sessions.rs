//! The stored state of sessions. Changes of one record go one after the other, so that none undoes another.

use super::{Agents, Runs, record_locks::RecordLocks};
use crate::{
    config::SessionConfig,
    freshness::session_end,
    id::is_delivery,
    recorder::Recorder,
    session_settings::{carried_over, chosen_model, keep_restrictions},
};
use foldback_store::{
    Journal, KnownChat, Selection, SessionRecord, SessionSettings, StoreError, SystemNotice, add_notice,
};
use foldback_wire::{
    Actor, Inbound, KeptSetting, Kind, Seq, SessionExpiry, SessionId, SettingChange, Timestamp, TurnId,
};
use std::sync::{Arc, OnceLock};

/// Most bytes of a name that is kept of a chat.
const NAME_BYTES: usize = 256;

/// The records of sessions.
pub(crate) struct Sessions {
    journal: Arc<dyn Journal>,
    config: SessionConfig,
    changing: RecordLocks,
    /// Told of each change of a session's settings, in the order of the changes.
    watcher: OnceLock<Box<SettingsWatcher>>,
}

/// Is given the settings that a session has from now on.
pub(crate) type SettingsWatcher = dyn Fn(&SessionId, &SessionSettings) + Send + Sync;

/// A message as its session counts it.
#[derive(Clone, Copy)]
pub(crate) struct CountedMessage {
    /// Its turn, where it is for the agent.
    pub(crate) of_agent: Option<TurnId>,
    /// It is a part of the conversation, not only a question to the bot itself.
    pub(crate) is_said: bool,
    /// An earlier process counted it.
    pub(crate) is_counted: bool,
}

/// The reason for which a session begins anew.
pub(crate) struct ResetRequest {
    pub(crate) by: Actor,
    /// The end of the one before, where nobody asked for it.
    pub(crate) expired: Option<SessionExpiry>,
    /// The model that it begins with.
    pub(crate) model: Option<String>,
    /// True where an owner or an operator asked for it: else what holds the agent back stays.
    pub(crate) lifts_restrictions: bool,
}

impl ResetRequest {
    /// One that a person asked for.
    pub(crate) const fn asked_by(by: Actor, model: Option<String>, is_owner: bool) -> Self {
        Self {
            by,
            expired: None,
            model,
            lifts_restrictions: is_owner,
        }
    }
}

/// A session that began anew.
#[derive(Debug, Default)]
pub(crate) struct BegunSession {
    pub(crate) settings: SessionSettings,
    /// The settings that it keeps of the one before.
    pub(crate) kept: Vec<KeptSetting>,
}

impl Sessions {
    pub(crate) fn new(journal: Arc<dyn Journal>, config: SessionConfig) -> Self {
        Self {
            journal,
            config,
            changing: RecordLocks::new(),
            watcher: OnceLock::new(),
        }
    }

    /// Has changes of settings told to what has such settings in hand, whoever makes them. The first call counts.
    pub(crate) fn watch_settings(&self, watcher: Box<SettingsWatcher>) {
        // A second one would be told of nothing.
        let _ = self.watcher.set(watcher);
    }

    fn tell_watcher(&self, id: &SessionId, settings: &SessionSettings) {
        if let Some(watcher) = self.watcher.get() {
            watcher(id, settings);
        }
    }

    /// Counts a message of a session, unless an earlier process did, and answers its record. `turn` is that of a message
    /// for the agent.
    pub(crate) async fn count_message(
        &self,
        recorder: &Recorder,
        id: &SessionId,
        message: &Inbound,
        counted: CountedMessage,
    ) -> Result<SessionRecord, StoreError> {
        let _changing = self.changing.lock(id).await;
        let now = recorder.now();
        let known = self.journal.session(id).await?;
        let mut record = known.unwrap_or_else(|| new_record(id, message, now));
        record.turns += u64::from(!counted.is_counted);
        if counted.is_said {
            record.said = Some(now);
        }
        record.used = now;
        record.chat = Some(message.chat.clone());
        // A delivery is no word of the person whose chat it is.
        if !is_delivery(message) || record.sender.is_empty() {
            record.sender = recorder.words(&message.sender.display_name).into_owned();
        }
        record.latest_turn = counted.of_agent.or(record.latest_turn);
        self.journal.put_session(record.clone(), vec![]).await?;
        Ok(record)
    }

    /// Keeps the chat of a person's message among those that an agent may name; writes it only where that is news.
    pub(crate) async fn note_chat(&self, recorder: &Recorder, message: &Inbound) -> Result<(), StoreError> {
        if message.dry_run {
            return Ok(());
        }
        let known = self.journal.chat(&message.channel, &message.chat).await?;
        let mut chat = KnownChat::of(message, recorder.now()).after(known.as_ref());
        chat.each_text(|text| {
            *text = recorder.words(text).into_owned();
            text.truncate(text.floor_char_boundary(NAME_BYTES));
        });
        if known.is_none_or(|known| chat.is_news_after(&known)) {
            self.journal.put_chat(chat)?;
        }
        Ok(())
    }

    /// The settings that are stored on a session; none where there is no such session.
    pub(crate) async fn settings(&self, id: &SessionId) -> Result<SessionSettings, StoreError> {
        let record = self.journal.session(id).await?;
        Ok(record.map(|record| record.settings).unwrap_or_default())
    }

    /// The settings that are stored on a session, and what its agent is to be told.
    pub(crate) async fn state_for_turn(
        &self,
        id: &SessionId,
    ) -> Result<(SessionSettings, Vec<SystemNotice>), StoreError> {
        let record = self.journal.session(id).await?;
        Ok(record
            .map(|record| (record.settings, record.notices))
            .unwrap_or_default())
    }

    /// Has the agent of a session told with its next prompt what happened; of what is `about` the same only the latest is
    /// told. Durable when it returns. Answers the notice, if there is such a session.
    pub(crate) async fn notify(
        &self,
        recorder: &Recorder,
        id: &SessionId,
        about: &str,
        text: &str,
    ) -> Result<Vec<SystemNotice>, StoreError> {
        let _changing = self.changing.lock(id).await;
        let Some(mut record) = self.journal.session(id).await? else {
            return Ok(Vec::new());
        };
        add_notice(&mut record.notices, notice(recorder, about, text));
        let told = record.notices.last().cloned();
        self.journal.put_session(record, vec![]).await?;
        Ok(told.into_iter().collect())
    }

    /// Takes away what the agent was told. What came since waits for the next prompt.
    pub(crate) async fn end_notices(&self, id: &SessionId, told: &[SystemNotice]) -> Result<(), StoreError> {
        if told.is_empty() {
            return Ok(());
        }
        let _changing = self.changing.lock(id).await;
        let Some(mut record) = self.journal.session(id).await? else {
            return Ok(());
        };
        record.notices.retain(|notice| !told.contains(notice));
        self.journal.put_session(record, vec![]).await
    }

    /// Changes the settings of a session and tells of it (`settings_changed`), both durable when it returns; its agent is
    /// told of what it may notice. A session that does not exist is left so.
    pub(crate) async fn change_settings(
        &self,
        recorder: &Recorder,
        id: &SessionId,
        by: Actor,
        change: impl FnOnce(&mut SessionSettings) + Send,
    ) -> Result<(), StoreError> {
        let _changing = self.changing.lock(id).await;
        let Some(mut record) = self.journal.session(id).await? else {
            return Ok(());
        };
        let before = record.settings.clone();
        change(&mut record.settings);
        let changes = before.changes_to(&record.settings);
        if changes.is_empty() {
            return Ok(());
        }
        for change in changes.iter().filter(|change| is_noticed(&change.setting)) {
            let text = change_in_words(change, &by);
            add_notice(&mut record.notices, notice(recorder, &change.setting, &text));
        }
        let event = recorder.draft(Kind::SettingsChanged { changes, by });
        let settings = record.settings.clone();
        self.journal.put_session(record, vec![event]).await?;
        self.tell_watcher(id, &settings);
        Ok(())
    }

    /// Changes what counts in a group for everybody, like [`Self::change_settings`]. It is kept beside the sessions of those
    /// who write there, and stays when one of them begins anew.
    pub(crate) async fn change_group_settings(
        &self,
        recorder: &Recorder,
        id: &SessionId,
        message: &Inbound,
        by: Actor,
        change: impl FnOnce(&mut SessionSettings) + Send,
    ) -> Result<(), StoreError> {
        let changing = self.changing.lock(id).await;
        if self.journal.session(id).await?.is_none() {
            let record = new_record(id, message, recorder.now());
            self.journal.put_session(record, vec![]).await?;
        }
        drop(changing);
        self.change_settings(&recorder.in_session(id), id, by, change)
            .await
    }

    /// Begins a session anew where it is over by itself, and tells why. One in which a run is under way is not.
    pub(crate) async fn end_expired(
        &self,
        recorder: &Recorder,
        on: (&Runs, &Agents),
        id: &SessionId,
    ) -> Result<(), StoreError> {
        let Some(record) = self.journal.session(id).await? else {
            return Ok(());
        };
        let now = recorder.now();
        let over = |last_used| session_end(&self.config.reset, last_used).filter(|end| end.at <= now);
        let said = record.said.unwrap_or(record.used);
        if over(said).is_none() || on.0.lock().values().any(|run| run.session == *id) {
            return Ok(());
        }
        // An answer counts as well as its question, and may have taken long.
        let Some(expired) = over(said.max(self.answered(&record).await?.unwrap_or(said))) else {
            return Ok(());
        };
        let new = ResetRequest {
            by: Actor::Pipeline,
            expired: Some(expired),
            model: None,
            lifts_restrictions: false,
        };
        self.begin_anew(recorder, on, id, new).await?;
        Ok(())
    }

    /// The end of a session's latest turn.
    async fn answered(&self, record: &SessionRecord) -> Result<Option<Timestamp>, StoreError> {
        let Some(turn) = record.latest_turn else {
            return Ok(None);
        };
        let wanted = Selection {
            turns: Some([turn].into()),
            ..Selection::kinds(["turn_ended"])
        };
        let events = self
            .journal
            .select(&wanted, Seq(0), self.journal.head(), 1)
            .await?;
        Ok(events.first().map(|event| event.at))
    }

    /// Begins a session anew: the agents forget it, and what runs in it keeps nothing of it, but goes on. What people set
    /// about it is cleared, but for what is carried over.
    pub(crate) async fn begin_anew(
        &self,
        recorder: &Recorder,
        (runs, agents): (&Runs, &Agents),
        id: &SessionId,
        new: ResetRequest,
    ) -> Result<BegunSession, StoreError> {
        let ResetRequest {
            by,
            expired,
            model,
            lifts_restrictions,
        } = new;
        let anew = |before: &SessionSettings| {
            let mut settings = carried_over(before, &self.config.carry_over);
            if !lifts_restrictions {
                keep_restrictions(before, &mut settings);
            }
            if let Some(model) = &model {
                settings.model = Some(chosen_model(model.clone()));
            }
            settings
        };
        let before = self.settings(id).await?;
        let kept = kept_settings(&before, &anew(&before));
        forget(runs, agents, id);
        let latest = self.journal.agent_sessions(id).await?.into_iter().next();
        let event = recorder.draft(Kind::SessionReset {
            by: by.clone(),
            agent: latest.map(|kept| kept.id),
            expired,
            kept: kept.clone(),
        });
        self.journal.put_agent_session(id, None, vec![event]).await?;
        // What began meanwhile may have been given what was written until now.
        forget(runs, agents, id);
        let _changing = self.changing.lock(id).await;
        let Some(mut record) = self.journal.session(id).await? else {
            return Ok(BegunSession::default());
        };
        let settings = anew(&record.settings);
        let changes = record.settings.changes_to(&settings);
        record.settings = settings.clone();
        record.began = Some(recorder.now());
        record.said = record.began;
        // What happened in the one before is no business of the new one.
        record.notices.clear();
        let text = reset_in_words(&by, expired.as_ref(), &kept);
        add_notice(&mut record.notices, notice(recorder, "session", &text));
        let event = (!changes.is_empty()).then(|| recorder.draft(Kind::SettingsChanged { changes, by }));
        self.journal
            .put_session(record, event.into_iter().collect())
            .await?;
        self.tell_watcher(id, &settings);
        Ok(BegunSession { settings, kept })
    }
}

/// A session in which nothing was said yet.
fn new_record(id: &SessionId, message: &Inbound, now: Timestamp) -> SessionRecord {
    SessionRecord {
        id: id.clone(),
        channel: message.channel.clone(),
        turns: 0,
        created: now,
        used: now,
        chat: Some(message.chat.clone()),
        sender: String::new(),
        latest_turn: None,
        settings: SessionSettings::default(),
        began: None,
        said: None,
        notices: Vec::new(),
    }
}

/// The settings that are the same before and after, as far as they are set.
fn kept_settings(before: &SessionSettings, after: &SessionSettings) -> Vec<KeptSetting> {
    let before = before.written();
    let kept = after.written().into_iter().filter(|set| before.contains(set));
    kept.map(|(setting, value)| KeptSetting {
        setting: setting.to_owned(),
        value,
    })
    .collect()
}

/// A notice, without secrets.
fn notice(recorder: &Recorder, about: &str, text: &str) -> SystemNotice {
    SystemNotice {
        at: recorder.now(),
        about: about.to_owned(),
        text: recorder.words(text).into_owned(),
    }
}

/// The notice that a run was stopped.
pub(crate) fn stopped_in_words(by: &Actor) -> String {
    format!("{by:#} stopped your last answer before it was complete. Go on with care, or ask what is wanted.")
}

/// Whether an agent may notice that a setting changed: not those about which messages reach it, how they wait, and what is
/// shown of its tokens.
fn is_noticed(setting: &str) -> bool {
    !setting.starts_with("queue.") && !matches!(setting, "send" | "usage" | "speech")
}

fn change_in_words(change: &SettingChange, by: &Actor) -> String {
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "the default".to_owned());
    let (setting, from, to) = (&change.setting, value(&change.from), value(&change.to));
    format!("{by:#} set {setting} to {to}; it was {from}.")
}

fn reset_in_words(by: &Actor, expired: Option<&SessionExpiry>, kept: &[KeptSetting]) -> String {
    let why = expired.map_or_else(
        || format!("{by:#} asked for it"),
        |end| format!("the one before was last used at {}", end.last_used),
    );
    let kept: Vec<_> = kept
        .iter()
        .map(|kept| format!("{} {}", kept.setting, kept.value))
        .collect();
    let kept = match kept.as_slice() {
        [] => String::new(),
        kept => format!(" These settings stay: {}.", kept.join(", ")),
    };
    format!("A new conversation begins: {why}.{kept}")
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
