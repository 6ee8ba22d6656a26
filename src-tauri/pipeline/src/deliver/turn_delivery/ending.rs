//! The end of a turn's delivery: the rest of a long answer, the notice of a failed run, or the text of an empty answer.

use super::TurnDelivery;
use crate::{
    deliver::{
        operation::{OutgoingOperation, Wording},
        preview::Preview,
        tally::CANCELLED,
    },
    rules::Rule,
    user_text::UserText,
};
use foldback_store::StoreError;
use foldback_wire::{AgentFault, Kind, Stage, StopReason};

/// The end of a run, as its chat is told.
pub(super) enum Ending {
    /// Its agent had nothing more to say, for this reason.
    Done(StopReason),
    /// It was stopped, as it said more than its chat should get.
    TooLong,
    /// It failed.
    Failed(Failure),
}

/// A failed run.
pub(super) struct Failure {
    /// The user is told this; `None` once they were.
    pub(super) notice: Option<UserText<'static>>,
    /// The words for the journal.
    pub(super) detail: String,
}

impl Failure {
    pub(super) fn cancelled() -> Self {
        Self {
            notice: Some(UserText::Stopped),
            detail: CANCELLED.to_owned(),
        }
    }

    pub(super) fn of_run(fault: AgentFault, detail: String) -> Self {
        Self {
            notice: Some(UserText::RunFailed(fault)),
            detail,
        }
    }
}

impl TurnDelivery {
    /// Says the last word, then waits for the outcomes of everything in the turn's chat. Answers why the run failed,
    /// where it did.
    pub(super) async fn conclude(&mut self, ending: Ending) -> Result<Option<String>, StoreError> {
        let mut failure = None;
        self.send_rest(matches!(ending, Ending::TooLong)).await?;
        match ending {
            Ending::Failed(failed) => {
                let holds = self.operations.rules.holds(Rule::RunNotice);
                if let Some(notice) = failed.notice.as_ref().filter(|_| holds) {
                    let notice = OutgoingOperation::own_text(notice);
                    self.operations.send_operation(notice).await?;
                }
                failure = Some(failed.detail);
            }
            // The notice says it.
            Ending::TooLong => {}
            Ending::Done(reason) => {
                if self.is_empty() && self.operations.rules.holds(Rule::DeliverEmpty) {
                    self.say_of_nothing(reason).await?;
                }
            }
        }
        self.send_footer().await?;
        let operations = &mut self.operations;
        let tally = &operations.tally;
        let skipped = tally.directives > 0 && tally.directives == tally.skipped;
        if skipped && tally.written == 0 && tally.texts == 0 && !operations.is_held() {
            operations
                .warn("every directive of the answer was skipped, so the user sees nothing".to_owned())?;
        }
        let detail = match operations.count_unfinished() {
            0 => "all deliveries queued or sent".to_owned(),
            held => format!("all deliveries queued or sent, {held} held"),
        };
        operations.note(Kind::Passed {
            stage: Stage::Dispatch,
            detail,
        })?;
        self.busy = None;
        operations.collect_held().await?;
        operations.give_back_placeholder().await?;
        Ok(failure)
    }

    /// Sends the line under the answer as a message of its own, where no message of the answer could end with it: all of
    /// them were out before the tokens were told. An answer without a text has none.
    async fn send_footer(&mut self) -> Result<(), StoreError> {
        let operations = &mut self.operations;
        let Some(line) = operations.footer.take().and_then(|footer| footer.text()) else {
            return Ok(());
        };
        let has_text = operations.tally.texts > 0 || operations.holds_text();
        if has_text && operations.may_send_message() {
            operations.send_aside(OutgoingOperation::aside(&line)).await?;
        }
        Ok(())
    }

    /// Says of an answer in which nothing is why that is so, as far as its agent told.
    async fn say_of_nothing(&mut self, reason: StopReason) -> Result<(), StoreError> {
        let text = match reason {
            StopReason::Refusal => UserText::Refused.to_string(),
            StopReason::Length => UserText::AtLimit.to_string(),
            StopReason::End | StopReason::Cancelled | StopReason::Error => {
                self.operations.output.empty_text.clone()
            }
        };
        if !text.is_empty() {
            // It is the first message sent for the answer, so the answer's reply target applies to it.
            let mut preview = Preview::new(0);
            preview.answer(self.answers.take(), std::mem::take(&mut self.answer_flags));
            let message = preview.new_message(&self.operations, &text, Wording::own(&text), false);
            self.operations.send_operation(message).await?;
        }
        Ok(())
    }

    /// True where an answer said and did nothing at all.
    fn is_empty(&self) -> bool {
        let tally = &self.operations.tally;
        tally.texts == 0
            && tally.failures.is_empty()
            && !self.operations.holds_text()
            && tally.directives == 0
            && tally.suppressed.is_none()
    }
}
