//! Calls of tools that their client cancels while they go on:
//! <https://modelcontextprotocol.io/specification/2025-06-18/basic/utilities/cancellation>.
//!
//! The transport has no session: it serves each request by itself, and drops notifications. So the endpoint reads a cancellation
//! before the transport has it, and finds the call here.
//!
//! An example: the agent calls `bash` with the id 3, and a person is asked. The agent's user stops it, and it sends
//! `notifications/cancelled` with `requestId` 3: the call ends, the question closes, and nothing is carried out.
//!
//! What must hold:
//! - A cancellation reaches calls of its own endpoint only.
//! - An id is its client's own. Where two calls that go on have the same one, as a process with two clients may have them, it
//!   names neither: a hang-up still does.

use rmcp::model::RequestId;
use serde::Deserialize;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio_util::sync::CancellationToken;

/// The method of a cancellation.
const CANCELLED: &str = "notifications/cancelled";

#[derive(Deserialize)]
struct Notification {
    method: String,
    params: Cancelled,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cancelled {
    request_id: RequestId,
}

/// The request that a message cancels; `None` where it is another message.
pub(super) fn cancelled_request(message: &[u8]) -> Option<RequestId> {
    let notification: Notification = serde_json::from_slice(message).ok()?;
    (notification.method == CANCELLED).then_some(notification.params.request_id)
}

/// The calls of an endpoint that go on.
#[derive(Default)]
pub(super) struct OpenCalls(Mutex<OpenTokens>);

#[derive(Default)]
struct OpenTokens {
    /// The number of the next call.
    next: u64,
    /// The calls by the id of their request, each with its number.
    calls: HashMap<RequestId, Vec<(u64, CancellationToken)>>,
}

impl OpenCalls {
    fn tokens(&self) -> MutexGuard<'_, OpenTokens> {
        // Whole after every change: a panic elsewhere spoils nothing.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call begins. It goes on until what is given is dropped.
    pub(super) fn begin(self: &Arc<Self>, id: RequestId) -> OpenCall {
        let token = CancellationToken::new();
        let mut tokens = self.tokens();
        let number = tokens.next;
        tokens.next += 1;
        tokens
            .calls
            .entry(id.clone())
            .or_default()
            .push((number, token.clone()));
        OpenCall {
            calls: Arc::clone(self),
            id,
            number,
            token,
        }
    }

    /// Cancels the call with this id, where exactly one goes on.
    pub(super) fn cancel(&self, id: &RequestId) {
        if let Some([(_, token)]) = self.tokens().calls.get(id).map(Vec::as_slice) {
            token.cancel();
        }
    }
}

/// A call that goes on.
pub(super) struct OpenCall {
    calls: Arc<OpenCalls>,
    id: RequestId,
    number: u64,
    token: CancellationToken,
}

impl OpenCall {
    /// Waits until its client cancels it.
    pub(super) async fn cancelled(&self) {
        self.token.cancelled().await;
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        let mut tokens = self.calls.tokens();
        if let Some(same) = tokens.calls.get_mut(&self.id) {
            same.retain(|(number, _)| *number != self.number);
            if same.is_empty() {
                tokens.calls.remove(&self.id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{OpenCalls, RequestId, cancelled_request};
    use std::sync::Arc;

    fn is_cancelled(call: &super::OpenCall) -> bool {
        call.token.is_cancelled()
    }

    #[test]
    fn a_cancellation_names_its_request_and_no_other_message_does() {
        let of = |message: &str| cancelled_request(message.as_bytes());
        let told = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3,"reason":"stop"}}"#;
        assert_eq!(of(told), Some(RequestId::Number(3)));
        assert_eq!(
            of(&told.replace("3,", "\"a\",")),
            Some(RequestId::String("a".into()))
        );
        assert_eq!(of(&told.replace("cancelled", "progress")), None);
        assert_eq!(of(&told.replace("requestId", "id")), None);
        assert_eq!(of("{"), None);
    }

    #[test]
    fn the_call_of_that_id_is_cancelled_where_there_is_one() {
        let calls = Arc::<OpenCalls>::default();
        let (one, two) = (
            calls.begin(RequestId::Number(1)),
            calls.begin(RequestId::Number(2)),
        );
        calls.cancel(&RequestId::Number(2));
        calls.cancel(&RequestId::Number(7));
        assert!(!is_cancelled(&one) && is_cancelled(&two));

        let again = calls.begin(RequestId::Number(1));
        calls.cancel(&RequestId::Number(1));
        assert!(
            !is_cancelled(&one) && !is_cancelled(&again),
            "the id names neither"
        );
        drop(one);
        calls.cancel(&RequestId::Number(1));
        assert!(is_cancelled(&again));
        drop((two, again));
        assert!(calls.tokens().calls.is_empty());
    }
}
