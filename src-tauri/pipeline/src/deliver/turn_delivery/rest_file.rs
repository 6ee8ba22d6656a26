//! The rest of a turn that has more for its chat than the chat should get.
//!
//! An agent that runs away writes megabytes, or a thousand directives; as messages they would bury the chat and keep every
//! other chat of the channel waiting behind them. So a turn puts at most `output.max_messages` messages into its chat: its
//! answer, what its directives send there, tool calls, reasoning and questions all count. The run is stopped where one
//! more was to come. Text of the answer that goes on beyond them is kept and sent as one file when the run is over,
//! with a notice that says so; where the channel takes no files, or not this one, the notice says that it was not sent. The
//! file is a part of the answer: where a message before it did not arrive, it is held with that one, notice and all. A
//! directive beyond them is skipped, and what was to stand beside the answer is left out. A run that was stopped for it
//! has a notice also where nothing is left. The journal has all of it either way.
//!
//! The notice, the file and the event that tells of them are durable together, so that a start finds all or nothing of it:
//! with nothing, it puts the rest together again.

use super::TurnDelivery;
use crate::{
    deliver::{message_quota::MessageQuota, operation::OutgoingOperation, rest::RestOfText},
    user_text::{RestDelivery, UserText},
};
use foldback_store::{Case, StoreError};
use foldback_wire::{FileKind, Kind, MessageFlags, Operation};

impl TurnDelivery {
    /// Sends what was kept as one file, after a notice; nothing where everything had its message and the run ended by
    /// itself, and was not `stopped` for its length.
    pub(super) async fn send_rest(&mut self, stopped: bool) -> Result<(), StoreError> {
        let RestOfText { text, private, told } = std::mem::take(&mut self.rest);
        let operations = &mut self.operations;
        let MessageQuota {
            messages, left_out, ..
        } = operations.quota;
        if told || text.is_empty() && !left_out && !stopped {
            return Ok(());
        }
        let name = format!("answer-{}.txt", operations.sender.turn().0);
        let file = match operations.can.file_limit {
            _ if text.is_empty() && left_out => {
                Err("it is no text; what is skipped or left out has its reason".to_owned())
            }
            _ if text.is_empty() => Err("nothing else was said before the run was stopped".to_owned()),
            Some(_) if private => Err("only one person may see it".to_owned()),
            Some(_) => self
                .directives
                .files
                .put_rest(&name, text.as_bytes(), &operations.can)
                .map_err(|refusal| refusal.to_string()),
            None => Err("this channel takes no files".to_owned()),
        };
        let (file, detail) = match file {
            Ok(file) => (Some(file), None),
            Err(why) => (None, Some(why)),
        };
        let truncated = Kind::Truncated {
            messages,
            bytes: text.len(),
            stopped,
            file: file.as_ref().map(|file| file.relative.clone()),
            detail,
            decided_by: None,
        };
        let beyond = match &file {
            Some(_) => RestDelivery::InFile,
            None if text.is_empty() && !left_out => RestDelivery::Nothing,
            None => RestDelivery::NotSent,
        };
        let notice = OutgoingOperation::own_aside(&UserText::AnswerTooLong { stopped, beyond });
        let Some(file) = file else {
            return operations.send_operations_together(truncated, [notice]).await;
        };
        let rest = OutgoingOperation::new(Operation::SendFile {
            path: file.relative,
            kind: FileKind::File,
            caption: None,
            reply_to: None,
            checked: file.identity,
            flags: MessageFlags::default(),
        });
        let why = "the file with the rest of the answer was refused; the chat is told so";
        let told = OutgoingOperation::own_aside(&UserText::RestFailed);
        let rest = rest.otherwise(Case::Failed, told, why.to_owned());
        let parts = [notice.part(&operations.answer), rest.part(&operations.answer)];
        operations.send_operations_together(truncated, parts).await
    }
}
