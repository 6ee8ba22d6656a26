//! What a subscriber holds.

use foldback_wire::rpc::Push;
use tokio::{sync::mpsc, task::JoinHandle};

/// Pushes on their way to one subscriber; it waits for a slow one, and what may be left out is left out
/// before it gets here.
const WAITING: usize = 64;

/// Pushes about a topic. Dropping it ends the subscription, and closes the view that it is about.
pub struct Subscription {
    pushes: mpsc::Receiver<Push>,
    task: JoinHandle<()>,
    at_end: Option<Box<dyn FnOnce() + Send>>,
}

impl Subscription {
    /// A subscription fed by `feed`, which ends when nobody listens.
    pub(crate) fn new<F: Future<Output = ()> + Send + 'static>(
        feed: impl FnOnce(mpsc::Sender<Push>) -> F,
    ) -> Self {
        let (sender, pushes) = mpsc::channel(WAITING);
        Self {
            pushes,
            task: tokio::spawn(feed(sender)),
            at_end: None,
        }
    }

    /// The subscription with something to do once it ends.
    pub(crate) fn ending(mut self, at_end: impl FnOnce() + Send + 'static) -> Self {
        self.at_end = Some(Box::new(at_end));
        self
    }

    /// The next push; `None` when there will be none, because the view is closed or the process ends.
    pub async fn next(&mut self) -> Option<Push> {
        self.pushes.recv().await
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.task.abort();
        if let Some(at_end) = self.at_end.take() {
            at_end();
        }
    }
}
