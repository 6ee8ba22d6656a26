//! The state of the schedules while the bot runs.

use crate::schedule_history::ScheduleHistory;
use foldback_wire::TurnId;
use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};
use tokio::sync::Notify;

/// The state of the schedules while the bot runs.
#[derive(Default)]
pub(super) struct SchedulesState {
    history: Mutex<ScheduleHistory>,
    /// The turn of each schedule that has not ended.
    open: Mutex<BTreeMap<String, TurnId>>,
    /// Told when a person changed something.
    pub(super) changed: Notify,
    /// The folder that relative paths lie below.
    pub(super) base: PathBuf,
}

impl SchedulesState {
    pub(super) fn below(base: PathBuf) -> Self {
        Self {
            base,
            ..Self::default()
        }
    }

    pub(super) fn history(&self) -> MutexGuard<'_, ScheduleHistory> {
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn open(&self) -> MutexGuard<'_, BTreeMap<String, TurnId>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a turn of a schedule has not ended.
    pub(super) fn turn_begins(&self, schedule: &str, turn: TurnId) {
        self.open().insert(schedule.to_owned(), turn);
    }

    /// Notes that a turn of a schedule has ended.
    pub(super) fn turn_ended(&self, schedule: &str, turn: TurnId) {
        let mut open = self.open();
        if open.get(schedule) == Some(&turn) {
            open.remove(schedule);
        }
    }
}
