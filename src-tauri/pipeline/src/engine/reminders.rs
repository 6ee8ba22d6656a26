//! Reminders that come due: each is delivered in a turn of its own, and what an operator orders about them.
//!
//! What must hold:
//! - The delivery and that its time is accounted for are one append.
//! - Nothing is delivered while its channel is off; what came due meanwhile is one delivery afterwards.
//! - Nothing is delivered whose person may not write in its chat any more: the rights are those of now.
//! - A delivery that is not accepted is tried again after a while, and holds up no other.

use super::{
    Accepted, Core, Engine, Rejected, StartError,
    deliveries::{CauseLink, delivered_message},
};
use crate::{
    config::Config,
    id::OF_SCHEDULE,
    recorder::Recorder,
    reminders::{DueReminder, ReminderFault, Reminders},
    supervise::contained,
};
use foldback_actions::{ActionTable, event::Events};
use foldback_store::{Selection, StoreError};
use foldback_wire::{
    Actor, ChannelId, ChannelState, DELIVERY_DEPTH, DeliveryRequest, InboundContext, Kind, ReminderId,
    ReminderLine, ReplyAddress, Sender, Seq, redact::Redaction,
};
use std::{sync::Arc, time::Duration};

/// Longest wait between two looks: a machine that slept, a clock that was set and a channel that is on again are seen after
/// it.
const LOOK: Duration = Duration::from_secs(30);

/// The reminders that the journal tells of, and the table of actions with those of reminders where they are on.
pub(super) async fn set_up_reminders(
    recorder: &Recorder,
    redaction: Option<&Redaction>,
    config: &Arc<Config>,
    actions: Arc<ActionTable>,
) -> Result<(Arc<Reminders>, Arc<ActionTable>), StartError> {
    let mut settings = config.actions.event.clone();
    settings.enabled &= !config.actions.without_interfaces;
    let reminders =
        Reminders::read(recorder.clone(), redaction.cloned(), settings, Arc::clone(config)).await?;
    let reminders = Arc::new(reminders);
    if !reminders.are_on() {
        return Ok((reminders, actions));
    }
    let events = Events::new(Arc::clone(&reminders) as _);
    let actions = ActionTable::clone(&actions).with(vec![Arc::new(events)])?;
    Ok((reminders, Arc::new(actions)))
}

impl Engine {
    /// The actions that are on, with those of reminders.
    pub fn actions(&self) -> &ActionTable {
        &self.core.context.actions
    }

    /// The reminders that are set, those that are due next first, and the latest that are over.
    ///
    /// # Errors
    /// Where the journal cannot be read.
    pub async fn reminders(&self) -> Result<Vec<ReminderLine>, StoreError> {
        self.core.context.reminders.lines().await
    }

    /// Cancels a reminder, whoever it is of.
    ///
    /// # Errors
    /// Where there is no such reminder, or the journal cannot be written.
    pub async fn cancel_reminder(&self, id: ReminderId, by: Actor) -> Result<ReminderLine, ReminderFault> {
        self.core.context.reminders.cancel(id, by, None, |_| true).await
    }
}

impl Core {
    /// Delivers what is due, until the process ends.
    pub(super) async fn run_reminders(self: Arc<Self>) {
        let reminders = &self.context.reminders;
        let ends = &self.context.shutdown.no_new_turns;
        while reminders.are_on() && !ends.is_cancelled() {
            for (id, channel) in reminders.due_now(self.context.recorder.now()) {
                if ends.is_cancelled() {
                    return;
                }
                if self.is_channel_off(&channel) {
                    reminders.waits_for_channel(id, &channel);
                    continue;
                }
                let core = Arc::clone(&self);
                // A panic in one of them leaves the others their times.
                match contained(async move { core.deliver_reminder(id).await }).await {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => {
                        tracing::error!(reminder = %id, %error, "a reminder is not delivered");
                        reminders.not_accepted(id, error.to_string());
                    }
                    Err(panicked) => {
                        let fate = format!("the reminder {id} was not delivered");
                        self.context.recorder.tell_panic(&fate, &panicked);
                        reminders.not_accepted(id, panicked.to_string());
                    }
                }
            }
            let clock = &self.context.recorder.clock;
            let now = clock.now();
            let latest = now.plus(LOOK);
            let next = reminders.next_moment(now).map_or(latest, |next| next.min(latest));
            tokio::select! {
                () = clock.sleep_until(next) => {}
                () = reminders.changed.notified() => {}
                () = ends.cancelled() => {}
            }
        }
    }

    async fn deliver_reminder(self: &Arc<Self>, id: ReminderId) -> Result<(), StoreError> {
        let reminders = &self.context.reminders;
        let _changing = reminders.changing.lock().await;
        let due = reminders.due_reminder(id, self.context.recorder.now());
        let Some(DueReminder {
            request,
            due,
            asked,
            is_first,
        }) = due
        else {
            return Ok(());
        };
        let recorder = &self.context.recorder;
        let refusal = match &asked {
            None => self.refusal_of_requester(&request).await?,
            Some((place, person)) => self.refusal_elsewhere(&request, place, person).await?,
        };
        if let Some(why) = refusal {
            tracing::warn!(reminder = %id, reason = %why, "a reminder waits");
            reminders.not_accepted(id, why);
            return Ok(());
        }
        let channel = request.origin.channel.clone();
        let accounted = Kind::ReminderDue(due.clone());
        let beside = |turn| vec![recorder.of_turn(turn, &channel).draft(accounted.clone())];
        // An event of the turn that set it is of that turn's channel.
        let is_linked = asked.is_none_or(|(place, _)| place.channel == channel);
        let link = if is_first && is_linked {
            CauseLink::Both
        } else {
            CauseLink::FromDelivery
        };
        match self.deliver(request, link, beside).await {
            Ok(Accepted { turn, begun }) => {
                if begun.is_none() {
                    // Another program delivered under this id: the time is accounted for all the same.
                    recorder.of_turn(turn, &channel).note(accounted.clone())?;
                }
                reminders.accepted(turn, due);
                Ok(())
            }
            Err(Rejected::Refused(refused)) => {
                tracing::warn!(reminder = %id, reason = %refused.reason, "a reminder waits");
                reminders.not_accepted(id, refused.detail);
                Ok(())
            }
            Err(Rejected::Store(error)) => Err(error),
        }
    }

    /// The reason, in words, for which its person may not write in its chat any more. A schedule in whose turn one was set
    /// is the operator's, and asks nobody.
    async fn refusal_of_requester(&self, request: &DeliveryRequest) -> Result<Option<String>, StoreError> {
        if request.requester.id.as_str().starts_with(OF_SCHEDULE) {
            return Ok(None);
        }
        let mut message = delivered_message(request, self.context.recorder.now());
        message.text.clear();
        message.context = self.context_of(request).await?;
        let Some(stop) = self.gates.refusal_of_sender(&message) else {
            return Ok(None);
        };
        let setting = stop.setting.map(|key| format!(" ({key})")).unwrap_or_default();
        let why = stop.detail;
        Ok(Some(format!(
            "its person may not write there now: {why}{setting}"
        )))
    }

    /// The reason, in words, for which one that an owner set for another chat is not told there now: the rights are asked
    /// again, of the owner and of the chat.
    async fn refusal_elsewhere(
        &self,
        request: &DeliveryRequest,
        place: &ReplyAddress,
        person: &Sender,
    ) -> Result<Option<String>, StoreError> {
        let asked = DeliveryRequest {
            origin: place.clone(),
            requester: person.clone(),
            ..request.clone()
        };
        if let Some(why) = self.refusal_of_requester(&asked).await? {
            return Ok(Some(why));
        }
        let channel = &request.origin.channel;
        let now = self.context.recorder.now();
        let mut message = delivered_message(&asked, now);
        message.context = self.context_of(&asked).await?;
        if !self.context.reminders.owns(&message, channel) {
            let why =
                format!("its person is no owner of the bot on {channel} now (commands.owner_allow_from)");
            return Ok(Some(why));
        }
        let board = &self.context.ports.board;
        let is_armed = board
            .channel(channel)
            .is_some_and(|channel| channel.status().armed);
        if !is_armed {
            return Ok(Some(format!("{channel} is not armed (channels.{channel}.armed)")));
        }
        let journal = &self.context.recorder.journal;
        let Some(chat) = journal.chat(channel, &request.origin.chat).await? else {
            return Ok(Some(
                "its chat is known no more: nobody wrote there for long".to_owned(),
            ));
        };
        let mut message = delivered_message(request, now);
        message.text.clear();
        message.sender = chat.sender;
        message.context = chat.other.map(|sender| {
            Box::new(InboundContext {
                sender: Some(sender),
                ..InboundContext::default()
            })
        });
        let stop = self.gates.refusal_of_sender(&message);
        Ok(stop.map(|stop| {
            let setting = stop.setting.map(|key| format!(" ({key})")).unwrap_or_default();
            format!("nothing is told in its chat now: {}{setting}", stop.detail)
        }))
    }

    /// The other ids of a person, as the message that began the chain had them: a list may name any of them.
    async fn context_of(&self, request: &DeliveryRequest) -> Result<Option<Box<InboundContext>>, StoreError> {
        let journal = &self.context.recorder.journal;
        let mut cause = request.cause;
        for _ in 0..=DELIVERY_DEPTH {
            let Some(turn) = cause.take() else { break };
            let wanted = Selection {
                turns: Some([turn].into()),
                ..Selection::kinds(["received", "delivery_due"])
            };
            for event in journal
                .select(&wanted, Seq(0), journal.head(), usize::MAX)
                .await?
            {
                match event.kind {
                    Kind::DeliveryDue(before) => cause = before.cause,
                    Kind::Received { message }
                        if message.sender.id == request.requester.id && message.context.is_some() =>
                    {
                        return Ok(message.context);
                    }
                    _ => {}
                }
            }
        }
        Ok(None)
    }

    fn is_channel_off(&self, channel: &ChannelId) -> bool {
        let channel = self.context.ports.board.channel(channel);
        channel.is_some_and(|channel| channel.status().state == ChannelState::Off)
    }
}
