//! The state of the schedules while the bot runs.

use crate::schedule_history::ScheduleHistory;
use foldback_wire::{Timestamp, TurnId};
use std::{
    collections::{BTreeMap, btree_map::Entry},
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};
use tokio::sync::Notify;

/// The state of the schedules while the bot runs.
pub(super) struct SchedulesState {
    history: Mutex<ScheduleHistory>,
    /// The start of the process.
    pub(super) began: Timestamp,
    /// The turn of each schedule that has not ended; none where it only begins.
    open: Mutex<BTreeMap<String, Option<TurnId>>>,
    /// Told when a person changed something.
    pub(super) changed: Notify,
    /// The folder that relative paths lie below.
    pub(super) base: PathBuf,
}

impl SchedulesState {
    pub(super) fn below(base: PathBuf, began: Timestamp) -> Self {
        Self {
            history: Mutex::default(),
            began,
            open: Mutex::default(),
            changed: Notify::new(),
            base,
        }
    }

    pub(super) fn history(&self) -> MutexGuard<'_, ScheduleHistory> {
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<String, Option<TurnId>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims the next run of a schedule, in one step, for whoever begins it; `None` where a run of it begins or goes on.
    pub(super) fn claim<'a>(&'a self, schedule: &'a str) -> Option<RunClaim<'a>> {
        match self.open().entry(schedule.to_owned()) {
            Entry::Occupied(_) => None,
            Entry::Vacant(free) => {
                free.insert(None);
                Some(RunClaim {
                    schedules: self,
                    schedule,
                })
            }
        }
    }

    /// Notes that a turn of a schedule has not ended.
    pub(super) fn turn_begins(&self, schedule: &str, turn: TurnId) {
        self.open().insert(schedule.to_owned(), Some(turn));
    }

    /// Notes that a turn of a schedule has ended.
    pub(super) fn turn_ended(&self, schedule: &str, turn: TurnId) {
        let mut open = self.open();
        if open.get(schedule) == Some(&Some(turn)) {
            open.remove(schedule);
        }
    }
}

/// The right to begin the next run of a schedule. Given back when dropped, unless the run has begun.
pub(super) struct RunClaim<'a> {
    schedules: &'a SchedulesState,
    schedule: &'a str,
}

impl Drop for RunClaim<'_> {
    fn drop(&mut self) {
        let mut open = self.schedules.open();
        if open.get(self.schedule) == Some(&None) {
            open.remove(self.schedule);
        }
    }
}
