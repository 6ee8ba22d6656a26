//! The delivery of a reminder that is due: what the agent is told.

use super::{
    history::ReminderState,
    times::{moment_in_words, rule_in_words},
};
use crate::{id::OF_REMINDER, schedule_times::MissedTimes};
use foldback_actions::event::EVENT;
use foldback_wire::{
    DeliveryOutcome, DeliveryRequest, PerformedAction, Reminder, ResultItem, Timestamp, duration_in_words,
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
                "asked for by {} on {}",
                requester.readable_name(),
                moment_in_words(state.at, zone)
            ),
        ),
    ];
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
        requester: requester.clone(),
        action: PerformedAction {
            name: EVENT.to_owned(),
            command: None,
        },
        outcome: DeliveryOutcome::Event,
        items,
        items_omitted: 0,
        depth: depth + 1,
        corrections: None,
        cause: Some(state.turn),
    }
}
