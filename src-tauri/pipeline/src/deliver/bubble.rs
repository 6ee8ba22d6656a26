//! One assistant message on its way to the screen: a live preview where the channel can edit, further
//! messages where one is not enough, and in the end the whole text.

use super::{
    courier::Outgoing,
    desk::{Desk, Sent},
    fallback::off_screen,
};
use crate::{
    config::Narration,
    leaks::Place,
    rules::Rule,
    split::{Limit, Piece, Splitter},
};
use foldback_store::StoreError;
use foldback_wire::{Body, HoldReason, Kind, MessageId, Operation, Outcome, OutcomeCode, Timestamp};
use std::time::Duration;

/// Live frames that fail in a row before the preview is given up; the complete text is sent all the same.
pub(super) const LIVE_FAILURES: u32 = 3;

/// A message on the platform that later text replaces.
#[derive(Debug, Clone)]
pub(crate) struct Shown {
    pub(crate) id: MessageId,
    /// Empty where nobody knows which of two texts it shows.
    pub(crate) text: String,
    /// When the platform acknowledged it.
    pub(crate) at: Timestamp,
}

/// One assistant message.
#[derive(Debug)]
pub(crate) struct Bubble {
    message: u32,
    clean: String,
    splitter: Splitter,
    shown: Option<Shown>,
    reply_to: Option<MessageId>,
    /// Messages that are complete.
    parts: u32,
    /// The message that is being written is counted among those of the answer.
    counted: bool,
    /// Live frames that failed in a row.
    failures: u32,
    /// The platform wants no frame before this.
    quiet_until: Timestamp,
    /// Whether it said so itself.
    limited: bool,
    /// A first frame may stand on the screen, and nobody can edit it: another one could double the message.
    lost: bool,
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
            parts: 0,
            counted: false,
            failures: 0,
            quiet_until: Timestamp::default(),
            limited: false,
            lost: false,
            waiting: false,
        }
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

    pub(crate) fn answer(&mut self, reply_to: Option<MessageId>) {
        self.reply_to = reply_to;
    }

    /// When the next live frame may be shown, if there is text that is not shown yet.
    pub(crate) fn due(&self, desk: &Desk) -> Option<Timestamp> {
        let interval = self.interval(desk)?;
        if !self.is_dirty() {
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
        if let Some(piece) = self.splitter.rest(&self.clean) {
            if self.has_message(desk) {
                self.settle(desk, &piece).await?;
            } else {
                desk.keep_rest(piece.span.of(&self.clean));
            }
        }
        desk.remove_placeholder().await
    }

    fn next_full(&mut self, desk: &Desk) -> Option<Piece> {
        self.splitter.next_full(&self.clean, limit(desk), desk.repairs())
    }

    /// True where what comes next has a message to stand in: the one that is shown, or one more of those that the
    /// answer may have. Nothing is counted before there is text for it.
    fn has_message(&mut self, desk: &mut Desk) -> bool {
        self.counted = self.counted || self.splitter.rest(&self.clean).is_none() || desk.takes_message();
        self.counted
    }

    /// Time between frames; `None` where there are no live frames (any more).
    fn interval(&self, desk: &Desk) -> Option<Duration> {
        let forced = (!desk.rules.holds(Rule::PreviewCannotEdit)).then_some(0);
        let interval = desk.can.edit_interval_ms.filter(|_| desk.can.edit).or(forced)?;
        if desk.narration == Narration::Hide && forced.is_none()
            || self.failures >= LIVE_FAILURES
            || self.lost
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

    /// An answer without a reply target goes into the placeholder; a reply is a message of its own. So is what
    /// follows another message of the turn: the placeholder stands above that one.
    fn take_placeholder(&mut self, desk: &mut Desk) {
        if desk.is_first() && self.parts == 0 && self.shown.is_none() && self.reply_to.is_none() {
            self.shown = desk.placeholder.take();
        }
    }

    async fn frame(&mut self, desk: &mut Desk, piece: &Piece) -> Result<(), StoreError> {
        let text = piece.text(&self.clean);
        let said = self.said(piece);
        let frame = match &self.shown {
            Some(shown) => said.edit(shown.id.clone(), text.clone()).live(true),
            None => self.wanted(desk, &text, said, true),
        };
        let Some(Sent {
            outcome,
            retry_after,
            instead,
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
            self.shown = id.map(|id| Shown { id, text, at: now });
            return Ok(());
        }
        if outcome.code == OutcomeCode::Unknown {
            match &mut self.shown {
                Some(shown) => shown.text.clear(),
                None => self.lost = true,
            }
        }
        self.failures += 1;
        let pause = desk.can.edit_interval_ms.map(Duration::from_millis);
        self.quiet_until = now.plus(retry_after.or(pause).unwrap_or_default());
        self.limited = retry_after.is_some();
        Ok(())
    }

    /// Makes a piece final: the shown message gets its text, or a new message does.
    async fn settle(&mut self, desk: &mut Desk, piece: &Piece) -> Result<(), StoreError> {
        let text = piece.text(&self.clean);
        let shown = self.shown.take();
        if shown.as_ref().is_some_and(|shown| shown.text == text) {
            // The last frame is the message.
            desk.tally.texts += 1;
        } else {
            let said = self.said(piece);
            let anew = self.wanted(desk, &text, said.clone(), false);
            let wanted = match shown {
                Some(Shown { id, at, .. }) if self.wait_for_edit(desk, at).await? => said
                    .edit(id.clone(), text)
                    .or_anew(off_screen(&id, &desk.can), anew),
                Some(Shown { id, .. }) => {
                    desk.warn(format!(
                        "the platform wants no edit of message {id} before {}; the text is sent anew",
                        self.quiet_until
                    ))?;
                    anew.replacing(off_screen(&id, &desk.can))
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
            desk.post(wanted).await?;
        }
        self.parts += 1;
        self.counted = false;
        self.waiting = false;
        Ok(())
    }

    /// A new message; the first one of an answer carries the reply target, and is sent plainly when the
    /// platform refuses that.
    pub(super) fn wanted(&self, desk: &Desk, text: &str, said: Said, live: bool) -> Outgoing {
        let first = self.parts == 0 || !desk.rules.holds(Rule::DeliverReply);
        let plain = said.clone().text(text.to_owned(), None).live(live);
        match self.reply_to.as_ref().filter(|_| first) {
            Some(target) => {
                let reply = said.text(text.to_owned(), Some(target.clone())).live(live);
                reply.or_plainly(plain, target)
            }
            None => plain,
        }
    }

    /// Waits until the message that was shown at this time may be edited, or the process ends: then the edit
    /// goes into the outbox at once. False when the platform wants to be left alone for longer than any operation
    /// waits.
    async fn wait_for_edit(&mut self, desk: &Desk, shown_at: Timestamp) -> Result<bool, StoreError> {
        let paced = self
            .interval(desk)
            .map(|interval| shown_at.plus(interval).max(self.quiet_until));
        let due = paced.unwrap_or_default();
        let due = if self.limited {
            due.max(self.quiet_until)
        } else {
            due
        };
        let wait = due.since(desk.now());
        if wait.is_zero() {
            return Ok(true);
        }
        let lanes = &desk.courier.lanes;
        if self.limited && wait > lanes.policy.backoff_max.0 {
            return Ok(false);
        }
        if !self.waiting {
            self.note_wait(desk, due)?;
        }
        let clock = &desk.courier.recorder.clock;
        lanes.stop.run_until_cancelled(clock.sleep_until(due)).await;
        Ok(true)
    }

    /// Tells that an edit waits, and for what.
    fn note_wait(&self, desk: &Desk, until: Timestamp) -> Result<(), StoreError> {
        let limited = self.limited && self.quiet_until >= until;
        desk.note(Kind::Waiting {
            op: None,
            reason: if limited {
                HoldReason::RateLimited
            } else {
                HoldReason::EditInterval
            },
            until: Some(until),
        })
    }

    fn said(&self, piece: &Piece) -> Said {
        let (message, span) = (self.message, piece.span);
        let body = if piece.is_verbatim() {
            Body::Clean { message, span }
        } else {
            Body::Literal {
                text: piece.text(&self.clean),
            }
        };
        let place = Place {
            message,
            span,
            prefix: piece.prefix.len(),
            suffix: piece.suffix.len(),
        };
        Said {
            body,
            place: Some(place),
        }
    }
}

/// What a message says: as the journal keeps it, and where it comes from in the answer's clean text.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    body: Body,
    place: Option<Place>,
}

impl Said {
    /// Text that no agent wrote.
    pub(super) fn own(text: &str) -> Self {
        let body = Body::Literal {
            text: text.to_owned(),
        };
        Self { body, place: None }
    }

    fn text(self, text: String, reply_to: Option<MessageId>) -> Outgoing {
        Outgoing::text(text, reply_to, self.body).showing(self.place)
    }

    fn edit(self, message: MessageId, text: String) -> Outgoing {
        Outgoing::edit(message, text, self.body).showing(self.place)
    }
}

fn limit(desk: &Desk) -> Limit {
    let limit = Limit::of(&desk.can);
    Limit {
        max: if desk.rules.holds(Rule::SplitLimit) {
            limit.max
        } else {
            usize::MAX
        },
        markup: limit.markup.filter(|_| desk.rules.holds(Rule::SplitRendered)),
        ..limit
    }
}

/// Whether the platform has it now, for all that is known.
pub(crate) fn arrived(outcome: &Outcome) -> bool {
    matches!(
        outcome.code,
        OutcomeCode::Sent | OutcomeCode::Unchanged | OutcomeCode::DryRun
    )
}

/// Whether an operation puts text of an answer on the screen.
pub(crate) const fn is_text(operation: &Operation) -> bool {
    matches!(operation, Operation::SendText { .. } | Operation::EditText { .. })
}
