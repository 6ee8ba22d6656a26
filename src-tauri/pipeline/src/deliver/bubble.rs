//! One assistant message on its way to the screen: a live preview where the channel can edit, further
//! messages where one is not enough, and in the end the whole text.

use super::{
    arrival::arrived,
    begun::{BegunMessage, ShownMessage},
    delivery_queue::OperationCompletion,
    desk::Desk,
    operation::{Delay, OutgoingOperation, Wording, off_screen},
};
use crate::{
    config::Narration,
    rules::Rule,
    split::{Piece, Splitter},
};
use foldback_store::StoreError;
use foldback_wire::{HoldReason, Kind, MessageFlags, MessageId, OutcomeCode, RefusalCode, SteadyTime};
use std::time::Duration;

/// Live frames that fail in a row before the preview is given up; the complete text is sent all the same.
pub(super) const LIVE_FAILURES: u32 = 3;
/// Ends an answer of which more was to come.
const ELLIPSIS: &str = "…";

/// One assistant message.
#[derive(Debug)]
pub(crate) struct Bubble {
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
    /// Live frames that failed in a row.
    failures: u32,
    /// The platform wants no frame before this.
    quiet_until: SteadyTime,
    /// Whether it said so itself.
    limited: bool,
    /// A first frame may stand on the screen, and nobody can edit it: another one could double the message.
    lost: bool,
    /// A live edit has no answer: it may come after the final one, and put its older text back.
    unconfirmed: bool,
    /// The final edits that such a live edit may undo.
    doubtful: Vec<OutgoingOperation>,
    /// More of it was to come, and does not.
    cut_off: bool,
    waiting: bool,
}

impl Bubble {
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
            waiting: false,
        }
    }

    /// One that an earlier process began; `cut_off` where it did not get to its end.
    pub(crate) fn resumed(
        desk: &mut Desk,
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
        desk.count_messages(parts);
        let mut bubble = Self {
            clean,
            shown,
            parts,
            lost,
            unconfirmed,
            doubtful: doubtful.collect(),
            cut_off,
            ..Self::new(message)
        };
        bubble
            .splitter
            .pass(&bubble.clean, said, desk.limit(), desk.repairs());
        bubble
    }

    pub(crate) const fn message(&self) -> u32 {
        self.message
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.clean.push_str(text);
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

    /// When the next live frame may be shown, if there is text that is not shown yet and a message for it to stand in.
    pub(crate) fn due(&self, desk: &Desk) -> Option<SteadyTime> {
        let interval = self.interval(desk)?;
        if !self.is_dirty() || !(self.counted || desk.may_send_message()) {
            return None;
        }
        let after_last = self.shown.as_ref().map(|s| s.at.plus(interval));
        Some(after_last.unwrap_or_default().max(self.quiet_until))
    }

    /// Shows the text so far, if this message is shown live and may be edited now.
    pub(crate) async fn refresh(&mut self, desk: &mut Desk) -> Result<(), StoreError> {
        if !self.has_text() {
            return Ok(());
        }
        if self.interval(desk).is_none() {
            if desk.can.edit_interval_ms.is_none() && !std::mem::replace(&mut self.waiting, true) {
                desk.note(Kind::Waiting {
                    op: None,
                    reason: HoldReason::ChannelCannotEdit,
                    until: None,
                })?;
            }
            return Ok(());
        }
        if !desk.is_open() {
            return Ok(());
        }
        self.take_placeholder(desk);
        while self.has_message(desk)
            && let Some(piece) = self.next_full(desk)
        {
            self.settle(desk, &piece).await?;
        }
        if !self.has_message(desk) {
            return Ok(());
        }
        let (Some(due), Some(piece)) = (self.due(desk), self.splitter.rest(&self.clean)) else {
            return Ok(());
        };
        if due > desk.now() {
            if !std::mem::replace(&mut self.waiting, true) {
                self.note_wait(desk, due)?;
            }
            return Ok(());
        }
        self.waiting = false;
        self.frame(desk, &piece).await
    }

    /// Everything is said: what is shown becomes the final text, the rest follows.
    pub(crate) async fn finish(&mut self, desk: &mut Desk) -> Result<(), StoreError> {
        if !self.has_text() {
            return Ok(());
        }
        self.take_placeholder(desk);
        while self.has_message(desk)
            && let Some(piece) = self.next_full(desk)
        {
            self.settle(desk, &piece).await?;
        }
        if let Some(mut piece) = self.splitter.rest(&self.clean) {
            if self.has_message(desk) {
                if self.cut_off {
                    piece.suffix.push_str(ELLIPSIS);
                }
                self.settle(desk, &piece).await?;
            } else {
                desk.keep_rest(piece.span.of(&self.clean), self.is_ephemeral());
            }
        }
        self.confirm(desk).await?;
        desk.remove_placeholder().await
    }

    fn next_full(&mut self, desk: &Desk) -> Option<Piece> {
        let mut limit = desk.limit();
        if self.cut_off {
            limit.max = limit.max.saturating_sub(limit.unit.measure(ELLIPSIS));
        }
        self.splitter.next_full(&self.clean, limit, desk.repairs())
    }

    /// True where what comes next has a message to stand in: the one that is shown, or one more of those that the
    /// answer may have. Nothing is counted before there is text for it.
    fn has_message(&mut self, desk: &mut Desk) -> bool {
        if !self.counted && self.splitter.rest(&self.clean).is_some() {
            self.counted = desk.takes_message();
            return self.counted;
        }
        true
    }

    /// Counts the first message as soon as there is text for it, before others of the turn are. Text that may turn out to
    /// be hidden stops no run.
    pub(crate) fn claim_message(&mut self, desk: &mut Desk) {
        let is_first = self.parts == 0 && !self.counted && self.has_text();
        if is_first && (desk.narration == Narration::Show || desk.may_send_message()) {
            self.has_message(desk);
        }
    }

    /// It is hidden: no message of it was sent.
    pub(crate) fn give_message_back(&mut self, desk: &mut Desk) {
        if std::mem::take(&mut self.counted) {
            desk.give_message_back();
        }
    }

    /// Repeats the final edits that a live edit without an answer may have undone.
    async fn confirm(&mut self, desk: &mut Desk) -> Result<(), StoreError> {
        for edit in std::mem::take(&mut self.doubtful) {
            desk.confirm_edit(edit.flagged(&self.flags)).await?;
        }
        Ok(())
    }

    /// Time between frames; `None` where there are no live frames (any more), also behind a message of the answer that did
    /// not arrive.
    fn interval(&self, desk: &Desk) -> Option<Duration> {
        let forced = (!desk.rules.holds(Rule::PreviewCannotEdit)).then_some(0);
        let interval = desk.can.edit_interval_ms.filter(|_| desk.can.edit).or(forced)?;
        if desk.narration == Narration::Hide && forced.is_none()
            || self.failures >= LIVE_FAILURES
            || desk.no_frames
            || self.lost
            || self.is_ephemeral()
            || desk.answer.held_with().is_some()
        {
            return None;
        }
        Some(if desk.rules.holds(Rule::PreviewInterval) {
            Duration::from_millis(interval)
        } else {
            Duration::ZERO
        })
    }

    fn is_dirty(&self) -> bool {
        let text = self
            .splitter
            .rest(&self.clean)
            .map(|piece| piece.text(&self.clean));
        text.is_some() && text.as_ref() != self.shown.as_ref().map(|s| &s.text)
    }

    /// An answer without a reply target goes into the placeholder; a reply is a message of its own, and so is what only
    /// one person sees. So is what follows another message of the turn: the placeholder stands above that one.
    fn take_placeholder(&mut self, desk: &mut Desk) {
        let fits = self.reply_to.is_none() && !self.is_ephemeral();
        if self.parts == 0 && self.shown.is_none() && fits {
            self.shown = desk.replaced.take();
            if self.shown.is_none() && desk.is_first() {
                self.shown = desk.placeholder.take();
            }
        }
    }

    async fn frame(&mut self, desk: &mut Desk, piece: &Piece) -> Result<(), StoreError> {
        let text = piece.text(&self.clean);
        let said = Wording::of(piece, self.message, &self.clean);
        let frame = match &self.shown {
            Some(shown) => self.edit(said, shown.id.clone(), text.clone()).live(true),
            None => self.wanted(desk, &text, said, true),
        };
        let frame = frame.part(&desk.answer);
        let Some(OperationCompletion {
            outcome,
            retry_after,
            instead,
            ..
        }) = desk.post(frame).await?
        else {
            return Ok(());
        };
        if instead {
            self.reply_to = None;
        }
        let now = desk.now();
        if arrived(&outcome) {
            self.failures = 0;
            let id = outcome.message.or_else(|| self.shown.take().map(|s| s.id));
            self.shown = id.map(|id| ShownMessage { id, text, at: now });
            return Ok(());
        }
        if outcome.code == OutcomeCode::Unknown {
            match &mut self.shown {
                Some(shown) => {
                    shown.text.clear();
                    self.unconfirmed = true;
                }
                None => self.lost = true,
            }
        }
        // A refusal for good comes again with the next frame: the final text decides.
        self.failures = match outcome.refusal {
            None | Some(RefusalCode::Transient | RefusalCode::RateLimited) => self.failures + 1,
            Some(_) => LIVE_FAILURES,
        };
        desk.no_frames |= outcome.refusal == Some(RefusalCode::Forbidden);
        let pause = desk.can.edit_interval_ms.map(Duration::from_millis);
        self.quiet_until = now.plus(retry_after.or(pause).unwrap_or_default());
        self.limited = retry_after.is_some();
        Ok(())
    }

    /// Makes a piece final: the shown message gets its text, or a new message does.
    async fn settle(&mut self, desk: &mut Desk, piece: &Piece) -> Result<(), StoreError> {
        let text = piece.text(&self.clean);
        let shown = self.shown.take();
        let unconfirmed = std::mem::take(&mut self.unconfirmed);
        let is_whole = shown.as_ref().is_some_and(|shown| shown.text == text) && !unconfirmed;
        if is_whole && desk.answer.held_with().is_none() {
            // The last frame is the message.
            desk.tally.texts += 1;
        } else {
            let said = Wording::of(piece, self.message, &self.clean);
            let anew = self.wanted(desk, &text, said.clone(), false);
            let mut doubtful = None;
            let wanted = match shown {
                Some(ShownMessage { id, at, .. }) => {
                    let delay = self.delay_of_edit(desk, at);
                    let edit = self.edit(said, id.clone(), text);
                    if delay.is_some_and(|delay| self.is_too_long(desk, delay)) {
                        desk.warn(format!(
                            "the platform wants no edit of message {id} before {}; the text is sent anew",
                            desk.sender.recorder.clock.time_of(self.quiet_until)
                        ))?;
                        if unconfirmed {
                            desk.warn_of_late_edit(&edit.operation)?;
                        }
                        anew.replacing(off_screen(&id, &desk.can))
                    } else {
                        doubtful = unconfirmed.then(|| edit.clone());
                        let edit = edit.delayed(delay);
                        edit.or_anew(off_screen(&id, &desk.can), anew)
                    }
                }
                None => anew,
            };
            if std::mem::take(&mut self.lost) {
                desk.warn(format!(
                    "message {} may stand on the screen twice, once in part: nobody knows whether its first \
                     frame arrived",
                    self.message
                ))?;
            }
            let sent = desk.post(wanted.part(&desk.answer)).await?;
            if let Some(edit) = doubtful {
                self.doubtful.extend(desk.doubt_edit(edit, sent.as_ref())?);
            }
        }
        self.parts += 1;
        self.counted = false;
        self.waiting = false;
        Ok(())
    }

    /// A new message; the first one of an answer carries the reply target, and is sent plainly when the
    /// platform refuses that.
    pub(super) fn wanted(&self, desk: &Desk, text: &str, said: Wording, live: bool) -> OutgoingOperation {
        let first = self.parts == 0 || !desk.rules.holds(Rule::DeliverReply);
        let new = |said: Wording, target| said.text(text.to_owned(), target).flagged(&self.flags).live(live);
        let plain = new(said.clone(), None);
        match self.reply_to.as_ref().filter(|_| first) {
            Some(target) => new(said, Some(target.clone())).or_plainly(plain, target),
            None => plain,
        }
    }

    fn edit(&self, said: Wording, message: MessageId, text: String) -> OutgoingOperation {
        said.edit(message, text).flagged(&self.flags)
    }

    /// The pause before the message that was shown at this time may be edited; `None` where it may be now.
    fn delay_of_edit(&self, desk: &Desk, shown_at: SteadyTime) -> Option<Delay> {
        let paced = self
            .interval(desk)
            .map(|interval| shown_at.plus(interval).max(self.quiet_until));
        let limited = Some(self.quiet_until).filter(|_| self.limited);
        let until = paced.max(limited).filter(|until| *until > desk.now())?;
        Some(self.delay(until))
    }

    /// True where the platform wants to be left alone for longer than any operation waits.
    fn is_too_long(&self, desk: &Desk, delay: Delay) -> bool {
        self.limited && delay.until.since(desk.now()) > desk.sender.queues.policy.backoff_max.0
    }

    /// Tells that a live edit waits, and for what.
    fn note_wait(&self, desk: &Desk, until: SteadyTime) -> Result<(), StoreError> {
        let Delay { until, reason } = self.delay(until);
        desk.note(Kind::Waiting {
            op: None,
            reason,
            until: Some(desk.sender.recorder.clock.time_of(until)),
        })
    }

    /// A pause until this time, and what asks for it.
    fn delay(&self, until: SteadyTime) -> Delay {
        let reason = if self.limited && self.quiet_until >= until {
            HoldReason::RateLimited
        } else {
            HoldReason::EditInterval
        };
        Delay { until, reason }
    }
}
