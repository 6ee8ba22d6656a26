//! The signals by which a person or the system ends a process.

use std::io;

/// The wish of a person or of the system that the process ends: SIGINT and SIGTERM, Ctrl+C where there are none.
pub struct EndSignals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl EndSignals {
    /// Listens from now on, so that the signals end nothing by themselves. To be called inside the runtime.
    ///
    /// # Errors
    /// Where the system lets the process listen to none.
    pub fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

#[cfg(not(unix))]
impl EndSignals {
    /// There is nothing to prepare.
    ///
    /// # Errors
    /// Never here.
    pub fn listen() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Waits for Ctrl+C.
    pub async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
