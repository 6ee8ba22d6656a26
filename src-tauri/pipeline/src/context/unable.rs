//! Backends that cannot do what a setting asks of them, each told once.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

/// Names of backends of which it was told.
#[derive(Debug, Default)]
pub(crate) struct UnableBackends(Mutex<BTreeSet<String>>);

impl UnableBackends {
    /// True the first time that a backend is named.
    pub(crate) fn is_new(&self, backend: &str) -> bool {
        // Whole after every change: a panic elsewhere spoils nothing.
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.insert(backend.to_owned())
    }
}
