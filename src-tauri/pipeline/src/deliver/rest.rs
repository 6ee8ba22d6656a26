//! The rest of a turn that has more for its chat than the chat should get.
//!
//! An agent that runs away writes megabytes, or a thousand directives; as messages they would bury the chat and keep every
//! other chat of the channel waiting behind them. So a turn puts at most `output.max_messages` messages into its chat: its
//! answer, what its directives send there, tool calls, reasoning and questions all count. The run is stopped where one
//! more was to come. Text of the answer that goes on beyond them is kept here and sent as one file when the run is over,
//! with a notice that says so; where the channel takes no files, or not this one, the notice says that it was not sent. The
//! file is a part of the answer: where a message before it did not arrive, it is held with that one, notice and all. A
//! directive beyond them is skipped, and what was to stand beside the answer is left out. A run that was stopped for it
//! has a notice also where nothing is left. The journal has all of it either way.
//!
//! The notice, the file and the event that tells of them are durable together, so that a start finds all or nothing of it:
//! with nothing, it puts the rest together again.

use super::{desk::Desk, directives::Skip, operation::OutgoingOperation, operation_sender::OperationSender};
use crate::{
    rules::Rule,
    user_text::{Beyond, UserText},
};
use foldback_store::{Case, StoreError};
use foldback_wire::{FileKind, Kind, MessageFlags, Operation};

/// The setting of the most messages.
const MOST: &str = "output.max_messages";

/// Told of a message beside the answer that has no place in the chat.
const LEFT_OUT: &str = "a message beside the answer is left out: its chat has as many messages of the turn as \
    output.max_messages allows";

/// The messages that a turn puts into its chat, and the text beyond them.
#[derive(Debug, Default)]
pub(super) struct Rest {
    messages: u32,
    text: String,
    /// Only one person may see some of it.
    private: bool,
    /// Something else than text of the answer had no message.
    left_out: bool,
    /// An earlier process told the chat of it.
    told: bool,
}

/// True of the event that something else than text of the answer had no message.
pub(super) fn is_left_out(kind: &Kind) -> bool {
    match kind {
        Kind::Skipped { setting, .. } => setting.as_deref() == Some(MOST),
        Kind::Warned { detail } => detail == LEFT_OUT,
        _ => false,
    }
}

impl Desk {
    /// False where the chat has as many messages of the turn as it may have.
    pub(super) fn may_send_message(&self) -> bool {
        self.rest.messages < self.output.max_messages.get() || !self.rules.holds(Rule::PreviewMost)
    }

    /// Counts one more message of the turn; false where the chat has as many as it may have, and then the run is stopped.
    pub(super) fn takes_message(&mut self) -> bool {
        let may = self.may_send_message();
        if may {
            self.rest.messages += 1;
        } else {
            self.chat_full.cancel();
        }
        may
    }

    /// Counts one more message of a directive, or says why there is none. Only those in the turn's own chat count.
    pub(super) fn take_message_of_directive(&mut self, sender: &OperationSender) -> Result<(), Skip> {
        if sender.is_elsewhere() || self.takes_message() {
            return Ok(());
        }
        self.rest.left_out = true;
        let why = "its chat has as many messages of the turn as it should get";
        Err(Skip::not_allowed(why).unless(Some(MOST)))
    }

    /// A message that was counted is not sent.
    pub(super) fn give_message_back(&mut self) {
        self.rest.messages = self.rest.messages.saturating_sub(1);
    }

    /// Leaves out a message beside the answer, and says so in the journal.
    pub(super) fn leave_out(&mut self) -> Result<(), StoreError> {
        self.rest.left_out = true;
        self.warn(LEFT_OUT.to_owned())
    }

    /// Counts messages that an earlier process sent.
    pub(super) fn count_messages(&mut self, sent: u32) {
        self.rest.messages += sent;
    }

    /// Goes on where an earlier process left out something, or had told the chat of the rest.
    pub(super) fn go_on_with_rest(&mut self, left_out: bool, told: bool) {
        self.rest.left_out = left_out;
        self.rest.told = told;
    }

    /// Keeps text that has no message to stand in. Assistant messages stay apart by an empty line. Text that only one
    /// person may see keeps all of it out of a file that everybody in the chat sees.
    pub(super) fn keep_rest(&mut self, text: &str, private: bool) {
        self.rest.private |= private;
        let kept = &mut self.rest.text;
        if !kept.is_empty() {
            kept.push_str("\n\n");
        }
        kept.push_str(text);
    }

    /// Sends what was kept as one file, after a notice; nothing where everything had its message and the run ended by
    /// itself, and was not `stopped` for its length.
    pub(super) async fn send_rest(&mut self, stopped: bool) -> Result<(), StoreError> {
        let Rest {
            messages,
            text,
            private,
            left_out,
            told,
        } = std::mem::take(&mut self.rest);
        if told || text.is_empty() && !left_out && !stopped {
            return Ok(());
        }
        let name = format!("answer-{}.txt", self.sender.turn.0);
        let file = match self.can.file_limit {
            _ if text.is_empty() && left_out => {
                Err("it is no text; what is skipped or left out has its reason".to_owned())
            }
            _ if text.is_empty() => Err("nothing else was said before the run was stopped".to_owned()),
            Some(_) if private => Err("only one person may see it".to_owned()),
            Some(_) => self
                .files
                .put_rest(&name, text.as_bytes(), &self.can)
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
        };
        let beyond = match &file {
            Some(_) => Beyond::InFile,
            None if text.is_empty() && !left_out => Beyond::Nothing,
            None => Beyond::NotSent,
        };
        let notice = OutgoingOperation::own_aside(&UserText::AnswerTooLong { stopped, beyond });
        let Some(file) = file else {
            return self.post_together(truncated, [notice]).await;
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
        let parts = [notice.part(&self.answer), rest.part(&self.answer)];
        self.post_together(truncated, parts).await
    }
}
