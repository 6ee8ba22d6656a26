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

/// What the window is a window on.
pub(crate) struct Shell {
    backend: Result<Backend, Failure>,
    subscriptions: Mutex<Vec<(Topic, JoinHandle<()>)>>,
}

impl Shell {
    /// A shell around a running backend, or around the reason why there is none.
    pub(crate) fn new(backend: Result<Backend, Failure>) -> Self {
        if let Err(failure) = &backend {
            tracing::error!(code = failure.code, "{}", failure.message);
        }
        Self {
            backend,
            subscriptions: Mutex::default(),
        }
    }

    /// The backend, or why there is none.
    pub(crate) fn backend(&self) -> Result<&Backend, Failure> {
        self.backend.as_ref().map_err(Clone::clone)
    }

    /// A page is gone, and with it everything it listened to.
    pub(crate) fn forget_page(&self) {
        for (topic, subscription) in self.subscriptions().drain(..) {
            subscription.abort();
            if let (Topic::View { view }, Ok(backend)) = (topic, self.backend()) {
                let backend = backend.clone();
                // A view that the page closed itself is not there any more, which is as it should be.
                async_runtime::spawn(async move { drop(backend.view_close(ViewRef { view }).await) });
            }
        }
    }

    /// Ends the bot in order.
    pub(crate) async fn end(&self) {
        if let Ok(backend) = self.backend()
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
    call(shell.backend()?, &name, args).await
}

/// Pushes what happens about a topic into the page, until the page is gone.
#[tauri::command]
pub(crate) async fn subscribe(
    shell: State<'_, Shell>,
    topic: Topic,
    channel: Channel<Push>,
) -> Result<(), Failure> {
    let mut pushes = shell.backend()?.subscribe(&topic)?;
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
