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
    subscriptions: Mutex<Vec<PageSubscription>>,
}

/// Something that the page listens to.
struct PageSubscription {
    /// The workspace, 0 for the live bot.
    workspace: u32,
    topic: Topic,
    task: JoinHandle<()>,
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

    /// The backend of a workspace: 0 is the live bot.
    async fn workspace(&self, number: u32) -> Result<Backend, Failure> {
        self.backend().await?.workspace(number)
    }

    /// The backend, if it runs by now.
    fn running(&self) -> Option<&Backend> {
        self.backend.get()?.as_ref().ok()
    }

    /// A page is gone, and with it everything it listened to.
    pub(crate) fn forget_page(&self) {
        for PageSubscription {
            workspace,
            topic,
            task,
        } in self.subscriptions().drain(..)
        {
            task.abort();
            let backend = self.running().and_then(|live| live.workspace(workspace).ok());
            if let (Topic::View { view }, Some(backend)) = (topic, backend) {
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

    fn subscriptions(&self) -> MutexGuard<'_, Vec<PageSubscription>> {
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
    call(&shell.workspace(workspace).await?, &name, args).await
}

/// Pushes what happens about a topic into the page, until the page is gone.
#[tauri::command]
pub(crate) async fn subscribe(
    shell: State<'_, Shell>,
    workspace: u32,
    topic: Topic,
    channel: Channel<Push>,
) -> Result<(), Failure> {
    let mut pushes = shell.workspace(workspace).await?.subscribe(&topic)?;
    let task = async_runtime::spawn(async move {
        while let Some(push) = pushes.next().await {
            if channel.send(push).is_err() {
                break;
            }
        }
    });
    let mut subscriptions = shell.subscriptions();
    subscriptions.retain(|one| !one.task.inner().is_finished());
    subscriptions.push(PageSubscription {
        workspace,
        topic,
        task,
    });
    Ok(())
}
