//! An operator's word about reminders, from another process.

use crate::failure;
use foldback_pipeline::reminder_lines;
use foldback_store::SqliteJournal;
use foldback_wire::{
    ReminderLine,
    rpc::{Failure, ReminderOrder},
};
use std::path::Path;

/// Gives an order to the bot of this journal, and answers its reminders. Where none runs, the journal tells of them, and
/// nothing can be ordered.
///
/// # Errors
/// With what cannot be done and why.
pub async fn order_reminders(journal: &Path, order: ReminderOrder) -> Result<Vec<ReminderLine>, Failure> {
    #[cfg(unix)]
    if let Some(came) = crate::backend::ask(journal, &order.into()).await {
        return came;
    }
    if order != ReminderOrder::List {
        return Err(failure::no_bot_for_reminders(journal));
    }
    if !journal.exists() {
        return Ok(Vec::new());
    }
    let lines = async {
        let journal = SqliteJournal::open_read_only(journal).await?;
        reminder_lines(&journal).await
    };
    lines.await.map_err(failure::journal)
}
