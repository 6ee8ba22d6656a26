//! The command of reminders: a person lists and cancels their own, an owner of the bot all.

use super::Commands;
use crate::{
    gates::OwnAnswer,
    recorder::Recorder,
    reminders::{ReminderFault, is_line_told_in, is_told_in, is_told_to, shown_in_zone},
};
use foldback_store::StoreError;
use foldback_wire::{Actor, ChatType, ReminderId, ReminderLine, ReplyAddress, visible_line};

/// Most reminders that are listed in a chat.
const MOST: usize = 30;

impl Commands {
    /// Lists the reminders of the sender, or of everybody for an owner, or cancels one. In a group those of the group are
    /// told, and no others.
    pub(super) async fn reminders(
        &self,
        answer: &OwnAnswer,
        arguments: &str,
        recorder: &Recorder,
        by: Actor,
    ) -> Result<String, StoreError> {
        let mut words = arguments.split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (None, ..) => Ok(in_words(&self.own_reminders(answer), false)),
            (Some("all"), None, _) if answer.access.is_owner => {
                let place = ReplyAddress::of(&answer.message);
                let lines = self.context.reminders.lines().await?.into_iter();
                let told = lines.filter(|line| line.next.is_some() && is_line_told_in(line, &place));
                Ok(in_words(&told.collect::<Vec<_>>(), true))
            }
            (Some("all"), None, _) => Ok("⛔ Only owners of the bot see the reminders of others.".to_owned()),
            (Some("cancel"), Some(number), None) => match number.trim_start_matches('#').parse() {
                Ok(number) => {
                    self.cancel_reminder(answer, ReminderId(number), recorder, by)
                        .await
                }
                Err(_) => Ok(format!("⚠️ {} is no number of a reminder.", visible_line(number))),
            },
            _ => Ok("⚠️ Write /reminders, or /reminders cancel NUMBER.".to_owned()),
        }
    }

    fn own_reminders(&self, answer: &OwnAnswer) -> Vec<ReminderLine> {
        let message = &answer.message;
        let person = (&message.channel, &message.sender.id);
        self.context
            .reminders
            .lines_of(person, &ReplyAddress::of(message))
    }

    async fn cancel_reminder(
        &self,
        answer: &OwnAnswer,
        id: ReminderId,
        recorder: &Recorder,
        by: Actor,
    ) -> Result<String, StoreError> {
        let message = &answer.message;
        let place = ReplyAddress::of(message);
        let person = (&message.channel, &message.sender.id);
        let is_owner = answer.access.is_owner;
        let cancelled = self.context.reminders.cancel(id, by, Some(recorder), |reminder| {
            (is_owner && is_told_in(reminder, &place)) || is_told_to(reminder, person, &place)
        });
        match cancelled.await {
            Ok(line) => Ok(format!("✅ Cancelled: {}", visible_line(&line.text))),
            Err(ReminderFault::Unknown(_)) if is_owner && place.chat_type == ChatType::Group => Ok(format!(
                "⚠️ This group has no reminder {id}. Cancel those of other chats in a direct chat."
            )),
            Err(ReminderFault::Unknown(_)) => Ok(format!("⚠️ You have no reminder {id} here.")),
            Err(ReminderFault::Store(error)) => Err(error),
        }
    }
}

fn in_words(lines: &[ReminderLine], with_names: bool) -> String {
    if lines.is_empty() {
        return "ℹ️ There are no reminders.".to_owned();
    }
    let told = lines.iter().take(MOST).map(|line| {
        let next = line
            .next
            .map_or_else(String::new, |next| shown_in_zone(next, &line.zone));
        let repeats = if line.rule.starts_with("once") {
            String::new()
        } else {
            format!(", {}", line.rule)
        };
        let whose = if with_names {
            format!(" (for {})", visible_line(line.requester.readable_name()))
        } else {
            String::new()
        };
        let told = line.set_in.as_ref().map_or_else(String::new, |_| {
            let name = line.chat_name.as_deref().filter(|name| !name.is_empty());
            let chat = visible_line(name.unwrap_or(line.chat.as_str()));
            format!(", told in {chat} on {}", line.channel)
        });
        format!(
            "{}. {next} {}{repeats}{told}: {}{whose}",
            line.id,
            line.zone,
            visible_line(&line.text)
        )
    });
    let mut told: Vec<_> = told.collect();
    if lines.len() > MOST {
        told.push(format!("and {} more", lines.len() - MOST));
    }
    told.join("\n")
}
