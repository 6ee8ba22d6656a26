//! Orders about schedules.

use serde::{Deserialize, Serialize};

/// A schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ScheduleRef {
    /// Its name in the configuration.
    pub name: String,
}

/// A schedule is to pause, or to go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct SchedulePause {
    /// Its name in the configuration.
    pub name: String,
    /// True where it is to pause.
    pub paused: bool,
}

/// An operator's order about schedules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case", deny_unknown_fields)]
pub enum ScheduleOrder {
    /// To see them.
    List,
    /// To begin one now.
    Run {
        /// Its name.
        name: String,
    },
    /// To pause one.
    Pause {
        /// Its name.
        name: String,
    },
    /// To let a paused one go on.
    Resume {
        /// Its name.
        name: String,
    },
}
