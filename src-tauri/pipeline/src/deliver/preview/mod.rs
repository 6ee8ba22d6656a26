//! One assistant message on its way to the screen: a live preview where the channel can edit, further
//! messages where one is not enough, and in the end the whole text.

mod block;
mod show;
mod timing;

use super::{
    begun::{BegunMessage, ShownMessage},
    footer::Footer,
    operation::{OutgoingOperation, Wording},
    rest::RestOfText,
    turn_operations::TurnOperations,
};
use crate::{
    config::Narration,
    split::{Piece, Splitter},
};
use block::BlockProgress;
use foldback_store::StoreError;
use foldback_wire::{HoldReason, Kind, MessageFlags, MessageId, SteadyTime};

/// Ends an answer of which more was to come.
const ELLIPSIS: &str = "…";

/// One assistant message.
#[derive(Debug)]
pub(crate) struct Preview {
    message: u32,
    clean: String,
    splitter: Splitter,
    shown: Option<ShownMessage>,
    reply_to: Option<MessageId>,
    flags: MessageFlags,
    /// Messages that are complete.
    parts: u32,
    /// The message that is being written is counted among those of the answer.
    counted: bool,
    /// Live edits that failed in a row.
    failures: u32,
    /// The platform wants no live edit before this.
    quiet_until: SteadyTime,
    /// True where it said so itself.
    limited: bool,
    /// A first text may stand on the screen, and nobody can edit it: another one could double the message.
    lost: bool,
    /// A live edit has no answer: it may come after the final one, and put its older text back.
    unconfirmed: bool,
    /// The final edits that such a live edit may undo.
    doubtful: Vec<OutgoingOperation>,
    /// More of it was to come, and does not.
    cut_off: bool,
    /// The line that its last message ends with.
    footer: Option<String>,
    waiting: bool,
    blocks: BlockProgress,
}

impl Preview {
    pub(crate) fn new(message: u32) -> Self {
        Self {
            message,
            clean: String::new(),
            splitter: Splitter::default(),
            shown: None,
            reply_to: None,
            flags: MessageFlags::default(),
            parts: 0,
            counted: false,
            failures: 0,
            quiet_until: SteadyTime::default(),
            limited: false,
            lost: false,
            unconfirmed: false,
            doubtful: Vec::new(),
            cut_off: false,
            footer: None,
            waiting: false,
            blocks: BlockProgress::default(),
        }
    }

    /// With these words before its first text.
    pub(crate) fn led_by(mut self, lead: Option<String>) -> Self {
        if let Some(lead) = lead {
            self.splitter = Splitter::led_by(lead);
        }
        self
    }

    /// One that an earlier process began; `cut_off` where it did not get to its end.
    pub(crate) fn resumed(
        operations: &mut TurnOperations,
        message: u32,
        clean: String,
        begun: BegunMessage,
        cut_off: bool,
    ) -> Self {
        let BegunMessage {
            said,
            parts,
            shown,
            lost,
            unconfirmed,
            doubtful,
            file_answered: _,
        } = begun;
        let doubtful = doubtful
            .into_iter()
            .map(|(message, text, body)| Wording::again(body).edit(message, text));
        operations.count_messages(parts);
        if let Some(blocks) = &mut operations.blocks {
            blocks.pass(parts);
        }
        let mut preview = Self {
            clean,
            shown,
            parts,
            lost,
            unconfirmed,
            doubtful: doubtful.collect(),
            cut_off,
            ..Self::new(message)
        };
        if let Some(lead) = &operations.lead {
            preview.splitter = Splitter::led_by(lead.text());
        }
        if said > 0 {
            operations.lead = None;
        }
        preview.splitter.pass(
            &preview.clean,
            said,
            operations.message_limit(),
            operations.repairs(),
        );
        preview
    }

    /// Ends with the line under the answer, where that has one and a message is left to be sent or edited.
    pub(crate) fn end_with_footer(&mut self, operations: &TurnOperations) {
        let line = operations.footer.as_ref().and_then(Footer::text);
        self.footer = line.map(|line| format!("\n{line}"));
    }

    pub(crate) const fn message(&self) -> u32 {
        self.message
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.clean.push_str(text);
    }

    /// The text so far.
    pub(crate) fn text(&self) -> &str {
        &self.clean
    }

    pub(crate) fn has_text(&self) -> bool {
        !self.clean.trim().is_empty()
    }

    /// Takes the wishes of its header: the message that it answers, and the flags of its messages.
    pub(crate) fn answer(&mut self, reply_to: Option<MessageId>, flags: MessageFlags) {
        self.reply_to = reply_to;
        self.flags = flags;
    }

    const fn is_ephemeral(&self) -> bool {
        self.flags.only_for.is_some()
    }

    /// Shows the text so far, if this message is shown live and may be edited now.
    pub(crate) async fn refresh(&mut self, operations: &mut TurnOperations) -> Result<(), StoreError> {
        if !self.has_text() {
            return Ok(());
        }
        if self.interval(operations).is_none() {
            if operations.can.edit_interval_ms.is_none() && !std::mem::replace(&mut self.waiting, true) {
                operations.note(Kind::Waiting {
                    op: None,
                    reason: HoldReason::ChannelCannotEdit,
                    until: None,
                })?;
            }
            if operations.blocks.is_some() {
                return self.refresh_blocks(operations).await;
            }
            return Ok(());
        }
        if !operations.is_open() {
            return Ok(());
        }
        self.take_placeholder(operations);
        while self.has_message(operations)
            && let Some(piece) = self.next_full(operations)
        {
            self.finish_message(operations, &piece).await?;
        }
        if !self.has_message(operations) {
            return Ok(());
        }
        let (Some(due), Some(piece)) = (self.due(operations), self.splitter.rest(&self.clean)) else {
            return Ok(());
        };
        if due > operations.now() {
            if !std::mem::replace(&mut self.waiting, true) {
                self.note_wait(operations, due)?;
            }
            return Ok(());
        }
        self.waiting = false;
        self.show_live_edit(operations, &piece).await
    }

    /// Everything is said: what is shown becomes the final text, and more messages follow. Text that has no message any
    /// more is added to `rest`.
    pub(crate) async fn finish(
        &mut self,
        operations: &mut TurnOperations,
        rest: &mut RestOfText,
    ) -> Result<(), StoreError> {
        if !self.has_text() {
            return Ok(());
        }
        self.take_placeholder(operations);
        while self.has_message(operations)
            && let Some(piece) = self.next_full(operations)
        {
            self.finish_message(operations, &piece).await?;
        }
        if let Some(mut piece) = self.splitter.rest(&self.clean) {
            if self.has_message(operations) {
                if self.cut_off {
                    piece.suffix.push_str(ELLIPSIS);
                }
                if let Some(footer) = self.footer.take() {
                    piece.suffix.push_str(&footer);
                    operations.footer = None;
                }
                self.finish_message(operations, &piece).await?;
            } else {
                rest.push(piece.span.of(&self.clean), self.is_ephemeral());
            }
        }
        self.confirm_edits(operations).await?;
        operations.remove_placeholder().await
    }

    fn next_full(&mut self, operations: &TurnOperations) -> Option<Piece> {
        let mut limit = operations.message_limit();
        if self.cut_off {
            limit.max = limit.max.saturating_sub(limit.unit.measure(ELLIPSIS));
        }
        if let Some(footer) = &self.footer {
            limit.max = limit.max.saturating_sub(limit.length(footer));
        }
        self.splitter.next_full(&self.clean, limit, operations.repairs())
    }

    /// True where what comes next has a message to stand in: the one that is shown, or one more of those that the
    /// answer may have. Nothing is counted before there is text for it.
    fn has_message(&mut self, operations: &mut TurnOperations) -> bool {
        if !self.counted && self.splitter.rest(&self.clean).is_some() {
            self.counted = operations.claim_message();
            return self.counted;
        }
        true
    }

    /// Counts the first message as soon as there is text for it, before others of the turn are. Text that may turn out to
    /// be hidden stops no run.
    pub(crate) fn claim_message(&mut self, operations: &mut TurnOperations) {
        let is_first = self.parts == 0 && !self.counted && self.has_text();
        if is_first && (operations.narration == Narration::Show || operations.may_send_message()) {
            self.has_message(operations);
        }
    }

    /// It is hidden: no message of it was sent.
    pub(crate) fn give_message_back(&mut self, operations: &mut TurnOperations) {
        if std::mem::take(&mut self.counted) {
            operations.give_message_back();
        }
    }

    /// An answer without a reply target goes into the placeholder; a reply is a message of its own, and so is what only
    /// one person sees.
    fn take_placeholder(&mut self, operations: &mut TurnOperations) {
        let fits = self.reply_to.is_none() && !self.is_ephemeral();
        if self.parts == 0 && self.shown.is_none() && fits {
            self.shown = operations.take_placeholder();
        }
    }
}
