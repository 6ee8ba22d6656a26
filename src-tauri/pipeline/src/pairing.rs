//! Pairing: somebody unknown who writes directly gets a code, once; an operator lets them in, or does not.

use crate::{
    deliver::courier::{Courier, Outgoing, Posted},
    engine::{Core, Engine},
    flow::{Stop, stopped},
    leaks::Watch,
    recorder::Recorder,
    rules::Rule,
    stages::session,
    user_text::UserText,
};
use foldback_store::{PairingBook, PairingError, Standing, StoreError};
use foldback_wire::{
    Actor, ChannelId, Inbound, Kind, Target, Terminal, Timestamp, TurnId, UserId, rpc::Pairings,
};
use std::sync::{Arc, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// A message of somebody unknown, with the stop that it comes to.
pub(crate) struct Stranger {
    pub(crate) turn: TurnId,
    pub(crate) recorder: Recorder,
    pub(crate) message: Inbound,
    pub(crate) stop: Stop,
    pub(crate) end: oneshot::Sender<Terminal>,
}

/// Why an operator's decision did not come about.
#[derive(Debug, thiserror::Error)]
pub enum PairingFault {
    /// There is nothing to decide about.
    #[error(transparent)]
    Nothing(#[from] PairingError),
    /// The journal cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Core {
    pub(crate) fn pairings(&self) -> MutexGuard<'_, PairingBook> {
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        self.pairings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells somebody unknown a code, unless they have one or were refused. Where as many wait as may, the oldest request
    /// gives way. The message goes no further either way.
    pub(crate) fn meet(self: &Arc<Self>, mut stranger: Stranger) -> Result<(), StoreError> {
        let Stranger {
            turn,
            recorder,
            message,
            stop,
            ..
        } = &mut stranger;
        let holds = |rule| self.context.rules.holds(rule);
        let now = recorder.now();
        let (channel, sender) = (&message.channel, &message.sender.id);
        let mut book = self.pairings();
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
            let terminal = stopped(&stranger.recorder, stranger.stop)?;
            // A caller that does not wait for the end is fine.
            let _ = stranger.end.send(terminal);
            return Ok(());
        }
        let replaced = book.replacement(channel, sender, now);
        let replaced = replaced.filter(|_| standing == Standing::New && holds(Rule::PairingLimit));
        if let Some(replaced) = &replaced {
            book.take(now, Some(*turn), channel, replaced);
        }
        let request = book.request(
            channel,
            sender,
            message.sender.readable_name(),
            now,
            self.rng.as_ref(),
        );
        book.take(now, Some(*turn), channel, &request);
        drop(book);
        self.context
            .tasks
            .spawn(Arc::clone(self).hand_over(stranger, replaced, request));
        Ok(())
    }

    /// Hands the code over and ends the turn. The request, what gives way to it, the stop and the intent are written as
    /// one: after a crash there is either no code, or one that is on its way.
    async fn hand_over(self: Arc<Self>, stranger: Stranger, replaced: Option<Kind>, request: Kind) {
        let turn = stranger.turn;
        let Kind::Pairing { code: Some(code), .. } = &request else {
            return;
        };
        let code = code.clone();
        let pairing = replaced.into_iter().chain([request]).collect();
        match self.tell(stranger, pairing, &code).await {
            Ok(()) => {}
            Err(StoreError::Closed) if self.context.shutdown.no_new_turns.is_cancelled() => {
                tracing::info!(%turn, "stays open: the process ends");
            }
            Err(error) => {
                self.pairings().forget(&code);
                tracing::error!(%turn, %error, "stays open");
            }
        }
    }

    async fn tell(&self, stranger: Stranger, pairing: Vec<Kind>, code: &str) -> Result<(), StoreError> {
        let Stranger {
            turn,
            recorder,
            message,
            stop,
            end,
        } = stranger;
        let Some(port) = self.context.ports.port(&message.channel) else {
            return Ok(());
        };
        let busy = self.context.busy.token();
        let gate = stop.gate;
        let before = pairing.into_iter().chain([stop.into()]);
        let before = before.map(|kind| recorder.draft(kind)).collect();
        let courier = Courier {
            leaks: Arc::new(Watch::default()),
            lanes: Arc::clone(&self.lanes),
            ids: Arc::clone(&self.context.ids),
            recorder: recorder.clone(),
            turn,
            session: session::key(
                self.context.rules,
                self.context.ports.config.session.scope,
                &message,
            ),
            channel: port.channel,
            target: Target {
                chat: message.chat.clone(),
                thread: message.thread.clone(),
            },
            patience: None,
            abroad: false,
            dry_run: message.dry_run,
        };
        if let Posted::Held(outcome) = courier
            .post_after(before, Outgoing::own_text(&UserText::UnknownSender { code }))
            .await?
        {
            // What is held keeps no process from ending.
            drop(busy);
            courier.outcome(outcome).await?;
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

    /// Writes a decision down and keeps it.
    fn decided(&self, book: &mut PairingBook, channel: &ChannelId, kind: &Kind) -> Result<(), StoreError> {
        let recorder = self.context.recorder.on_channel(channel);
        recorder.note(kind.clone())?;
        book.take(recorder.now(), None, channel, kind);
        Ok(())
    }

    fn now(&self) -> Timestamp {
        self.context.recorder.now()
    }
}

impl Engine {
    /// Who waits for an operator, and who was let in.
    pub fn pairings(&self) -> Pairings {
        let core = &self.core;
        let channels = core.context.ports.config.pairing_channels();
        core.pairings().listed(channels, core.now())
    }

    /// An operator lets in, or refuses, the person with this code. Durable when it returns.
    pub async fn decide_pairing(&self, code: &str, approve: bool, by: Actor) -> Result<(), PairingFault> {
        let core = &self.core;
        {
            let mut book = core.pairings();
            let (channel, kind) = book.decide(code, approve, by, core.now())?;
            core.decided(&mut book, &channel, &kind)?;
        }
        Ok(core.context.recorder.journal.flush().await?)
    }

    /// An operator takes an approval back. Durable when it returns.
    pub async fn revoke_pairing(
        &self,
        channel: &ChannelId,
        sender: &UserId,
        by: Actor,
    ) -> Result<(), PairingFault> {
        let core = &self.core;
        {
            let mut book = core.pairings();
            let kind = book.revoke(channel, sender, by)?;
            core.decided(&mut book, channel, &kind)?;
        }
        Ok(core.context.recorder.journal.flush().await?)
    }
}
