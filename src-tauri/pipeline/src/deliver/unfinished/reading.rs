//! One assistant message of such a turn, as far as its events were read.

use super::UnfinishedMessage;
use crate::deliver::begun::ShownMessage;
use foldback_wire::{
    Body, Directive, DirectiveRef, Fate, Intent, Kind, MessageId, OpKind, Outcome, OutcomeCode, Range, Span,
    SteadyTime,
};
use std::collections::{BTreeMap, HashSet};

/// A message as far as its events were read.
#[derive(Default)]
pub(super) struct MessageReader {
    raw: String,
    ranges: Vec<Range>,
    pub(super) live_edit: Option<LiveEdit>,
    pub(super) message: UnfinishedMessage,
    /// The messages of which nobody knows whether a live edit is still to come, each with its final text from when that
    /// arrived until it was written once more.
    late_edits: BTreeMap<MessageId, Option<Body>>,
}

/// The live edit that was acknowledged last.
pub(super) struct LiveEdit {
    pub(super) id: MessageId,
    pub(super) start: usize,
    /// `None` where nobody knows which of two texts it shows.
    pub(super) body: Option<Body>,
    pub(super) at: SteadyTime,
}

impl MessageReader {
    pub(super) fn fold_kind(&mut self, kind: &Kind) {
        let message = &mut self.message;
        match kind {
            Kind::Chunk { text, .. } => self.raw.push_str(text),
            Kind::Decided { range, .. } if range.fate == Fate::Show => self.ranges.push(range.clone()),
            Kind::HeaderRead { header, .. } => message.header = header.clone(),
            Kind::Directive { at, directive } => {
                message.next_index = message.next_index.max(at.index.saturating_add(1));
                message.has_voice |= matches!(directive, Directive::Voice { .. });
                message.directives.push((*at, directive.clone()));
            }
            Kind::MessageEnded { narration, .. } => {
                message.narration = *narration;
                message.ended = true;
            }
            _ => {}
        }
    }

    /// Nobody knows whether a live edit of this intent stands on the screen.
    pub(super) fn note_doubt(&mut self, intent: &Intent) {
        if intent.kind != OpKind::EditText {
            self.message.begun.lost = true;
            return;
        }
        if let Some(message) = &intent.message {
            self.late_edits.entry(message.clone()).or_default();
        }
        if let Some(live_edit) = &mut self.live_edit {
            live_edit.body = None;
        }
    }

    /// Takes how the final edit of a message ended; the one that wrote it once more leaves no doubt about it.
    pub(super) fn settle_edit(&mut self, intent: &Intent, arrived: bool) {
        let Some(message) = &intent.message else { return };
        match self.late_edits.get_mut(message) {
            Some(text @ None) if arrived => text.clone_from(&intent.body),
            _ => drop(self.late_edits.remove(message)),
        }
    }

    /// Takes back a block that did not arrive, so that it is said again with the rest; not where more was intended behind it.
    pub(super) fn take_back(&mut self, span: Span, outcome: &Outcome) -> bool {
        let begun = &mut self.message.begun;
        let lost = outcome.code == OutcomeCode::Failed && outcome.replaced_by.is_none();
        let is_last = lost && begun.said == span.end;
        if is_last {
            begun.said = span.start;
            begun.parts = begun.parts.saturating_sub(1);
        }
        is_last
    }

    fn into_message(self) -> UnfinishedMessage {
        let Self {
            raw,
            ranges,
            live_edit,
            mut message,
            late_edits,
        } = self;
        for range in ranges {
            let bytes = raw.get(range.span.start..range.span.end).unwrap_or_default();
            message.clean.push_str(range.shown_as.as_deref().unwrap_or(bytes));
        }
        let said = message.begun.said;
        let shown = live_edit.filter(|live_edit| live_edit.start >= said);
        message.begun.unconfirmed = match &shown {
            Some(live_edit) => late_edits.get(&live_edit.id) == Some(&None),
            // Where nothing is said yet, it was an edit of the placeholder.
            None => said == 0 && late_edits.values().any(Option::is_none),
        };
        if shown.is_none() && said > 0 {
            // A complete message stands where the live edit did.
            message.begun.lost = false;
        }
        let final_texts = late_edits.into_iter().filter_map(|(id, body)| {
            let body = body?;
            let text = text_of(&body, &message.clean)?;
            Some((id, text, body))
        });
        message.begun.doubtful = final_texts.collect();
        message.begun.shown = shown.map(|LiveEdit { id, body, at, .. }| {
            let text = body.and_then(|body| text_of(&body, &message.clean));
            ShownMessage {
                id,
                text: text.unwrap_or_default(),
                at,
            }
        });
        message
    }
}

/// The messages as they were read, without the directives that something was done about.
pub(super) fn left_of(
    readings: BTreeMap<u32, MessageReader>,
    done: &HashSet<DirectiveRef>,
) -> Vec<UnfinishedMessage> {
    let left = |reader: MessageReader| {
        let mut message = reader.into_message();
        message.directives.retain(|(at, _)| !done.contains(at));
        message.is_spoken = done.contains(&DirectiveRef {
            message: message.number,
            index: message.next_index,
        });
        message
    };
    readings.into_values().map(left).collect()
}

/// The text of a message whose clean text this is.
fn text_of(body: &Body, clean: &str) -> Option<String> {
    match body {
        Body::Clean { span, .. } => clean.get(span.start..span.end).map(str::to_owned),
        Body::Literal { text, .. } | Body::Aside { text } => Some(text.clone()),
    }
}
