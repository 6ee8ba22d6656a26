//! The gates, in their order: finalize, dedupe, authorize, activation, session, inline directives, commands, send policy.

mod agent_text;
mod beside;
mod caused;
mod custom;
mod in_session;
mod new_session;
mod sender_text;

pub(crate) use sender_text::OwnAnswerKind;

use crate::{
    context::TurnContext,
    deliver::delivery_queue::DeliveryQueues,
    flow::{Flow, Stop},
    pairing::Pairing,
    ports::Port,
    queue_settings::QueueSettings,
    recorder::Recorder,
    repeats::find_repeated,
    rules::Rule,
    session_settings::TurnOverrides,
    stages::{
        activation::{ActivateContext, BotTurns, activate},
        age::{AgeContext, check_age},
        answer::{ChatAnswer, answer_permission},
        authorize::{AuthorizeContext, authorize},
        command_access::CommandAccess,
        dedupe::{Claim, SeenMessages},
        finalize::finalize,
        sender_limit::SenderTimes,
        session,
    },
    turn_cause::TurnCause,
};
use foldback_store::{SessionSettings, StoreError};
use foldback_wire::{ChatType, Gate, Inbound, Kind, Platform, SessionId, Stage, Timestamp, TurnId};
use in_session::SessionPlace;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The origin of a turn's message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnOrigin {
    /// Its message just came in.
    New,
    /// A person has its message run again.
    Again,
    /// An earlier process received its message.
    Resumed {
        /// Its session has counted it already.
        counted: bool,
        /// The time at which it was received, where that is longer ago than `outbox.max_age`.
        aged_since: Option<Timestamp>,
    },
}

/// A message that passed the gates.
pub(crate) struct AdmittedMessage {
    pub(crate) message: Inbound,
    pub(crate) session: SessionId,
    pub(crate) claim: Claim,
    /// The settings of the queue that count for it.
    pub(crate) queue: QueueSettings,
    /// The settings that its directives set for this turn alone.
    pub(crate) overrides: TurnOverrides,
    /// It was written as a command.
    pub(crate) is_command: bool,
    /// Commands in its text, which are answered beside, each as a message of its own would have it.
    pub(crate) beside: Vec<String>,
}

/// A message that Foldback answers itself.
pub(crate) struct OwnAnswer {
    pub(crate) message: Inbound,
    pub(crate) session: SessionId,
    pub(crate) claim: Claim,
    pub(crate) access: CommandAccess,
    pub(crate) kind: OwnAnswerKind,
}

/// The destination of a message that passed the gates.
enum Destination {
    Conversation(AgentDestination),
    OwnAnswer {
        session: SessionId,
        access: CommandAccess,
        kind: OwnAnswerKind,
    },
    PermissionAnswer(&'static str),
}

/// The conversation that a message for the agent goes into.
struct AgentDestination {
    session: SessionId,
    /// The words for the agent, where they are not the whole text.
    text: Option<String>,
    queue: QueueSettings,
    overrides: TurnOverrides,
    is_command: bool,
    beside: Vec<String>,
}

/// The decision of the gates about a message.
pub(crate) enum Admission {
    /// It goes into its conversation.
    Conversation(Box<AdmittedMessage>),
    /// Foldback answers it itself.
    OwnAnswer(Box<OwnAnswer>),
    /// It answers a request for permission, and is nothing for the agent.
    PermissionAnswer { name: &'static str, claim: Claim },
    /// A gate said no.
    Stopped(Box<Stop>),
    /// A gate said no, and an operator can be asked.
    UnknownSender { message: Inbound, stop: Box<Stop> },
}

impl Admission {
    /// True where a run, an answer of our own, or a code for the sender follows. Neither begins while the process ends.
    pub(crate) const fn begins_work(&self) -> bool {
        matches!(
            self,
            Self::Conversation(_) | Self::OwnAnswer(_) | Self::UnknownSender { .. }
        )
    }
}

/// Goes on with what a stage let through, or answers its stop.
macro_rules! passed {
    ($recorder:expr, $stage:ident, $flow:expr, |$found:pat_param| $detail:expr) => {
        match $flow {
            Flow::Continue(next) => {
                let $found = &next;
                $recorder.note(Kind::Passed {
                    stage: Stage::$stage,
                    detail: $detail,
                })?;
                next
            }
            Flow::Stop(stop) => return Ok(Flow::Stop(stop)),
        }
    };
}

/// The messages that wait for more of their sender. The queue, which stands above the gates, has them.
pub(crate) trait GatheredMessages: Send + Sync {
    /// Has the messages of a sender go on without waiting for more: they sent something that does not wait.
    fn flush_sender(&self, session: &SessionId, message: &Inbound) -> Result<(), StoreError>;
}

/// State that the gates decide from, beside the message and the settings.
pub(crate) struct Gates {
    context: Arc<TurnContext>,
    /// They know what the bot wrote itself.
    delivery_queues: Arc<DeliveryQueues>,
    pairing: Arc<Pairing>,
    seen: Arc<SeenMessages>,
    gathered: Box<dyn GatheredMessages>,
    bot_turns: Mutex<BotTurns>,
    sender_times: Mutex<SenderTimes>,
}

impl Gates {
    pub(crate) fn new(
        context: &Arc<TurnContext>,
        delivery_queues: &Arc<DeliveryQueues>,
        pairing: &Arc<Pairing>,
        seen: &Arc<SeenMessages>,
        gathered: Box<dyn GatheredMessages>,
    ) -> Self {
        Self {
            context: Arc::clone(context),
            delivery_queues: Arc::clone(delivery_queues),
            pairing: Arc::clone(pairing),
            seen: Arc::clone(seen),
            gathered,
            bot_turns: Mutex::default(),
            sender_times: Mutex::default(),
        }
    }

    fn bot_turns(&self) -> MutexGuard<'_, BotTurns> {
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        self.bot_turns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sender_times(&self) -> MutexGuard<'_, SenderTimes> {
        self.sender_times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a message through the gates, in their order; that of a schedule or a delivery through those that are left for it.
    pub(crate) async fn admit(
        &self,
        recorder: &Recorder,
        turn: TurnId,
        inbound: Inbound,
        origin: TurnOrigin,
        cause: &TurnCause,
    ) -> Result<Admission, StoreError> {
        let message = match self.finalize_message(recorder, inbound)? {
            Flow::Continue(message) => message,
            Flow::Stop(stop) => return Ok(Admission::Stopped(stop)),
        };
        if !cause.is_message() {
            return self.admit_caused(recorder, turn, message, origin, cause).await;
        }
        let (destination, claim) = match self.admit_final(recorder, turn, &message, origin).await? {
            Flow::Continue(admitted) => admitted,
            Flow::Stop(stop) if stop.gate == Gate::Unpaired => {
                return Ok(Admission::UnknownSender { message, stop });
            }
            Flow::Stop(stop) => return Ok(Admission::Stopped(stop)),
        };
        Ok(match destination {
            Destination::Conversation(AgentDestination {
                session,
                text,
                queue,
                overrides,
                is_command,
                beside,
            }) => {
                let mut message = message;
                message.text = text.unwrap_or(message.text);
                Admission::Conversation(Box::new(AdmittedMessage {
                    message,
                    session,
                    claim,
                    queue,
                    overrides,
                    is_command,
                    beside,
                }))
            }
            Destination::OwnAnswer {
                session,
                access,
                kind,
            } => Admission::OwnAnswer(Box::new(OwnAnswer {
                message,
                session,
                claim,
                access,
                kind,
            })),
            Destination::PermissionAnswer(name) => Admission::PermissionAnswer { name, claim },
        })
    }

    fn finalize_message(&self, recorder: &Recorder, inbound: Inbound) -> Result<Flow<Inbound>, StoreError> {
        let message = passed!(
            recorder,
            Finalize,
            finalize(self.context.rules, inbound),
            |m| format!("{} bytes of text", m.text.len())
        );
        Ok(Flow::Continue(message))
    }

    /// The gates behind the normal form.
    async fn admit_final(
        &self,
        recorder: &Recorder,
        turn: TurnId,
        message: &Inbound,
        origin: TurnOrigin,
    ) -> Result<Flow<(Destination, Claim)>, StoreError> {
        let rules = self.context.rules;
        let Some(Port { can, .. }) = self.context.ports.port(&message.channel) else {
            return Ok(no_such_channel(message).flow());
        };
        // A message that an earlier process received came in time, and so did one that a person has run again.
        if origin == TurnOrigin::New {
            let context = AgeContext {
                rules,
                can: &can,
                keep: self.context.ports.config.store.keep.0,
                deleted: recorder.journal.deleted_before(),
                now: recorder.now(),
            };
            if let Flow::Stop(stop) = check_age(&context, message) {
                return Ok(Flow::Stop(stop));
            }
        }
        let claim = match self.seen.lock().claim(rules, message, turn, recorder.now()) {
            Flow::Continue(claim) => claim,
            Flow::Stop(stop) => return Ok(Flow::Stop(stop)),
        };
        let destination = match find_repeated(&self.seen, rules, recorder, message, turn).await {
            Ok(None) => {
                self.admit_claimed(recorder, turn, can.platform, message, origin)
                    .await
            }
            Ok(Some(stop)) => Ok(stop.flow()),
            Err(error) => Err(error),
        };
        match destination {
            Ok(Flow::Continue(destination)) => Ok(Flow::Continue((destination, claim))),
            // Once the operator lets the sender in, or the disk is well again, a redelivery is to be answered.
            Ok(Flow::Stop(stop)) => {
                self.seen.lock().release(rules, &claim);
                Ok(Flow::Stop(stop))
            }
            Err(error) => {
                self.seen.lock().release(rules, &claim);
                Err(error)
            }
        }
    }

    /// The gates behind the claim.
    async fn admit_claimed(
        &self,
        recorder: &Recorder,
        turn: TurnId,
        platform: Platform,
        message: &Inbound,
        origin: TurnOrigin,
    ) -> Result<Flow<Destination>, StoreError> {
        recorder.note(Kind::Passed {
            stage: Stage::Dedupe,
            detail: "not seen before".to_owned(),
        })?;
        let (rules, settings) = (self.context.rules, self.context.ports.settings(&message.channel));
        let (channel, chat) = (&message.channel, &message.chat);
        let wrote = |id| self.delivery_queues.own_messages.contains(channel, chat, id);
        let approved = self.pairing.approver(message);
        let context = AuthorizeContext {
            rules,
            platform,
            settings,
            approved: approved.as_ref(),
            own: wrote(&message.message)
                || message
                    .sender_ids()
                    .any(|id| message.account.as_deref() == Some(id)),
        };
        passed!(recorder, Authorize, authorize(&context, message), |why| format!(
            "allowed: {} {why}",
            message.sender.id
        ));
        // Before the mention is asked for: whoever was asked answers with a word.
        match self.permission_answer(message) {
            None => {}
            Some(ChatAnswer::Rejected(stop)) => {
                recorder.release()?;
                return Ok(stop.flow());
            }
            Some(ChatAnswer::Accepted { name, detail }) => {
                recorder.release()?;
                recorder.note(Kind::Passed {
                    stage: Stage::Commands,
                    detail,
                })?;
                return Ok(Flow::Continue(Destination::PermissionAnswer(name)));
            }
        }
        let session = session::key(rules, &self.context.ports.config.session, message);
        let group = session::group_key(rules, &self.context.ports.config.session, message);
        let of_group = match message.chat_type {
            ChatType::Group => self.context.sessions.settings(&group).await?,
            ChatType::Direct => SessionSettings::default(),
        };
        let activation = of_group.activation.filter(|_| settings.activation_command);
        // Made in place, so that the count is locked for this decision alone.
        let meant = activate(
            ActivateContext {
                rules,
                settings,
                activation,
                answers_bot: message.reply_to.as_ref().is_some_and(wrote),
                bots: &mut self.bot_turns(),
            },
            message,
        );
        self.keep_for_group(recorder, message, &meant)?;
        passed!(recorder, Activation, meant, |why| why.clone());
        if message.omitted.is_some() {
            return Ok(content_omitted().flow());
        }
        recorder.find_session(&session);
        // It is for the bot. Before its session counts it, so that it is not counted twice after a crash in between.
        recorder.release()?;
        let group_send = of_group.send.filter(|_| group != session);
        let place = SessionPlace {
            turn,
            session,
            platform,
            group_send: group_send.map(|send| (group, send)),
        };
        self.admit_in_session(recorder, place, message, origin).await
    }

    /// Keeps a message that was not for the bot for the next one of its group that is, where the channel's setting says so.
    /// Its text stands in the journal then.
    fn keep_for_group(
        &self,
        recorder: &Recorder,
        message: &Inbound,
        meant: &Flow<String>,
    ) -> Result<(), StoreError> {
        let most = self.context.ports.settings(&message.channel).group_history;
        let Flow::Stop(stop) = meant else {
            return Ok(());
        };
        if most == 0 || stop.gate != Gate::NotMentioned || message.omitted.is_some() || message.dry_run {
            return Ok(());
        }
        self.context
            .group_history
            .keep_message(most, message, recorder.now());
        recorder.release()
    }

    /// A message as the answer to a request for permission, where those are asked in the chat.
    fn permission_answer(&self, message: &Inbound) -> Option<ChatAnswer> {
        let asks =
            self.context.ports.config.agent.permissions.in_chat && self.context.rules.holds(Rule::PermitChat);
        asks.then(|| answer_permission(&self.context.permissions, self.context.rules, message))
            .flatten()
    }
}

/// The stop of a message that is taken up again and was not for the bot when it came in, so that nobody has its text.
fn content_omitted() -> Stop {
    Stop::new(
        Stage::Activation,
        Gate::EmptyMessage,
        "its text was not kept, as the bot was not allowed to have it when it came in",
    )
    .changed_by("store.keep_unaddressed")
}

fn no_such_channel(message: &Inbound) -> Stop {
    let table = format!("channels.{}", message.channel);
    Stop::new(
        Stage::Authorize,
        Gate::ChannelClosed,
        format!("there is no channel {}", message.channel),
    )
    .given("channel", message.channel.as_str())
    .changed_by(table)
}
