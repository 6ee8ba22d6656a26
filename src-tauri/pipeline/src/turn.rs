//! One turn from the queue on: prepare, run, scan, preview, dispatch and deliver, as the diagram of the architecture has
//! them.

use crate::{
    brief::brief,
    config::{ReasoningDisplay, ToolDisplay},
    context::{RunHandle, RunState, TurnContext},
    deliver::{
        blocks::Blocks, delivery_queue::DeliveryQueues, lead::Lead, operation_sender::OperationSender,
        turn_delivery::TurnDelivery, typing::Typing,
    },
    history::Conversation,
    leaks::LeakWatch,
    pending::{JoinedMessage, Pending},
    rules::Rule,
    session_settings::TurnSettings,
    stages::{
        dedupe::SeenMessages,
        permit::PermitContext,
        run::{OUTPUT_EVENTS, Run},
        scan::Scan,
        text_bound::TextBound,
    },
};
use foldback_agents::{Agent, Step, TurnRequest};
use foldback_store::{SessionSettings, StoreError};
use foldback_wire::{Answerer, Draft, Inbound, Kind, Terminal};
use std::{borrow::Cow, sync::Arc};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

/// One of the runs that may go on at once. Dropped when its run is over, it calls what is to be done then.
pub(crate) struct RunPermit(Option<Box<dyn FnOnce() + Send>>);

impl RunPermit {
    pub(crate) fn new(when_over: impl FnOnce() + Send + 'static) -> Self {
        Self(Some(Box::new(when_over)))
    }
}

impl Drop for RunPermit {
    fn drop(&mut self) {
        if let Some(when_over) = self.0.take() {
            when_over();
        }
    }
}

/// The way in which a turn ended, as far as it matters to another copy of its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnEnd {
    /// It is answered, or not wanted.
    Answered,
    /// It failed: another copy is a new message.
    Failed,
}

/// Carries out the turns that the queue begins.
pub(crate) struct TurnRunner {
    context: Arc<TurnContext>,
    delivery_queues: Arc<DeliveryQueues>,
    seen: Arc<SeenMessages>,
}

impl TurnRunner {
    pub(crate) fn new(
        context: &Arc<TurnContext>,
        delivery_queues: &Arc<DeliveryQueues>,
        seen: &Arc<SeenMessages>,
    ) -> Arc<Self> {
        Arc::new(Self {
            context: Arc::clone(context),
            delivery_queues: Arc::clone(delivery_queues),
            seen: Arc::clone(seen),
        })
    }

    /// One turn, to its end, with the messages that are answered in it; `None` where it stays open. A turn that cannot end in order (the process ends while something of it is
    /// held, the journal cannot be written) stays open; the next start sends what is held and closes it.
    pub(crate) async fn run_turn(
        self: Arc<Self>,
        pending: Pending,
        joined: Vec<JoinedMessage>,
        free: CancellationToken,
        allowed: Option<RunPermit>,
    ) -> (Vec<JoinedMessage>, Option<TurnEnd>) {
        let Pending {
            id,
            ref message,
            ref session,
            ..
        } = pending;
        let span = tracing::info_span!("turn", turn = %id, session = %session, channel = %message.channel);
        let ended = async {
            // Boxed, as all that a turn may wait for is large.
            let answered = Box::pin(self.answer(&pending, &joined, &free, allowed)).await;
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
                let end = if matches!(terminal, Terminal::Failed { .. }) && !stopped {
                    self.seen.lock().release(self.context.rules, &pending.claim);
                    TurnEnd::Failed
                } else {
                    self.seen.lock().commit(&pending.claim);
                    TurnEnd::Answered
                };
                match &terminal {
                    // The words may be the agent's own.
                    Terminal::Failed { detail } => tracing::info!(turn = %id, text = %detail, "failed"),
                    Terminal::Unknown { detail } => tracing::warn!(turn = %id, text = %detail, "unknown"),
                    ended => tracing::info!(turn = %id, %ended, "ended"),
                }
                let _ = pending.ended.send(terminal);
                (joined, Some(end))
            }
            Err(StoreError::Closed) if self.context.shutdown.no_new_turns.is_cancelled() => {
                tracing::info!(turn = %id, "stays open: the process ends");
                (joined, None)
            }
            Err(error) => {
                self.seen.lock().release(self.context.rules, &pending.claim);
                tracing::error!(turn = %id, %error, "stays open");
                (joined, None)
            }
        }
    }

    /// Prepare, run, scan, preview, dispatch, deliver. The conversation is free once nothing but other chats is
    /// waited for.
    async fn answer(
        self: &Arc<Self>,
        pending: &Pending,
        joined: &[JoinedMessage],
        free: &CancellationToken,
        allowed: Option<RunPermit>,
    ) -> Result<Terminal, StoreError> {
        let Pending {
            id,
            message,
            session,
            recorder,
            ..
        } = pending;
        let Some(mut port) = self.context.ports.port(&message.channel) else {
            return Ok(Terminal::Failed {
                detail: format!("the channel {} is gone", message.channel),
            });
        };
        let settings = self.settings_of(pending).await?;
        port.output.tools = settings.tools().unwrap_or(port.output.tools);
        port.output.reasoning = settings.reasoning().unwrap_or(port.output.reasoning);
        let permissions = settings.permissions(&self.context.ports.config.agent.permissions);
        let busy = self.context.busy.token();
        let leaks = Arc::new(LeakWatch::default());
        let on = (&self.delivery_queues, &self.context.ids);
        let sender = OperationSender::of_turn(on, (*id, session), recorder, &port.channel, message, &leaks);
        // What is to be gathered and written down first may take its time, too.
        let typing = Typing::start(
            &sender,
            port.can.typing,
            (
                self.context.ports.config.typing,
                self.context.ports.settings(&message.channel).typing,
            ),
            self.context.rules,
        );
        let cancel = self.context.shutdown.cancel_runs.child_token();
        let stopped = cancel.clone();
        let state = self.list_run(pending, &cancel);
        let agent = self.context.agents.of(&message.channel);
        let mut request = brief(&self.context, pending, joined, &port, agent.as_ref(), &cancel).await?;
        if self.context.rules.holds(Rule::InlineLevels) {
            request.levels = settings.levels(&self.context.ports.config.agent.models);
        }
        let lead = self.lead(pending, agent.as_ref(), &request);
        let answers = lead.clone();
        self.recall(pending, agent.as_ref(), &request, &cancel).await?;
        let grammar = self.context.scan_settings(&port);
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
            beside: joining(pending, joined),
            shows_tools: port.output.tools != ToolDisplay::None,
            shows_thoughts: port.output.reasoning != ReasoningDisplay::Hide,
            permit: PermitContext {
                permissions: &self.context.permissions,
                config: &permissions,
                turn: *id,
                session,
                message,
            },
            cancel,
            output,
            leaks: &leaks,
            on_step: &|step| {
                typing.note_activity(matches!(step, Step::Reasoning(_)));
                if let (Some(lead), Step::Retry { next: Some(next), .. }) = (&answers, step) {
                    lead.answered_by(next);
                }
            },
        };
        let mut delivery = TurnDelivery::new(
            sender,
            port,
            (self.context.files.clone(), self.context.speech.clone()),
            Arc::clone(&self.context.ports),
            self.context.rules,
            message.clone(),
            (stopped, busy),
        );
        delivery.operations.chat_full = chat_full;
        delivery.operations.text_begins = typing.on_text();
        delivery.operations.lead = lead;
        let blocks = self.context.ports.settings(&message.channel).blocks;
        delivery.operations.stream_blocks(Blocks::of(blocks, *id));
        delivery.operations.write_into(pending.into.clone());
        let written = written(message, joined);
        let scan = Scan::new(
            &grammar,
            &written,
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
        let ended = tokio::try_join!(running, delivery.deliver(decided));
        typing.stop().await;
        let ((), failure) = ended?;
        if delivery.is_busy_elsewhere() {
            free.cancel();
            delivery.collect_elsewhere().await?;
        }
        Ok(delivery.terminal(failure))
    }

    /// The words before the answer, where the channel has any.
    fn lead(&self, pending: &Pending, agent: &dyn Agent, request: &TurnRequest) -> Option<Arc<Lead>> {
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
    async fn recall(
        &self,
        pending: &Pending,
        agent: &dyn Agent,
        request: &TurnRequest,
        cancel: &CancellationToken,
    ) -> Result<(), StoreError> {
        let conversation = Conversation {
            context: &self.context,
            recorder: &pending.recorder,
            session: &pending.session,
            turn: pending.id,
            agent,
        };
        if !request.resume.contains_key(agent.backend()) {
            conversation.restore().await?;
        }
        conversation.make_room(cancel).await
    }

    /// The settings of a turn, read as its run starts; those that are not the configuration's are told.
    async fn settings_of(&self, pending: &Pending) -> Result<TurnSettings, StoreError> {
        let settings = TurnSettings {
            message: pending.overrides.clone(),
            session: self.context.sessions.settings(&pending.session).await?,
        };
        let told = settings.effective();
        if !told.is_empty() {
            pending.recorder.note(Kind::SettingsResolved { settings: told })?;
        }
        Ok(settings)
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
            route: pending.route.clone(),
            sender: pending.message.sender.id.clone(),
            has_own_settings: pending.own_settings != SessionSettings::default(),
        };
        self.context.runs.lock().insert(pending.id, run);
        state
    }
}

/// The events of messages that come into a turn: of each the one of its own turn, and that of this one.
fn joining(pending: &Pending, joined: &[JoinedMessage]) -> Vec<Draft> {
    let events = joined.iter().flat_map(|JoinedMessage { pending: other, how }| {
        let (into, how) = (pending.id, *how);
        [
            pending.recorder.draft(other.taken_in(how)),
            other.recorder.draft(Kind::Joined { into, how }),
        ]
    });
    events.collect()
}

/// The text that a turn answers.
fn written<'a>(message: &'a Inbound, joined: &[JoinedMessage]) -> Cow<'a, str> {
    if joined.is_empty() {
        return Cow::Borrowed(&message.text);
    }
    let others = joined.iter().map(|other| other.pending.message.text.as_str());
    Cow::Owned(
        others
            .chain([message.text.as_str()])
            .collect::<Vec<_>>()
            .join("\n"),
    )
}
