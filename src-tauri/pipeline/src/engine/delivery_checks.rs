//! Checks before a delivery request is taken in: its place, its id and its depth.

use super::Core;
use crate::{
    dead_targets::dead_in_words,
    id::{OF_DELIVERY, flaw, message_flaw, reserved_beginning},
    rules::Rule,
};
use foldback_store::{Mention, Selection, StoreError};
use foldback_wire::{DeliveryRefusal, DeliveryRequest, Kind, Seq, Target, TurnId};
use std::time::Duration;

/// The time for which the id of a delivery is remembered in its chat, as of a message that a platform repeats.
const REMEMBERED_FOR: Duration = Duration::from_hours(7 * 24 + 1);

/// Longest id of a request, in bytes.
const LONGEST_ID: usize = 128;

impl Core {
    /// The reason for which nothing can be delivered to its place, or under its ids, in words.
    pub(super) fn refusal_of_place(&self, request: &DeliveryRequest) -> Option<(DeliveryRefusal, String)> {
        let invalid = |why: String| Some((DeliveryRefusal::Invalid, why));
        let DeliveryRequest {
            id,
            origin,
            requester,
            depth,
            ..
        } = request;
        let fits = (1..=LONGEST_ID).contains(&id.as_str().len());
        if !fits || !id.as_str().bytes().all(|byte| byte.is_ascii_graphic()) {
            return invalid(format!(
                "id must be 1 to {LONGEST_ID} ASCII letters, digits and signs"
            ));
        }
        let named = [
            ("origin.chat", origin.chat.as_str()),
            ("requester.id", requester.id.as_str()),
        ];
        let message = origin.message.as_ref().map(|id| ("origin.message", id.as_str()));
        let thread = origin.thread.as_ref().map(|id| ("origin.thread", id.as_str()));
        let of_people = named.into_iter().map(|(field, id)| (field, flaw(id)));
        let of_messages = message.into_iter().chain(thread);
        let of_messages = of_messages.map(|(field, id)| (field, message_flaw(id)));
        for (field, flaw) in of_people.chain(of_messages) {
            if let Some(why) = flaw {
                return invalid(format!("{field}: {why}"));
            }
        }
        if *depth == 0 {
            return invalid("depth counts from 1".to_owned());
        }
        if self.context.ports.port(&origin.channel).is_none() {
            let why = format!("there is no channel {}", origin.channel);
            return Some((DeliveryRefusal::UnknownChannel, why));
        }
        let target = target_of(request);
        let dead = self.delivery_queues.dead_targets.find(&origin.channel, &target);
        let dead = dead.filter(|_| self.context.rules.holds(Rule::DeliveriesDead))?;
        self.delivery_queues
            .dead_targets
            .count_refused(&origin.channel, &target);
        Some((DeliveryRefusal::DeadTarget, dead_in_words(&dead)))
    }

    /// The reason for which a request from outside is not taken under its id, in words.
    pub(super) fn refusal_of_reserved_id(request: &DeliveryRequest) -> Option<(DeliveryRefusal, String)> {
        let beginning = reserved_beginning(&request.id)?;
        let why = format!(
            "ids that begin with {beginning} are the bot's own, for what its actions and reminders produce; give another id, or none"
        );
        Some((DeliveryRefusal::ReservedId, why))
    }

    /// The turn that a request of this id has. Its chat remembers it for a week, the budgets for as long as they count.
    pub(super) async fn accepted_before(
        &self,
        request: &DeliveryRequest,
    ) -> Result<Option<TurnId>, StoreError> {
        if !self.context.rules.holds(Rule::DeliveriesOnce) {
            return Ok(None);
        }
        if let Some(turn) = self.deliveries.budget().find(&request.id) {
            return Ok(Some(turn));
        }
        let recorder = &self.context.recorder;
        let mention = Mention {
            channel: request.origin.channel.clone(),
            chat: Some(request.origin.chat.clone()),
            message: message_id(request).as_str().into(),
        };
        let since = recorder.now().minus(REMEMBERED_FOR);
        let came = recorder.journal.mentions(&mention, since).await?;
        Ok(came.iter().find_map(|event| event.turn))
    }

    /// Gives a request the depth that its cause says: no request makes its chain look shorter than it is. Answers the reason
    /// for which it is too deep, or its cause is none.
    pub(super) async fn settle_depth(
        &self,
        request: &mut DeliveryRequest,
    ) -> Result<Option<(DeliveryRefusal, String)>, StoreError> {
        if let Some(cause) = request.cause {
            let journal = &self.context.recorder.journal;
            let wanted = Selection {
                turns: Some([cause].into()),
                ..Selection::kinds(["received", "delivery_due", "reminder_set"])
            };
            journal.flush().await?;
            let events = journal
                .select(&wanted, Seq(0), journal.head(), usize::MAX)
                .await?;
            if events.is_empty() {
                return Ok(Some((
                    DeliveryRefusal::Invalid,
                    format!("there is no turn {cause}"),
                )));
            }
            let before = events.iter().find_map(|event| match &event.kind {
                Kind::DeliveryDue(before) => Some((before.depth, before.limits)),
                _ => None,
            });
            let (depth, limits) = before.unwrap_or_default();
            request.depth = request.depth.max(depth.saturating_add(1));
            request.limits = request.limits.within(limits);
        }
        let most = request.limits.depth();
        let over = request.depth > most && self.context.rules.holds(Rule::DeliveriesDepth);
        Ok(over.then(|| {
            let why = match most {
                0 => "its limits permit no delivery turn".to_owned(),
                _ => format!("{most} delivery turns have followed the message, and no more may"),
            };
            (DeliveryRefusal::DepthLimit, why)
        }))
    }
}

fn target_of(request: &DeliveryRequest) -> Target {
    Target {
        chat: request.origin.chat.clone(),
        thread: request.origin.thread.clone(),
    }
}

/// The id of the message that the turn of a request begins with.
pub(super) fn message_id(request: &DeliveryRequest) -> String {
    format!("{OF_DELIVERY}{}", request.id)
}
