//! Reminders as the actions of an agent set, list and cancel them.

use super::{
    ReminderFault, Reminders,
    asker::ReminderAsker,
    history::line,
    is_told_to,
    named_chat::{NamedChat, NamedChatFault, not_an_owner},
    reading::{ReadTimes, read_times},
};
use async_trait::async_trait;
use foldback_actions::{
    ActionCircumstances, ActionOrder, NamedRefusal,
    event::{EventPayload, ReminderBook},
};
use foldback_store::StoreError;
use foldback_wire::{Actor, Kind, PayloadFinding, Reminder, ReminderId, ReminderLine};

impl Reminders {
    /// Words for a person who has as many reminders as one may have.
    fn is_over_limit(&self, asker: &ReminderAsker) -> Option<String> {
        let most = self.config.per_person;
        let (channel, person) = (&asker.origin.channel, &asker.requester.id);
        let history = self.history();
        let own = history.open().filter(|state| {
            let reminder = &state.reminder;
            reminder.asked_in().channel == *channel && reminder.requester.id == *person
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

    async fn find_chat(
        &self,
        payload: &EventPayload,
        asked: ActionCircumstances,
    ) -> Result<(), NamedRefusal> {
        // `set` gives the reason: no person asked, or the journal cannot be read.
        let Ok(asker) = self.asker(asked.turn).await else {
            return Ok(());
        };
        let found = self.named_chat(payload, &asker, asked.turn).await;
        // Somebody else may have written into the run: then nobody learns which chats there are.
        let found = match found {
            Ok(Some(_)) | Err(NamedChatFault::Unfit(_))
                if !asked.asker.is_owner && payload.chat.is_some() =>
            {
                Err(not_an_owner())
            }
            found => found,
        };
        match found {
            Ok(_) | Err(NamedChatFault::Store(_)) => Ok(()),
            Err(NamedChatFault::Unfit(finding)) => Err(NamedRefusal::Unfit(vec![finding])),
            Err(NamedChatFault::NotPermitted(code, why, setting)) => {
                Err(NamedRefusal::NotPermitted { code, why, setting })
            }
        }
    }

    async fn set(&self, order: &ActionOrder, payload: &EventPayload) -> Result<ReminderLine, String> {
        let asker = self.asker(order.turn).await?;
        let named = self.named_chat(payload, &asker, order.turn).await;
        let named = named.map_err(NamedChatFault::into_words)?;
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
        let (origin, set_in, chat_name) = match named {
            Some(NamedChat { place, name }) => (place, Some(origin), Some(name)),
            None => (origin, None, None),
        };
        let mut reminder = Reminder {
            id: self.history().next_id(),
            text: payload.description.trim().to_owned(),
            first,
            local: local.to_string(),
            zone,
            repeat,
            cron,
            origin,
            set_in,
            chat_name,
            requester,
            depth,
        };
        if let Some(redaction) = &self.redaction {
            redaction.reminder(&mut reminder);
        }
        let recorder = self.recorder.of_turn(order.turn, &reminder.asked_in().channel);
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
