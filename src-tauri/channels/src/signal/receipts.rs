//! Read receipts that the bot sends: <https://github.com/AsamK/signal-cli/blob/master/man/signal-cli.1.adoc#sendreceipt>.
//!
//! A message counts as read when it is kept and the bot first does something in its chat. So a channel that is not
//! armed shows nobody anything, and neither does a bot that a stranger writes to. Nobody waits for a receipt: they go
//! on their own, beside the operation that occasioned them.

use super::{SignalCli, ids::Message, locked};
use foldback_wire::{ChatId, Inbound};
use serde_json::json;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::sync::oneshot::error::TryRecvError;

/// Receipts that wait; of more, the oldest are left out.
const WAITING: usize = 1_024;
/// How long sending those of one operation may take, all together. Nothing depends on it; what is left then goes with
/// the next operation.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
pub(super) struct Receipts {
    kept: VecDeque<Receipt>,
    /// Of messages that are not kept yet. To let go of one would be to give the message up.
    arriving: Vec<(Receipt, oneshot::Receiver<()>)>,
}

/// Moments of messages, by author.
type Due = BTreeMap<String, Vec<i64>>;

#[derive(Debug)]
struct Receipt {
    chat: ChatId,
    author: String,
    sent: i64,
}

impl Receipts {
    /// A message is being handed over; `told` is told when it is kept. A receipt names a message by the clock of the
    /// device that it was written on, as its id does.
    pub(super) fn expect(&mut self, message: &Inbound, told: oneshot::Receiver<()>) {
        self.settle();
        let Ok(Message { sent, .. }) = Message::of(&message.message) else {
            return;
        };
        let receipt = Receipt {
            chat: message.chat.clone(),
            author: message.sender.id.to_string(),
            sent,
        };
        self.arriving.push((receipt, told));
    }

    /// What was kept in a chat.
    fn take(&mut self, chat: &ChatId) -> Due {
        self.settle();
        let (due, rest): (Vec<_>, _) = self.kept.drain(..).partition(|receipt| receipt.chat == *chat);
        self.kept = rest.into();
        let mut by_author = Due::new();
        for receipt in due {
            by_author.entry(receipt.author).or_default().push(receipt.sent);
        }
        by_author
    }

    /// What there was no time for, or no answer in time: a receipt that comes twice shows nobody anything new.
    fn put_back(&mut self, chat: &ChatId, due: Due) {
        for (author, moments) in due {
            self.kept.extend(moments.into_iter().map(|sent| Receipt {
                chat: chat.clone(),
                author: author.clone(),
                sent,
            }));
        }
        self.settle();
    }

    fn settle(&mut self) {
        for (receipt, mut told) in std::mem::take(&mut self.arriving) {
            match told.try_recv() {
                Ok(()) => self.kept.push_back(receipt),
                Err(TryRecvError::Empty) => self.arriving.push((receipt, told)),
                Err(TryRecvError::Closed) => {}
            }
        }
        let surplus = self.kept.len().saturating_sub(WAITING);
        self.kept.drain(..surplus);
    }
}

impl SignalCli {
    /// Begins to show those who wrote in a chat that they were read.
    pub(super) fn show_read(&self, chat: &ChatId) {
        let mut due = self.state().receipts.take(chat);
        if due.is_empty() {
            return;
        }
        let (daemon, state) = (Arc::clone(&self.daemon), Arc::clone(&self.state));
        let (mut params, chat) = (self.parameters(), chat.clone());
        let showing = async move {
            let all = async {
                while let Some(next) = due.first_entry() {
                    params.insert("recipient".into(), next.key().as_str().into());
                    params.insert("targetTimestamp".into(), json!(next.get()));
                    params.insert("type".into(), "read".into());
                    if let Err(refusal) = daemon.call("sendReceipt", &params, PATIENCE).await {
                        tracing::debug!(%refusal, "a read receipt was not sent");
                    }
                    next.remove();
                }
            };
            if daemon.in_time(all, PATIENCE).await.is_none() {
                locked(&state).receipts.put_back(&chat, due);
            }
        };
        // Of those that ended nothing is left to know.
        let mut under_way = self.showing.lock().unwrap_or_else(PoisonError::into_inner);
        while under_way.try_join_next().is_some() {}
        under_way.spawn(showing);
    }
}
