//! Sending operations, and waiting for those that are held.

use super::{HeldOperation, TurnOperations};
use crate::deliver::{
    arrival::{arrived, may_stand},
    delivery_queue::OperationCompletion,
    operation::OutgoingOperation,
    operation_sender::{OperationSender, SendProgress},
    tally::{AnswerPart, is_file},
};
use foldback_store::StoreError;
use foldback_wire::{Body, Kind};

/// The meaning of an operation's end for its turn.
#[derive(Clone, Copy)]
struct Weight {
    live: bool,
    counted: AnswerPart,
    /// It puts a message into the turn's chat.
    speaks: bool,
}

impl Weight {
    fn of(sender: &OperationSender, outgoing: &mut OutgoingOperation) -> Self {
        let live = outgoing.live;
        let beside = matches!(outgoing.body, None | Some(Body::Aside { .. }));
        let is_answer = outgoing.is_text() && outgoing.directive.is_none() && !beside;
        let counted = match outgoing.operation.kind() {
            kind if is_file(kind) => AnswerPart::File,
            _ if is_answer && !live => AnswerPart::Text,
            _ => AnswerPart::Nothing,
        };
        Self {
            live,
            counted,
            speaks: !sender.is_elsewhere() && outgoing.makes_message(),
        }
    }
}

impl TurnOperations {
    /// Sees an operation through in the turn's chat, and what follows from it. Answers how it ended, or what was done in
    /// its place; `None` when that is held, and ends later.
    pub(crate) async fn send_operation(
        &mut self,
        outgoing: OutgoingOperation,
    ) -> Result<Option<OperationCompletion>, StoreError> {
        let sender = self.sender.clone();
        self.send_operation_by(&sender, outgoing).await
    }

    /// Sees an operation through like [`Self::send_operation`], in any chat.
    pub(crate) async fn send_operation_by(
        &mut self,
        sender: &OperationSender,
        mut outgoing: OutgoingOperation,
    ) -> Result<Option<OperationCompletion>, StoreError> {
        if !self.raw.is_empty() {
            outgoing.show(&self.raw);
        }
        let weight = Weight::of(sender, &mut outgoing);
        let progress = sender.send_operation(outgoing).await?;
        self.see_through(sender, weight, progress).await
    }

    /// Sends a message beside the answer; leaves it out where the chat has as many of the turn as it may have.
    pub(crate) async fn send_aside(
        &mut self,
        outgoing: OutgoingOperation,
    ) -> Result<Option<OperationCompletion>, StoreError> {
        if !self.claim_message() {
            self.leave_out()?;
            return Ok(None);
        }
        self.send_operation(outgoing).await
    }

    /// Sees operations through in the turn's chat, in order. Their intents and the event that tells of them become durable
    /// together.
    pub(crate) async fn send_operations_together<const N: usize>(
        &mut self,
        told: Kind,
        mut outgoing: [OutgoingOperation; N],
    ) -> Result<(), StoreError> {
        let sender = self.sender.clone();
        let weights = outgoing.each_mut().map(|outgoing| Weight::of(&sender, outgoing));
        let told = sender.recorder().draft(told);
        let pending = sender.queue_operations(vec![told], outgoing).await?;
        for (pending, weight) in pending.into_iter().zip(weights) {
            let progress = sender.wait_for(pending).await?;
            self.see_through(&sender, weight, progress).await?;
        }
        Ok(())
    }

    /// Takes how an operation went, and what follows from it.
    async fn see_through(
        &mut self,
        sender: &OperationSender,
        weight: Weight,
        mut progress: SendProgress,
    ) -> Result<Option<OperationCompletion>, StoreError> {
        let Weight {
            live,
            counted,
            speaks,
        } = weight;
        let mut ended = None;
        loop {
            let mut completion = match progress {
                // Nobody waits for a live edit: it is dropped when its queue goes on.
                SendProgress::Held(_) if live => break,
                SendProgress::Overtaken(pending) => {
                    self.elsewhere.push((counted, pending));
                    break;
                }
                SendProgress::Held(pending) if sender.is_elsewhere() => {
                    self.elsewhere.push((counted, pending));
                    break;
                }
                SendProgress::Held(pending) => {
                    self.spoke |= speaks;
                    let counted = if ended.is_none() {
                        counted
                    } else {
                        AnswerPart::Nothing
                    };
                    self.held.push_back(HeldOperation {
                        counted,
                        confirms: None,
                        pending,
                    });
                    break;
                }
                SendProgress::Ended(completion) => completion,
            };
            self.spoke |= speaks && may_stand(&completion.outcome);
            let next = completion.next.take();
            if completion.outcome.replaced_by.is_none() && ended.is_none() {
                self.tally.count_as(counted, &completion.outcome);
                ended = Some(completion);
            }
            match next {
                Some(next) => progress = sender.wait_for(next).await?,
                None => break,
            }
        }
        Ok(ended)
    }

    /// Waits for what was not waited for in other chats. Nobody else need: there is nothing left to say.
    pub(crate) async fn collect_elsewhere(&mut self) -> Result<(), StoreError> {
        for (mut counted, mut pending) in std::mem::take(&mut self.elsewhere) {
            loop {
                let OperationCompletion { outcome, next, .. } = self.sender.completion(pending).await?;
                if outcome.replaced_by.is_none() {
                    self.tally
                        .count_as(std::mem::replace(&mut counted, AnswerPart::Nothing), &outcome);
                }
                match next {
                    Some(next) => pending = next,
                    None => break,
                }
            }
        }
        Ok(())
    }

    /// Waits for the outcomes of what is held in the turn's chat, and of what follows from them.
    pub(crate) async fn collect_held(&mut self) -> Result<(), StoreError> {
        while let Some(HeldOperation {
            mut counted,
            mut confirms,
            mut pending,
        }) = self.held.pop_front()
        {
            let mut confirmation = None;
            loop {
                let OperationCompletion { outcome, next, .. } = self.sender.completion(pending).await?;
                let replaced = outcome.replaced_by.is_some();
                let doubtful = confirms.take();
                if replaced && let Some(edit) = &doubtful {
                    self.warn_of_late_edit(&edit.operation)?;
                }
                confirmation = confirmation.or(doubtful.filter(|_| arrived(&outcome) && !replaced));
                if !replaced {
                    self.tally
                        .count_as(std::mem::replace(&mut counted, AnswerPart::Nothing), &outcome);
                }
                match next {
                    Some(next) => pending = next,
                    None => break,
                }
            }
            if let Some(edit) = confirmation {
                self.confirm_edit(edit).await?;
            }
        }
        Ok(())
    }
}
