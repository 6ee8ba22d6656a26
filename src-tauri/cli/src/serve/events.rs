//! The events of the journal on stdout, as they come.

use crate::{
    end::{Stop, json_line, stdout},
    running::wrong,
};
use foldback_api::Backend;
use foldback_store::{Journal, StoreError};
use foldback_wire::{Event, Seq};
use std::{io::Write as _, sync::Arc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Events read and printed at a time.
const BATCH: usize = 1_024;

/// Prints the journal as it grows.
pub(crate) struct Events {
    ended: CancellationToken,
    task: JoinHandle<Result<Seq, Stop>>,
}

impl Events {
    /// Prints everything from this place on.
    pub(crate) fn follow(backend: &Backend, from: Seq) -> Self {
        let ended = CancellationToken::new();
        let journal = Arc::clone(backend.journal());
        let seen = Seq(from.0.saturating_sub(1));
        let task = tokio::spawn(follow(journal, seen, ended.clone()));
        Self { ended, task }
    }

    /// Waits until printing has ended by itself, which only a fault or a closed stdout causes.
    pub(crate) async fn broken(&mut self) -> Stop {
        match (&mut self.task).await {
            Ok(Err(stop)) => stop,
            Ok(Ok(_)) => Stop::Closed,
            Err(error) => wrong(error),
        }
    }

    /// Stops printing after what is being printed; answers with the last place printed.
    pub(crate) async fn end(self) -> Result<Seq, Stop> {
        if self.task.is_finished() {
            // It broke, and that was told.
            return Err(Stop::Closed);
        }
        self.ended.cancel();
        self.task.await.map_err(wrong)?
    }
}

async fn follow(journal: Arc<dyn Journal>, mut seen: Seq, ended: CancellationToken) -> Result<Seq, Stop> {
    let mut head = journal.watch();
    loop {
        let grown = async { head.wait_for(|head| *head > seen).await.is_ok() };
        if ended.run_until_cancelled(grown).await != Some(true) {
            return Ok(seen);
        }
        let events = match journal.read(Seq(seen.0 + 1), BATCH).await {
            Ok(events) => events,
            // What is left is read from the file.
            Err(StoreError::Closed) => {
                ended.cancelled().await;
                return Ok(seen);
            }
            Err(error) => return Err(wrong(error)),
        };
        if let Some(last) = events.last() {
            seen = last.seq;
        }
        print(events).await?;
    }
}

/// Prints events, off the threads of the bot: a reader may be slow.
pub(crate) async fn print(mut events: Vec<Event>) -> Result<(), Stop> {
    let printing = move || {
        let mut out = stdout();
        for event in &mut events {
            event.kind.forget_handles();
            json_line(&mut out, event)?;
        }
        Ok(out.flush()?)
    };
    tokio::task::spawn_blocking(printing).await.map_err(wrong)?
}
