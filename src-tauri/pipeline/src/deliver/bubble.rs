//! One assistant message on its way to the screen: a live preview where the channel can edit, further
//! messages where one is not enough, and in the end the whole text.

use super::{courier::Outgoing, desk::Desk};
use crate::{
    config::Narration,
    leaks::Place,
    rules::Rule,
    split::{Limit, Piece, Splitter},
};
use foldback_store::StoreError;
use foldback_wire::{
    Body, HoldReason, Kind, MessageId, Operation, Outcome, OutcomeCode, RefusalCode, Timestamp,
};
use std::time::Duration;

/// Live frames that fail in a row before the preview is given up; the complete text is sent all the same.
const LIVE_FAILURES: u32 = 3;

/// A message on the platform that later text replaces.
#[derive(Debug, Clone)]
pub(crate) struct Shown {
    pub(crate) id: MessageId,
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
    /// Parts that did not arrive.
    failed: u32,
    /// Live frames that failed in a row.
    failures: u32,
    /// The platform wants no frame before this.
    quiet_until: Timestamp,
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
            failed: 0,
            failures: 0,
            quiet_until: Timestamp::default(),
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
        while let Some(piece) = self.splitter.next_full(&self.clean, limit(desk), desk.repairs()) {
            self.settle(desk, &piece).await?;
        }
        let (Some(due), Some(piece)) = (self.due(desk), self.splitter.rest(&self.clean)) else {
            return Ok(());
        };
        if due > desk.now() {
            if !std::mem::replace(&mut self.waiting, true) {
                let reason = HoldReason::EditInterval;
                desk.note(Kind::Waiting {
                    op: None,
                    reason,
                    until: Some(due),
                })?;
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
        while let Some(piece) = self.splitter.next_full(&self.clean, limit(desk), desk.repairs()) {
            self.settle(desk, &piece).await?;
        }
        if let Some(piece) = self.splitter.rest(&self.clean) {
            self.settle(desk, &piece).await?;
        }
        if self.failed == 0 {
            desk.remove_placeholder().await?;
        }
        Ok(())
    }

    /// Time between frames; `None` where there are no live frames (any more).
    fn interval(&self, desk: &Desk) -> Option<Duration> {
        let forced = (!desk.rules.holds(Rule::PreviewCannotEdit)).then_some(0);
        let interval = desk.can.edit_interval_ms.filter(|_| desk.can.edit).or(forced)?;
        if desk.narration == Narration::Hide && forced.is_none() || self.failures >= LIVE_FAILURES {
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

    /// An answer without a reply target goes into the placeholder; a reply is a message of its own.
    fn take_placeholder(&mut self, desk: &mut Desk) {
        if self.parts == 0 && self.shown.is_none() && self.reply_to.is_none() {
            self.shown = desk.placeholder.take();
        }
    }

    async fn frame(&mut self, desk: &mut Desk, piece: &Piece) -> Result<(), StoreError> {
        let text = piece.text(&self.clean);
        let said = self.said(piece);
        let sent = match &self.shown {
            Some(shown) => {
                let edit = said.edit(shown.id.clone(), text.clone()).live(true);
                desk.post(edit).await?
            }
            None => self.send(desk, &text, said, true).await?,
        };
        let Some((outcome, retry_after)) = sent else {
            return Ok(());
        };
        let now = desk.now();
        if arrived(&outcome) {
            self.failures = 0;
            let id = outcome.message.or_else(|| self.shown.take().map(|s| s.id));
            self.shown = id.map(|id| Shown { id, text, at: now });
        } else {
            self.failures += 1;
            let pause = desk.can.edit_interval_ms.map(Duration::from_millis);
            self.quiet_until = now.plus(retry_after.or(pause).unwrap_or_default());
        }
        Ok(())
    }

    /// Makes a piece final: the shown message gets its text, or a new message does.
    async fn settle(&mut self, desk: &mut Desk, piece: &Piece) -> Result<(), StoreError> {
        let text = piece.text(&self.clean);
        let said = self.said(piece);
        let mut stale = None;
        let mut arrived_so_far = false;
        if let Some(shown) = self.shown.take() {
            if shown.text == text {
                arrived_so_far = true;
            } else {
                self.wait_for_edit(desk, &shown).await?;
                let edit = said.clone().edit(shown.id.clone(), text.clone());
                match desk.post(edit).await? {
                    Some((outcome, _)) if outcome.code == OutcomeCode::Failed => {
                        desk.warn(format!(
                            "message {} could not be edited; the text is sent anew",
                            shown.id
                        ))?;
                        // What is gone needs no removal.
                        stale = (outcome.refusal != Some(RefusalCode::Gone)).then_some(shown.id);
                    }
                    _ => arrived_so_far = true,
                }
            }
        }
        if !arrived_so_far {
            match self.send(desk, &text, said, false).await? {
                Some((outcome, _)) if !arrived(&outcome) => self.failed += 1,
                Some(_) => {
                    if let Some(old) = stale {
                        desk.discard(old).await?;
                    }
                }
                None => {}
            }
        }
        self.parts += 1;
        self.waiting = false;
        Ok(())
    }

    /// A new message; the first one of an answer carries the reply target, and is sent plainly when the
    /// platform refuses that.
    pub(super) async fn send(
        &mut self,
        desk: &mut Desk,
        text: &str,
        said: Said,
        live: bool,
    ) -> Result<Option<(Outcome, Option<Duration>)>, StoreError> {
        let reply_to = self
            .reply_to
            .clone()
            .filter(|_| self.parts == 0 || !desk.rules.holds(Rule::DeliverReply));
        let Some(target) = reply_to else {
            return desk.post(said.text(text.to_owned(), None).live(live)).await;
        };
        let reply = said
            .clone()
            .text(text.to_owned(), Some(target.clone()))
            .live(live);
        let sent = desk.post(reply).await?;
        let refused = matches!(&sent, Some((Outcome { code: OutcomeCode::Failed, refusal: Some(refusal), .. }, _))
            if matches!(refusal, RefusalCode::Gone | RefusalCode::Rejected | RefusalCode::Unsupported));
        if !refused || !desk.rules.holds(Rule::DeliverReplyRefused) {
            return Ok(sent);
        }
        desk.forgive();
        desk.warn(format!("a reply to {target} was refused; sent without"))?;
        self.reply_to = None;
        desk.post(said.text(text.to_owned(), None).live(live)).await
    }

    async fn wait_for_edit(&mut self, desk: &Desk, shown: &Shown) -> Result<(), StoreError> {
        let Some(interval) = self.interval(desk) else {
            return Ok(());
        };
        let due = shown.at.plus(interval).max(self.quiet_until);
        if due > desk.now() {
            if !self.waiting {
                desk.note(Kind::Waiting {
                    op: None,
                    reason: HoldReason::EditInterval,
                    until: Some(due),
                })?;
            }
            desk.courier.recorder.clock.sleep_until(due).await;
        }
        Ok(())
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
