//! Read receipts: <https://github.com/AsamK/signal-cli/blob/master/man/signal-cli.1.adoc#sendreceipt>.
//!
//! A message counts as read when it is kept and the bot first does something in its chat. So a channel that is not
//! armed shows nobody anything, and neither does a bot that a stranger writes to.

use super::SignalCli;
use foldback_wire::{ChatId, Inbound};
use serde_json::json;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::sync::oneshot::error::TryRecvError;

/// Receipts that wait; of more, the oldest are left out.
const WAITING: usize = 1_024;
/// How long sending them may take. Nothing depends on it.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
pub(super) struct Receipts {
    kept: VecDeque<Receipt>,
    /// Of messages that are not kept yet. To let go of one would be to give the message up.
    arriving: Vec<(Receipt, oneshot::Receiver<()>)>,
}

#[derive(Debug)]
struct Receipt {
    chat: ChatId,
    author: String,
    sent: i64,
}

impl Receipts {
    /// A message is being handed over; `told` is told when it is kept.
    pub(super) fn expect(&mut self, message: &Inbound, told: oneshot::Receiver<()>) {
        self.settle();
        let receipt = Receipt {
            chat: message.chat.clone(),
            author: message.sender.id.to_string(),
            sent: message.at.0,
        };
        self.arriving.push((receipt, told));
    }

    /// What was kept in a chat, by author.
    fn take(&mut self, chat: &ChatId) -> BTreeMap<String, Vec<i64>> {
        self.settle();
        let (due, rest): (Vec<_>, _) = self.kept.drain(..).partition(|receipt| receipt.chat == *chat);
        self.kept = rest.into();
        let mut by_author = BTreeMap::<_, Vec<_>>::new();
        for receipt in due {
            by_author.entry(receipt.author).or_default().push(receipt.sent);
        }
        by_author
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
    /// Shows those who wrote in a chat that they were read. Nobody waits for it but the operation beside it.
    pub(super) async fn send_receipts(&self, chat: &ChatId) {
        let due = self.state().receipts.take(chat);
        for (author, sent) in due {
            let mut params = self.parameters();
            params.insert("recipient".into(), author.into());
            params.insert("targetTimestamp".into(), json!(sent));
            params.insert("type".into(), "read".into());
            if let Err(refusal) = self.daemon.call("sendReceipt", &params, PATIENCE).await {
                tracing::debug!(%refusal, "a read receipt was not sent");
            }
        }
    }
}
