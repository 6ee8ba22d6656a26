//! Conversation logs of other systems, recognised by content and read into one model.
//!
//! The problem: every system writes its own log, none says in its file what the log leaves out, and files are cut off,
//! edited and larger than memory. A reader that fails at the first bad line shows nothing; one that guesses lies.
//!
//! What holds here:
//!
//! - A file is recognised by what stands in it, never by its name.
//! - Reading is pure: bytes in, a [`Transcript`] out; no file is opened, nothing is followed, no clock is asked.
//! - What cannot be read is named with its line, its byte offset and a reason ([`Damage`]); the rest comes in.
//! - What is not known is counted by its type and never guessed ([`Transcript::unknown`]).
//! - A line, or an element of a JSON document, is held up to [`ReadLimits::line`] bytes; a file is read up to
//!   [`ReadLimits::file`] bytes. Pictures and sound are left out while they are read.
//! - An error never repeats what stands in the file: it may be a secret.
//!
//! Example: a log of LettaBot has a line a turn. Its `output` is raw, so it becomes a [`TranscriptTurn`] with one part
//! [`TurnPart::Raw`], and [`lint_turn`] says which bytes of it a bot without a scanner would have shown. A Telegram export
//! has only what was delivered: it becomes [`DeliveredMessage`]s.

mod damage;
mod detect;
mod dialogue;
mod elements;
mod format;
mod formats;
mod json;
mod leak;
mod limits;
mod model;
mod reading;
mod source;
mod tree;

pub use damage::{Damage, DamageReason};
pub use format::{FORMATS, FormatContent, FormatRow, TranscriptFormat};
pub use formats::{lettabot::join_cron, slack::join_slack};
pub use leak::{MessageLeak, MessageLint, TurnLint, lint_turn};
pub use limits::{ReadLimits, Refusal};
pub use model::{
    ChatPlace, Conversation, DeliveredMessage, DeliveredReaction, LogEntry, LogLevel, Person, PersonMessage,
    SlackNames, ToolUse, Transcript, TranscriptTurn, TurnPart, TurnTrigger,
};

use reading::Reading;
use source::Source;
use std::io::Read;

/// Reads a file. Damage within it is no error: it stands in the answer.
///
/// # Errors
/// When the file is empty, of no known format, larger than the limit, or of a version that only a newer Foldback reads.
pub fn read(input: impl Read, limits: &ReadLimits) -> Result<Transcript, Refusal> {
    let mut source = Source::new(Box::new(input), *limits);
    let prefix = source.prefix()?;
    let format = detect::detect(prefix)?;
    let mut reading = Reading::new(format, *limits);
    formats::read(&mut source, &mut reading)?;
    let transcript = reading.into_transcript();
    // A key that many formats share is not enough.
    if transcript.is_empty() {
        return Err(Refusal::Unrecognised);
    }
    Ok(transcript)
}
