//! The operations of a turn: what they are decided from, those that have not ended, and the count that the end of the turn
//! is decided from.

mod late_edits;
mod placeholder;
mod send;

use super::{
    begun::ShownMessage,
    blocks::Blocks,
    delivery_queue::PendingOperation,
    footer::Footer,
    lead::Lead,
    message_quota::{LEFT_OUT, MessageQuota},
    operation::OutgoingOperation,
    operation_sender::OperationSender,
    tally::{AnswerPart, Tally},
    text_parts::TextParts,
};
use crate::{
    config::{BlocksConfig, Narration, OutputConfig},
    rules::{Rule, Rules},
    split::{Limit, Repairs},
};
use foldback_store::StoreError;
use foldback_wire::{Capabilities, Kind, SteadyTime};
use std::{collections::VecDeque, sync::Arc};
use tokio_util::sync::CancellationToken;

/// Live edits of a message that fail in a row before no more are shown; its final text is sent all the same.
pub(super) const LIVE_FAILURES: u32 = 3;

/// The operations of a turn, in its chat and in others.
pub(crate) struct TurnOperations {
    /// Sends to the turn's own chat.
    pub(crate) sender: OperationSender,
    pub(super) can: Capabilities,
    pub(super) output: OutputConfig,
    pub(super) narration: Narration,
    pub(super) rules: Rules,
    /// Cancelled when one message more was to come than the chat, or another one, may have of the turn: the run is stopped.
    pub(crate) chat_full: CancellationToken,
    /// Cancelled at the first text that the chat is to see; gone then.
    pub(crate) text_begins: Option<CancellationToken>,
    /// Blocks, where the answer is sent in such while it grows.
    pub(super) blocks: Option<Blocks>,
    /// The words before the answer, until a message of it has them.
    pub(crate) lead: Option<Arc<Lead>>,
    /// The line under the answer, until a message has it.
    pub(crate) footer: Option<Footer>,
    /// Where the channel cannot edit, each tool call is told of once it is over, in a line of its own.
    pub(crate) tells_calls: bool,
    pub(super) quota: MessageQuota,
    /// The messages of the answer, all of which are held where one before them did not arrive.
    pub(super) answer: Arc<TextParts>,
    pub(super) placeholder: Option<ShownMessage>,
    /// The message of an earlier turn that the answer is written into.
    replaced: Option<ShownMessage>,
    pub(crate) tally: Tally,
    held: VecDeque<HeldOperation>,
    /// Operations of directives that are waited for no longer: in other chats, or overtaken by the text.
    elsewhere: Vec<(AnswerPart, PendingOperation)>,
    /// A message of the turn stands in its chat, or may, or will: what is said next stands below it.
    spoke: bool,
    /// The chat takes no live edits: one was forbidden there.
    pub(super) no_live_edits: bool,
    /// Raw text, shown instead of the clean one; only with that rule switched off.
    pub(super) raw: String,
}

/// An operation in the turn's chat that ends later.
struct HeldOperation {
    counted: AnswerPart,
    /// The edit that confirms it, where it arrives and a live edit may undo it.
    confirms: Option<OutgoingOperation>,
    pending: PendingOperation,
}

impl TurnOperations {
    pub(super) fn new(
        sender: OperationSender,
        can: Capabilities,
        output: OutputConfig,
        rules: Rules,
    ) -> Self {
        let narration = if rules.holds(Rule::ScanNarration) {
            output.narration_on(can.edit)
        } else {
            Narration::Show
        };
        let most = output.max_messages.get();
        Self {
            sender,
            can,
            output,
            narration,
            rules,
            chat_full: CancellationToken::new(),
            text_begins: None,
            lead: None,
            footer: None,
            tells_calls: false,
            blocks: None,
            quota: MessageQuota::new(rules.holds(Rule::PreviewMost).then_some(most)),
            answer: Arc::default(),
            placeholder: None,
            replaced: None,
            tally: Tally::default(),
            held: VecDeque::new(),
            elsewhere: Vec::new(),
            spoke: false,
            no_live_edits: false,
            raw: String::new(),
        }
    }

    /// Goes on where an earlier process left the turn.
    pub(super) fn go_on(
        &mut self,
        tally: Tally,
        spoke: bool,
        placeholder: Option<ShownMessage>,
        answer: TextParts,
    ) {
        self.tally = tally;
        self.spoke = spoke;
        self.placeholder = placeholder;
        self.answer = Arc::new(answer);
    }

    /// True until there is text that the chat is to see.
    pub(super) const fn is_first_text(&self) -> bool {
        self.text_begins.is_some()
    }

    /// There is text that the chat is to see.
    pub(super) fn begin_text(&mut self) {
        if let Some(begins) = self.text_begins.take() {
            begins.cancel();
        }
    }

    pub(super) fn now(&self) -> SteadyTime {
        self.sender.clock().steady()
    }

    pub(super) fn note(&self, kind: Kind) -> Result<(), StoreError> {
        self.sender.recorder().note(kind)
    }

    pub(super) fn warn(&self, detail: String) -> Result<(), StoreError> {
        tracing::warn!(text = %detail, "a warning is in the journal");
        self.sender.recorder().warn(detail)
    }

    /// The most that one message of the channel holds.
    pub(super) fn limit(&self) -> Limit {
        let limit = Limit::of(&self.can);
        Limit {
            max: if self.rules.holds(Rule::SplitLimit) {
                limit.max
            } else {
                usize::MAX
            },
            markup: limit.markup.filter(|_| self.rules.holds(Rule::SplitRendered)),
            ..limit
        }
    }

    /// Sends the answer in blocks where the channel's settings say so; not where it is written into a message that stands
    /// in the chat already.
    pub(crate) fn stream_blocks(&mut self, config: BlocksConfig) {
        let can_edit = self.can.edit || !self.rules.holds(Rule::PreviewCannotEdit);
        let blocks = Blocks::of(config, can_edit, self.sender.turn());
        self.blocks = blocks.filter(|_| !self.replaces_message());
    }

    /// The most that one message of the answer holds.
    pub(super) fn message_limit(&self) -> Limit {
        let limit = self.limit();
        let most = self.blocks.as_ref().and_then(Blocks::most);
        Limit {
            max: most.map_or(limit.max, |most| limit.max.min(most)),
            ..limit
        }
    }

    /// A block that did not arrive is sent again: what is behind it is not held with it, and its message is not counted.
    pub(super) fn forget_failed_part(&mut self) {
        self.answer = Arc::default();
        self.give_message_back();
    }

    pub(super) const fn repairs(&self) -> Repairs {
        Repairs {
            fences: self.rules.holds(Rule::SplitFence),
            tables: self.rules.holds(Rule::SplitTable),
        }
    }

    /// True where an operation in the turn's chat would go out now.
    pub(super) fn is_open(&self) -> bool {
        self.sender.is_open()
    }

    /// True where nothing of the turn stands in its chat yet but its placeholder.
    pub(super) const fn is_first(&self) -> bool {
        !self.spoke
    }

    /// Operations that have not ended, in all chats.
    pub(super) fn count_unfinished(&self) -> usize {
        self.held.len() + self.elsewhere.len()
    }

    /// True where something in the turn's chat has not ended.
    pub(super) fn is_held(&self) -> bool {
        !self.held.is_empty()
    }

    /// True where text of the answer is held.
    pub(super) fn holds_text(&self) -> bool {
        self.held.iter().any(|held| held.counted == AnswerPart::Text)
    }

    /// True where something is not finished in other chats.
    pub(super) const fn is_busy_elsewhere(&self) -> bool {
        !self.elsewhere.is_empty()
    }

    /// True where the chat may have one more message of the turn.
    pub(super) fn may_send_message(&self) -> bool {
        self.quota.is_left()
    }

    /// Counts one more message of the turn; false where the chat has as many as it may have, and then the run is stopped.
    pub(super) fn claim_message(&mut self) -> bool {
        let may = self.may_send_message();
        if may {
            self.quota.messages += 1;
        } else {
            self.chat_full.cancel();
        }
        may
    }

    /// Counts one more message of the turn in the chat that this sends to, like [`Self::claim_message`].
    pub(super) fn claim_message_by(&mut self, sender: &OperationSender) -> bool {
        if !sender.is_elsewhere() {
            return self.claim_message();
        }
        let may = self.quota.claim_elsewhere(sender.channel().id(), sender.target());
        if !may {
            self.chat_full.cancel();
        }
        may
    }

    /// A message that was counted is not sent.
    pub(super) fn give_message_back(&mut self) {
        self.quota.messages = self.quota.messages.saturating_sub(1);
    }

    /// Counts messages that an earlier process sent.
    pub(super) fn count_messages(&mut self, sent: u32) {
        self.quota.messages += sent;
    }

    /// Leaves out a message beside the answer, and says so in the journal.
    pub(super) fn leave_out(&mut self) -> Result<(), StoreError> {
        self.quota.left_out = true;
        self.warn(LEFT_OUT.to_owned())
    }
}
