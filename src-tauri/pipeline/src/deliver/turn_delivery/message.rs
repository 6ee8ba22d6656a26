//! The end of an assistant message: its text is said to the end, or hidden as narration, and what it wanted to be heard is.

use super::TurnDelivery;
use crate::{config::Narration, deliver::preview::Preview};
use foldback_store::StoreError;
use foldback_wire::{Kind, Stage};

impl TurnDelivery {
    /// The end of an assistant message.
    pub(super) async fn end_message(&mut self, narration: bool) -> Result<(), StoreError> {
        let has_text = match self.preview.take() {
            Some(preview) => self.finish_preview(preview, narration).await?,
            None => false,
        };
        for (at, directive) in std::mem::take(&mut self.late) {
            self.directives
                .carry_out(&mut self.operations, at, directive)
                .await?;
        }
        self.directives.end_message(&mut self.operations, has_text).await
    }

    /// Answers whether the message has text for the user.
    async fn finish_preview(&mut self, mut preview: Preview, narration: bool) -> Result<bool, StoreError> {
        let operations = &mut self.operations;
        let has_text = preview.has_text();
        if narration && has_text {
            let hides = operations.narration == Narration::Hide && !preview.is_begun();
            let done = match operations.narration {
                Narration::Show => "shown (narration = show)",
                Narration::Hide if hides => "kept back (narration = hide)",
                Narration::Hide => "shown, as blocks of it went out (blocks.enabled)",
            };
            let message = preview.message();
            let detail = format!("message {message} is narration before a tool call and is {done}");
            operations.note(Kind::Passed {
                stage: Stage::Preview,
                detail,
            })?;
            if hides {
                operations.tally.hidden += 1;
                preview.give_message_back(operations);
                return Ok(false);
            }
        }
        if !narration {
            preview.end_with_footer(operations);
        }
        let number = preview.message();
        let heard =
            (has_text && !narration && self.directives.speaks_answers()).then(|| preview.text().to_owned());
        preview.finish(operations, &mut self.rest).await?;
        if let Some(text) = heard {
            self.directives.speak_answer(operations, number, &text).await?;
        }
        Ok(has_text)
    }
}
