//! Actions of the bot that a run may ask for with tool calls: what is offered, one call, and its answer.
//!
//! An agent whose backend has tools of its own (native tools of a model, a server of the Model Context Protocol) hands
//! each call on as [`Step::Action`](crate::Step::Action) and waits for its answer before it goes on with the run. Whether
//! the action may be carried out is decided by whoever reads the steps, never here.

use foldback_wire::{JsonAction, Span, ToolId};
use serde_json::Value;
use std::{
    sync::{Arc, Mutex, PoisonError},
    task::Poll,
};
use tokio::sync::oneshot;

/// Model answers of one run whose tool calls are carried out. The answer behind them is asked for without tools.
pub const MOST_ROUNDS: u32 = 8;

/// An action that a run may ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedAction {
    /// Its name: 1 to 64 of `a` to `z`, `0` to `9`, `_` and `-`.
    pub name: String,
    /// Its purpose, in one sentence.
    pub about: String,
    /// The JSON Schema of its payload, which is an object.
    pub payload: Value,
    /// False where it is not carried out in this run. An agent whose tools stay from run to run is told of it all the same.
    pub is_permitted: bool,
}

/// The answer to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionAnswer {
    /// The result, as data for the model: masked, bounded and escaped.
    pub text: String,
    /// True where the action was not carried out, or failed.
    pub is_error: bool,
    /// True where no further call of the run is carried out.
    pub is_last: bool,
}

/// A call of an action within a run.
#[derive(Debug, Clone)]
pub struct ActionCall {
    /// The id that the call has in the steps of the run, where it is known.
    pub call: Option<ToolId>,
    /// The action that is asked for.
    pub action: JsonAction,
    /// The number of the model's answer that asks for it, from 0 in its run. Calls of one answer are corrected together.
    pub answer: u32,
    reply: Arc<Mutex<Option<oneshot::Sender<ActionAnswer>>>>,
}

impl ActionCall {
    /// A call with its payload as JSON text, and the end at which its answer comes. The end closes where nobody answers.
    pub fn new(
        call: Option<ToolId>,
        name: String,
        payload: String,
        answer: u32,
    ) -> (Self, oneshot::Receiver<ActionAnswer>) {
        let (reply, answered) = oneshot::channel();
        let call = Self {
            call,
            action: JsonAction {
                kind: name,
                payload,
                span: Span { start: 0, end: 0 },
            },
            answer,
            reply: Arc::new(Mutex::new(Some(reply))),
        };
        (call, answered)
    }

    /// True while somebody waits for its answer.
    pub fn is_open(&self) -> bool {
        let reply = self.reply.lock().unwrap_or_else(PoisonError::into_inner);
        reply.as_ref().is_some_and(|reply| !reply.is_closed())
    }

    /// Waits until nobody waits for its answer.
    pub async fn closed(&self) {
        std::future::poll_fn(|context| {
            let mut reply = self.reply.lock().unwrap_or_else(PoisonError::into_inner);
            match reply.as_mut() {
                Some(reply) => reply.poll_closed(context),
                None => Poll::Ready(()),
            }
        })
        .await;
    }

    /// Answers it. The first answer counts; one that nobody waits for any more is dropped.
    pub fn answer(&self, answer: ActionAnswer) {
        let mut reply = self.reply.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reply) = reply.take() {
            let _ = reply.send(answer);
        }
    }
}

impl PartialEq for ActionCall {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.reply, &other.reply)
    }
}

impl Eq for ActionCall {}
