//! One message's way: the stages in their order, as the diagram of the architecture has them.

use crate::{
    config::{ReasoningDisplay, ToolDisplay},
    context::{RunHandle, RunState},
    deliver::{courier::Courier, delivery::deliver, desk::Desk, typing::Typing},
    engine::Core,
    flow::{Stop, stopped},
    gates::{Admission, Admitted, Coming},
    leaks::Watch,
    pairing::Stranger,
    queue::{AllowedRun, Pending},
    recorder::Recorder,
    stages::{
        permit::Asked,
        run::{OUTPUT_EVENTS, Run},
        scan::Scan,
        text_bound::TextBound,
    },
};
use foldback_directives::redact::InboundSecrets;
use foldback_store::StoreError;
use foldback_wire::{Gate, Inbound, Kind, MessageId, Stage, Terminal, TurnId};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

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
    /// Begins a turn: through the gates, then into its conversation.
    ///
    /// While the process ends, a message that the gates let through stays open, and the next start takes it up.
    pub(crate) async fn begin(self: &Arc<Self>, inbound: Inbound) -> Result<Turn, StoreError> {
        self.begin_into(inbound, None).await
    }

    /// Begins a turn whose answer is written into this message of the bot.
    pub(crate) async fn begin_into(
        self: &Arc<Self>,
        inbound: Inbound,
        into: Option<MessageId>,
    ) -> Result<Turn, StoreError> {
        let (id, recorder, inbound) = self.receive(inbound)?;
        self.enter(id, recorder, inbound, Coming::New, into).await
    }

    /// Answers whoever writes while the process ends, and can write again later.
    pub(crate) fn turn_away(&self, inbound: Inbound) -> Result<Turn, StoreError> {
        let (id, recorder, _) = self.receive(inbound)?;
        recorder.release()?;
        let stop = Stop::new(
            Stage::Queue,
            Gate::ShuttingDown,
            "the process is ending; send it again later",
        );
        let (end, ended) = oneshot::channel();
        let _ = end.send(stopped(&recorder, stop)?);
        Ok(Turn { id, ended })
    }

    /// Gives a message its turn. Its recorder keeps back that it came in until the gates have decided, as of a message
    /// that is not for the bot the text may not be kept. Until then no platform has a confirmation of it, and delivers it
    /// again after a crash.
    fn receive(&self, mut inbound: Inbound) -> Result<(TurnId, Recorder, Inbound), StoreError> {
        if let Some(redaction) = &self.context.redaction
            && redaction.inbound() == InboundSecrets::Agent
        {
            redaction.message(&mut inbound);
        }
        let id = self.context.ids.turn();
        let recorder = self.context.recorder.of_turn(id, &inbound.channel).holding();
        recorder.note(Kind::Received {
            message: Box::new(inbound.clone()),
        })?;
        Ok((id, recorder, inbound))
    }

    /// Takes a turn up again that an earlier process did not get to: its message may be confirmed already, so
    /// that no platform delivers it once more.
    pub(crate) async fn begin_again(
        self: &Arc<Self>,
        id: TurnId,
        inbound: Inbound,
        coming: Coming,
    ) -> Result<Turn, StoreError> {
        let recorder = self.context.recorder.of_turn(id, &inbound.channel);
        recorder.note(Kind::Passed {
            stage: Stage::Queue,
            detail: "taken up again: the process ended before it was given to the agent".to_owned(),
        })?;
        self.enter(id, recorder, inbound, coming, None).await
    }

    async fn enter(
        self: &Arc<Self>,
        id: TurnId,
        recorder: Recorder,
        inbound: Inbound,
        coming: Coming,
        into: Option<MessageId>,
    ) -> Result<Turn, StoreError> {
        let (end, ended) = oneshot::channel();
        let admission = match self.gates.admit(&recorder, id, inbound, coming).await {
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
        let stays_open = coming == Coming::New
            && self.context.shutdown.no_new_turns.is_cancelled()
            && admission.begins_work();
        if stays_open {
            drop(end);
            return Ok(Turn { id, ended });
        }
        match admission {
            Admission::In(Admitted {
                message,
                session,
                claim,
            }) => {
                let recorder = recorder.in_session(&session);
                let aged_since = match coming {
                    Coming::Again { aged_since, .. } => aged_since,
                    Coming::New => None,
                };
                let since = aged_since.unwrap_or_else(|| recorder.now());
                let pending = Pending {
                    id,
                    message,
                    session,
                    claim,
                    recorder,
                    ended: end,
                    since,
                    into,
                };
                if aged_since.is_some() {
                    self.hold_aged(pending)?;
                } else {
                    self.take_turns(pending)?;
                }
            }
            Admission::Command { name, claim } => {
                self.seen.lock().commit(&claim);
                let terminal = Terminal::Command {
                    name: name.to_owned(),
                };
                recorder.note(Kind::TurnEnded {
                    terminal: terminal.clone(),
                })?;
                let _ = end.send(terminal);
            }
            Admission::Unknown { message, stop } => self.pairing.meet(Stranger {
                turn: id,
                recorder,
                message,
                stop: *stop,
                end,
            })?,
            Admission::Stopped(stop) => {
                // A caller that does not wait for the end is fine.
                let _ = end.send(stopped(&recorder, *stop)?);
            }
        }
        Ok(Turn { id, ended })
    }

    /// One turn, to its end. A turn that cannot end in order (the process ends while something of it is
    /// held, the journal cannot be written) stays open; the next start sends what is held and closes it.
    pub(crate) async fn complete(
        self: Arc<Self>,
        pending: Pending,
        free: CancellationToken,
        allowed: Option<AllowedRun>,
    ) {
        let Pending {
            id,
            ref message,
            ref session,
            ..
        } = pending;
        let span = tracing::info_span!("turn", turn = %id, session = %session, channel = %message.channel);
        let ended = async {
            // Boxed, as all that a turn may wait for is large.
            let answered = Box::pin(self.answer(&pending, &free, allowed)).await;
            let stopped = self
                .context
                .runs
                .lock()
                .remove(&id)
                .is_some_and(|run| run.is_stopped());
            let terminal = answered?;
            pending.recorder.note_all(vec![
                Kind::Idle,
                Kind::TurnEnded {
                    terminal: terminal.clone(),
                },
            ])?;
            Ok::<_, StoreError>((terminal, stopped))
        }
        .instrument(span)
        .await;
        match ended {
            Ok((terminal, stopped)) => {
                // Whoever stopped it does not want it begun again by the platform's next copy.
                if matches!(terminal, Terminal::Failed { .. }) && !stopped {
                    self.seen.lock().release(self.context.rules, &pending.claim);
                } else {
                    self.seen.lock().commit(&pending.claim);
                }
                match &terminal {
                    // The words may be the agent's own.
                    Terminal::Failed { detail } => tracing::info!(turn = %id, text = %detail, "failed"),
                    Terminal::Unknown { detail } => tracing::warn!(turn = %id, text = %detail, "unknown"),
                    ended => tracing::info!(turn = %id, %ended, "ended"),
                }
                let _ = pending.ended.send(terminal);
            }
            Err(StoreError::Closed) if self.context.shutdown.no_new_turns.is_cancelled() => {
                tracing::info!(turn = %id, "stays open: the process ends");
            }
            Err(error) => {
                self.seen.lock().release(self.context.rules, &pending.claim);
                tracing::error!(turn = %id, %error, "stays open");
            }
        }
    }

    /// Prepare, run, scan, preview, dispatch, deliver. The conversation is free once nothing but other chats is
    /// waited for.
    async fn answer(
        self: &Arc<Self>,
        pending: &Pending,
        free: &CancellationToken,
        allowed: Option<AllowedRun>,
    ) -> Result<Terminal, StoreError> {
        let Pending {
            id,
            message,
            session,
            recorder,
            ..
        } = pending;
        let Some(port) = self.context.ports.port(&message.channel) else {
            return Ok(Terminal::Failed {
                detail: format!("the channel {} is gone", message.channel),
            });
        };
        let busy = self.context.busy.token();
        let leaks = Arc::new(Watch::default());
        let on = (&self.lanes, &self.context.ids);
        let courier = Courier::of_turn(on, (*id, session), recorder, &port.channel, message, &leaks);
        // What is to be gathered and written down first may take its time, too.
        let typing = Typing::start(
            &courier,
            port.can.typing,
            self.context.ports.config.typing,
            self.context.rules,
        );
        let cancel = self.context.shutdown.cancel_runs.child_token();
        let stopped = cancel.clone();
        let state = self.list_run(pending, &cancel);
        let agent = self.context.agents.of(&message.channel);
        let request = self.brief(pending, &port, agent.as_ref(), &cancel).await?;
        let settings = self.context.scan_settings(&port);
        let (output, decided) = mpsc::channel(OUTPUT_EVENTS);
        let chat_full = CancellationToken::new();
        let run = Run {
            agent,
            recorder,
            rules: self.context.rules,
            silence: self.context.ports.config.agent.idle_timeout.0,
            most: TextBound::of(&port.can, port.output.max_messages),
            chat_full: chat_full.clone(),
            session,
            kept: request.resume.clone(),
            tell_lost: self.context.ports.config.session.tell_lost,
            state,
            shows_tools: port.output.tools != ToolDisplay::None,
            shows_thoughts: port.output.reasoning != ReasoningDisplay::Hide,
            asked: Asked {
                permissions: &self.context.permissions,
                config: &self.context.ports.config.agent.permissions,
                turn: *id,
                session,
                message,
            },
            cancel,
            output,
            leaks: &leaks,
            on_step: &|| typing.touch(),
        };
        let mut desk = Desk::new(
            courier,
            port,
            (self.context.files.clone(), self.context.speech.clone()),
            Arc::clone(&self.context.ports),
            self.context.rules,
            message.clone(),
        );
        desk.busy = Some(busy);
        desk.cancel = stopped;
        desk.chat_full = chat_full;
        desk.write_into(pending.into.clone());
        let scan = Scan::new(
            &settings,
            &message.text,
            self.context.redaction.as_ref(),
            self.context.rules,
        );
        let running = async {
            // Boxed, as a run may wait for much.
            let ended = Box::pin(run.run(request, scan)).await;
            // Its answer may be held for hours; others need not wait for that.
            drop(allowed);
            ended
        };
        let ended = tokio::try_join!(running, deliver(&mut desk, decided));
        typing.seal().await;
        let ((), failure) = ended?;
        if desk.is_busy_elsewhere() {
            free.cancel();
            desk.collect_elsewhere().await?;
        }
        Ok(desk.tally.terminal(failure))
    }

    /// Lists a turn as one that runs.
    fn list_run(&self, pending: &Pending, cancel: &CancellationToken) -> Arc<RunState> {
        let state = Arc::new(RunState::default());
        let run = RunHandle {
            cancel: cancel.clone(),
            session: pending.session.clone(),
            recorder: pending.recorder.clone(),
            since: pending.recorder.now(),
            state: Arc::clone(&state),
        };
        self.context.runs.lock().insert(pending.id, run);
        state
    }
}
