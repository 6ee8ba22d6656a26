//! Rows of reminders, in words.

use foldback_wire::{Kind, Reminder, ReminderCancelled, ReminderDue, ReminderRepeat, duration_in_words};
use std::time::Duration;

pub(super) fn words(kind: &Kind) -> String {
    match kind {
        Kind::ReminderSet(reminder) => set(reminder),
        Kind::ReminderCancelled(ReminderCancelled { reminder, by }) => {
            format!("reminder {reminder} cancelled by {by}")
        }
        Kind::ReminderDue(due) => came_due(due),
        _ => String::new(),
    }
}

fn set(reminder: &Reminder) -> String {
    let repeats = match (reminder.repeat, &reminder.cron) {
        (ReminderRepeat::Once, _) => String::new(),
        (ReminderRepeat::Cron, Some(cron)) => format!(", cron {cron}"),
        (repeat, _) => format!(", {repeat}"),
    };
    let told = reminder.set_in.as_ref().map_or_else(String::new, |_| {
        format!(
            ", told in chat {} on {}",
            reminder.origin.chat, reminder.origin.channel
        )
    });
    format!(
        "reminder {} for {}{told} at {} ({}{repeats}): {}",
        reminder.id,
        reminder.requester.readable_name(),
        reminder.first,
        reminder.zone,
        reminder.text
    )
}

fn came_due(due: &ReminderDue) -> String {
    let late = if due.late_ms < 1_000 {
        String::new()
    } else {
        let late = duration_in_words(Duration::from_secs(due.late_ms / 1_000));
        format!(", {late} late")
    };
    let missed = match due.missed {
        0 => String::new(),
        1 => "; 1 earlier time was missed".to_owned(),
        missed => format!("; {missed} earlier times were missed"),
    };
    format!("reminder {} was due at {}{late}{missed}", due.reminder, due.due)
}
