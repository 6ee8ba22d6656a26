//! Orders about reminders, and the calendar of what comes due.

use crate::{ReminderId, ReminderLine, ScheduleLine, Timestamp};
use serde::{Deserialize, Serialize};

/// A reminder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ReminderRef {
    /// Its number.
    pub id: ReminderId,
}

/// An operator's order about reminders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case", deny_unknown_fields)]
pub enum ReminderOrder {
    /// To see them.
    List,
    /// To cancel one.
    Cancel {
        /// Its number.
        id: ReminderId,
    },
}

/// Days to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct CalendarDays {
    /// The beginning of each day in order, and the end of the last: 2 to 64 times.
    pub days: Vec<Timestamp>,
}

/// The times of one schedule or reminder on one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct CalendarTime {
    /// The place of the day among those that were asked for, from 0.
    pub day: u32,
    /// The first of its times on that day.
    pub first: Timestamp,
    /// Its times on that day; at most 25 are counted.
    pub count: u32,
    /// The schedule, by its name; none for a reminder.
    pub schedule: Option<String>,
    /// The reminder; none for a schedule.
    pub reminder: Option<ReminderId>,
}

/// What comes due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Calendar {
    /// The times that are to come on the days asked for, in order.
    pub times: Vec<CalendarTime>,
    /// The schedules of the configuration.
    pub schedules: Vec<ScheduleLine>,
    /// The reminders that are set.
    pub reminders: Vec<ReminderLine>,
}
