//! Sends the text with which Foldback answers a turn itself.

use crate::{
    context::TurnContext,
    deliver::{
        delivery_queue::DeliveryQueues,
        operation::OutgoingOperation,
        operation_sender::{OperationSender, SendProgress},
        tally::own_terminal,
    },
    leaks::LeakWatch,
    recorder::Recorder,
    split::{Limit, Piece, split},
    user_text::UserText,
};
use foldback_store::StoreError;
use foldback_wire::{Inbound, Kind, Outcome, SessionId, Terminal, TurnId};
use std::sync::Arc;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// The turn that is answered.
pub(super) struct Reply<'a> {
    pub(super) context: &'a TurnContext,
    pub(super) delivery_queues: &'a Arc<DeliveryQueues>,
    pub(super) recorder: &'a Recorder,
    pub(super) turn: TurnId,
    pub(super) session: &'a SessionId,
    pub(super) message: &'a Inbound,
}

impl Reply<'_> {
    /// Writes `events` together with all intents, so that nothing is left out over a stop or a crash; sends the text, as
    /// several messages where it is long, or the file in its place, and answers how the turn ends.
    pub(super) async fn send(
        &self,
        events: Vec<Kind>,
        (text, file): (Option<UserText<'_>>, Option<OutgoingOperation>),
        terminal: Terminal,
        busy: TaskTrackerToken,
    ) -> Result<Terminal, StoreError> {
        let Some(port) = self.context.ports.port(&self.message.channel) else {
            return Ok(Terminal::Failed {
                detail: format!("the channel {} is gone", self.message.channel),
            });
        };
        let operations = match (&text, file) {
            (_, Some(file)) => vec![file],
            (Some(text), None) => {
                let text = text.to_string();
                let pieces = split(&text, Limit::of(&port.can));
                let piece = |piece: &Piece| OutgoingOperation::literal(&piece.text(&text));
                pieces.iter().map(piece).collect()
            }
            (None, None) => {
                self.recorder.note_all(events)?;
                return Ok(terminal);
            }
        };
        let sender = OperationSender::of_turn(
            (self.delivery_queues, &self.context.ids),
            (self.turn, self.session),
            self.recorder,
            &port.channel,
            self.message,
            &Arc::new(LeakWatch::default()),
        );
        let events = events.into_iter().map(|kind| self.recorder.draft(kind)).collect();
        let mut busy = Some(busy);
        let mut outcomes: Vec<Outcome> = Vec::new();
        for pending in sender.queue_text(events, operations).await? {
            let completion = match sender.wait_for(pending).await? {
                SendProgress::Ended(completion) => completion,
                SendProgress::Held(pending) | SendProgress::Overtaken(pending) => {
                    // What is held keeps no process from ending.
                    drop(busy.take());
                    sender.completion(pending).await?
                }
            };
            outcomes.push(completion.outcome);
        }
        Ok(own_terminal(terminal, &outcomes))
    }
}
