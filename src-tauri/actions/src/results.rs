//! The result of an action, on its way from the interface to whoever had it carried out.

use foldback_wire::{DeliveryOutcome, ResultItem};
use tokio::sync::oneshot;

/// Most items that an interface may hand over. Those behind them are counted.
const MOST_ITEMS: usize = 64;

/// The result of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionResult {
    /// `output` where it was carried out, whatever came of it; `error` where it was not, or nobody knows.
    pub outcome: DeliveryOutcome,
    /// Its results, in the order of the interface: at most 64.
    pub items: Vec<ResultItem>,
    /// Items that there were beyond those.
    pub items_omitted: u32,
}

impl ActionResult {
    /// An action that failed, for this reason in words.
    pub fn failed(why: impl Into<String>) -> Self {
        Self {
            outcome: DeliveryOutcome::Error,
            items: vec![ResultItem::new("error", why)],
            items_omitted: 0,
        }
    }
}

/// Accepts the results of one action. It is all that an interface has of the bot: nothing of it leads to a channel, so
/// that an interface answers nobody. Its results go to the agent, which words the answer.
///
/// ```
/// use foldback_actions::ResultSink;
/// use foldback_wire::ResultItem;
///
/// async fn perform(mut results: ResultSink) {
///     results.add(ResultItem::new("temperature", "21 °C"));
///     results.complete();
/// }
/// ```
///
/// It cannot send, whatever it is asked for:
///
/// ```compile_fail,E0599
/// use foldback_actions::ResultSink;
/// use foldback_wire::ResultItem;
///
/// async fn perform(mut results: ResultSink) {
///     results.add(ResultItem::new("temperature", "21 °C"));
///     results.send_message("telegram", "42", "21 °C").await;
///     results.complete();
/// }
/// ```
///
/// Nor is there a channel to be had in the crate of the interfaces:
///
/// ```compile_fail,E0432
/// use foldback_actions::ResultSink;
/// use foldback_channels::Switchboard;
///
/// async fn perform(board: Switchboard, results: ResultSink) {
///     results.complete();
/// }
/// ```
///
/// And once it is complete nothing is added:
///
/// ```compile_fail,E0382
/// use foldback_actions::ResultSink;
/// use foldback_wire::ResultItem;
///
/// async fn perform(mut results: ResultSink) {
///     results.complete();
///     results.add(ResultItem::new("temperature", "21 °C"));
/// }
/// ```
#[derive(Debug)]
pub struct ResultSink {
    items: Vec<ResultItem>,
    omitted: u32,
    result: oneshot::Sender<ActionResult>,
}

/// The other end of a [`ResultSink`].
#[derive(Debug)]
pub struct ResultReceiver(oneshot::Receiver<ActionResult>);

impl ResultSink {
    /// A sink and the end at which its result comes out.
    pub fn pair() -> (Self, ResultReceiver) {
        let (result, receiver) = oneshot::channel();
        let sink = Self {
            items: Vec::new(),
            omitted: 0,
            result,
        };
        (sink, ResultReceiver(receiver))
    }

    /// Adds a result.
    pub fn add(&mut self, item: ResultItem) {
        if self.items.len() < MOST_ITEMS {
            self.items.push(item);
        } else {
            self.omitted = self.omitted.saturating_add(1);
        }
    }

    /// The action was carried out, and these were all its results.
    pub fn complete(self) {
        self.end(DeliveryOutcome::Output);
    }

    /// The action could not be carried out, for this reason in words; results that were added before stand.
    pub fn fail(mut self, why: impl Into<String>) {
        // It counts, however many there are.
        self.items.truncate(MOST_ITEMS - 1);
        self.items.push(ResultItem::new("error", why));
        self.end(DeliveryOutcome::Error);
    }

    fn end(self, outcome: DeliveryOutcome) {
        // Whoever wanted it may have stopped waiting.
        let _ = self.result.send(ActionResult {
            outcome,
            items: self.items,
            items_omitted: self.omitted,
        });
    }
}

impl ResultReceiver {
    /// The result. An interface that drops its sink has ended without one.
    pub async fn result(self) -> ActionResult {
        self.0
            .await
            .unwrap_or_else(|_| ActionResult::failed("the interface ended without a result"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn results_come_out_as_they_were_added_and_their_number_is_bounded() {
        let (mut sink, receiver) = ResultSink::pair();
        for number in 0..MOST_ITEMS + 3 {
            sink.add(ResultItem::new(number.to_string(), "x"));
        }
        sink.complete();
        let result = receiver.result().await;
        assert_eq!((result.items.len(), result.items_omitted), (MOST_ITEMS, 3));
        assert_eq!(result.outcome, DeliveryOutcome::Output);
        assert_eq!(result.items[1].label, "1");
    }

    #[tokio::test]
    async fn a_failure_keeps_what_came_before_and_a_dropped_sink_is_one() {
        let (mut sink, receiver) = ResultSink::pair();
        sink.add(ResultItem::new("stdout", "half"));
        sink.fail("it broke");
        let result = receiver.result().await;
        assert_eq!(result.outcome, DeliveryOutcome::Error);
        let labels: Vec<_> = result.items.iter().map(|item| item.label.as_str()).collect();
        assert_eq!(labels, ["stdout", "error"]);

        let (sink, receiver) = ResultSink::pair();
        drop(sink);
        let expected = ActionResult::failed("the interface ended without a result");
        assert_eq!(receiver.result().await, expected);
    }
}
