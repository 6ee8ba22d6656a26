//! Actions, their way back to the agent, and turns that no message of a person began.

use super::{Explanation, bytes};
use foldback_wire::{DeliveryOutcome, Kind, Reminder, visible, visible_line};

const NOT_DONE: &str =
    "Nothing of it is carried out. The agent is told why, or the user that something was not done.";

/// Explains an action or a delivery.
pub(super) fn explain(kind: &Kind) -> Option<Explanation> {
    Some(match kind {
        Kind::ActionRefused(refusal) => Explanation::new(refusal.code.code(), refusal.code.about(), NOT_DONE)
            .with("action", visible(&refusal.name))
            .with("why", &refusal.detail),
        Kind::ActionStarted(started) => Explanation::new(
            "action_started",
            "An action that may be carried out begins; this is written down before anything runs.",
            "It runs now, once: after a crash it is not begun again.",
        )
        .with("action", visible(&started.action.name))
        .with_known("command", started.action.command.as_deref().map(visible)),
        Kind::ActionEnded(ended) => Explanation::new(
            "action_ended",
            "What came of an action goes back to the agent.",
            "The user is shown nothing of it. The agent words the answer: in the same run where a call of a tool asked for \
             it, else in a turn of its own.",
        )
        .with("action", visible(&ended.name))
        .with_known("exit status", ended.exit)
        .with_known("how it ended", ended.note.as_deref().map(visible))
        .with("output", bytes(ended.bytes)),
        Kind::ActionAnswered(answered) => Explanation::new(
            "action_answered",
            "What came of an action that a tool call asked for is the result of the call.",
            "The agent is given it as data and goes on with its run. The user is shown nothing of it.",
        )
        .with("result", bytes(answered.text.len() as u64)),
        Kind::DeliveryAccepted(accepted) => Explanation::new(
            "delivery_accepted",
            "A result is accepted once the journal has it with its turn.",
            "Its own turn gives it to the agent.",
        )
        .with("turn", accepted.turn)
        .with("id", visible(accepted.id.as_str())),
        Kind::DeliveryRefused(refused) => Explanation::new(
            refused.reason.code(),
            refused.reason.about(),
            "The agent is not given it.",
        )
        .with("why", &refused.detail),
        Kind::DeliveryDue(request) => {
            let about = match request.outcome {
                DeliveryOutcome::Output => "The result of an action begins the turn.",
                DeliveryOutcome::Event => "Something that came due or came in begins the turn.",
                DeliveryOutcome::Error => "An action that failed or was refused begins the turn.",
            };
            let effect = "The agent is given it as data. Its answer goes to the message that asked for it.";
            Explanation::new("delivery_due", about, effect)
                .with("action", visible(&request.action.name))
                .with_known("command", request.action.command.as_deref().map(visible))
                .with_known("asked for in turn", request.cause)
                .with("depth", request.depth)
        }
        Kind::ReminderSet(reminder) => Explanation::new(
            "reminder_set",
            "The agent set a reminder, with the action `event`.",
            match reminder.set_in {
                None => {
                    "When it is due, its text goes to the agent in a turn of its own, and the answer to this chat."
                }
                Some(_) => {
                    "When it is due, its text goes to the agent in a turn of its own, and the answer to the chat that an \
                     owner named, once owner and chat are still allowed."
                }
            },
        )
        .with("reminder", reminder.id)
        .with("first due", reminder.first)
        .with("repeats", reminder.repeat.about())
        .with("zone", &reminder.zone)
        .with_known("told in", told_in(reminder)),
        Kind::ReminderCancelled(cancelled) => Explanation::new(
            "reminder_cancelled",
            "A reminder was cancelled.",
            "It is due no more.",
        )
        .with("reminder", cancelled.reminder)
        .with("by", &cancelled.by),
        Kind::ReminderDue(due) => Explanation::new(
            "reminder_due",
            "A reminder came due and begins the turn.",
            "The agent is given its text as data. Its answer goes to its chat: the one in which it was set, or that an owner named.",
        )
        .with("reminder", due.reminder)
        .with("due", due.due)
        .with("missed before", due.missed),
        Kind::ScheduleDue(due) => Explanation::new(
            "schedule_due",
            "A schedule begins the turn.",
            "The agent is given its prompt. Its answer goes to the chat that the schedule names.",
        )
        .with("schedule", &due.schedule)
        .with("by", &due.by),
        _ => return None,
    })
}

/// The chat in which a reminder is told, with its name, where it was set in another one.
fn told_in(reminder: &Reminder) -> Option<String> {
    reminder.set_in.as_ref()?;
    let (chat, channel) = (reminder.origin.chat.as_str(), &reminder.origin.channel);
    let name = reminder.chat_name.as_deref().map(visible_line);
    let name = name.map(|name| format!(" ({name})")).unwrap_or_default();
    Some(format!("chat {} on {channel}{name}", visible_line(chat)))
}
