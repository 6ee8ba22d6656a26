//! What commands with a running bot share: the runtime, and the signals that end it.

use crate::end::Stop;
use foldback_wire::rpc::Failure;
use std::{fmt::Display, io};
use tokio::runtime::{Builder, Runtime};

/// The threads of a bot.
pub(crate) fn runtime() -> io::Result<Runtime> {
    Builder::new_multi_thread().enable_all().build()
}

/// Something that cannot be done, in its own words.
pub(crate) fn wrong(error: impl Display) -> Stop {
    Stop::Wrong(error.to_string())
}

/// A command's failure with what to do about it.
pub(crate) fn failed(failure: Failure) -> Stop {
    let Failure { message, hint, .. } = failure;
    Stop::Wrong(match hint {
        Some(hint) => format!("{message} {hint}"),
        None => message,
    })
}

/// The wish of a person or of the system that the process ends.
pub(crate) struct Signals {
    #[cfg(unix)]
    term: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// From now on the signals end nothing by themselves. Call it inside the runtime.
    pub(crate) fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            term: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// The next one.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.term.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

#[cfg(not(unix))]
impl Signals {
    /// There is nothing to prepare.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Ctrl+C.
    pub(crate) async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
