//! The gates behind activation: the message is for the bot, and its session is known.

use super::{
    AgentDestination, Destination, Gates, TurnOrigin,
    agent_text::{AgentText, NewSession},
    sender_text::{TextContext, TextMeaning},
};
use crate::{
    context::{CountedMessage, ResetRequest},
    flow::{Flow, Stop},
    queue_settings::QueueSettings,
    recorder::Recorder,
    rules::Rule,
    stages::command_access::{AccessContext, CommandAccess, command_access},
};
use foldback_directives::inbound::Model;
use foldback_store::{SessionSettings, StoreError};
use foldback_wire::{
    Actor, ChannelId, Event, Gate, Inbound, Kind, Platform, SendPolicy, SessionId, SettingChange,
    SettingSource, Stage, Timestamp, TurnId,
};

/// The place of a message that is for the bot.
pub(super) struct SessionPlace {
    pub(super) turn: TurnId,
    pub(super) session: SessionId,
    pub(super) platform: Platform,
    /// Whether the agent runs in the group, where that is set for everybody there beside their own sessions, and the key that
    /// it is set under.
    pub(super) group_send: Option<(SessionId, SendPolicy)>,
}

impl Gates {
    /// Reads what the sender wrote, and counts the message.
    pub(super) async fn admit_in_session(
        &self,
        recorder: &Recorder,
        place: SessionPlace,
        message: &Inbound,
        origin: TurnOrigin,
    ) -> Result<Flow<Destination>, StoreError> {
        let SessionPlace {
            turn,
            session,
            platform,
            group_send,
        } = place;
        let (meaning, access) = self.meaning(platform, message);
        if let Some(stop) = self.over_limit(recorder, message, origin, &meaning) {
            return Ok(stop.flow());
        }
        if meaning.is_command_for_agent() {
            // What waits for more of its sender was said before, and is of the conversation before.
            self.gathered.flush_sender(&session, message)?;
        }
        let counted = CountedMessage {
            of_agent: matches!(meaning, TextMeaning::ForAgent(_)).then_some(turn),
            is_said: meaning.is_said(),
            is_counted: matches!(origin, TurnOrigin::Resumed { counted: true, .. }),
        };
        let sessions = &self.context.sessions;
        // One that was counted found its session fresh, and whoever begins a new one need not be told of the end of the old.
        let finds = meaning.is_said() && !meaning.begins_anew() && !counted.is_counted;
        if finds && self.context.rules.holds(Rule::SessionFresh) {
            let on = (&self.context.runs, &self.context.agents);
            sessions
                .end_expired(&recorder.in_session(&session), on, &session)
                .await?;
        }
        // Before the record of the session, with which it is durable.
        sessions.note_chat(recorder, message).await?;
        let record = sessions
            .count_message(recorder, &session, message, counted)
            .await?;
        let recorder = recorder.in_session(&session);
        recorder.note(Kind::Passed {
            stage: Stage::Session,
            detail: format!("turn {} of session {session}", record.turns),
        })?;
        match meaning {
            TextMeaning::Answered(kind) => Ok(Flow::Continue(Destination::OwnAnswer {
                session,
                access,
                kind,
            })),
            TextMeaning::ForAgent(mut text) => {
                let by = Actor::User(message.sender.id.clone());
                if matches!(origin, TurnOrigin::Resumed { .. }) {
                    Self::leave_out_done(&recorder, turn, record.began, &by, &mut text).await?;
                }
                let on = (session, group_send, &message.channel);
                let admitted = self
                    .admit_to_agent(&recorder, on, record.settings, text, by)
                    .await?;
                Ok(match admitted {
                    Flow::Continue(agent) => Flow::Continue(Destination::Conversation(agent)),
                    Flow::Stop(stop) => Flow::Stop(stop),
                })
            }
        }
    }

    fn meaning(&self, platform: Platform, message: &Inbound) -> (TextMeaning, CommandAccess) {
        let config = &self.context.ports.config;
        let access = AccessContext {
            rules: self.context.rules,
            platform,
            config: &config.commands,
            settings: self.context.ports.settings(&message.channel),
        };
        let access = command_access(access, message);
        let agent = self.context.agents.of(&message.channel);
        let context = TextContext {
            rules: self.context.rules,
            config,
            agent: agent.as_ref(),
            access: &access,
        };
        (context.read(message), access)
    }

    /// The stop of a message that is one too many of its sender. Whoever wants a run stopped is always heard.
    fn over_limit(
        &self,
        recorder: &Recorder,
        message: &Inbound,
        origin: TurnOrigin,
        meaning: &TextMeaning,
    ) -> Option<Stop> {
        let stops = matches!(meaning, TextMeaning::Answered(kind) if kind.stops());
        // While the process ends nothing runs; the next start spreads them.
        if stops || origin != TurnOrigin::New || self.context.shutdown.no_new_turns.is_cancelled() {
            return None;
        }
        let settings = self.context.ports.settings(&message.channel);
        let is_simulated = settings.is_simulated(&message.channel);
        let most = self.context.ports.config.queue.most_of_sender(is_simulated);
        let times = &mut self.sender_times();
        match times.admit(self.context.rules, most, message, recorder.now()) {
            Flow::Continue(()) => None,
            Flow::Stop(stop) => Some(*stop),
        }
    }

    /// Leaves out the changes of its session that an earlier process made for the turn: what people set since then stays.
    /// `began` is the time at which the session last began anew, which is written last.
    async fn leave_out_done(
        recorder: &Recorder,
        turn: TurnId,
        began: Option<Timestamp>,
        by: &Actor,
        text: &mut AgentText,
    ) -> Result<(), StoreError> {
        if text.reset.is_none() && text.kept.is_none() {
            return Ok(());
        }
        let events = recorder.journal.turn(turn).await?;
        if events.iter().any(|event| is_reset(event, began, by)) {
            text.reset = None;
        }
        if let Some(kept) = &text.kept
            && events.iter().any(|event| is_stored(event, kept, by))
        {
            text.kept = None;
        }
        Ok(())
    }

    /// Notes what the text said beside the words for the agent, and asks whether the agent runs here at all.
    pub(super) async fn admit_to_agent(
        &self,
        recorder: &Recorder,
        (session, group_send, channel): (SessionId, Option<(SessionId, SendPolicy)>, &ChannelId),
        mut stored: SessionSettings,
        text: AgentText,
        by: Actor,
    ) -> Result<Flow<AgentDestination>, StoreError> {
        let AgentText {
            text,
            overrides,
            read,
            kept,
            reset,
            is_command,
            beside,
        } = text;
        if let Some(read) = read {
            recorder.note(Kind::InlineDirectives(read))?;
        }
        let sessions = &self.context.sessions;
        if let Some(NewSession { model, by_owner }) = reset {
            let on = (&self.context.runs, &self.context.agents);
            let new = ResetRequest::asked_by(by.clone(), model, by_owner);
            let begun = sessions.begin_anew(recorder, on, &session, new).await?;
            stored = begun.settings;
        }
        if let Some(kept) = kept {
            let change = |settings: &mut SessionSettings| settings.model = kept.model;
            sessions.change_settings(recorder, &session, by, change).await?;
        }
        let policy = self.context.ports.settings(channel).send_policy;
        let own = stored.send.map(|send| (session.clone(), send));
        let (holder, send) = own.or(group_send).unzip();
        if send.unwrap_or(policy) == SendPolicy::Deny && self.context.rules.holds(Rule::SendDeny) {
            return Ok(send_denied(holder.as_ref(), &session, channel).flow());
        }
        let config = &self.context.ports.config;
        let stored_queue = overrides.uncleared_queue(&stored.queue);
        let queue = QueueSettings::resolve(config, channel, &stored_queue, &overrides.set.queue);
        Ok(Flow::Continue(AgentDestination {
            session,
            text,
            queue,
            overrides: *overrides,
            is_command,
            beside,
        }))
    }
}

/// True for the reset that a turn's author asked for, where it was carried out to its end.
fn is_reset(event: &Event, began: Option<Timestamp>, by: &Actor) -> bool {
    let is_asked = matches!(&event.kind, Kind::SessionReset { by: author, .. } if author == by);
    is_asked && began.is_some_and(|began| began >= event.at)
}

/// True for the change that stored a turn's model on its session, and for what a message notes once it waits: a model
/// that was stored already changes nothing.
fn is_stored(event: &Event, kept: &SessionSettings, by: &Actor) -> bool {
    let model = kept.model.as_ref().map(Model::written);
    match &event.kind {
        Kind::SettingsChanged { changes, by: author } => {
            let is_model = |change: &SettingChange| change.setting == "model" && change.to == model;
            author == by && changes.iter().any(is_model)
        }
        Kind::Queued { .. } | Kind::Waiting { .. } | Kind::NotSteered { .. } => true,
        _ => false,
    }
}

/// The stop of a message for the agent where that does not run: by what somebody set there, which `holder` keeps, or by the
/// channel's setting.
fn send_denied(holder: Option<&SessionId>, session: &SessionId, channel: &ChannelId) -> Stop {
    let (detail, setting, source) = if holder.is_some() {
        let detail = "the session is closed to messages for the agent";
        (detail, "/send on".to_owned(), SettingSource::Session)
    } else {
        let detail = "the channel is closed to messages for the agent";
        let setting = format!("channels.{channel}.send_policy");
        (detail, setting, SettingSource::Channel)
    };
    Stop::new(Stage::SendPolicy, Gate::SendDenied, detail.to_owned())
        .given("session", holder.unwrap_or(session).as_str())
        .given("send", "deny")
        .changed_by(setting)
        .set_by(source)
}
