//! The delivery of a reminder that is due: what the agent is told.

use super::{
    history::ReminderState,
    times::{moment_in_words, rule_in_words},
};
use crate::{id::OF_REMINDER, schedule_times::MissedTimes};
use foldback_actions::event::EVENT;
use foldback_wire::{
    ChatType, DeliveryLimits, DeliveryOutcome, DeliveryRequest, PerformedAction, Reminder, ResultItem,
    Sender, Timestamp, duration_in_words,
};
use std::time::Duration;

/// A delivery that begins so much after its time is told to be late.
const LATE: Duration = Duration::from_mins(1);

/// The request that delivers a reminder for a time, and for those that were missed before it. One time has one id.
pub(super) fn request(state: &ReminderState, missed: MissedTimes, now: Timestamp) -> DeliveryRequest {
    let Reminder {
        id,
        text,
        zone,
        origin,
        set_in,
        chat_name,
        requester,
        depth,
        ..
    } = &state.reminder;
    let MissedTimes { latest, before } = missed;
    let mut items = vec![
        ResultItem::new("reminder", text),
        ResultItem::new("due", moment_in_words(latest, zone)),
        ResultItem::new("times", rule_in_words(&state.reminder)),
        ResultItem::new(
            "set",
            format!(
                "asked for by {}{} on {}",
                requester.readable_name(),
                if set_in.is_some() { " in another chat" } else { "" },
                moment_in_words(state.at, zone)
            ),
        ),
    ];
    if set_in.is_some() {
        let whom = match (origin.chat_type, chat_name.as_deref()) {
            (ChatType::Direct, Some(name)) => format!("{name}, whose chat this is, and not who asked for it"),
            (ChatType::Direct, None) => "the person of this chat, and not who asked for it".to_owned(),
            (ChatType::Group, _) => "the people of this group".to_owned(),
        };
        items.push(ResultItem::new("tell", whom));
    }
    let late = now.since(latest);
    if late >= LATE || before > 0 {
        let late = duration_in_words(Duration::from_secs(late.as_secs()));
        let missed = match before {
            0 => String::new(),
            1 => "; 1 earlier time was missed".to_owned(),
            missed => format!("; {missed} earlier times were missed"),
        };
        items.push(ResultItem::new("late", format!("{late}{missed}")));
    }
    DeliveryRequest {
        id: format!("{OF_REMINDER}{id}-{}", latest.0).into(),
        origin: origin.clone(),
        requester: requester_there(&state.reminder),
        action: PerformedAction {
            name: EVENT.to_owned(),
            command: None,
        },
        outcome: DeliveryOutcome::Event,
        items,
        items_omitted: 0,
        depth: depth + 1,
        limits: DeliveryLimits::default(),
        corrections: None,
        cause: Some(state.turn),
    }
}

/// The person who asked, as the channel knows them on which it is told. An id is a person of one platform: on another channel
/// it stands with the channel that it is of.
fn requester_there(reminder: &Reminder) -> Sender {
    let requester = reminder.requester.clone();
    let asked_on = &reminder.asked_in().channel;
    if *asked_on == reminder.origin.channel {
        return requester;
    }
    Sender {
        id: format!("{asked_on}:{}", requester.id).into(),
        ..requester
    }
}
