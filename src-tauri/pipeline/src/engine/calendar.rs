//! The calendar: what schedules and reminders are to come on some days.

use super::{Core, Engine};
use foldback_store::StoreError;
use foldback_wire::{
    Timestamp,
    rpc::{Calendar, CalendarTime},
};

impl Engine {
    /// The times that are to come on days that begin at these moments, the last of which is the end of the last day; with the
    /// schedules and the reminders. A reminder that is due and waits stands on the day of now.
    ///
    /// # Errors
    /// Where the journal cannot be read.
    pub async fn calendar(&self, days: &[Timestamp]) -> Result<Calendar, StoreError> {
        let Core { context, .. } = self.core.as_ref();
        let schedules = self.schedules().await?;
        let reminders = self.reminders().await?;
        let now = context.recorder.now();
        let config = &context.ports.config;
        let mut times = Vec::new();
        for schedule in &config.schedule {
            let state = self.core.schedules.history().state(&schedule.name);
            let Ok(own) = schedule.times(&config.heartbeat) else {
                continue;
            };
            if state.paused {
                continue;
            }
            for on_day in own.on_days(state.done_until.unwrap_or(now).max(now), days) {
                times.push(CalendarTime {
                    day: on_day.day,
                    first: on_day.first,
                    count: on_day.count,
                    schedule: Some(schedule.name.clone()),
                    reminder: None,
                });
            }
        }
        let today = days
            .windows(2)
            .position(|ends| matches!(ends, [begins, end] if *begins <= now && now < *end));
        let today = today.and_then(|day| u32::try_from(day).ok());
        for state in context.reminders.history().open() {
            // Due, and not delivered yet: it waits today, whenever that was.
            if let (Some(day), Some(first)) = (today, state.next().filter(|next| *next <= now)) {
                times.push(CalendarTime {
                    day,
                    first,
                    count: 1,
                    schedule: None,
                    reminder: Some(state.reminder.id),
                });
            }
            for on_day in state.times.on_days(state.over_until(now), days) {
                times.push(CalendarTime {
                    day: on_day.day,
                    first: on_day.first,
                    count: on_day.count,
                    schedule: None,
                    reminder: Some(state.reminder.id),
                });
            }
        }
        times.sort_by_key(|time| (time.day, time.first));
        Ok(Calendar {
            times,
            schedules,
            reminders,
        })
    }
}
