//! Reminders: texts that an agent is given back at a time, to tell a person of them. The action `event` sets one.

use crate::{
    Actor, ChannelId, ChatId, ChatType, ReminderId, ReplyAddress, Sender, Terminal, ThreadId, Timestamp,
    TurnId, closed::closed_set,
};
use serde::{Deserialize, Serialize};

/// Most characters of a reminder's text.
pub const REMINDER_CHARACTERS: usize = 500;

closed_set! {
    /// The repetition of a reminder.
    pub enum ReminderRepeat {
        Once = "none": "Once.",
        Daily = "daily": "Every day at its time.",
        Weekly = "weekly": "Every week on its weekday.",
        Monthly = "monthly": "Every month on its day, or on the last day of a month that is shorter.",
        Cron = "cron": "At the times of a cron expression.",
    }
}

/// A reminder that was set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Reminder {
    /// Its number.
    pub id: ReminderId,
    /// The text: at most 500 characters.
    pub text: String,
    /// The first time at which it is due.
    pub first: Timestamp,
    /// That time as a clock in its zone shows it, such as `2026-12-01T09:00:00`. Days are counted from it.
    pub local: String,
    /// Its time zone, an IANA name.
    pub zone: String,
    /// The repetition.
    pub repeat: ReminderRepeat,
    /// The cron expression of the repetition `cron`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cron: Option<String>,
    /// The place in which it is told.
    pub origin: ReplyAddress,
    /// The place in which it was set, where that is another one: an owner had it told in a chat that they named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub set_in: Option<ReplyAddress>,
    /// The name by which that chat was known then, at most 256 bytes: other people's words. Only beside `set_in`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub chat_name: Option<String>,
    /// The person whose message led to it.
    pub requester: Sender,
    /// Delivery turns so far in the chain that set it: 0 in the turn of a message.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[ts(as = "Option<u32>", optional)]
    pub depth: u32,
}

impl Reminder {
    /// The place in which it was set.
    pub fn asked_in(&self) -> &ReplyAddress {
        self.set_in.as_ref().unwrap_or(&self.origin)
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// A reminder came due: the turn delivers it to the agent. Written together with the delivery, so that neither is there
/// without the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ReminderDue {
    /// Its number.
    pub reminder: ReminderId,
    /// The time at which it was due, the latest where several were missed.
    pub due: Timestamp,
    /// Earlier times that this delivery stands for, too; at most 1,000 are counted.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[ts(as = "Option<u32>", optional)]
    pub missed: u32,
    /// Milliseconds from that time to the delivery.
    pub late_ms: u64,
}

/// A reminder was cancelled: it is due no more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ReminderCancelled {
    /// Its number.
    pub reminder: ReminderId,
    /// The author: a person, or the bot where the agent asked for it.
    pub by: Actor,
}

/// The latest delivery of a reminder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ReminderRun {
    /// Its turn.
    pub turn: TurnId,
    /// The time at which it was accepted.
    pub at: Timestamp,
    /// What came due.
    pub due: ReminderDue,
    /// Its end; none while it goes on.
    pub terminal: Option<Terminal>,
}

/// A reminder that is due and could not be delivered yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ReminderWait {
    /// The reason, in words.
    pub why: String,
    /// Attempts so far, since the bot started.
    pub attempts: u32,
    /// The next attempt; none where it waits for its channel.
    pub next: Option<Timestamp>,
}

/// A reminder that is set, with what comes next and what came of it last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ReminderLine {
    /// Its number.
    pub id: ReminderId,
    /// The text.
    pub text: String,
    /// Its times in words, such as `every day at 09:00`.
    pub rule: String,
    /// Its time zone.
    pub zone: String,
    /// The channel of its chat.
    pub channel: ChannelId,
    /// The chat in which it is told.
    pub chat: ChatId,
    /// Direct or group.
    pub chat_type: ChatType,
    /// The thread.
    pub thread: Option<ThreadId>,
    /// The place in which it was set, where that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub set_in: Option<ReplyAddress>,
    /// The name by which the chat was known then. Only beside `set_in`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub chat_name: Option<String>,
    /// The person whose message led to it.
    pub requester: Sender,
    /// The turn that set it.
    pub turn: TurnId,
    /// The time at which it was set.
    pub at: Timestamp,
    /// The next time; none where there is none any more. A time that is over is made up for.
    pub next: Option<Timestamp>,
    /// The latest delivery; none where there was none.
    pub last: Option<ReminderRun>,
    /// The reason for which it waits although it is due. Not known while no bot runs.
    pub waits: Option<ReminderWait>,
}
