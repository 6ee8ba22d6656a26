//! The end of what descends from a guard.

use crate::descent::descendants;
use rustix::process::{Pid, Signal, kill_process};
use std::{
    thread,
    time::{Duration, Instant},
};

/// The time between two looks at who is left.
const LOOK: Duration = Duration::from_millis(10);
/// The time after which a process that SIGKILL does not end is left to the system.
const UNKILLABLE: Duration = Duration::from_secs(10);

/// Ends all descendants: SIGTERM, `grace`, SIGKILL.
pub(super) fn end_all(grace: Duration) {
    signal_all(Signal::TERM);
    if !patient(grace, || {}) {
        patient(UNKILLABLE, || signal_all(Signal::KILL));
    }
}

fn signal_all(signal: Signal) {
    for process in descendants().into_iter().filter_map(Pid::from_raw) {
        // It may have ended meanwhile.
        let _ = kill_process(process, signal);
    }
}

/// Waits until nobody is left; false when somebody is after `time`.
pub(super) fn patient(time: Duration, meanwhile: impl Fn()) -> bool {
    let begun = Instant::now();
    while !descendants().is_empty() {
        if begun.elapsed() >= time {
            return false;
        }
        meanwhile();
        thread::sleep(LOOK);
    }
    true
}
