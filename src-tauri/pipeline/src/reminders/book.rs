//! Reminders as the actions of an agent set, list and cancel them.

use super::{
    ReminderFault, Reminders,
    history::line,
    is_told_to,
    reading::{ReadTimes, read_times},
};
use crate::turn_chain::{ChainRoot, TurnChain, joined};
use async_trait::async_trait;
use foldback_actions::{
    ActionOrder,
    event::{EventPayload, ReminderBook},
};
use foldback_store::{Selection, StoreError};
use foldback_wire::{
    Actor, Kind, PayloadFinding, Reminder, ReminderId, ReminderLine, ReplyAddress, Sender, Seq, TurnId,
};

/// The person and the place in a turn that asks for something about reminders.
#[derive(Debug, Clone)]
struct ReminderAsker {
    origin: ReplyAddress,
    requester: Sender,
    /// Delivery turns so far in its chain.
    depth: u32,
    /// True where that person alone led to it: their message began the chain, and nobody else wrote into its runs.
    is_alone: bool,
}

impl Reminders {
    /// The person whose message began the chain of a turn, and the place of the answer. A reminder that came due stands for
    /// the one who asked for it; whoever delivers from elsewhere may name anybody, and nobody's reminders are meant.
    async fn asker(&self, turn: TurnId) -> Result<ReminderAsker, String> {
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

    /// Words for a person who has as many reminders as one may have.
    fn is_over_limit(&self, asker: &ReminderAsker) -> Option<String> {
        let most = self.config.per_person;
        let (channel, person) = (&asker.origin.channel, &asker.requester.id);
        let history = self.history();
        let own = history.open().filter(|state| {
            state.reminder.origin.channel == *channel && state.reminder.requester.id == *person
        });
        (own.count() >= most as usize).then(|| {
            format!("this person has {most} reminders already, and no more may be set (actions.event.per_person): one has to be cancelled first")
        })
    }
}

#[async_trait]
impl ReminderBook for Reminders {
    fn findings(&self, payload: &EventPayload) -> Vec<PayloadFinding> {
        read_times(payload, &self.config.zone, self.recorder.now())
            .err()
            .unwrap_or_default()
    }

    async fn set(&self, order: &ActionOrder, payload: &EventPayload) -> Result<ReminderLine, String> {
        let asker = self.asker(order.turn).await?;
        let ReadTimes {
            first,
            local,
            zone,
            repeat,
            cron,
        } = read_times(payload, &self.config.zone, self.recorder.now()).map_err(|findings| {
            findings
                .into_iter()
                .map(|one| one.problem)
                .collect::<Vec<_>>()
                .join("; ")
        })?;
        let _changing = self.changing.lock().await;
        if let Some(why) = self.is_over_limit(&asker) {
            return Err(why);
        }
        let ReminderAsker {
            origin,
            requester,
            depth,
            is_alone: _,
        } = asker;
        let mut reminder = Reminder {
            id: self.history().next_id(),
            text: payload.description.trim().to_owned(),
            first,
            local: local.to_string(),
            zone,
            repeat,
            cron,
            origin,
            requester,
            depth,
        };
        if let Some(redaction) = &self.redaction {
            redaction.reminder(&mut reminder);
        }
        let recorder = self.recorder.of_turn(order.turn, &reminder.origin.channel);
        let recorder = recorder.in_session(&order.session);
        let kind = Kind::ReminderSet(Box::new(reminder.clone()));
        let unwritten = |error: StoreError| format!("it could not be written down: {error}");
        recorder.note(kind.clone()).map_err(unwritten)?;
        self.history().fold(recorder.now(), order.turn, &kind);
        self.changed.notify_one();
        // The action succeeds only once it is durable.
        recorder.journal.flush().await.map_err(unwritten)?;
        let history = self.history();
        let set = history.find(reminder.id).map(line);
        set.ok_or_else(|| "its times cannot be read".to_owned())
    }

    async fn list(&self, order: &ActionOrder) -> Result<Vec<ReminderLine>, String> {
        let ReminderAsker {
            origin, requester, ..
        } = self.asker(order.turn).await?;
        Ok(self.lines_of((&origin.channel, &requester.id), &origin))
    }

    async fn cancel(&self, order: &ActionOrder, id: ReminderId) -> Result<ReminderLine, String> {
        let asker = self.asker(order.turn).await?;
        if !asker.is_alone {
            return Err(
                "an event is cancelled at the word of its own person alone, and others wrote into what led to this, or a \
                 reminder did; have that person ask in a message of their own, or use /reminders cancel"
                    .to_owned(),
            );
        }
        let ReminderAsker {
            origin, requester, ..
        } = asker;
        let recorder = self.recorder.of_turn(order.turn, &origin.channel);
        let recorder = recorder.in_session(&order.session);
        let own = |reminder: &Reminder| is_told_to(reminder, (&origin.channel, &requester.id), &origin);
        Self::cancel(self, id, Actor::User(requester.id.clone()), Some(&recorder), own)
            .await
            .map_err(|fault| match fault {
                ReminderFault::Unknown(id) => {
                    format!("this person has no event {id} here; event_list tells which there are")
                }
                ReminderFault::Store(error) => format!("it could not be written down: {error}"),
            })
    }
}
