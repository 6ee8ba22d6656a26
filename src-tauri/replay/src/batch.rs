//! Many cases side by side.

use crate::{
    case::Case,
    fixture::Fixture,
    judge::Played,
    run::{Options, run},
};
use foldback_wire::Platform;
use std::{
    num::NonZero,
    path::Path,
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

/// One fixture on one channel, to be run.
#[derive(Debug, Clone, Copy)]
pub struct Job<'a> {
    /// What errors and reports call it.
    pub path: &'a Path,
    /// The scenario.
    pub fixture: &'a Fixture,
    /// The channel.
    pub platform: Platform,
}

/// Runs jobs on so many threads (by default one per processor). `each` is told of every end, with the job's
/// index, in the order in which they end, and answers whether to go on; once it says no, no further job begins.
pub fn run_all(
    jobs: &[Job<'_>],
    threads: Option<NonZero<usize>>,
    options: &Options,
    mut each: impl FnMut(usize, Result<Played, Box<Case>>) -> bool,
) {
    let threads = threads
        .or_else(|| thread::available_parallelism().ok())
        .map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let (done, ended) = mpsc::channel();
        for _ in 0..threads.min(jobs.len()) {
            let (done, next) = (done.clone(), &next);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(index) else { return };
                    let result = run(job.path, job.fixture, job.platform, options);
                    if done.send((index, result)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(done);
        for (index, result) in ended {
            if !each(index, result) {
                // Ends every thread at its next job; those under way are waited for.
                next.store(jobs.len(), Ordering::Relaxed);
            }
        }
    });
}
