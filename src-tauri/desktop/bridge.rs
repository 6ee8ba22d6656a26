//! The two calls that cross into the page, and the backend behind them.

use foldback_api::{Backend, call, end_started};
use foldback_wire::rpc::{Failure, Topic};
use serde_json::Value;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tauri::{
    State,
    async_runtime::{self, JoinHandle},
    ipc::Channel,
};
use tokio::sync::SetOnce;

/// What the window is a window on.
#[derive(Default)]
pub(crate) struct Shell {
    /// Not there yet while the journal is being opened: the window does not wait for it.
    backend: SetOnce<Result<Backend, Failure>>,
    /// What the page listens to.
    subscriptions: Mutex<Vec<JoinHandle<()>>>,
}

impl Shell {
    /// The backend runs, or cannot; whoever waits for it is told.
    pub(crate) fn started(&self, backend: Result<Backend, Failure>) {
        if let Err(failure) = &backend {
            tracing::error!(code = failure.code, "{}", failure.message);
        }
        // There is one start, so nothing is there already.
        let _ = self.backend.set(backend);
    }

    /// The backend once it runs, or why it cannot.
    pub(crate) async fn backend(&self) -> Result<&Backend, Failure> {
        self.backend.wait().await.as_ref().map_err(Clone::clone)
    }

    /// A page is gone, and with it everything it listened to.
    pub(crate) fn forget_page(&self) {
        for subscription in self.subscriptions().drain(..) {
            subscription.abort();
        }
    }

    /// Ends the bot in order.
    pub(crate) async fn end(&self) {
        end_started(self.backend()).await;
    }

    fn subscriptions(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        // Pushing and draining leave the list whole, so that a panic elsewhere does not matter here.
        self.subscriptions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Performs a command of the contract on the live bot (0) or on an open file.
#[tauri::command]
pub(crate) async fn rpc(
    shell: State<'_, Shell>,
    workspace: u32,
    name: String,
    args: Value,
) -> Result<Value, Failure> {
    call(&shell.backend().await?.workspace(workspace)?, &name, args).await
}

/// Pushes what happens about a topic into the page, until the page is gone.
#[tauri::command]
pub(crate) async fn subscribe(
    shell: State<'_, Shell>,
    workspace: u32,
    topic: Topic,
    channel: Channel<String>,
) -> Result<(), Failure> {
    let backend = shell.backend().await?.workspace(workspace)?;
    let mut pushes = backend.subscribe(&topic)?.closing_view();
    let task = async_runtime::spawn(async move {
        while let Some(push) = pushes.next_text().await {
            if channel.send(push).is_err() {
                break;
            }
        }
    });
    let mut subscriptions = shell.subscriptions();
    subscriptions.retain(|subscription| !subscription.inner().is_finished());
    subscriptions.push(task);
    Ok(())
}
