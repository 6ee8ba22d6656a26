//! What every window wants to hear: figures, alarms, channel cards, fixture progress, the app's log.

use super::{Backend, Urgent};
use crate::live::Subscription;
use foldback_wire::{
    ChannelId,
    rpc::{ChannelCard, DeliveryState, FaultDeck, Pairings, PendingPermission, Push, ShellLine, Status},
};
use std::{collections::BTreeMap, time::Duration};
use tokio::sync::{broadcast, mpsc};

/// How often figures, cards and log lines are looked at: four times a second.
const TICK: Duration = Duration::from_millis(250);

/// What a subscriber was told last; only what differs is told again.
#[derive(Default)]
struct Told {
    status: Option<Status>,
    cards: BTreeMap<ChannelId, ChannelCard>,
    pairings: Option<Pairings>,
    deliveries: Option<DeliveryState>,
    permissions: Option<Vec<PendingPermission>>,
    shells: Option<Vec<ShellLine>>,
    decks: Option<Vec<FaultDeck>>,
    log_lines: u64,
}

impl Backend {
    pub(super) fn app(&self) -> Subscription {
        let backend = self.clone();
        let urgent = self.shared.urgent.subscribe();
        Subscription::new(|to| async move {
            // It ends when nobody listens.
            let _ = backend.tell(&to, urgent).await;
        })
    }

    async fn tell(
        &self,
        to: &mpsc::Sender<Push>,
        mut urgent: broadcast::Receiver<Urgent>,
    ) -> Result<(), mpsc::error::SendError<Push>> {
        // The lines before are `log_tail`'s.
        let mut told = Told {
            log_lines: *self.shared.log.watch().borrow(),
            ..Told::default()
        };
        loop {
            self.tell_news(to, &mut told).await?;
            let next = self.shared.clock.steady().plus(TICK);
            loop {
                tokio::select! {
                    biased;
                    news = urgent.recv() => match news {
                        Ok(Urgent::Alarm(alarm)) => to.send(Push::Alarm { alarm }).await?,
                        Ok(Urgent::Fixtures(progress)) => to.send(Push::Fixtures { progress }).await?,
                        Ok(Urgent::Recut(progress)) => to.send(Push::Recut { progress }).await?,
                        // The journal and the next progress report have what a slow window missed.
                        Err(broadcast::error::RecvError::Lagged(missed)) => {
                            tracing::warn!(missed, "a window is too slow for its alarms");
                        }
                        Err(broadcast::error::RecvError::Closed) => return Ok(()),
                    },
                    () = self.shared.clock.sleep_until_steady(next) => break,
                }
            }
        }
    }

    async fn tell_news(
        &self,
        to: &mpsc::Sender<Push>,
        told: &mut Told,
    ) -> Result<(), mpsc::error::SendError<Push>> {
        let status = self.figures();
        if told.status.as_ref() != Some(&status) {
            told.status = Some(status.clone());
            to.send(Push::Status { status }).await?;
        }
        // A journal that cannot be read is told by whoever asks for it.
        for card in self.cards().await.unwrap_or_default() {
            if told.cards.get(&card.channel) != Some(&card) {
                told.cards.insert(card.channel.clone(), card.clone());
                to.send(Push::Channel { card: Box::new(card) }).await?;
            }
        }
        let pairings = self.list_pairings();
        if told.pairings.as_ref() != Some(&pairings) {
            told.pairings = Some(pairings.clone());
            to.send(Push::Pairings { pairings }).await?;
        }
        let deliveries = self.shared.engine.delivery_state();
        if told.deliveries.as_ref() != Some(&deliveries) {
            told.deliveries = Some(deliveries.clone());
            to.send(Push::Deliveries { deliveries }).await?;
        }
        let permissions = self.shared.engine.permissions();
        if told.permissions.as_ref() != Some(&permissions) {
            told.permissions = Some(permissions.clone());
            to.send(Push::Permissions { permissions }).await?;
        }
        let shells = self.list_shells();
        if told.shells.as_ref() != Some(&shells) {
            told.shells = Some(shells.clone());
            to.send(Push::Shells { shells }).await?;
        }
        let decks = self.decks();
        if told.decks.as_ref() != Some(&decks) {
            told.decks = Some(decks.clone());
            to.send(Push::Faults { decks }).await?;
        }
        if let Some(targets) = self.shared.window.take_asked() {
            to.send(Push::Open { targets }).await?;
        }
        let (lines, total) = self.shared.log.after(told.log_lines);
        told.log_lines = total;
        if !lines.is_empty() {
            to.send(Push::Log { lines }).await?;
        }
        Ok(())
    }
}
