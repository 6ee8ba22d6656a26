//! The way in which a text fills the messages of a channel: where it is cut, and what makes it longer.

use crate::{ChannelId, LengthUnit, Markup, Platform, closed::closed_set};
use foldback_directives::Span;
use serde::{Deserialize, Serialize};

closed_set! {
    /// The place where a text was cut, from the best place to the worst.
    pub enum CutPlace {
        Paragraph = "paragraph": "Between two paragraphs.",
        Line = "line": "Between two lines.",
        Sentence = "sentence": "Between two sentences.",
        Word = "word": "Between two words.",
        Inside = "inside": "Inside a word: there was no better place.",
    }
}

/// The way in which messages fill what a channel takes; answer of `ruler`. All lengths are in `unit`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Ruler {
    /// The channel.
    pub channel: ChannelId,
    /// Its platform.
    pub platform: Platform,
    /// The unit that is counted.
    pub unit: LengthUnit,
    /// Longest message.
    pub limit: u32,
    /// The markup that it is rendered as.
    pub markup: Markup,
    /// True where markup and escapes are free: the limit counts what is left once the platform has read them.
    pub free_markup: bool,
    /// The messages in order.
    pub messages: Vec<RuledMessage>,
}

/// One message. It is cut where what is written, or what counts, would be over the limit. `opened + written + closed` is what the splitter made; `shown + markup + escapes` is what is sent of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct RuledMessage {
    /// Its bytes in the clean text; `None` where the text was put together otherwise.
    pub span: Option<Span>,
    /// As the agent wrote it.
    pub written: u32,
    /// Put in before it: the line that opens a code fence again, the head of a table.
    pub opened: u32,
    /// Put in after it: the line that closes a code fence.
    pub closed: u32,
    /// The length that a person reads.
    pub shown: u32,
    /// Marks and tags of the platform.
    pub markup: u32,
    /// The length that escaping adds, such as the four more characters of `&amp;`.
    pub escapes: u32,
    /// The length that counts against the limit.
    pub counts: u32,
    /// The place where it was cut from the next one; `None` for the last.
    pub cut: Option<CutPlace>,
    /// Its first words.
    pub begins: String,
    /// Its last words.
    pub ends: String,
}
