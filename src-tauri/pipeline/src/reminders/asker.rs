//! Whoever asks for something about reminders in a turn.

use super::Reminders;
use crate::turn_chain::{ChainRoot, TurnChain};
use foldback_store::StoreError;
use foldback_wire::{DeliveryRequest, ReplyAddress, Sender, TurnId};

/// The person and the place in a turn that asks for something about reminders.
#[derive(Debug, Clone)]
pub(super) struct ReminderAsker {
    pub(super) origin: ReplyAddress,
    pub(super) requester: Sender,
    /// Delivery turns so far in its chain.
    pub(super) depth: u32,
    /// True where that person alone led to it: their message began the chain, and nobody else wrote into its runs.
    pub(super) is_alone: bool,
}

impl Reminders {
    /// The person whose message began the chain of a turn, and the place of the answer. A reminder that came due stands for
    /// the one who asked for it; whoever delivers from elsewhere may name anybody, and nobody's reminders are meant.
    pub(super) async fn asker(&self, turn: TurnId) -> Result<ReminderAsker, String> {
        self.find_asker(turn)
            .await
            .map_err(|error| format!("the journal cannot be read: {error}"))?
            .ok_or_else(|| {
                "no message of a person led to this turn, so that nobody's events can be meant".to_owned()
            })
    }

    async fn find_asker(&self, turn: TurnId) -> Result<Option<ReminderAsker>, StoreError> {
        let chain = TurnChain::to(turn, &self.recorder).await?;
        let own = chain.turns.first().and_then(|own| own.delivery.as_deref());
        let (origin, requester, depth) = match (own, &chain.root) {
            (_, ChainRoot::Schedule | ChainRoot::Elsewhere) | (None, ChainRoot::Reminder) => return Ok(None),
            (Some(delivery), _) => {
                let DeliveryRequest {
                    origin,
                    requester,
                    depth,
                    ..
                } = delivery.clone();
                (origin, requester, depth)
            }
            (None, ChainRoot::Message(message)) => (ReplyAddress::of(message), message.sender.clone(), 0),
        };
        let others = chain.joined(&self.recorder).await?;
        let is_message = matches!(chain.root, ChainRoot::Message(_));
        let is_alone = is_message && others.iter().all(|other| other.sender.id == requester.id);
        Ok(Some(ReminderAsker {
            origin,
            requester,
            depth,
            is_alone,
        }))
    }
}
