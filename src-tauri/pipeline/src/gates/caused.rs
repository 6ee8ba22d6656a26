//! The gates of a turn that no person's message begins. The operator wrote a schedule's text and named its chat; what a
//! delivery tells is data for the agent, and the person who asked for it was let in then; of a reminder, which may come due
//! long afterwards, that is decided again. Nobody has to be let in, no
//! mention is asked for, and nothing in the text is a command.

use super::{Admission, AdmittedMessage, AgentDestination, Gates, TurnOrigin, agent_text::AgentText};
use crate::{
    config::SessionConfig,
    context::CountedMessage,
    flow::{Flow, Stop},
    recorder::Recorder,
    repeats::find_repeated,
    rules::Rule,
    stages::{
        authorize::{AuthorizeContext, authorize},
        session,
    },
    turn_cause::TurnCause,
};
use foldback_directives::inbound::{Model, Queue, QueueMode};
use foldback_store::{Selection, SessionSettings, StoreError};
use foldback_wire::{Actor, ChatType, Inbound, Kind, SendPolicy, Seq, SessionId, Stage, TurnId};

impl Gates {
    /// Takes the message of a schedule or a delivery into its conversation.
    pub(crate) async fn admit_caused(
        &self,
        recorder: &Recorder,
        turn: TurnId,
        message: Inbound,
        origin: TurnOrigin,
        cause: &TurnCause,
    ) -> Result<Admission, StoreError> {
        let rules = self.context.rules;
        let claim = match self.seen.lock().claim(rules, &message, turn, recorder.now()) {
            Flow::Continue(claim) => claim,
            Flow::Stop(stop) => return Ok(Admission::Stopped(stop)),
        };
        if let Some(stop) = find_repeated(&self.seen, rules, recorder, &message, turn).await? {
            self.seen.lock().release(rules, &claim);
            return Ok(Admission::Stopped(Box::new(stop)));
        }
        recorder.note(Kind::Passed {
            stage: Stage::Authorize,
            detail: begun_by(cause),
        })?;
        let session = session::key(rules, &self.session_config(cause, &message).await?, &message);
        recorder.find_session(&session);
        recorder.release()?;
        let is_heartbeat = cause.is_heartbeat();
        let counted = CountedMessage {
            // A look at what is due keeps no session fresh, and its end is no end of an answer.
            of_agent: (!is_heartbeat).then_some(turn),
            is_said: !is_heartbeat,
            is_counted: matches!(origin, TurnOrigin::Resumed { counted: true, .. }),
        };
        if counted.is_said && !counted.is_counted && rules.holds(Rule::SessionFresh) {
            let on = (&self.context.runs, &self.context.agents);
            let in_session = recorder.in_session(&session);
            self.context
                .sessions
                .end_expired(&in_session, on, &session)
                .await?;
        }
        let record = self
            .context
            .sessions
            .count_message(recorder, &session, &message, counted)
            .await?;
        let in_session = recorder.in_session(&session);
        in_session.note(Kind::Passed {
            stage: Stage::Session,
            detail: format!("turn {} of session {session}", record.turns),
        })?;
        let text = AgentText {
            overrides: Box::new(overrides(cause).into()),
            ..AgentText::default()
        };
        let group_send = self.group_send(&message, &session).await?;
        let on = (session, group_send, &message.channel);
        let admitted = self
            .admit_to_agent(&in_session, on, record.settings, text, Actor::Config)
            .await?;
        match admitted {
            Flow::Continue(AgentDestination {
                session,
                queue,
                overrides,
                ..
            }) => Ok(Admission::Conversation(Box::new(AdmittedMessage {
                message,
                session,
                claim,
                queue: queue.set_by(cause.setting_source()),
                overrides,
                is_command: false,
                beside: Vec::new(),
            }))),
            Flow::Stop(stop) => {
                self.seen.lock().release(rules, &claim);
                Ok(Admission::Stopped(stop))
            }
        }
    }

    /// Decides by the settings and approvals of now over whoever a message names as its sender. Gives the stop where they may
    /// not write there.
    pub(crate) fn refusal_of_sender(&self, message: &Inbound) -> Option<Stop> {
        let approved = self.pairing.approver(message);
        let context = AuthorizeContext {
            rules: self.context.rules,
            platform: self.context.ports.port(&message.channel)?.can.platform,
            settings: self.context.ports.settings(&message.channel),
            approved: approved.as_ref(),
            own: false,
        };
        match authorize(&context, message) {
            Flow::Continue(_) => None,
            Flow::Stop(stop) => Some(*stop),
        }
    }

    /// The settings that its session is found by. Where no turn asked for it, nobody knows whose chat it is, and where one of
    /// another chat did, it is of somebody else: what direct chats share is not told there.
    async fn session_config(
        &self,
        cause: &TurnCause,
        message: &Inbound,
    ) -> Result<SessionConfig, StoreError> {
        let config = self.context.ports.config.session.clone();
        if config.main.is_none() {
            return Ok(config);
        }
        let asked = cause.delivery().and_then(|request| request.cause);
        let is_asked_here = match asked {
            Some(turn) => self.is_of_chat(turn, message).await?,
            None => false,
        };
        let main = config.main.filter(|_| is_asked_here);
        Ok(SessionConfig { main, ..config })
    }

    /// True where a turn's message was written in the chat of this one.
    async fn is_of_chat(&self, turn: TurnId, message: &Inbound) -> Result<bool, StoreError> {
        let journal = &self.context.recorder.journal;
        let wanted = Selection {
            turns: Some([turn].into()),
            ..Selection::kinds(["received"])
        };
        journal.flush().await?;
        let came = journal
            .select(&wanted, Seq(0), journal.head(), usize::MAX)
            .await?;
        Ok(came.iter().any(|event| {
            matches!(&event.kind, Kind::Received { message: asked }
                if asked.channel == message.channel && asked.chat == message.chat)
        }))
    }

    /// The choice for its group, where one is set for everybody there beside their own sessions.
    async fn group_send(
        &self,
        message: &Inbound,
        session: &SessionId,
    ) -> Result<Option<(SessionId, SendPolicy)>, StoreError> {
        let config = &self.context.ports.config.session;
        let group = session::group_key(self.context.rules, config, message);
        if message.chat_type != ChatType::Group || group == *session {
            return Ok(None);
        }
        let send = self.context.sessions.settings(&group).await?.send;
        Ok(send.map(|send| (group, send)))
    }
}

/// The reason for which it was let in, in words.
fn begun_by(cause: &TurnCause) -> String {
    match cause {
        TurnCause::Message => String::new(),
        TurnCause::Schedule(due) => format!("begun by the schedule {}", due.schedule),
        TurnCause::Delivery(request) => format!("begun by the delivery {}", request.id),
    }
}

/// The settings of its turn alone. It has a run of its own, as its answer is read in its own way.
fn overrides(cause: &TurnCause) -> SessionSettings {
    let model = cause.schedule().and_then(|due| due.model.as_ref());
    SessionSettings {
        model: model.map(|model| Model {
            model: Some(model.clone()),
            ..Model::default()
        }),
        queue: Queue {
            mode: Some(QueueMode::Followup),
            ..Queue::default()
        },
        ..SessionSettings::default()
    }
}
