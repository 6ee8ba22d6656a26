//! The beginning of turns: a message goes through the gates, then into its conversation.

use super::Core;
use crate::{
    commands::OwnTurn,
    flow::{Stop, record_stop},
    gates::{Admission, AdmittedMessage, GatheredMessages as _, TurnOrigin},
    pairing::UnpairedMessage,
    pending::Pending,
    recorder::Recorder,
    route::Route,
    stages::finalize::normalise_breaks,
    turn_cause::TurnCause,
};
use foldback_directives::redact::InboundSecrets;
use foldback_store::StoreError;
use foldback_wire::{Draft, Gate, Inbound, Kind, MessageId, Stage, Terminal, TurnId};
use std::sync::Arc;
use tokio::sync::oneshot;

/// A turn that was begun.
#[derive(Debug)]
pub struct Turn {
    /// Its number.
    pub id: TurnId,
    ended: oneshot::Receiver<Terminal>,
}

impl Turn {
    /// Waits for its end. `None` when the process ends first, or the journal cannot be written.
    pub async fn ended(self) -> Option<Terminal> {
        self.ended.await.ok()
    }
}

impl Core {
    /// Notes that a schedule's turn has not ended, until it has.
    pub(super) fn watch_scheduled(self: &Arc<Self>, schedule: String, turn: Turn) -> Turn {
        let (end, ended) = oneshot::channel();
        let (id, core) = (turn.id, Arc::clone(self));
        self.schedules.turn_begins(&schedule, id);
        self.context.tasks.spawn(async move {
            let terminal = turn.ended().await;
            core.schedules.turn_ended(&schedule, id);
            if let Some(terminal) = terminal {
                // A caller that does not wait for the end is fine.
                let _ = end.send(terminal);
            }
        });
        Turn { id, ended }
    }

    /// Begins a turn: through the gates, then into its conversation.
    ///
    /// While the process ends, a message that passed the gates stays open, and the next start begins it again.
    pub(crate) async fn begin(self: &Arc<Self>, inbound: Inbound) -> Result<Turn, StoreError> {
        self.begin_into(inbound, None).await
    }

    /// Begins a turn whose answer is written into this message of the bot.
    pub(crate) async fn begin_into(
        self: &Arc<Self>,
        inbound: Inbound,
        into: Option<MessageId>,
    ) -> Result<Turn, StoreError> {
        self.revive_by_message(&inbound)?;
        let (id, recorder, inbound) = self.receive(inbound)?;
        self.admit_turn(id, recorder, inbound, TurnOrigin::New, TurnCause::Message, into)
            .await
    }

    /// Begins a turn that no person's message begins. What begins it, that it came in, and the events of other turns that
    /// `beside` has for it are one write: a crash leaves all of them or none.
    pub(super) async fn begin_caused(
        self: &Arc<Self>,
        message: Inbound,
        cause: TurnCause,
        beside: impl FnOnce(TurnId) -> Vec<Draft>,
    ) -> Result<Turn, StoreError> {
        let (id, recorder, inbound) = self.receive(message)?;
        recorder.note_beside(cause.event().into_iter().collect(), beside(id))?;
        self.admit_turn(id, recorder, inbound, TurnOrigin::New, cause, None)
            .await
    }

    /// Stops a message that its sender can send again later, as the process ends.
    pub(crate) fn refuse_at_shutdown(&self, inbound: Inbound) -> Result<Turn, StoreError> {
        let (id, recorder, _) = self.receive(inbound)?;
        recorder.release()?;
        let stop = Stop::new(
            Stage::Queue,
            Gate::ShuttingDown,
            "the process is ending; send it again later",
        )
        .given("process", "ending");
        let (end, ended) = oneshot::channel();
        let _ = end.send(record_stop(&recorder, &self.context.ports.config, stop)?);
        Ok(Turn { id, ended })
    }

    /// Gives a message its turn. Its recorder keeps back that it came in until the gates have decided, as of a message
    /// that is not for the bot the text may not be kept. Until then no platform has a confirmation of it, and delivers it
    /// again after a crash.
    pub(super) fn receive(&self, mut inbound: Inbound) -> Result<(TurnId, Recorder, Inbound), StoreError> {
        if let Some(redaction) = &self.context.redaction
            && redaction.inbound() == InboundSecrets::Agent
        {
            redaction.message(&mut inbound);
        }
        normalise_breaks(self.context.rules, &mut inbound);
        let id = self.context.ids.turn();
        let recorder = self.context.recorder.of_turn(id, &inbound.channel).holding();
        recorder.note(Kind::Received {
            message: Box::new(inbound.clone()),
        })?;
        Ok((id, recorder, inbound))
    }

    /// Begins a turn again that an earlier process did not give to the agent: its message may be confirmed already, so
    /// that no platform delivers it once more.
    pub(crate) async fn begin_resumed(
        self: &Arc<Self>,
        id: TurnId,
        inbound: Inbound,
        origin: TurnOrigin,
        cause: TurnCause,
    ) -> Result<Turn, StoreError> {
        let recorder = self.context.recorder.of_turn(id, &inbound.channel);
        recorder.note(Kind::Passed {
            stage: Stage::Queue,
            detail: "taken up again: the process ended before it was given to the agent".to_owned(),
        })?;
        self.admit_turn(id, recorder, inbound, origin, cause, None).await
    }

    pub(super) async fn admit_turn(
        self: &Arc<Self>,
        id: TurnId,
        recorder: Recorder,
        inbound: Inbound,
        origin: TurnOrigin,
        cause: TurnCause,
        into: Option<MessageId>,
    ) -> Result<Turn, StoreError> {
        let (end, ended) = oneshot::channel();
        let admitted = self.gates.admit(&recorder, id, inbound, origin, &cause).await;
        let admission = match admitted {
            Ok(admission) => admission,
            Err(error) => {
                // It may be for the bot, and then must not be lost.
                recorder.release()?;
                return Err(error);
            }
        };
        // A message for the bot is written already.
        if self.context.ports.config.store.keep_unaddressed {
            recorder.release()?;
        } else {
            recorder.release_without_content()?;
        }
        let stays_open = !matches!(origin, TurnOrigin::Resumed { .. })
            && self.context.shutdown.no_new_turns.is_cancelled()
            && admission.begins_work();
        if stays_open {
            drop(end);
            return Ok(Turn { id, ended });
        }
        match admission {
            Admission::Conversation(admitted) => {
                let turn = BegunTurn {
                    id,
                    recorder,
                    end,
                    origin,
                    cause,
                    into,
                };
                self.enter_conversation(*admitted, turn).await?;
            }
            Admission::OwnAnswer(answer) => {
                let recorder = recorder.in_session(&answer.session);
                if !answer.kind.stops() {
                    self.queue.flush_sender(&answer.session, &answer.message)?;
                }
                self.commands.answer(OwnTurn {
                    id,
                    recorder,
                    answer: *answer,
                    ended: end,
                });
            }
            Admission::PermissionAnswer { name, claim } => {
                self.seen.lock().commit(&claim);
                let terminal = Terminal::Command {
                    name: name.to_owned(),
                };
                recorder.note(Kind::TurnEnded {
                    terminal: terminal.clone(),
                })?;
                let _ = end.send(terminal);
            }
            Admission::UnknownSender { message, stop } => self.pairing.request_pairing(UnpairedMessage {
                turn: id,
                recorder,
                message,
                stop: *stop,
                end,
            })?,
            Admission::Stopped(stop) => {
                // A caller that does not wait for the end is fine.
                let _ = end.send(record_stop(&recorder, &self.context.ports.config, *stop)?);
            }
        }
        Ok(Turn { id, ended })
    }

    /// A message that passed the gates goes into its conversation, the commands in its text before it.
    async fn enter_conversation(
        self: &Arc<Self>,
        admitted: AdmittedMessage,
        turn: BegunTurn,
    ) -> Result<(), StoreError> {
        let BegunTurn {
            id,
            recorder,
            end,
            origin,
            cause,
            into,
        } = turn;
        let AdmittedMessage {
            message,
            session,
            claim,
            queue,
            overrides,
            is_command,
            beside,
        } = admitted;
        for (number, command) in (1..).zip(beside) {
            let asked = command_beside(&message, number, command);
            // Boxed, as it goes the whole way of a message of its own.
            Box::pin(self.begin(asked)).await?;
        }
        let recorder = recorder.in_session(&session);
        let aged_since = match origin {
            TurnOrigin::Resumed { aged_since, .. } => aged_since,
            TurnOrigin::New | TurnOrigin::Again => None,
        };
        let since = aged_since.unwrap_or_else(|| recorder.now());
        let pending = Pending {
            id,
            route: Route::of(&message),
            message,
            session,
            claim,
            ended: end,
            since,
            came: recorder.clock.steady(),
            recorder,
            into,
            parts: Vec::new(),
            steered: None,
            is_command,
            resumed: matches!(origin, TurnOrigin::Resumed { .. }),
            cause,
            queue,
            own_settings: overrides.clone().without_queue(),
            overrides,
        };
        if aged_since.is_some() {
            self.aged.hold_message(pending)?;
        } else {
            self.queue.enter_message(pending)?;
        }
        Ok(())
    }
}

/// A turn on its way into its conversation.
struct BegunTurn {
    id: TurnId,
    recorder: Recorder,
    end: oneshot::Sender<Terminal>,
    origin: TurnOrigin,
    cause: TurnCause,
    into: Option<MessageId>,
}

/// A command in the text of a message, as a message of its own. Its id is known when the message is taken up again, so that
/// it is answered once.
fn command_beside(message: &Inbound, number: usize, text: String) -> Inbound {
    Inbound {
        message: format!("{}#{number}", message.message).as_str().into(),
        text,
        reply_to: None,
        // Whoever was let through with the text is heard with its commands, too.
        mentioned: true,
        files: Vec::new(),
        context: None,
        ..message.clone()
    }
}
