//! The kinds of events that a start reads from all of the journal: how dead chats, deliveries, reminders and schedules
//! stand. They are few beside the others, and have an index of their own. Whoever has a start read another kind in this way
//! adds it here, and a step to the tables with an index of the longer list.

/// The kinds that tell which chats are dead.
pub const DEAD_TARGET_KINDS: [&str; 2] = ["target_dead", "target_revived"];

/// The kind that budgets of deliveries count.
pub const DELIVERY_KINDS: [&str; 1] = ["delivery_due"];

/// The kinds that tell of reminders.
pub const REMINDER_KINDS: [&str; 3] = ["reminder_cancelled", "reminder_due", "reminder_set"];

/// The kinds that tell of schedules.
pub const SCHEDULE_KINDS: [&str; 4] = [
    "schedule_due",
    "schedule_paused",
    "schedule_set",
    "schedule_skipped",
];

/// All of them, in order of their names, as the index `events_start` has them.
pub(crate) const START_KINDS: [&str; 10] = [
    "delivery_due",
    "reminder_cancelled",
    "reminder_due",
    "reminder_set",
    "schedule_due",
    "schedule_paused",
    "schedule_set",
    "schedule_skipped",
    "target_dead",
    "target_revived",
];
