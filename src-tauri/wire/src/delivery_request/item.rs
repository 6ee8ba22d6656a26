//! One piece of what came of an action, and how it is cut.

use super::NAME_BYTES;
use serde::{Deserialize, Serialize};

/// Bytes within which a cut moves to white space, so that it goes through no word.
const WORD_BYTES: usize = 512;

/// One piece of what came of an action.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ResultItem {
    /// What it is, such as `stdout`: at most 256 bytes.
    pub label: String,
    /// Its text; where bytes are left out, the beginning of it, at most 4 KiB.
    pub text: String,
    /// The end of its text behind what is left out, at most 4 KiB; empty where nothing is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[ts(as = "Option<String>", optional)]
    pub tail: String,
    /// Bytes of its whole text, as it was produced.
    pub bytes: u64,
    /// The bytes of the whole text that are left out: from, to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub omitted: Option<(u64, u64)>,
    /// The exit status, where a program ended with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub exit: Option<i32>,
    /// How it ended, in words, where the exit status does not say it, such as `stopped after 30 s`: at most 256 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub note: Option<String>,
}

impl ResultItem {
    /// An item with its whole text, which [`masked_and_bounded`](super::DeliveryRequest::masked_and_bounded) cuts.
    pub fn new(label: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            label: label.into(),
            bytes: text.len() as u64,
            text,
            ..Self::default()
        }
    }

    /// An item of which only the beginning and the end were kept as it came: `bytes` is the length of the whole. Nothing is
    /// left out where both together are as long. A word that the cut may have gone through goes with what is left out: half
    /// a secret would not be recognised.
    pub fn of_parts(
        label: impl Into<String>,
        head: impl Into<String>,
        tail: impl Into<String>,
        bytes: u64,
    ) -> Self {
        let (mut head, mut tail) = (head.into(), tail.into());
        if bytes <= (head.len() + tail.len()) as u64 {
            return Self {
                bytes,
                ..Self::new(label, head + &tail)
            };
        }
        head.truncate(head_to(&head, head.len()));
        tail.drain(..tail_from(&tail, tail.len()));
        let (from, to) = (head.len() as u64, bytes.saturating_sub(tail.len() as u64));
        Self {
            label: label.into(),
            text: head,
            tail,
            bytes,
            omitted: Some((from, to)),
            ..Self::default()
        }
    }

    /// The same with the exit status of its program.
    #[must_use]
    pub fn exited(mut self, status: i32) -> Self {
        self.exit = Some(status);
        self
    }

    /// The same with words about its end.
    #[must_use]
    pub fn noted(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// Cuts its texts, the beginning and the end to so many bytes each.
    pub(super) fn bound(&mut self, part: usize) {
        cut(&mut self.label, NAME_BYTES);
        if let Some(note) = &mut self.note {
            cut(note, NAME_BYTES);
        }
        let (from, to) = self.omitted.unwrap_or((0, 0));
        if self.omitted.is_none() {
            if self.text.len() <= 2 * part {
                return;
            }
            self.tail = self.text[tail_from(&self.text, part)..].to_owned();
            self.text.truncate(head_to(&self.text, part));
            // Masking changed the length: the places in the whole are as near as they can be.
            let kept = self.tail.len() as u64;
            let from = self.text.len() as u64;
            self.omitted = Some((from, self.bytes.saturating_sub(kept).max(from)));
            return;
        }
        let (head, tail) = (self.text.len(), self.tail.len());
        if head > part {
            self.text.truncate(head_to(&self.text, part));
        }
        if tail > part {
            self.tail = self.tail[tail_from(&self.tail, part)..].to_owned();
        }
        let from = from.saturating_sub((head - self.text.len()) as u64);
        self.omitted = Some((from, to.saturating_add((tail - self.tail.len()) as u64)));
    }
}

/// Cuts a text to at most so many bytes, between characters.
pub(super) fn cut(text: &mut String, bytes: usize) {
    text.truncate(text.floor_char_boundary(bytes));
}

/// The end of a beginning of at most so many bytes: behind white space, where there is some shortly before.
fn head_to(text: &str, bytes: usize) -> usize {
    let end = text.floor_char_boundary(bytes);
    let near = text.floor_char_boundary(end.saturating_sub(WORD_BYTES));
    let space = text[near..end].rfind(char::is_whitespace);
    space.map_or(end, |at| near + at)
}

/// The start of an end of at most so many bytes: at white space, where there is some shortly behind.
fn tail_from(text: &str, bytes: usize) -> usize {
    let start = text.ceil_char_boundary(text.len().saturating_sub(bytes));
    let near = text.ceil_char_boundary(text.len().min(start + WORD_BYTES));
    let space = text[start..near].find(char::is_whitespace);
    space.map_or(start, |at| start + at)
}
