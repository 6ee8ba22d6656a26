//! Work beside the commands.

use super::lock;
use std::{future::Future, sync::Mutex};
use tokio::task::JoinSet;

/// Tasks that end by themselves, or with the backend. A set keeps a task that has ended until somebody asks for it, half
/// a kilobyte each; so every start asks for those that have.
#[derive(Debug, Default)]
pub(super) struct Tasks(Mutex<JoinSet<()>>);

impl Tasks {
    /// Runs `work` until it ends or the backend does.
    pub(super) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = lock(&self.0);
        while let Some(ended) = tasks.try_join_next() {
            if let Err(error) = ended
                && error.is_panic()
            {
                tracing::error!(%error, "a task of the backend panicked");
            }
        }
        tasks.spawn(work);
    }

    /// Ends all of them.
    pub(super) fn abort_all(&self) {
        lock(&self.0).abort_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_has_ended_is_not_kept() {
        let tasks = Tasks::default();
        for _ in 0..1_000 {
            let (done, ended) = tokio::sync::oneshot::channel::<()>();
            // Dropped when it ends.
            tasks.spawn(async move { drop(done) });
            ended.await.expect_err("nothing is sent");
            // The task itself ends at its next turn.
            tokio::task::yield_now().await;
        }
        let kept = lock(&tasks.0).len();
        assert!(kept <= 2, "{kept}");
    }
}
