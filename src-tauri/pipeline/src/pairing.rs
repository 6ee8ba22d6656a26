//! Pairing: an unknown sender who writes directly gets a code, once; an operator approves or refuses them.

use crate::{
    context::TurnContext,
    deliver::{
        delivery_queue::DeliveryQueues,
        operation::OutgoingOperation,
        operation_sender::{OperationSender, SendProgress},
    },
    flow::{Stop, record_stop},
    id::sender_ids,
    leaks::LeakWatch,
    recorder::Recorder,
    rules::Rule,
    stages::session,
    user_text::UserText,
};
use foldback_store::{PairingBook, PairingError, Standing, StoreError};
use foldback_wire::{Actor, ChannelId, Inbound, Kind, Rng, Terminal, TurnId, UserId, rpc::Pairings};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// A message of an unknown sender, with the stop that it comes to.
pub(crate) struct UnpairedMessage {
    pub(crate) turn: TurnId,
    pub(crate) recorder: Recorder,
    pub(crate) message: Inbound,
    pub(crate) stop: Stop,
    pub(crate) end: oneshot::Sender<Terminal>,
}

/// An operator's decision that could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum PairingFault {
    /// There is nothing to decide about.
    #[error(transparent)]
    Nothing(#[from] PairingError),
    /// The journal cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Unknown senders who wait for an operator, and those whom one approved.
pub(crate) struct Pairing {
    context: Arc<TurnContext>,
    delivery_queues: Arc<DeliveryQueues>,
    rng: Arc<dyn Rng>,
    book: Mutex<PairingBook>,
}

impl Pairing {
    pub(crate) fn new(
        context: &Arc<TurnContext>,
        delivery_queues: &Arc<DeliveryQueues>,
        rng: Arc<dyn Rng>,
        book: PairingBook,
    ) -> Arc<Self> {
        Arc::new(Self {
            context: Arc::clone(context),
            delivery_queues: Arc::clone(delivery_queues),
            rng,
            book: Mutex::new(book),
        })
    }

    fn book(&self) -> MutexGuard<'_, PairingBook> {
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The operator who approved the sender of a message, by any id, where one did.
    pub(crate) fn approver(&self, message: &Inbound) -> Option<Actor> {
        let book = self.book();
        let mut ids = sender_ids(message).map(UserId::new);
        ids.find_map(|id| book.approved(&message.channel, &id).cloned())
    }

    /// Sends an unknown sender a code, unless they have one or were refused. Where as many wait as may, the oldest request
    /// gives way. The message goes no further either way.
    pub(crate) fn request_pairing(self: &Arc<Self>, mut unpaired: UnpairedMessage) -> Result<(), StoreError> {
        let UnpairedMessage {
            turn,
            recorder,
            message,
            stop,
            ..
        } = &mut unpaired;
        stop.locate_setting(&self.context.ports.config);
        let holds = |rule| self.context.rules.holds(rule);
        let now = recorder.now();
        let (channel, sender) = (&message.channel, &message.sender.id);
        let mut book = self.book();
        let standing = book.standing(channel, sender, now);
        let (asks, why) = match &standing {
            Standing::New => (true, ", and gets a code".to_owned()),
            // It got its code only if the process did not end before that.
            Standing::Waits { turn: asked, until } => (
                *asked == Some(*turn) || !holds(Rule::PairingOnce),
                format!(", and has a code already, valid until {until}"),
            ),
            Standing::Refused { until } => (
                false,
                format!(", and was refused; they can ask again after {until}"),
            ),
        };
        let asks = asks && holds(Rule::PairingCode) && !message.dry_run;
        stop.detail.push_str(if message.dry_run {
            ", and a test by hand asks for no code"
        } else {
            &why
        });
        if !asks {
            drop(book);
            let terminal = record_stop(&unpaired.recorder, &self.context.ports.config, unpaired.stop)?;
            // A caller that does not wait for the end is fine.
            let _ = unpaired.end.send(terminal);
            return Ok(());
        }
        let replaced = book.replacement(channel, sender, now);
        let replaced = replaced.filter(|_| standing == Standing::New && holds(Rule::PairingLimit));
        if let Some(replaced) = &replaced {
            book.fold_kind(now, Some(*turn), channel, replaced);
        }
        let request = book.request(
            channel,
            sender,
            message.sender.readable_name(),
            now,
            self.rng.as_ref(),
        );
        book.fold_kind(now, Some(*turn), channel, &request);
        drop(book);
        self.context
            .tasks
            .spawn(Arc::clone(self).send_code(unpaired, replaced, request));
        Ok(())
    }

    /// Sends the code and ends the turn. The request, what gives way to it, the stop and the intent are written as
    /// one: after a crash there is either no code, or one that is on its way.
    async fn send_code(self: Arc<Self>, unpaired: UnpairedMessage, replaced: Option<Kind>, request: Kind) {
        let turn = unpaired.turn;
        let Kind::Pairing { code: Some(code), .. } = &request else {
            return;
        };
        let code = code.clone();
        let pairing = replaced.into_iter().chain([request]).collect();
        match self.deliver_code(unpaired, pairing, &code).await {
            Ok(()) => {}
            Err(StoreError::Closed) if self.context.shutdown.no_new_turns.is_cancelled() => {
                tracing::info!(%turn, "stays open: the process ends");
            }
            Err(error) => {
                self.book().forget(&code);
                tracing::error!(%turn, %error, "stays open");
            }
        }
    }

    async fn deliver_code(
        &self,
        unpaired: UnpairedMessage,
        pairing: Vec<Kind>,
        code: &str,
    ) -> Result<(), StoreError> {
        let UnpairedMessage {
            turn,
            recorder,
            message,
            stop,
            end,
        } = unpaired;
        let Some(port) = self.context.ports.port(&message.channel) else {
            return Ok(());
        };
        let busy = self.context.busy.token();
        let gate = stop.gate;
        let before = pairing.into_iter().chain([stop.into()]);
        let before = before.map(|kind| recorder.draft(kind)).collect();
        let session = session::key(self.context.rules, &self.context.ports.config.session, &message);
        let sender = OperationSender::of_turn(
            (&self.delivery_queues, &self.context.ids),
            (turn, &session),
            &recorder,
            &port.channel,
            &message,
            &Arc::new(LeakWatch::default()),
        );
        if let SendProgress::Held(held) = sender
            .send_operation_after(
                before,
                OutgoingOperation::own_text(&UserText::UnknownSender { code }),
            )
            .await?
        {
            // What is held keeps no process from ending.
            drop(busy);
            sender.completion(held).await?;
        }
        let terminal = Terminal::Blocked { gate };
        recorder.note_all(vec![
            Kind::Idle,
            Kind::TurnEnded {
                terminal: terminal.clone(),
            },
        ])?;
        let _ = end.send(terminal);
        Ok(())
    }

    /// Requests that wait for an operator, and approvals.
    pub(crate) fn list(&self) -> Pairings {
        let channels = self.context.ports.config.pairing_channels();
        self.book().listed(channels, self.context.recorder.now())
    }

    /// The channel on which the sender with this code waits, where one does.
    pub(crate) fn channel_of_code(&self, code: &str) -> Option<ChannelId> {
        let now = self.context.recorder.now();
        // What a decision would come to, without deciding.
        let decided = self.book().decide(code, false, Actor::Pipeline, now);
        decided.ok().map(|(channel, _)| channel)
    }

    /// Approves or refuses the sender with this code. Durable when it returns.
    pub(crate) async fn decide_request(
        &self,
        code: &str,
        approve: bool,
        by: Actor,
    ) -> Result<(), PairingFault> {
        {
            let mut book = self.book();
            let (channel, kind) = book.decide(code, approve, by, self.context.recorder.now())?;
            self.record_decision(&mut book, &channel, &kind)?;
        }
        Ok(self.context.recorder.journal.flush().await?)
    }

    /// Takes an approval back. Durable when it returns.
    pub(crate) async fn revoke_approval(
        &self,
        channel: &ChannelId,
        sender: &UserId,
        by: Actor,
    ) -> Result<(), PairingFault> {
        {
            let mut book = self.book();
            let kind = book.revoke(channel, sender, by)?;
            self.record_decision(&mut book, channel, &kind)?;
        }
        Ok(self.context.recorder.journal.flush().await?)
    }

    /// Writes a decision down and remembers it.
    fn record_decision(
        &self,
        book: &mut PairingBook,
        channel: &ChannelId,
        kind: &Kind,
    ) -> Result<(), StoreError> {
        let recorder = self.context.recorder.on_channel(channel);
        recorder.note(kind.clone())?;
        book.fold_kind(recorder.now(), None, channel, kind);
        Ok(())
    }
}
