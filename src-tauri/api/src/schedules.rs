//! An operator's word about schedules, from another process.

use crate::failure;
use foldback_pipeline::{TokioClock, config::Config, schedule_lines};
use foldback_store::{MemoryJournal, SqliteJournal};
use foldback_wire::{
    Clock as _, ScheduleLine,
    rpc::{Failure, ScheduleOrder},
};
use std::path::Path;

/// Gives an order to the bot of this journal, and answers its schedules. Where none runs, the journal and the configuration
/// tell of them, and nothing can be ordered.
///
/// # Errors
/// With what cannot be done and why.
pub async fn order_schedules(
    journal: &Path,
    config: &Config,
    order: ScheduleOrder,
) -> Result<Vec<ScheduleLine>, Failure> {
    let is_look = order == ScheduleOrder::List;
    #[cfg(unix)]
    if let Some(came) = crate::backend::ask(journal, &order.into()).await {
        return came;
    }
    if !is_look {
        return Err(failure::no_bot_for_schedules(journal));
    }
    let now = TokioClock::system().now();
    let lines = async {
        if journal.exists() {
            let journal = SqliteJournal::open_read_only(journal).await?;
            schedule_lines(config, &journal, now).await
        } else {
            schedule_lines(config, &MemoryJournal::new(), now).await
        }
    };
    lines.await.map_err(failure::journal)
}
