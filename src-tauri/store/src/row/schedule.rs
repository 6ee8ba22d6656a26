//! Rows of schedules, in words.

use foldback_wire::{Kind, ScheduleDue, SchedulePaused, ScheduleSet, ScheduleSkipped};

pub(super) fn words(kind: &Kind) -> String {
    match kind {
        Kind::ScheduleSet(ScheduleSet {
            schedule,
            times: Some(times),
        }) => format!("schedule {schedule}: {times}"),
        Kind::ScheduleSet(ScheduleSet { schedule, .. }) => format!("schedule {schedule} removed"),
        Kind::SchedulePaused(SchedulePaused { schedule, paused, by }) => {
            let what = if *paused { "paused" } else { "goes on" };
            format!("schedule {schedule} {what}, by {by}")
        }
        Kind::ScheduleSkipped(ScheduleSkipped { schedule, detail, .. }) => {
            format!("schedule {schedule} did not run: {detail}")
        }
        Kind::ScheduleDue(due) => began(due),
        _ => String::new(),
    }
}

fn began(due: &ScheduleDue) -> String {
    let what = if due.heartbeat { "heartbeat" } else { "schedule" };
    let name = &due.schedule;
    if due.by.is_person() {
        return format!("{what} {name} begun by {}", due.by);
    }
    let late = match (due.late, due.missed) {
        (false, _) => String::new(),
        (true, 0) => ", late".to_owned(),
        (true, 1) => ", late; 1 earlier time was missed".to_owned(),
        (true, missed) => format!(", late; {missed} earlier times were missed"),
    };
    format!("{what} {name} was due at {}{late}", due.due)
}
