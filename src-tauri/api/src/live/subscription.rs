//! What a subscriber holds.

use foldback_wire::rpc::Push;
use tokio::{sync::mpsc, task::JoinHandle};

/// Pushes on their way to one subscriber; it waits for a slow one, and what may be left out is left out
/// before it gets here.
const WAITING: usize = 64;

/// Pushes about a topic. Dropping it ends the subscription.
pub struct Subscription {
    pushes: mpsc::Receiver<Push>,
    task: JoinHandle<()>,
    /// Closes the view that it is about.
    close_view: Option<Box<dyn FnOnce() + Send>>,
    closes_view: bool,
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
            close_view: None,
            closes_view: false,
        }
    }

    /// The subscription about a view, with what closes that.
    pub(crate) fn about_view(mut self, close: impl FnOnce() + Send + 'static) -> Self {
        self.close_view = Some(Box::new(close));
        self
    }

    /// The subscription, closing the view that it is about when it is dropped: for a page, which may be gone without a
    /// word.
    #[must_use]
    pub fn closing_view(mut self) -> Self {
        self.closes_view = true;
        self
    }

    /// The next push; `None` when there will be none, because the view is closed or the process ends.
    pub async fn next(&mut self) -> Option<Push> {
        self.pushes.recv().await
    }

    /// The next push as JSON, to cross into a page as text that the page parses. As an object it would be a literal in a
    /// script of its own, which the engine compiles for its only run and keeps with its code: many times the memory of
    /// the text, for each frame. `None` as for [`Self::next`].
    pub async fn next_text(&mut self) -> Option<String> {
        let push = self.next().await?;
        serde_json::to_string(&push)
            .inspect_err(|error| tracing::error!(%error, "a push cannot be written"))
            .ok()
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.task.abort();
        if let Some(close) = self.close_view.take().filter(|_| self.closes_view) {
            close();
        }
    }
}
