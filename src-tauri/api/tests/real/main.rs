//! The whole bot on the real adapters, each against a strict server of its platform.

mod fast;
mod place;
mod toggles;
mod voice;

use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::runtime::{Builder, Runtime};

/// Descriptors, which are counted, are those of the whole process: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn runtime() -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}
