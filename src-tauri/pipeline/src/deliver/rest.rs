//! The rest of an answer that is longer than a chat should get.
//!
//! An agent that runs away writes megabytes; as messages they would bury the chat and keep every other chat of the
//! channel waiting behind them. So a turn puts at most `output.max_messages` messages of its answer into the chat. What
//! goes on beyond them is kept here and sent as one file when the run is over, with a notice that says so; where the
//! channel takes no files, or not this one, the notice says that it was not sent. A run that was stopped for it has a
//! notice also where nothing is left. The journal has all of it either way.

use super::{courier::Outgoing, desk::Desk};
use crate::{
    rules::Rule,
    user_text::{Beyond, UserText},
};
use foldback_store::{Case, StoreError};
use foldback_wire::{FileKind, Kind, MessageFlags, Operation};

/// The messages that a turn's answer takes in its chat, and the text beyond them.
#[derive(Debug, Default)]
pub(super) struct Rest {
    messages: u32,
    text: String,
    /// Only one person may see some of it.
    private: bool,
}

impl Desk {
    /// False where the chat has as many messages of the answer as it may have.
    pub(super) fn may_send_message(&self) -> bool {
        self.rest.messages < self.output.max_messages.get() || !self.rules.holds(Rule::PreviewMost)
    }

    /// Counts one more message of the answer; false where the chat has as many as it may have.
    pub(super) fn takes_message(&mut self) -> bool {
        let may = self.may_send_message();
        self.rest.messages += u32::from(may);
        may
    }

    /// Counts messages of the answer that an earlier process sent.
    pub(super) fn count_messages(&mut self, sent: u32) {
        self.rest.messages += sent;
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
        } = std::mem::take(&mut self.rest);
        if text.is_empty() && !stopped {
            return Ok(());
        }
        let name = format!("answer-{}.txt", self.courier.turn.0);
        let file = match self.can.file_limit {
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
        self.note(Kind::Truncated {
            messages,
            bytes: text.len(),
            stopped,
            file: file.as_ref().map(|file| file.relative.clone()),
            detail,
        })?;
        let beyond = match &file {
            Some(_) => Beyond::InFile,
            None if text.is_empty() => Beyond::Nothing,
            None => Beyond::NotSent,
        };
        self.post(Outgoing::own_aside(&UserText::AnswerTooLong { stopped, beyond }))
            .await?;
        if let Some(file) = file {
            let rest = Outgoing::new(Operation::SendFile {
                path: file.relative,
                kind: FileKind::File,
                caption: None,
                reply_to: None,
                checked: file.identity,
                flags: MessageFlags::default(),
            });
            let why = "the file with the rest of the answer was refused; the chat is told so";
            let told = Outgoing::own_aside(&UserText::RestFailed);
            self.post(rest.otherwise(Case::Failed, told, why.to_owned()))
                .await?;
        }
        Ok(())
    }
}
