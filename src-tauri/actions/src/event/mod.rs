//! The interface of reminders: the actions `event`, `event_list` and `event_cancel`.
//!
//! It reads payloads and words results. Times are counted and reminders are kept by a [`ReminderBook`], which knows the
//! conversation; nothing in here reaches it.
//!
//! What must hold:
//! - The action succeeds only once the book has the reminder durably.
//! - What a payload says that cannot be is told with the change that mends it, before anything is done: a date that is
//!   over, a repetition that there is none of.
//! - A reminder is made by the person whose message began the chain of turns. `created_by`, which agents of the ancestor
//!   write, is read and counts for nothing.
//! - A chat is named by its id or its whole name. What several chats are called is told with the candidates, and never
//!   guessed; who is no owner is told of no chat.

mod payload;

pub use payload::{CancelPayload, EventPayload, ListPayload};

use crate::{
    ActionCircumstances, ActionDecision, ActionInterface, ActionLimits, ActionOrder, ActionRow, NamedRefusal,
    ResultSink,
};
use async_trait::async_trait;
use foldback_wire::{ActionAccess, ActionConfirmation, PayloadFinding, ReminderId, ReminderLine, ResultItem};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The name of the action that sets a reminder.
pub const EVENT: &str = "event";
/// The name of the action that lists them.
pub const EVENT_LIST: &str = "event_list";
/// The name of the action that cancels one.
pub const EVENT_CANCEL: &str = "event_cancel";

/// Most reminders that are listed in a result.
const MOST_LISTED: usize = 50;

/// Keeps reminders: counts their times, writes them down, has them delivered.
#[async_trait]
pub trait ReminderBook: Send + Sync {
    /// The places of a payload that cannot be, as of now; none where a reminder can be made of it.
    fn findings(&self, payload: &EventPayload) -> Vec<PayloadFinding>;

    /// Finds the chat that a payload names.
    ///
    /// # Errors
    /// The reason for which there is none, or it may not be named here.
    async fn find_chat(&self, payload: &EventPayload, asked: ActionCircumstances)
    -> Result<(), NamedRefusal>;

    /// Sets a reminder for the person and the chat of an order, or the chat that the payload names. It is durable when this answers.
    ///
    /// # Errors
    /// The reason for which it is not set, in words.
    async fn set(&self, order: &ActionOrder, payload: &EventPayload) -> Result<ReminderLine, String>;

    /// The reminders of the person of an order, those that are due next first.
    ///
    /// # Errors
    /// The reason for which nobody knows, in words.
    async fn list(&self, order: &ActionOrder) -> Result<Vec<ReminderLine>, String>;

    /// Cancels a reminder of the person of an order.
    ///
    /// # Errors
    /// The reason for which it is not cancelled, in words.
    async fn cancel(&self, order: &ActionOrder, id: ReminderId) -> Result<ReminderLine, String>;
}

/// The interface of reminders.
pub struct Events {
    book: Arc<dyn ReminderBook>,
}

impl Events {
    /// An interface that keeps its reminders in this book.
    pub fn new(book: Arc<dyn ReminderBook>) -> Self {
        Self { book }
    }

    /// The rows of its actions.
    pub fn all_rows() -> Vec<ActionRow> {
        let open = |row: ActionRow| ActionRow {
            access: ActionAccess::Anyone,
            confirmation: ActionConfirmation::Never,
            limits: ActionLimits {
                payload_bytes: 8 * 1024,
                ..ActionLimits::default()
            },
            ..row
        };
        vec![
            open(ActionRow::of::<EventPayload>(
                EVENT,
                "Sets a reminder: at that time its text comes back to you, and you tell it in this chat, or in the one that \
                 an owner names. Name either date, or send_in, or send_at.",
            )),
            open(ActionRow::of::<ListPayload>(
                EVENT_LIST,
                "Lists the reminders of the person who asks, with their numbers.",
            )),
            open(ActionRow::of::<CancelPayload>(
                EVENT_CANCEL,
                "Cancels a reminder of the person who asks.",
            )),
        ]
    }
}

#[async_trait]
impl ActionInterface for Events {
    fn rows(&self) -> Vec<ActionRow> {
        Self::all_rows()
    }

    fn decide(&self, action: &str, payload: &Map<String, Value>) -> ActionDecision {
        if action != EVENT {
            return ActionDecision::AsDeclared;
        }
        let findings = match EventPayload::read(payload) {
            Ok(payload) => self.book.findings(&payload),
            Err(finding) => vec![finding],
        };
        if findings.is_empty() {
            ActionDecision::AsDeclared
        } else {
            ActionDecision::Unfit(findings)
        }
    }

    async fn look_up(
        &self,
        action: &str,
        payload: &Map<String, Value>,
        asked: ActionCircumstances,
    ) -> Result<(), NamedRefusal> {
        match EventPayload::read(payload) {
            Ok(payload) if action == EVENT => self.book.find_chat(&payload, asked).await,
            _ => Ok(()),
        }
    }

    async fn perform(&self, order: ActionOrder, results: ResultSink) {
        let told = match order.action.as_str() {
            EVENT => self.set(&order).await,
            EVENT_LIST => self.list(&order).await,
            _ => self.cancel(&order).await,
        };
        match told {
            Ok(items) => complete(results, items),
            Err(why) => results.fail(why),
        }
    }
}

impl Events {
    async fn set(&self, order: &ActionOrder) -> Result<Vec<ResultItem>, String> {
        let payload = EventPayload::read(&order.payload).map_err(|finding| finding.change)?;
        let line = self.book.set(order, &payload).await?;
        Ok(vec![ResultItem::new("set", in_words(&line))])
    }

    async fn list(&self, order: &ActionOrder) -> Result<Vec<ResultItem>, String> {
        let lines = self.book.list(order).await?;
        if lines.is_empty() {
            return Ok(vec![ResultItem::new("events", "there are none")]);
        }
        let told: Vec<_> = lines.iter().take(MOST_LISTED).map(in_words).collect();
        let omitted = lines.len().saturating_sub(told.len());
        let mut item = ResultItem::new("events", told.join("\n"));
        if omitted > 0 {
            item.note = Some(format!("and {omitted} more"));
        }
        Ok(vec![item])
    }

    async fn cancel(&self, order: &ActionOrder) -> Result<Vec<ResultItem>, String> {
        let payload = Value::Object(order.payload.clone());
        let CancelPayload { id } = serde_json::from_value(payload)
            .map_err(|error| format!("the payload cannot be read: {error}"))?;
        let line = self.book.cancel(order, ReminderId(id)).await?;
        Ok(vec![ResultItem::new("cancelled", in_words(&line))])
    }
}

fn complete(mut results: ResultSink, items: Vec<ResultItem>) {
    for item in items {
        results.add(item);
    }
    results.complete();
}

/// A reminder for the agent, in one line: its number, its times with the zone, the next one in UTC, the chat where that is
/// another one, its text.
fn in_words(line: &ReminderLine) -> String {
    let ReminderLine {
        id,
        text,
        rule,
        zone,
        next,
        channel,
        chat,
        set_in,
        chat_name,
        ..
    } = line;
    let next = next.map_or_else(|| "no next time".to_owned(), |next| format!("next at {next}"));
    let name = chat_name.iter().map(|name| format!(" ({})", json!(name)));
    let name: String = name.collect();
    let told = set_in
        .as_ref()
        .map(|_| format!(", told in chat {chat} on {channel}{name}"));
    let told = told.unwrap_or_default();
    format!("{id}: {rule} ({zone}), {next}{told}: {text}")
}
