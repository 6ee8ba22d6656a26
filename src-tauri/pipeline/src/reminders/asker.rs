//! Whoever asks for something about reminders in a turn.

use super::Reminders;
use crate::turn_chain::{ChainRoot, TurnChain, joined};
use foldback_store::{Selection, StoreError};
use foldback_wire::{Kind, ReplyAddress, Sender, Seq, TurnId};

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
        let journal = &self.recorder.journal;
        let wanted = Selection {
            turns: Some([turn].into()),
            ..Selection::kinds(["received", "schedule_due", "delivery_due"])
        };
        journal.flush().await?;
        let (mut message, mut delivery, mut is_scheduled) = (None, None, false);
        for event in journal
            .select(&wanted, Seq(0), journal.head(), usize::MAX)
            .await?
        {
            match event.kind {
                Kind::Received { message: received } => message = message.or(Some(received)),
                Kind::DeliveryDue(request) => delivery = Some(request),
                Kind::ScheduleDue(_) => is_scheduled = true,
                _ => {}
            }
        }
        let mut turns = vec![turn];
        let (origin, requester, depth, is_message) = match (delivery, message) {
            (Some(request), _) => {
                let chain = TurnChain::of(&request, &self.recorder).await?;
                let is_message = match chain.root {
                    ChainRoot::Message(_) => true,
                    ChainRoot::Reminder => false,
                    ChainRoot::Schedule | ChainRoot::Elsewhere => return Ok(None),
                };
                turns.extend(chain.turns);
                (request.origin, request.requester, request.depth, is_message)
            }
            (None, Some(message)) if !is_scheduled => (ReplyAddress::of(&message), message.sender, 0, true),
            _ => return Ok(None),
        };
        let others = joined(&turns, &self.recorder).await?;
        let is_alone = is_message && others.iter().all(|other| other.sender.id == requester.id);
        Ok(Some(ReminderAsker {
            origin,
            requester,
            depth,
            is_alone,
        }))
    }
}
