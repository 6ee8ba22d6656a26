//! The two calls that cross into the page, and the backend behind them.

use foldback_api::{Backend, Commands, call};
use foldback_wire::rpc::{Failure, Push, Topic, ViewRef};
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
    subscriptions: Mutex<Vec<(Topic, JoinHandle<()>)>>,
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

    /// The backend, if it runs by now.
    fn running(&self) -> Option<&Backend> {
        self.backend.get()?.as_ref().ok()
    }

    /// A page is gone, and with it everything it listened to.
    pub(crate) fn forget_page(&self) {
        for (topic, subscription) in self.subscriptions().drain(..) {
            subscription.abort();
            if let (Topic::View { view }, Some(backend)) = (topic, self.running()) {
                let backend = backend.clone();
                // A view that the page closed itself is not there any more, which is as it should be.
                async_runtime::spawn(async move { drop(backend.view_close(ViewRef { view }).await) });
            }
        }
    }

    /// Ends the bot in order.
    pub(crate) async fn end(&self) {
        if let Some(backend) = self.running()
            && let Err(error) = backend.shutdown().await
        {
            tracing::error!(%error, "the journal is not closed in order");
        }
    }

    fn subscriptions(&self) -> MutexGuard<'_, Vec<(Topic, JoinHandle<()>)>> {
        // Pushing and draining leave the list whole, so that a panic elsewhere does not matter here.
        self.subscriptions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Performs a command of the contract.
#[tauri::command]
pub(crate) async fn rpc(shell: State<'_, Shell>, name: String, args: Value) -> Result<Value, Failure> {
    call(shell.backend().await?, &name, args).await
}

/// Pushes what happens about a topic into the page, until the page is gone.
#[tauri::command]
pub(crate) async fn subscribe(
    shell: State<'_, Shell>,
    topic: Topic,
    channel: Channel<Push>,
) -> Result<(), Failure> {
    let mut pushes = shell.backend().await?.subscribe(&topic)?;
    let task = async_runtime::spawn(async move {
        while let Some(push) = pushes.next().await {
            if channel.send(push).is_err() {
                break;
            }
        }
    });
    let mut subscriptions = shell.subscriptions();
    subscriptions.retain(|(_, task)| !task.inner().is_finished());
    subscriptions.push((topic, task));
    Ok(())
}
