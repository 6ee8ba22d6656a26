//! What a turn's delivery works with, and the count it keeps.

use super::{
    arrival::{arrived, may_stand},
    asides::Asides,
    begun::ShownMessage,
    delivery_queue::{OperationCompletion, PendingOperation},
    operation::{OutgoingOperation, left, off_screen, stays},
    operation_sender::{OperationSender, SendProgress},
    parts::TextParts,
    reply::message_flags,
    rest::Rest,
    tally::{Counted, Tally, is_file},
};
use crate::{
    config::{Narration, OutputConfig},
    files::SendDir,
    ports::{Port, Ports},
    rules::{Rule, Rules},
    split::{Limit, Repairs},
    voices::Speech,
};
use foldback_store::StoreError;
use foldback_wire::{
    Body, Capabilities, Directive, DirectiveRef, Header, Inbound, Kind, MessageFlags, MessageId, OutcomeCode,
    SteadyTime,
};
use std::{collections::VecDeque, sync::Arc, time::Duration};
use tokio_util::{sync::CancellationToken, task::task_tracker::TaskTrackerToken};

/// Everything a turn's delivery works with.
pub(crate) struct Desk {
    pub(crate) sender: OperationSender,
    pub(crate) can: Capabilities,
    pub(crate) output: OutputConfig,
    pub(crate) narration: Narration,
    pub(crate) files: SendDir,
    pub(crate) speech: Speech,
    /// The message's audio files go out as voice notes.
    pub(super) audio_as_voice: bool,
    /// The message's header so far: files may come before the text that settles it.
    pub(super) header: Header,
    /// A file or a voice note of the message answers the message that its header names.
    pub(super) file_answered: bool,
    /// How long the message's voice directives have been waited for, all of them.
    pub(super) speech_took: Duration,
    /// What of the message was to be heard and is not.
    pub(super) unspoken: Vec<(DirectiveRef, String)>,
    /// Cancelled when somebody stops the run.
    pub(crate) cancel: CancellationToken,
    /// Cancelled when one message more was to come than the chat may have of the turn: the run is stopped.
    pub(crate) chat_full: CancellationToken,
    pub(crate) ports: Arc<Ports>,
    pub(crate) rules: Rules,
    pub(crate) inbound: Inbound,
    pub(super) asides: Asides,
    pub(super) rest: Rest,
    /// The messages of the answer, all of which are held where one before them did not arrive.
    pub(super) answer: Arc<TextParts>,
    pub(crate) placeholder: Option<ShownMessage>,
    /// The message of an earlier turn that the answer is written into.
    pub(super) replaced: Option<ShownMessage>,
    pub(crate) tally: Tally,
    /// The message that an answer without text of its own still answers.
    pub(super) answers: Option<MessageId>,
    /// The flags of such an answer.
    pub(super) answer_flags: MessageFlags,
    /// Dropped when there is nothing left to say: what is held keeps no process from ending.
    pub(crate) busy: Option<TaskTrackerToken>,
    pub(super) held: VecDeque<Held>,
    /// Operations of directives that are waited for no longer: in other chats, or overtaken by the text.
    pub(super) elsewhere: Vec<(Counted, PendingOperation)>,
    /// A message of the turn stands in its chat, or may, or will: what is said next stands below it.
    spoke: bool,
    /// The chat takes no live frames: one was forbidden there.
    pub(super) no_frames: bool,
    /// Directives that wait for the end of their message; only with that rule switched off.
    pub(super) late: Vec<(DirectiveRef, Directive)>,
    /// Raw text, shown instead of the clean one; only with that rule switched off.
    pub(super) raw: String,
}

/// An operation whose outcome comes later.
pub(super) struct Held {
    counted: Counted,
    /// The edit that confirms it, where it arrives and a live edit may undo it.
    confirms: Option<OutgoingOperation>,
    pending: PendingOperation,
}

/// What the end of an operation means for its turn.
#[derive(Clone, Copy)]
struct Weight {
    live: bool,
    counted: Counted,
    /// It puts a message into the turn's chat.
    speaks: bool,
}

impl Weight {
    fn of(sender: &OperationSender, outgoing: &mut OutgoingOperation) -> Self {
        let live = outgoing.live;
        let beside = matches!(outgoing.body, None | Some(Body::Aside { .. }));
        let is_answer = outgoing.is_text() && outgoing.directive.is_none() && !beside;
        let counted = match outgoing.operation.kind() {
            kind if is_file(kind) => Counted::File,
            _ if is_answer && !live => Counted::Text,
            _ => Counted::Nothing,
        };
        Self {
            live,
            counted,
            speaks: !sender.is_elsewhere() && outgoing.makes_message(),
        }
    }
}

impl Desk {
    pub(crate) fn new(
        sender: OperationSender,
        port: Port,
        (files, speech): (SendDir, Speech),
        ports: Arc<Ports>,
        rules: Rules,
        inbound: Inbound,
    ) -> Self {
        let Port { can, output, .. } = port;
        let default = if can.edit {
            Narration::Show
        } else {
            Narration::Hide
        };
        let narration = if rules.holds(Rule::ScanNarration) {
            output.narration.unwrap_or(default)
        } else {
            Narration::Show
        };
        Self {
            sender,
            can,
            narration,
            output,
            files,
            speech,
            audio_as_voice: false,
            header: Header::default(),
            file_answered: false,
            speech_took: Duration::ZERO,
            unspoken: Vec::new(),
            cancel: CancellationToken::new(),
            chat_full: CancellationToken::new(),
            ports,
            rules,
            inbound,
            asides: Asides::default(),
            rest: Rest::default(),
            answer: Arc::default(),
            placeholder: None,
            replaced: None,
            answers: None,
            answer_flags: MessageFlags::default(),
            tally: Tally::default(),
            busy: None,
            held: VecDeque::new(),
            elsewhere: Vec::new(),
            spoke: false,
            no_frames: false,
            late: Vec::new(),
            raw: String::new(),
        }
    }

    /// The flags that the message's header asks for.
    pub(super) fn flags(&self) -> MessageFlags {
        message_flags(&self.header, &self.inbound, &self.can)
    }

    pub(crate) fn now(&self) -> SteadyTime {
        self.sender.recorder.clock.steady()
    }

    pub(crate) fn note(&self, kind: Kind) -> Result<(), StoreError> {
        self.sender.recorder.note(kind)
    }

    pub(crate) fn warn(&self, detail: String) -> Result<(), StoreError> {
        tracing::warn!(text = %detail, "a warning is in the journal");
        self.sender.recorder.warn(detail)
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

    pub(crate) const fn repairs(&self) -> Repairs {
        Repairs {
            fences: self.rules.holds(Rule::SplitFence),
            tables: self.rules.holds(Rule::SplitTable),
        }
    }

    /// Sees something through in the turn's chat, and what follows from it; `None` when it is held, and its
    /// outcome comes later.
    pub(crate) async fn post(
        &mut self,
        outgoing: OutgoingOperation,
    ) -> Result<Option<OperationCompletion>, StoreError> {
        let sender = self.sender.clone();
        self.post_by(&sender, outgoing).await
    }

    /// The same in any chat.
    pub(crate) async fn post_by(
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

    /// Sees operations through in the turn's chat, in order. Their intents and the event that tells of them become durable
    /// together.
    pub(super) async fn post_together<const N: usize>(
        &mut self,
        told: Kind,
        mut outgoing: [OutgoingOperation; N],
    ) -> Result<(), StoreError> {
        let sender = self.sender.clone();
        let weights = outgoing.each_mut().map(|outgoing| Weight::of(&sender, outgoing));
        let told = sender.recorder.draft(told);
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
                // Nobody waits for a live frame: it is dropped when its queue goes on.
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
                        Counted::Nothing
                    };
                    self.held.push_back(Held {
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

    /// What takes a message off the screen; where the channel has nothing for it, the journal is told.
    fn removal(&self, message: &MessageId) -> Result<Option<OutgoingOperation>, StoreError> {
        let removal = OutgoingOperation::removal(&off_screen(message, &self.can));
        if removal.is_none() {
            self.warn(stays(message))?;
        }
        Ok(removal)
    }

    /// Goes on where an earlier process left the turn.
    pub(super) fn go_on(&mut self, tally: Tally, spoke: bool, placeholder: Option<ShownMessage>) {
        self.tally = tally;
        self.spoke = spoke;
        self.placeholder = placeholder;
    }

    /// Writes the answer into a message of an earlier turn, at once and whole: text stands there already.
    pub(crate) fn write_into(&mut self, message: Option<MessageId>) {
        self.no_frames |= message.is_some();
        self.replaced = message.map(|id| ShownMessage {
            id,
            text: String::new(),
            at: SteadyTime::default(),
        });
    }

    /// Whether nothing of the turn stands in its chat yet but its placeholder.
    pub(super) const fn is_first(&self) -> bool {
        !self.spoke
    }

    /// Whether text of the answer is held.
    pub(super) fn holds_text(&self) -> bool {
        self.held.iter().any(|held| held.counted == Counted::Text)
    }

    /// Whether an operation would go out now.
    pub(crate) fn is_open(&self) -> bool {
        self.sender.is_open()
    }

    /// Removes the placeholder, once everything that was to replace it has arrived.
    pub(crate) async fn remove_placeholder(&mut self) -> Result<(), StoreError> {
        if self.held.is_empty()
            && self.tally.unacknowledged == 0
            && self.rules.holds(Rule::DeliverPlaceholder)
            && let Some(placeholder) = self.placeholder.take()
            && let Some(removal) = self.removal(&placeholder.id)?
        {
            self.post(removal).await?;
        }
        Ok(())
    }

    /// The end: the placeholder is removed, or the journal is told why it is not.
    pub(super) async fn give_back_placeholder(&mut self) -> Result<(), StoreError> {
        self.remove_placeholder().await?;
        self.collect_held().await?;
        match &self.placeholder {
            Some(placeholder) if self.rules.holds(Rule::DeliverPlaceholder) => {
                let why = "the answer that was to replace it is not acknowledged";
                self.warn(left(&placeholder.id, why))
            }
            _ => Ok(()),
        }
    }

    pub(super) async fn put_placeholder(&mut self) -> Result<(), StoreError> {
        let live = self.can.edit && self.can.edit_interval_ms.is_some() && self.narration == Narration::Show;
        let text = self.output.placeholder.clone();
        if !live || text.is_empty() || !self.is_open() || self.replaced.is_some() {
            return Ok(());
        }
        // By the sender: it is no answer yet and must not count as one.
        let outgoing = OutgoingOperation::literal(&text).live(true);
        if let SendProgress::Ended(OperationCompletion { outcome, .. }) =
            self.sender.send_operation(outgoing).await?
        {
            if outcome.code == OutcomeCode::Unknown {
                let why =
                    "a placeholder may stand on the screen; nobody knows whether it arrived, so it stays";
                self.warn(why.to_owned())?;
            }
            self.placeholder = outcome.message.map(|id| ShownMessage {
                id,
                text,
                at: self.now(),
            });
        }
        Ok(())
    }

    /// Waits for what was not waited for in other chats. Nobody else need: there is nothing left to say.
    pub(crate) async fn collect_elsewhere(&mut self) -> Result<(), StoreError> {
        for (mut counted, mut pending) in std::mem::take(&mut self.elsewhere) {
            loop {
                let OperationCompletion { outcome, next, .. } = self.sender.completion(pending).await?;
                if outcome.replaced_by.is_none() {
                    self.tally
                        .count_as(std::mem::replace(&mut counted, Counted::Nothing), &outcome);
                }
                match next {
                    Some(next) => pending = next,
                    None => break,
                }
            }
        }
        Ok(())
    }

    /// Whether something is not finished in other chats.
    pub(crate) const fn is_busy_elsewhere(&self) -> bool {
        !self.elsewhere.is_empty()
    }

    /// Takes the edit that is to confirm the final edit that was just held, unless that was refused already.
    pub(super) fn doubt_held(&mut self, edit: OutgoingOperation) {
        if let Some(held) = self.held.back_mut().filter(|held| !held.pending.instead) {
            held.confirms = Some(edit);
        }
    }

    /// Waits for the outcomes of what is held in the turn's chat, and of what follows from them.
    pub(crate) async fn collect_held(&mut self) -> Result<(), StoreError> {
        while let Some(Held {
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
                        .count_as(std::mem::replace(&mut counted, Counted::Nothing), &outcome);
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
