//! The rest of a turn that an earlier process left before all of its answer was in the outbox: what is behind the text
//! that was intended, the directives that nothing was done about, and the last word. Where the run itself was cut off,
//! the person is told so, and what was said so far ends with an ellipsis.

use super::{Ending, Failure, TurnDelivery};
use crate::{
    config::Narration,
    deliver::{
        operation::{OutgoingOperation, Wording},
        preview::Preview,
        reply::{message_flags, reply_target},
        tally::CUT_OFF,
        unfinished::{RunEnd, TAKEN_UP, UnfinishedMessage, UnfinishedTurn},
    },
    rules::Rule,
    user_text::UserText,
};
use foldback_store::StoreError;
use foldback_wire::{Kind, Stage};

impl TurnDelivery {
    /// Says what is left of a turn, and waits for everything that is held in its chat.
    pub(crate) async fn finish(&mut self, turn: UnfinishedTurn) -> Result<(), StoreError> {
        let UnfinishedTurn {
            run,
            messages,
            tally,
            has_own_words,
            spoke,
            placeholder,
            truncated,
            left_out,
            others,
            answer,
            has_acted,
            has_begun,
            ..
        } = turn;
        self.directives.has_acted = has_acted;
        let operations = &mut self.operations;
        operations.note(Kind::Passed {
            stage: Stage::Preview,
            detail: TAKEN_UP.to_owned(),
        })?;
        operations.go_on(tally, spoke, placeholder, answer);
        operations.quota.left_out = left_out;
        operations.count_messages(others);
        self.rest.told = truncated;
        for message in messages {
            self.finish_message(message, truncated).await?;
        }
        let failed = |failure: Failure| {
            Ending::Failed(Failure {
                notice: failure.notice.filter(|_| !has_own_words && !has_begun),
                ..failure
            })
        };
        let ending = match run {
            RunEnd::TooLong => Ending::TooLong,
            RunEnd::Done(reason) => Ending::Done(reason),
            RunEnd::Cancelled => failed(Failure::cancelled()),
            RunEnd::Failed(fault, detail) => failed(Failure::of_run(fault, detail)),
            RunEnd::CutOff => failed(Failure {
                notice: Some(UserText::Interrupted),
                detail: CUT_OFF.to_owned(),
            }),
        };
        self.conclude(ending).await.map(drop)
    }

    async fn finish_message(
        &mut self,
        message: UnfinishedMessage,
        truncated: bool,
    ) -> Result<(), StoreError> {
        let UnfinishedMessage {
            number,
            clean,
            header,
            directives: left,
            next_index,
            has_voice,
            is_spoken,
            narration,
            ended,
            begun,
        } = message;
        let (operations, directives) = (&mut self.operations, &mut self.directives);
        let speaks = operations.rules.holds(Rule::SpeechHeader);
        directives.audio_as_voice = header.audio_as_voice == Some(true) && speaks;
        directives.header = header;
        directives.file_answered = begun.file_answered;
        directives.next_index = next_index;
        directives.has_voice = has_voice;
        for (at, directive) in left {
            directives.carry_out(operations, at, directive).await?;
        }
        let hidden = narration && operations.narration == Narration::Hide && begun.parts == 0;
        if hidden && !clean.trim().is_empty() {
            operations.tally.hidden += 1;
        }
        let mut preview = Preview::resumed(operations, number, clean, begun, !ended);
        // A target that the channel does not take was told of when the header was read.
        let answered = directives.answered();
        let target = reply_target(operations.rules, &directives.header, answered, &operations.can);
        let target = target
            .ok()
            .flatten()
            .filter(|_| !std::mem::take(&mut directives.file_answered));
        self.answers.clone_from(&target);
        self.answer_flags = directives.flags(operations);
        preview.answer(target, self.answer_flags.clone());
        let has_text = preview.has_text() && !hidden;
        let is_heard = has_text && ended && !narration && !is_spoken && directives.speaks_answers();
        let heard = is_heard.then(|| preview.text().to_owned());
        if has_text && !truncated {
            if ended && !narration {
                preview.end_with_footer(operations);
            }
            preview.finish(operations, &mut self.rest).await?;
            if let Some(text) = heard {
                directives.speak_answer(operations, number, &text).await?;
            }
        }
        directives.end_message(operations, has_text).await
    }

    /// Tells the person that something which the agent wanted to do was not done, behind all that is said.
    pub(crate) async fn tell_not_done(&mut self, turn: UnfinishedTurn) -> Result<(), StoreError> {
        let UnfinishedTurn {
            tally,
            spoke,
            answer,
            left_out,
            others,
            ..
        } = turn;
        let operations = &mut self.operations;
        operations.go_on(tally, spoke, None, answer);
        operations.quota.left_out = left_out;
        operations.count_messages(others);
        let aside = OutgoingOperation::own_aside(&UserText::ActionNotDone);
        operations.send_aside(aside).await?;
        operations.collect_held().await
    }

    /// Writes the final edits of a turn once more that an earlier process left in doubt.
    pub(crate) async fn confirm_left(&mut self, messages: Vec<UnfinishedMessage>) -> Result<(), StoreError> {
        let operations = &mut self.operations;
        for UnfinishedMessage { header, begun, .. } in messages {
            let flags = message_flags(&header, &self.directives.inbound, &operations.can);
            for (message, text, body) in begun.doubtful {
                let edit = Wording::again(body).edit(message, text).flagged(&flags);
                operations.confirm_edit(edit).await?;
            }
        }
        operations.collect_held().await
    }
}
