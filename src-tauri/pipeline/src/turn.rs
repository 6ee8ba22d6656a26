//! One message's way: the stages in their order, as the diagram of the architecture has them.

use crate::{
    config::{ReasoningDisplay, ToolDisplay},
    conversations::Entry,
    deliver::{courier::Courier, delivery::deliver, desk::Desk, typing::Typing},
    engine::{Core, Live, Running, person},
    flow::Stop,
    gates::{Admission, Admitted, Coming},
    leaks::Watch,
    pairing::Stranger,
    recorder::Recorder,
    rules::Rule,
    stages::{
        dedupe::Claim,
        permit::Asked,
        run::{CUES, Run},
        scan::Scan,
        text_bound::TextBound,
    },
};
use foldback_directives::redact::InboundSecrets;
use foldback_store::StoreError;
use foldback_wire::{Actor, Gate, Inbound, Kind, SessionId, Stage, Terminal, Timestamp, TurnId};
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

/// A message that passed the gates and waits for its turn.
pub(crate) struct Pending {
    id: TurnId,
    pub(crate) message: Inbound,
    pub(crate) session: SessionId,
    claim: Claim,
    pub(crate) recorder: Recorder,
    ended: oneshot::Sender<Terminal>,
    since: Timestamp,
}

impl Pending {
    pub(crate) const fn id(&self) -> TurnId {
        self.id
    }
}

/// What a person dropped while it waited.
pub(crate) fn dropped(by: &Actor) -> Stop {
    let who = person(by);
    Stop::new(
        Stage::Queue,
        Gate::Dropped,
        format!("{who} dropped it while it waited"),
    )
    .given("by", who)
}

impl Core {
    /// Begins a turn: through the gates, then into its conversation.
    ///
    /// While the process ends it is only noted: the turn stays open, and the next start takes it up.
    pub(crate) async fn begin(self: &Arc<Self>, inbound: Inbound) -> Result<Turn, StoreError> {
        let (id, recorder, inbound) = self.receive(inbound)?;
        if self.stopping.is_cancelled() {
            let (_, ended) = oneshot::channel();
            return Ok(Turn { id, ended });
        }
        self.enter(id, recorder, inbound, Coming::New).await
    }

    /// Answers whoever writes while the process ends, and can write again later.
    pub(crate) fn turn_away(&self, inbound: Inbound) -> Result<Turn, StoreError> {
        let (id, recorder, _) = self.receive(inbound)?;
        let stop = Stop::new(
            Stage::Queue,
            Gate::ShuttingDown,
            "the process is ending; send it again later",
        );
        let (end, ended) = oneshot::channel();
        let _ = end.send(stopped(&recorder, stop)?);
        Ok(Turn { id, ended })
    }

    fn receive(&self, mut inbound: Inbound) -> Result<(TurnId, Recorder, Inbound), StoreError> {
        if let Some(redaction) = &self.redaction
            && redaction.inbound() == InboundSecrets::Agent
        {
            redaction.message(&mut inbound);
        }
        let id = self.ids.turn();
        let recorder = self.recorder.of_turn(id, &inbound.channel);
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
        counted: bool,
    ) -> Result<Turn, StoreError> {
        let recorder = self.recorder.of_turn(id, &inbound.channel);
        recorder.note(Kind::Passed {
            stage: Stage::Queue,
            detail: "taken up again: the process ended before it was given to the agent".to_owned(),
        })?;
        self.enter(id, recorder, inbound, Coming::Again { counted }).await
    }

    async fn enter(
        self: &Arc<Self>,
        id: TurnId,
        recorder: Recorder,
        inbound: Inbound,
        coming: Coming,
    ) -> Result<Turn, StoreError> {
        let (end, ended) = oneshot::channel();
        match self.admit(&recorder, id, inbound, coming).await? {
            Admission::In(Admitted {
                message,
                session,
                claim,
            }) => {
                let recorder = recorder.in_session(&session);
                let since = recorder.now();
                let pending = Pending {
                    id,
                    message,
                    session,
                    claim,
                    recorder,
                    ended: end,
                    since,
                };
                self.take_turns(pending)?;
            }
            Admission::Command { name, claim } => {
                self.seen().commit(&claim);
                let terminal = Terminal::Command {
                    name: name.to_owned(),
                };
                recorder.note(Kind::TurnEnded {
                    terminal: terminal.clone(),
                })?;
                let _ = end.send(terminal);
            }
            Admission::Unknown { message, stop } => self.meet(Stranger {
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

    /// The queue: one turn at a time in a conversation.
    fn take_turns(self: &Arc<Self>, pending: Pending) -> Result<(), StoreError> {
        let cap = self.ports.config.queue.cap;
        let cap = if self.rules.holds(Rule::QueueCap) {
            cap
        } else {
            usize::MAX
        };
        let session = pending.session.clone();
        if !self.rules.holds(Rule::QueueFifo) {
            let free = CancellationToken::new();
            self.tasks.spawn(Arc::clone(self).complete(pending, free));
            return Ok(());
        }
        let recorder = pending.recorder.clone();
        let mut noted = Ok(());
        let entry = self.conversations.enter(&session, pending, cap, |place| {
            noted = recorder.note(Kind::Queued {
                position: u32::try_from(place).unwrap_or(u32::MAX),
            });
        });
        noted?;
        match entry {
            Entry::Run(pending) => {
                self.tasks.spawn(Arc::clone(self).converse(pending, false));
                Ok(())
            }
            Entry::Waits(_) => Ok(()),
            Entry::Full(pending) => {
                let detail = format!("{cap} messages wait in this conversation already");
                let stop = Stop::new(Stage::Queue, Gate::QueueFull, detail)
                    .given("waiting", cap.to_string())
                    .changed_by("queue.cap");
                self.refuse(pending, stop)
            }
        }
    }

    /// Stops a turn that had passed the gates; another copy of its message is a new one.
    fn refuse(&self, pending: Pending, stop: Stop) -> Result<(), StoreError> {
        self.seen().release(self.rules, &pending.claim);
        let _ = pending.ended.send(stopped(&pending.recorder, stop)?);
        Ok(())
    }

    /// The same, and another copy of its message is not answered either: a person does not want it.
    pub(crate) fn refuse_for_good(&self, pending: Pending, stop: Stop) -> Result<(), StoreError> {
        self.seen().commit(&pending.claim);
        let _ = pending.ended.send(stopped(&pending.recorder, stop)?);
        Ok(())
    }

    /// Runs a conversation's turns one after the other, until none waits or the process ends: what still waits
    /// then is taken up by the next one. `queued`: the first one waited, too.
    pub(crate) async fn converse(self: Arc<Self>, first: Pending, mut queued: bool) {
        let session = first.session.clone();
        let mut next = Some(first);
        while let Some(pending) = next.take_if(|_| !self.stopping.is_cancelled()) {
            if queued {
                let waited_ms = u64::try_from(pending.recorder.now().since(pending.since).as_millis());
                let waited_ms = waited_ms.unwrap_or(u64::MAX);
                if let Err(error) = pending.recorder.note(Kind::Dequeued { waited_ms }) {
                    tracing::error!(%error, "the queue goes on without a word");
                }
            }
            let free = CancellationToken::new();
            self.tasks.spawn(Arc::clone(&self).attend(pending, free.clone()));
            free.cancelled().await;
            next = self.conversations.next(&session);
            queued = true;
        }
    }

    /// One turn, in a task of its own: one that panics takes neither its conversation nor its claim with it.
    /// `free` is cancelled as soon as its conversation may go on.
    async fn attend(self: Arc<Self>, pending: Pending, free: CancellationToken) {
        let (id, claim) = (pending.id, pending.claim.clone());
        let _at_the_latest = free.clone().drop_guard();
        if tokio::spawn(Arc::clone(&self).complete(pending, free))
            .await
            .is_err()
        {
            self.running().remove(&id);
            self.seen().release(self.rules, &claim);
            tracing::error!(turn = %id, "stays open: it panicked; please report this");
        }
    }

    /// One turn, to its end. A turn that cannot end in order (the process ends while something of it is
    /// held, the journal cannot be written) stays open; the next start sends what is held and closes it.
    async fn complete(self: Arc<Self>, pending: Pending, free: CancellationToken) {
        let Pending {
            id,
            ref message,
            ref session,
            ..
        } = pending;
        let span = tracing::info_span!("turn", turn = %id, session = %session, channel = %message.channel);
        let ended = async {
            // Boxed, as all that a turn may wait for is large.
            let answered = Box::pin(self.answer(&pending, &free)).await;
            let stopped = self.running().remove(&id).is_some_and(|run| run.is_stopped());
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
                    self.seen().release(self.rules, &pending.claim);
                } else {
                    self.seen().commit(&pending.claim);
                }
                match &terminal {
                    // The words may be the agent's own.
                    Terminal::Failed { detail } => tracing::info!(turn = %id, text = %detail, "failed"),
                    ended => tracing::info!(turn = %id, %ended, "ended"),
                }
                let _ = pending.ended.send(terminal);
            }
            Err(StoreError::Closed) if self.stopping.is_cancelled() => {
                tracing::info!(turn = %id, "stays open: the process ends");
            }
            Err(error) => {
                self.seen().release(self.rules, &pending.claim);
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
    ) -> Result<Terminal, StoreError> {
        let Pending {
            id,
            message,
            session,
            recorder,
            ..
        } = pending;
        let Some(port) = self.ports.port(&message.channel) else {
            return Ok(Terminal::Failed {
                detail: format!("the channel {} is gone", message.channel),
            });
        };
        let busy = self.busy.token();
        let leaks = Arc::new(Watch::default());
        let on = (&self.lanes, &self.ids);
        let courier = Courier::of_turn(on, (*id, session), recorder, &port.channel, message, &leaks);
        // What is to be gathered and written down first may take its time, too.
        let typing = Typing::start(&courier, port.can.typing, self.ports.config.typing, self.rules);
        let cancel = self.killed.child_token();
        let stopped = cancel.clone();
        let live = self.runs(pending, &cancel);
        let agent = self.agents.of(&message.channel);
        let request = self.brief(pending, &port, agent.as_ref(), &cancel).await?;
        let settings = self.settings(&port.output);
        let (cues, decided) = mpsc::channel(CUES);
        let run = Run {
            agent,
            recorder,
            rules: self.rules,
            silence: self.ports.config.agent.idle_timeout.0,
            most: TextBound::of(&port.can, port.output.max_messages),
            session,
            kept: request.resume.clone(),
            tell_lost: self.ports.config.session.tell_lost,
            live,
            shows_tools: port.output.tools != ToolDisplay::None,
            shows_thoughts: port.output.reasoning != ReasoningDisplay::Hide,
            asked: Asked {
                permissions: &self.permissions,
                config: &self.ports.config.agent.permissions,
                turn: *id,
                session,
                message,
            },
            cancel,
            cues,
            leaks: &leaks,
            typing: &typing,
        };
        let mut desk = Desk::new(
            courier,
            port,
            (self.files.clone(), self.speech.clone()),
            Arc::clone(&self.ports),
            self.rules,
            message.clone(),
        );
        desk.busy = Some(busy);
        desk.cancel = stopped;
        let ended = tokio::try_join!(
            run.run(
                request,
                Scan::new(&settings, &message.text, self.redaction.as_ref(), self.rules)
            ),
            deliver(&mut desk, decided),
        );
        typing.seal().await;
        let ((), terminal) = ended?;
        if desk.is_busy_elsewhere() {
            free.cancel();
            desk.collect_elsewhere().await?;
        }
        Ok(terminal)
    }

    /// Lists a turn as one that runs.
    fn runs(&self, pending: &Pending, cancel: &CancellationToken) -> Arc<Live> {
        let live = Arc::new(Live::default());
        let running = Running {
            cancel: cancel.clone(),
            session: pending.session.clone(),
            recorder: pending.recorder.clone(),
            since: pending.recorder.now(),
            live: Arc::clone(&live),
        };
        self.running().insert(pending.id, running);
        live
    }
}

/// How a turn ends that a gate stopped.
pub(crate) const fn end_by(gate: Gate) -> Terminal {
    match gate {
        Gate::Duplicate => Terminal::Duplicate,
        Gate::Dropped => Terminal::Dropped,
        gate => Terminal::Blocked { gate },
    }
}

/// Writes a stop down, with the end it is.
pub(crate) fn stopped(recorder: &Recorder, stop: Stop) -> Result<Terminal, StoreError> {
    let Stop { stage, gate, .. } = stop;
    tracing::info!(%stage, %gate, "stopped");
    let terminal = end_by(gate);
    recorder.note_all(vec![
        stop.into(),
        Kind::TurnEnded {
            terminal: terminal.clone(),
        },
    ])?;
    Ok(terminal)
}
