//! The events of a conversation, as they happen: <https://html.spec.whatwg.org/multipage/server-sent-events.html>.

use super::conversation::{Conversation, StreamPosition};
use super::limits::QUIET;
use foldback_wire::Clock;
use hyper::body::Bytes;
use std::sync::Arc;
use tokio::sync::watch;
use tokio::time::sleep;

/// A stream, until its page leaves or it is cut off.
pub(super) struct Events {
    conversation: Arc<Conversation>,
    place: Arc<StreamPosition>,
    head: watch::Receiver<u64>,
    begin: Option<Bytes>,
    clock: Arc<dyn Clock>,
}

impl Events {
    pub(super) fn new(
        conversation: Arc<Conversation>,
        (place, begin, head): (Arc<StreamPosition>, Bytes, watch::Receiver<u64>),
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            conversation,
            place,
            head,
            begin: Some(begin),
            clock,
        }
    }

    /// What is to be sent next.
    pub(super) async fn next(&mut self) -> Option<Bytes> {
        if let Some(begin) = self.begin.take() {
            return Some(begin);
        }
        loop {
            self.head.borrow_and_update();
            if let Some(events) = self.conversation.more(&self.place) {
                return Some(events);
            }
            tokio::select! {
                changed = self.head.changed() => changed.ok()?,
                // A comment: who is gone is found out, and who is there knows that we are.
                () = sleep(QUIET) => return Some(":\n\n".into()),
            }
        }
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.conversation.leave(&self.place, self.clock.now());
    }
}
