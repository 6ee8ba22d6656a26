//! Reminders, as an operator sees and cancels them, and the calendar.

use super::Backend;
use crate::failure;
use foldback_wire::{
    Actor, ReminderId, ReminderLine,
    rpc::{Calendar, CalendarDays, Failure, ReminderOrder},
};

impl Backend {
    pub(super) async fn list_reminders(&self) -> Result<Vec<ReminderLine>, Failure> {
        self.shared.engine.reminders().await.map_err(failure::journal)
    }

    pub(super) async fn cancel_reminder(
        &self,
        id: ReminderId,
        by: Actor,
    ) -> Result<Vec<ReminderLine>, Failure> {
        let cancelled = self.shared.engine.cancel_reminder(id, by).await;
        cancelled.map_err(|fault| failure::reminder(&fault))?;
        self.list_reminders().await
    }

    pub(super) async fn order_reminders(&self, order: ReminderOrder) -> Result<Vec<ReminderLine>, Failure> {
        match order {
            ReminderOrder::List => self.list_reminders().await,
            ReminderOrder::Cancel { id } => self.cancel_reminder(id, Actor::Cli).await,
        }
    }

    pub(super) async fn calendar_of(
        &self,
        CalendarDays { days }: &CalendarDays,
    ) -> Result<Calendar, Failure> {
        if !(2..=64).contains(&days.len()) || !days.is_sorted() {
            return Err(failure::bad_days());
        }
        self.shared.engine.calendar(days).await.map_err(failure::journal)
    }
}
