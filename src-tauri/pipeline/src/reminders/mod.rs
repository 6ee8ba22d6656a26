//! Reminders: what the action `event` sets, until each is delivered or cancelled.
//!
//! An example: at 20:00 Alice says "remind me tomorrow at nine to call Bob".
//!
//! ```text
//!   20:00:02  the agent of turn 7 asks for `event`. `reminder_set` of turn 7 is durable; only then the action succeeds
//!   09:00:00  due. `received`, `reminder_due` and `delivery_due` of turn 12 are one append: the delivery is accepted and
//!             the time is accounted for, or neither is
//!   09:00:01  killed: turn 12 is taken up by the next start, like any delivery turn
//!
//!   killed before the append: it is still due, and the next start delivers it, once, with how late it is
//! ```
//!
//! What must hold:
//! - A time that is accounted for is never delivered again; one that is not is delivered when it can be.
//! - Times that were missed are one delivery, which says how many they were.
//! - A person lists and cancels their own reminders; those of their direct chat are not told in a group, unless an owner had
//!   one told in that group.

mod asker;
mod book;
mod chat_choice;
mod history;
mod named_chat;
mod reading;
mod request;
mod times;

pub(crate) use history::{ReminderHistory, ReminderState};
pub(crate) use times::shown_in_zone;

use crate::{
    config::{Config, EventConfig},
    recorder::Recorder,
};
use foldback_store::{Journal, StoreError};
use foldback_wire::{
    Actor, ChannelId, ChatId, ChatType, DeliveryRequest, Kind, Reminder, ReminderCancelled, ReminderDue,
    ReminderId, ReminderLine, ReminderWait, ReplyAddress, Sender, Timestamp, TurnId, UserId,
    redact::Redaction,
};
use history::{line, with_ends};
use request::request;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::Notify;

/// The wait after a first delivery that was not accepted; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_mins(1);
/// Longest wait between two attempts.
const LONGEST_WAIT: Duration = Duration::from_hours(1);
/// The reminders while the bot runs.
pub(crate) struct Reminders {
    recorder: Recorder,
    redaction: Option<Redaction>,
    config: EventConfig,
    /// All settings of the bot: who owns it, and which channels it has.
    bot: Arc<Config>,
    history: Mutex<ReminderHistory>,
    /// Those that are due and were not accepted.
    waits: Mutex<BTreeMap<ReminderId, ReminderWait>>,
    /// Held while one is delivered or cancelled: a reminder that is cancelled is not delivered any more.
    pub(crate) changing: tokio::sync::Mutex<()>,
    /// Told when one was set or cancelled.
    pub(crate) changed: Notify,
}

/// A reminder that is due, with the request that delivers it and the event that accounts for it.
pub(crate) struct DueReminder {
    pub(crate) request: DeliveryRequest,
    pub(crate) due: ReminderDue,
    /// The place in which it was set and the person who asked there, where it is told in another one.
    pub(crate) asked: Option<(ReplyAddress, Sender)>,
    /// True where none of its times was delivered before.
    pub(crate) is_first: bool,
}

/// A reminder cannot be cancelled.
#[derive(Debug, thiserror::Error)]
pub enum ReminderFault {
    /// There is none of this number, or it is over.
    #[error("there is no reminder {0}")]
    Unknown(ReminderId),
    /// The journal cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Reminders {
    /// The reminders that the journal tells of.
    pub(crate) async fn read(
        recorder: Recorder,
        redaction: Option<Redaction>,
        config: EventConfig,
        bot: Arc<Config>,
    ) -> Result<Self, StoreError> {
        let history = ReminderHistory::read(recorder.journal.as_ref()).await?;
        Ok(Self {
            recorder,
            redaction,
            config,
            bot,
            history: Mutex::new(history),
            waits: Mutex::default(),
            changing: tokio::sync::Mutex::default(),
            changed: Notify::new(),
        })
    }

    /// True where reminders may be set and are delivered.
    pub(crate) const fn are_on(&self) -> bool {
        self.config.enabled
    }

    pub(crate) fn history(&self) -> MutexGuard<'_, ReminderHistory> {
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waits(&self) -> MutexGuard<'_, BTreeMap<ReminderId, ReminderWait>> {
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The reminders that are due now and do not wait for another attempt.
    pub(crate) fn due_now(&self, now: Timestamp) -> Vec<(ReminderId, ChannelId)> {
        let waits = self.waits().clone();
        let waits = |id: &ReminderId| {
            waits
                .get(id)
                .is_some_and(|wait| wait.next.is_some_and(|next| next > now))
        };
        let history = self.history();
        let due = history
            .open()
            .filter(|state| state.next().is_some_and(|next| next <= now));
        let due = due.filter(|state| !waits(&state.reminder.id));
        due.map(|state| (state.reminder.id, state.reminder.origin.channel.clone()))
            .collect()
    }

    /// The next moment at which something is to be done, of those after now.
    pub(crate) fn next_moment(&self, now: Timestamp) -> Option<Timestamp> {
        let waits = self.waits().values().filter_map(|wait| wait.next).min();
        let due = self
            .history()
            .open()
            .filter_map(ReminderState::next)
            .filter(|next| *next > now)
            .min();
        waits.into_iter().chain(due).filter(|next| *next > now).min()
    }

    /// The delivery of a reminder; none where it is not due any more.
    pub(crate) fn due_reminder(&self, id: ReminderId, now: Timestamp) -> Option<DueReminder> {
        let history = self.history();
        let state = history.find(id)?;
        let missed = state.missed(now)?;
        let asked = state.reminder.set_in.clone();
        Some(DueReminder {
            request: request(state, missed, now),
            is_first: !state.was_delivered(),
            asked: asked.map(|place| (place, state.reminder.requester.clone())),
            due: ReminderDue {
                reminder: id,
                due: missed.latest,
                missed: missed.before,
                late_ms: u64::try_from(now.since(missed.latest).as_millis()).unwrap_or(u64::MAX),
            },
        })
    }

    /// A delivery was accepted, in this turn.
    pub(crate) fn accepted(&self, turn: TurnId, due: ReminderDue) {
        self.waits().remove(&due.reminder);
        self.history()
            .fold(self.recorder.now(), turn, &Kind::ReminderDue(due));
    }

    /// A delivery was not accepted: it is tried again, each time after twice as long.
    pub(crate) fn not_accepted(&self, id: ReminderId, why: String) {
        let now = self.recorder.now();
        let mut waits = self.waits();
        let wait = waits.entry(id).or_insert_with(|| ReminderWait {
            why: String::new(),
            attempts: 0,
            next: None,
        });
        let doubled = FIRST_WAIT.saturating_mul(1 << wait.attempts.min(6));
        wait.attempts = wait.attempts.saturating_add(1);
        wait.next = Some(now.plus(doubled.min(LONGEST_WAIT)));
        wait.why = why;
    }

    /// A reminder waits for its channel, which is off.
    pub(crate) fn waits_for_channel(&self, id: ReminderId, channel: &ChannelId) {
        let wait = ReminderWait {
            why: format!("{channel} is off"),
            attempts: 0,
            next: None,
        };
        self.waits().insert(id, wait);
    }

    /// All reminders that are set, and the latest of those that are over.
    pub(crate) async fn lines(&self) -> Result<Vec<ReminderLine>, StoreError> {
        self.recorder.journal.flush().await?;
        let mut lines = self.history().lines();
        {
            let waits = self.waits();
            for line in &mut lines {
                line.waits = waits.get(&line.id).cloned();
            }
        }
        with_ends(self.recorder.journal.as_ref(), lines).await
    }

    /// The reminders of a person that are to come, as far as they are told in a chat: all of them in a direct one, those
    /// of the chat in a group.
    pub(crate) fn lines_of(&self, person: (&ChannelId, &UserId), place: &ReplyAddress) -> Vec<ReminderLine> {
        let lines = self.history().lines();
        let own = lines.into_iter().filter(|line| {
            let channel = line
                .set_in
                .as_ref()
                .map_or(&line.channel, |set_in| &set_in.channel);
            let is_own = (channel, &line.requester.id) == person;
            is_own && line.next.is_some() && is_line_told_in(line, place)
        });
        own.collect()
    }

    /// Cancels a reminder where `may` says so; `by` asked for it.
    pub(crate) async fn cancel(
        &self,
        id: ReminderId,
        by: Actor,
        recorder: Option<&Recorder>,
        may: impl FnOnce(&Reminder) -> bool,
    ) -> Result<ReminderLine, ReminderFault> {
        let _changing = self.changing.lock().await;
        let found = self.history().find(id).cloned();
        let found = found.filter(|state| state.next().is_some() && may(&state.reminder));
        let state = found.ok_or(ReminderFault::Unknown(id))?;
        let cancelled = ReminderCancelled { reminder: id, by };
        let without_turn = self.recorder.on_channel(&state.reminder.origin.channel);
        let recorder = recorder.unwrap_or(&without_turn);
        recorder.note(Kind::ReminderCancelled(cancelled.clone()))?;
        self.history().cancel(&cancelled);
        self.waits().remove(&id);
        self.changed.notify_one();
        recorder.journal.flush().await?;
        Ok(line(&state))
    }
}

/// True for a person's own reminder, where it may be told in this place.
pub(crate) fn is_told_to(
    reminder: &Reminder,
    (channel, person): (&ChannelId, &UserId),
    place: &ReplyAddress,
) -> bool {
    let is_own = reminder.asked_in().channel == *channel && reminder.requester.id == *person;
    is_own && is_told_in(reminder, place)
}

/// True where a reminder may be told in a place: all of them in a direct chat; in a group its own, and those that were set
/// there.
pub(crate) fn is_told_in(reminder: &Reminder, place: &ReplyAddress) -> bool {
    let Reminder { origin, set_in, .. } = reminder;
    is_of_place((&origin.channel, &origin.chat), set_in.as_ref(), place)
}

/// True where a line of the list of reminders may be told in a place.
pub(crate) fn is_line_told_in(line: &ReminderLine, place: &ReplyAddress) -> bool {
    is_of_place((&line.channel, &line.chat), line.set_in.as_ref(), place)
}

fn is_of_place(told: (&ChannelId, &ChatId), set_in: Option<&ReplyAddress>, place: &ReplyAddress) -> bool {
    let here = (&place.channel, &place.chat);
    let is_set_here = set_in.is_some_and(|set_in| (&set_in.channel, &set_in.chat) == here);
    place.chat_type == ChatType::Direct || told == here || is_set_here
}

/// The reminders that a journal tells of, where no bot runs on it.
///
/// # Errors
/// Where the journal cannot be read.
pub async fn reminder_lines(journal: &dyn Journal) -> Result<Vec<ReminderLine>, StoreError> {
    let lines = ReminderHistory::read(journal).await?.lines();
    with_ends(journal, lines).await
}
