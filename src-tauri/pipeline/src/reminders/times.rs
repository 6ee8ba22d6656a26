//! The times of a reminder, in numbers and in words.

use crate::schedule_times::{Repetition, RepetitionStep, ScheduleTimes};
use foldback_wire::{Reminder, ReminderRepeat, Timestamp};
use jiff::{civil, tz::TimeZone};

/// The times at which a reminder is due; none where what the journal has of it cannot be read.
pub(super) fn times_of(reminder: &Reminder) -> Option<ScheduleTimes> {
    let zone = TimeZone::get(&reminder.zone).ok()?;
    let repeated = |step| {
        let first = reminder.local.parse().ok()?;
        Some(ScheduleTimes::Repeated(Repetition {
            first,
            begins: reminder.first,
            step,
            zone: zone.clone(),
        }))
    };
    match reminder.repeat {
        ReminderRepeat::Once => Some(ScheduleTimes::At(reminder.first)),
        ReminderRepeat::Daily => repeated(RepetitionStep::Day),
        ReminderRepeat::Weekly => repeated(RepetitionStep::Week),
        ReminderRepeat::Monthly => repeated(RepetitionStep::Month),
        ReminderRepeat::Cron => ScheduleTimes::cron(reminder.cron.as_deref()?, &zone).ok(),
    }
}

/// A moment as a clock in the zone shows it.
pub(crate) fn shown_in_zone(at: Timestamp, zone: &str) -> String {
    let shown = TimeZone::get(zone).ok().and_then(|known| {
        let at = jiff::Timestamp::from_millisecond(at.0).ok()?;
        Some(at.to_zoned(known).strftime("%Y-%m-%d %H:%M").to_string())
    });
    shown.unwrap_or_else(|| at.to_string())
}

/// A moment as a clock in the zone shows it, with the zone and in UTC.
pub(super) fn moment_in_words(at: Timestamp, zone: &str) -> String {
    format!("{} {zone} ({at})", shown_in_zone(at, zone))
}

/// The times in words, such as `every Monday at 09:00`. The zone stands beside it.
pub(super) fn rule_in_words(reminder: &Reminder) -> String {
    let Ok(first) = reminder.local.parse::<civil::DateTime>() else {
        return reminder.local.clone();
    };
    let time = first.strftime("%H:%M");
    match reminder.repeat {
        ReminderRepeat::Once => format!("once, on {} at {time}", first.strftime("%Y-%m-%d")),
        ReminderRepeat::Daily => format!("every day at {time}"),
        ReminderRepeat::Weekly => format!("every {} at {time}", first.strftime("%A")),
        ReminderRepeat::Monthly => {
            let day = first.day();
            let shorter = if day > 28 { " or the last day" } else { "" };
            format!("every month on the {day}{}{shorter} at {time}", ordinal(day))
        }
        ReminderRepeat::Cron => format!("cron {}", reminder.cron.as_deref().unwrap_or_default()),
    }
}

const fn ordinal(day: i8) -> &'static str {
    match day {
        1 | 21 | 31 => "st",
        2 | 22 => "nd",
        3 | 23 => "rd",
        _ => "th",
    }
}
