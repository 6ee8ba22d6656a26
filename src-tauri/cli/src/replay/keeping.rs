//! `--db`: the events of all runs in a journal.

use crate::{
    end::Stop,
    running::{runtime, wrong},
};
use foldback_store::{Journal as _, SqliteJournal};
use foldback_wire::Event;
use std::path::Path;

/// Puts the events of runs at the end of a journal, which is begun if need be.
pub(super) fn keep<'a>(db: &Path, runs: impl Iterator<Item = &'a [Event]>) -> Result<(), Stop> {
    runtime()?.block_on(async {
        let journal = SqliteJournal::open(db).await.map_err(wrong)?;
        for events in runs {
            foldback_replay::keep(&journal, events).await.map_err(wrong)?;
        }
        journal.close().await.map_err(wrong)
    })
}
