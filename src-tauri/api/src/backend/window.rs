//! Requests to the window from outside: `foldback open`, a second start with a file, a link, the tray.

use super::{Backend, lock};
use crate::failure;
use foldback_wire::rpc::{Failure, Nothing};
use serde::{Deserialize, Serialize};
use std::{path::Path, sync::Mutex};

/// Most things that wait for a window to open them.
const MOST: usize = 32;

/// An order to the window of a running bot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case", deny_unknown_fields)]
pub enum WindowOrder {
    /// To come to the front and open these.
    Open {
        /// Absolute paths of files, and links; empty where the window is to ask what.
        targets: Vec<String>,
    },
}

/// A request of a running bot to the program that shows its window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramRequest {
    /// The window is to come to the front: it has something to open.
    ShowWindow,
    /// A person sent `/restart`: the bot is to end in order, and the program to begin anew.
    Restart,
}

/// Requests that the window has not been told yet.
pub(super) struct WindowRequests {
    is_there: bool,
    asked: Mutex<Option<Vec<String>>>,
}

impl WindowRequests {
    pub(super) fn new(is_there: bool) -> Self {
        Self {
            is_there,
            asked: Mutex::default(),
        }
    }

    /// What was asked since the last call; `None` where nothing was.
    pub(super) fn take_asked(&self) -> Option<Vec<String>> {
        lock(&self.asked).take()
    }
}

impl Backend {
    /// Asks the window to open files and links; one that is still loading does so once it is there.
    ///
    /// # Errors
    /// `no_window` where the bot runs without one.
    pub fn ask_window(&self, WindowOrder::Open { targets }: WindowOrder) -> Result<Nothing, Failure> {
        let window = &self.shared.window;
        if !window.is_there {
            return Err(failure::no_window());
        }
        let mut asked = lock(&window.asked);
        let asked = asked.get_or_insert_default();
        asked.extend(targets);
        asked.truncate(MOST);
        self.shared.window_asked.notify_one();
        Ok(Nothing {})
    }

    /// Waits for what the bot asks of the program with the window. [`ProgramRequest::Restart`] is the last.
    pub async fn program_request(&self) -> ProgramRequest {
        let restart = self.engine().restart_asked();
        tokio::select! {
            () = self.shared.window_asked.notified() => ProgramRequest::ShowWindow,
            () = restart.cancelled() => ProgramRequest::Restart,
        }
    }
}

/// Gives an order to the window of the bot that writes this journal; `None` where none runs.
pub async fn order_window(journal: &Path, order: WindowOrder) -> Option<Result<Nothing, Failure>> {
    #[cfg(unix)]
    return super::ask(journal, &order.into()).await;
    #[cfg(not(unix))]
    {
        let _ = (journal, order);
        None
    }
}
