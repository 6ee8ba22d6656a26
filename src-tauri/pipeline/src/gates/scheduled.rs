//! The gates of a turn that a schedule begins. The operator wrote its text and named its chat: nobody has to be let in, no
//! mention is asked for, and nothing in the text is a command.

use super::{Admission, AdmittedMessage, AgentDestination, Gates, TurnOrigin, agent_text::AgentText};
use crate::{
    config::SessionConfig, context::CountedMessage, flow::Flow, recorder::Recorder, repeats::find_repeated,
    rules::Rule, stages::session,
};
use foldback_directives::inbound::{Model, Queue, QueueMode};
use foldback_store::{SessionSettings, StoreError};
use foldback_wire::{Actor, Inbound, Kind, ScheduleDue, Stage, TurnId};

impl Gates {
    /// Takes the message of a schedule into its conversation.
    pub(crate) async fn admit_scheduled(
        &self,
        recorder: &Recorder,
        turn: TurnId,
        message: Inbound,
        origin: TurnOrigin,
        due: &ScheduleDue,
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
            detail: format!("begun by the schedule {}", due.schedule),
        })?;
        // Nobody knows whose chat it is: what direct chats share is not told there.
        let config = SessionConfig {
            main: None,
            ..self.context.ports.config.session.clone()
        };
        let session = session::key(rules, &config, &message);
        recorder.find_session(&session);
        recorder.release()?;
        let counted = CountedMessage {
            // A look at what is due keeps no session fresh, and its end is no end of an answer.
            of_agent: (!due.heartbeat).then_some(turn),
            is_said: !due.heartbeat,
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
            overrides: Box::new(overrides(due).into()),
            ..AgentText::default()
        };
        let on = (session, None, &message.channel);
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
                queue: queue.of_schedule(),
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
}

/// The settings of its turn alone. It has a run of its own, as its answer is read in its own way.
fn overrides(due: &ScheduleDue) -> SessionSettings {
    SessionSettings {
        model: due.model.as_ref().map(|model| Model {
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
