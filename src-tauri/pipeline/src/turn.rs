//! One turn from the queue on: prepare, run, scan, preview, dispatch and deliver, as the diagram of the architecture has
//! them.

mod acting;
mod asked;
mod dead_target;

use crate::{
    brief::{Brief, ToldBeside},
    config::{Narration, PermissionsConfig, ReasoningDisplay, ToolDisplay},
    context::{RunHandle, RunState, TurnContext},
    deliver::{
        delivery_queue::DeliveryQueues, footer::Footer, operation_sender::OperationSender,
        turn_delivery::TurnDelivery, typing::Typing,
    },
    leaks::LeakWatch,
    level_settings::ConfiguredLevels,
    pending::{JoinedMessage, Pending},
    ports::Port,
    repeats::has_begun_action,
    rules::{Rule, Rules},
    session_settings::{TurnOverrides, TurnSettings},
    stages::{
        dedupe::SeenMessages,
        permit::PermitContext,
        run::{OUTPUT_EVENTS, Run},
        text_bound::TextBound,
    },
};
use foldback_agents::Step;
use foldback_channels::platform::row;
use foldback_store::{StoreError, SystemNotice};
use foldback_wire::{ChannelId, DeliveryRequest, Draft, GroupMessage, Inbound, Kind, Platform, Terminal};
use std::{borrow::Cow, sync::Arc};
use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::task_tracker::TaskTrackerToken};
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
            self.retell(&pending).await;
            Ok::<_, StoreError>((terminal, stopped))
        }
        .instrument(span)
        .await;
        match ended {
            Ok((terminal, stopped)) => {
                // Whoever stopped it does not want it begun again by the platform's next copy, nor what it carried out.
                let is_open = matches!(terminal, Terminal::Failed { .. })
                    && !stopped
                    && !has_begun_action(&pending.recorder, id).await.unwrap_or(true);
                let end = if is_open {
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
        let Some(port) = self.context.ports.port(&message.channel) else {
            return Ok(Terminal::Failed {
                detail: format!("the channel {} is gone", message.channel),
            });
        };
        if let Some(terminal) = self.stop_for_dead_target(pending)? {
            return Ok(terminal);
        }
        // Listed before anything is waited for: whatever stops it finds it.
        let cancel = self.context.shutdown.cancel_runs.child_token();
        let stopped = cancel.clone();
        let state = self.list_run(pending, &cancel);
        let (settings, notices) = self.settings_of(pending).await?;
        let port = self.port_as_set(port, &message.channel, &settings);
        let permissions = settings.permissions(&self.context.ports.config.agent.permissions);
        let busy = self.context.busy.token();
        let leaks = Arc::new(LeakWatch::default());
        let on = (&self.delivery_queues, &self.context.ids);
        let sender = OperationSender::of_turn(on, (*id, session), recorder, &port.channel, message, &leaks);
        let is_heartbeat = pending.cause.is_heartbeat();
        // What is to be gathered and written down first may take its time, too.
        let typing = self.typing(&sender, port.can.typing && pending.cause.is_awaited(), message);
        let agent = self.context.agents.of(&message.channel);
        let history = self.group_history_for(pending);
        let told = ToldBeside {
            history: &history,
            notices: &notices,
        };
        let (output, decided) = mpsc::channel(OUTPUT_EVENTS);
        let Brief { request, read } = self
            .request(
                pending,
                joined,
                &port,
                agent.as_ref(),
                &cancel,
                (&settings, told, &output),
            )
            .await?;
        let lead = self.lead(pending, agent.as_ref(), &request);
        let answers = lead.clone();
        let grammar = self.grammar_of(&port, is_heartbeat);
        let (chat_full, halted) = (CancellationToken::new(), cancel.clone());
        let channel = port.channel.clone();
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
            narration: self.narration_on(&port),
            shows_tools: port.output.tools != ToolDisplay::None,
            shows_thoughts: port.output.reasoning != ReasoningDisplay::Hide,
            shows_usage: settings.usage().is_some(),
            tells_answerer: settings.is_verbose(),
            permit: self.permit_context(pending, &permissions, port.can.platform),
            acting: self.acting(pending, (&channel, port.can.platform), &halted),
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
        let mut delivery = self.delivery(pending, sender, port, (stopped, busy), &settings);
        delivery.operations.chat_full = chat_full;
        delivery.operations.text_begins = typing.on_text();
        delivery.operations.lead = lead;
        let written = written(pending, joined, &history, &read, self.context.rules);
        let scan = self.scan(&grammar, &written, is_heartbeat, recorder);
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
            self.retell(pending).await;
            free.cancel();
            delivery.collect_elsewhere().await?;
        }
        Ok(delivery.terminal(failure))
    }

    /// What was said in the group before, to nobody. It is for the next message of a person.
    fn group_history_for(&self, pending: &Pending) -> Vec<GroupMessage> {
        if pending.cause.delivery().is_some() {
            return Vec::new();
        }
        let history = &self.context.group_history;
        history.take_messages(&pending.message, pending.recorder.now())
    }

    /// The treatment of text before a tool call.
    fn narration_on(&self, port: &Port) -> Narration {
        if self.context.rules.holds(Rule::ScanNarration) {
            port.output.narration_on(port.can.edit)
        } else {
            Narration::Show
        }
    }

    /// The channel as the settings of a turn have it.
    fn port_as_set(&self, port: Port, channel: &ChannelId, settings: &TurnSettings) -> Port {
        let speech = settings.speech();
        let spoken = speech.and_then(|speech| self.context.ports.port_speaking(channel, speech));
        let mut port = spoken.unwrap_or(port);
        port.output.tools = settings.tools().unwrap_or(port.output.tools);
        port.output.reasoning = settings.reasoning().unwrap_or(port.output.reasoning);
        port
    }

    /// The sign of typing, by the channel's setting.
    fn typing(&self, sender: &OperationSender, can_type: bool, message: &Inbound) -> Typing {
        let ports = &self.context.ports;
        let when = (ports.config.typing, ports.settings(&message.channel).typing);
        Typing::start(sender, can_type, when, self.context.rules)
    }

    /// What delivers the turn's answer.
    fn delivery(
        &self,
        pending: &Pending,
        sender: OperationSender,
        port: Port,
        ends: (CancellationToken, TaskTrackerToken),
        settings: &TurnSettings,
    ) -> TurnDelivery {
        let context = &self.context;
        let mut delivery = TurnDelivery::new(
            sender,
            port,
            (context.files.clone(), context.speech.clone()),
            Arc::clone(&context.ports),
            context.rules,
            pending.message.clone(),
            ends,
        );
        let operations = &mut delivery.operations;
        operations.write_into(pending.into.clone());
        operations.stream_blocks(context.ports.settings(&pending.message.channel).blocks);
        operations.footer = Footer::of(settings.usage(), &pending.session);
        operations.tells_calls = settings.is_verbose();
        delivery
    }

    /// What a request for permission of the turn's agent is decided from.
    fn permit_context<'a>(
        &'a self,
        pending: &'a Pending,
        config: &'a PermissionsConfig,
        platform: Platform,
    ) -> PermitContext<'a> {
        let is_own_thread = pending.message.thread.is_some() && row(platform).threads_each_message;
        PermitContext {
            permissions: &self.context.permissions,
            config,
            is_answerable: !is_own_thread,
            turn: pending.id,
            session: &pending.session,
            message: &pending.message,
        }
    }

    /// The settings of a turn, read as its run starts, and what its agent is to be told; those that are set
    /// are told.
    async fn settings_of(&self, pending: &Pending) -> Result<(TurnSettings, Vec<SystemNotice>), StoreError> {
        let sessions = &self.context.sessions;
        let (session, mut notices) = sessions.state_for_turn(&pending.session).await?;
        if !self.context.rules.holds(Rule::PrepareNotices) {
            notices.clear();
        }
        let settings = TurnSettings {
            message: pending.overrides.set.clone(),
            set_by: Some(pending.cause.setting_source()),
            session: pending.overrides.uncleared(session),
            configured: ConfiguredLevels::of(&self.context.ports.config, &pending.message.channel),
        };
        let told = settings.effective();
        if !told.is_empty() {
            pending.recorder.note(Kind::SettingsResolved { settings: told })?;
        }
        Ok((settings, notices))
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
            has_own_settings: !pending.cause.is_message() || pending.own_settings != TurnOverrides::default(),
            is_delivery: pending.cause.delivery().is_some(),
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

/// What the agent is given of people's words as a run begins: the text that a turn answers, and what came with it. None
/// of it is carried out where the agent repeats it.
fn written<'a>(
    pending: &'a Pending,
    joined: &[JoinedMessage],
    history: &[GroupMessage],
    read: &[String],
    rules: Rules,
) -> Cow<'a, str> {
    let Pending { message, cause, .. } = pending;
    let delivered = cause.delivery().filter(|_| rules.holds(Rule::DeliveriesRepeated));
    let is_alone = joined.is_empty() && history.is_empty() && read.is_empty() && delivered.is_none();
    if is_alone && message.context.is_none() {
        return Cow::Borrowed(&message.text);
    }
    let messages = joined.iter().map(|other| &other.pending.message).chain([message]);
    let texts =
        messages.flat_map(|message| std::iter::once(message.text.as_str()).chain(message.quoted_texts()));
    let said = history.iter().flat_map(|said| [said.sender.as_str(), &said.text]);
    let read = read.iter().map(String::as_str);
    let delivered = delivered.into_iter().flat_map(DeliveryRequest::texts);
    let all = texts.chain(said).chain(read).chain(delivered);
    Cow::Owned(all.collect::<Vec<_>>().join("\n"))
}
