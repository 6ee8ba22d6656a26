//! Dead letters as an agent would write them: a person sends one again as a turn whose answer it is.
//!
//! The journal keeps the dead letter and the message that asks for it again. Where the process ends while that message
//! waits in its queue, the next one reads the answer from the journal.

mod missing;

use crate::TurnFold;
use foldback_directives::parse;
use foldback_pipeline::is_own_file;
use foldback_store::{Journal, Selection, StoreError};
use foldback_wire::{
    Body, ChannelId, Event, Inbound, Intent, Kind, MessageId, OpId, OpKind, OutcomeCode, Seq, TurnId,
    rpc::{LedgerEntry, TurnDetail},
};
use std::ops::ControlFlow;

/// Begins the id of the message that asks for an operation again: the gate for repeated messages lets each id in once.
const AGAIN: &str = "again-";

/// Longest id of a message that a header can hold, in bytes.
const LONGEST_ID: usize = 240;

/// Events read at once.
const PAGE: usize = 2_000;

/// Why a dead letter that a person sent again is not sent. The turn fails with it.
#[derive(Debug, thiserror::Error)]
pub(super) enum ResendError {
    /// It was pruned, or it is no dead letter of the chat that asks for it.
    #[error(
        "operation {0}, which a person sent again, is not in the journal any more, so that it was not sent"
    )]
    Gone(OpId),
    /// Nothing that an agent writes is that.
    #[error("operation {op} cannot be sent again: {why}")]
    Unwritable {
        /// Which one.
        op: OpId,
        /// Why.
        why: &'static str,
    },
    /// The journal cannot be read.
    #[error("operation {op}, which a person sent again, cannot be read: {source}")]
    Unreadable {
        /// Which one.
        op: OpId,
        /// Why.
        source: StoreError,
    },
}

/// Dead letters that are sent again as one, and what an agent would write for them.
pub(super) struct DeadLetterGroup {
    /// The first of them. The message that asks for them has its id, so that the gate for repeated messages lets each
    /// asking for the group in once.
    pub(super) first: OpId,
    /// Number of operations in the group.
    pub(super) letters: usize,
    /// The group as output of an agent, directives included.
    pub(super) output: String,
}

impl DeadLetterGroup {
    /// The group of a dead letter of this turn, or why nothing that an agent writes is that.
    pub(super) fn of(lost: &TurnDetail, entry: &LedgerEntry) -> Result<Self, &'static str> {
        let letters = group_of(&lost.ledger, entry);
        for letter in &letters {
            check_audience(&letter.intent)?;
        }
        let output = match text_of(&letters, lost) {
            Some(text) => header_of(&letters[0].intent) + &as_output(text)?,
            None => output_of(entry)?,
        };
        Ok(Self {
            first: letters.first().map_or(entry.op, |letter| letter.op),
            letters: letters.len(),
            output,
        })
    }

    /// The id of the message that asks for them again, after so many that did.
    pub(super) fn message(&self, asked: u32) -> MessageId {
        message_again(self.first, asked)
    }
}

/// The id of the message that asks for an operation again, after so many that did. [`again`] reads it.
pub(super) fn message_again(op: OpId, asked: u32) -> MessageId {
    MessageId::new(match asked {
        0 => format!("{AGAIN}{op}"),
        _ => format!("{AGAIN}{op}-{}", asked + 1),
    })
}

/// Reads from the journal what an agent would write for the dead letters that this message asks for again, by the
/// first of them.
pub(super) async fn read_output(
    journal: &dyn Journal,
    message: &Inbound,
    first: OpId,
) -> Result<String, ResendError> {
    let lost = lost_turn(journal, &message.channel, first).await;
    let lost = lost.map_err(|source| ResendError::Unreadable { op: first, source })?;
    // A message asks for what its own chat did not get.
    let here = |entry: &&LedgerEntry| {
        entry.intent.target.chat == message.chat && entry.intent.target.thread == message.thread
    };
    let read = lost.as_ref().and_then(|lost| {
        let entry = find_dead_letter(lost, first).filter(here)?;
        Some(DeadLetterGroup::of(lost, entry))
    });
    let group = read.ok_or(ResendError::Gone(first))?;
    let group = group.map_err(|why| ResendError::Unwritable { op: first, why })?;
    Ok(group.output)
}

/// The turn with this operation of a channel; `None` where the journal does not have it.
async fn lost_turn(
    journal: &dyn Journal,
    channel: &ChannelId,
    op: OpId,
) -> Result<Option<TurnDetail>, StoreError> {
    let Some(turn) = turn_of(journal, channel, op).await? else {
        return Ok(None);
    };
    let events = journal.turn(turn).await?;
    Ok(TurnFold::of(turn, &events).detail())
}

async fn turn_of(journal: &dyn Journal, channel: &ChannelId, op: OpId) -> Result<Option<TurnId>, StoreError> {
    let wanted = Selection {
        channels: Some([channel.clone()].into()),
        ..Selection::kinds(["intended"])
    };
    let places = journal
        .places(&wanted, Seq(0), journal.head(), usize::MAX)
        .await?;
    // The latest first: most dead letters are sent again soon.
    for page in places.rchunks(PAGE) {
        let events = journal.pick(page).await?;
        if let ControlFlow::Break(found) = look_through(&events, op) {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Looks for an operation in a page of intents. Breaks where no earlier page can have it: operation numbers only grow.
fn look_through(page: &[Event], op: OpId) -> ControlFlow<Option<TurnId>> {
    let mut earlier = true;
    for event in page {
        if let Kind::Intended { op: intended, .. } = event.kind {
            if intended == op {
                return ControlFlow::Break(event.turn);
            }
            earlier &= intended < op;
        }
    }
    if earlier {
        ControlFlow::Break(None)
    } else {
        ControlFlow::Continue(())
    }
}

/// The dead letter of a turn; `None` where the operation is not one.
pub(super) fn find_dead_letter(lost: &TurnDetail, op: OpId) -> Option<&LedgerEntry> {
    let entry = lost.ledger.iter().find(|entry| entry.op == op)?;
    (is_dead_letter(entry) && !is_sent_with_rest(&lost.ledger, entry)).then_some(entry)
}

/// The operation that a message asks for again: `again-7`, and `again-7-2` where the first asking sent nothing.
pub(crate) fn again(message: &MessageId) -> Option<OpId> {
    let asked = message.as_str().strip_prefix(AGAIN)?;
    let (op, count) = asked.split_once('-').unwrap_or((asked, "1"));
    count.parse::<u32>().ok()?;
    op.parse().ok().map(OpId)
}

/// True of a block that went out again with what follows it in its assistant message: to send it once more would double it.
pub(super) fn is_sent_with_rest(ledger: &[LedgerEntry], entry: &LedgerEntry) -> bool {
    let begin = |entry: &LedgerEntry| {
        let place = entry.intent.body.as_ref().and_then(Body::place)?;
        Some((place.message, place.span.start))
    };
    let is_later = |other: &LedgerEntry| {
        other.op > entry.op
            && !other.intent.live
            && other.intent.directive.is_none()
            && begin(other) == begin(entry)
    };
    entry.intent.block.is_some() && begin(entry).is_some() && ledger.iter().any(is_later)
}

pub(super) fn is_dead_letter(entry: &LedgerEntry) -> bool {
    entry
        .outcome
        .as_ref()
        .is_some_and(foldback_wire::Outcome::is_dead)
}

/// The dead letters that are sent again with this one: the messages of its answer, or of its directive, that were held
/// with each other, in order. One of which nobody knows whether it arrived is sent alone.
fn group_of<'a>(ledger: &'a [LedgerEntry], entry: &'a LedgerEntry) -> Vec<&'a LedgerEntry> {
    if !is_failed_part(entry) {
        return vec![entry];
    }
    let group = first_of(entry);
    let of_group = |other: &&LedgerEntry| first_of(other) == group && is_failed_part(other);
    ledger.iter().filter(of_group).collect()
}

fn is_failed_part(entry: &LedgerEntry) -> bool {
    let failed = entry
        .outcome
        .as_ref()
        .is_some_and(|outcome| outcome.code == OutcomeCode::Failed);
    let text = matches!(entry.intent.kind, OpKind::SendText | OpKind::EditText);
    (text || is_rest(entry)) && failed && !entry.intent.live && is_dead_letter(entry)
}

/// True of the file with the text beyond the messages that an answer may take. It is deleted when its operation ends; its
/// text is in the journal.
fn is_rest(entry: &LedgerEntry) -> bool {
    entry.intent.kind == OpKind::SendFile && entry.intent.path.as_deref().is_some_and(is_own_file)
}

/// The first message of the text that an operation is a part of.
fn first_of(entry: &LedgerEntry) -> OpId {
    entry.intent.part_of.unwrap_or(entry.op)
}

/// The message that a dead letter was to edit, or was to take the place of where that could not be edited.
pub(super) fn edited_by(letter: OpId, ledger: &[LedgerEntry]) -> Option<MessageId> {
    let replaced = |entry: &LedgerEntry| entry.outcome.as_ref().and_then(|outcome| outcome.replaced_by);
    let is_it = |entry: &&LedgerEntry| entry.op == letter || replaced(entry) == Some(letter);
    let mut edits = ledger.iter().filter(is_it).map(|entry| &entry.intent);
    let edit = edits.find(|intent| intent.kind == OpKind::EditText)?;
    edit.message.clone()
}

/// The text of several dead letters, with what lies between them; `None` for a single one that is no file with the rest
/// of an answer.
fn text_of(letters: &[&LedgerEntry], lost: &TurnDetail) -> Option<String> {
    if letters.len() < 2 && !letters.iter().any(|letter| is_rest(letter)) {
        return None;
    }
    missing::text_of(letters, lost).or_else(|| {
        let texts: Vec<_> = letters.iter().filter_map(|entry| entry.text.as_deref()).collect();
        Some(texts.join("\n"))
    })
}

/// A text as an agent writes it, or why it cannot be.
fn as_output(text: String) -> Result<String, &'static str> {
    let read = parse(&text, &foldback_directives::Settings::default(), None);
    if text.trim().is_empty() {
        return Err("its text is not known");
    }
    if read.clean_text.trim() != text.trim() {
        return Err("its text would be read as markup");
    }
    Ok(text)
}

/// Refuses what only one person may see, unless the chat is that person's own: the turn that sends it again is nobody's
/// there, so that all of the chat would see it.
fn check_audience(intent: &Intent) -> Result<(), &'static str> {
    match &intent.flags.only_for {
        Some(person) if person.as_str() != intent.target.chat.as_str() => Err("only one person may see it"),
        _ => Ok(()),
    }
}

/// The header that asks for the flags of this operation, and for the message that it answers.
fn header_of(intent: &Intent) -> String {
    let flags = &intent.flags;
    let reply_to = intent.reply_to.as_ref().map(MessageId::as_str);
    // An id that a header cannot hold would be read as text. No platform has such an id.
    let reply_to = reply_to.filter(|id| id.len() <= LONGEST_ID && id.chars().all(|c| c.is_ascii_graphic()));
    let reply_to = reply_to.filter(|id| !id.contains(['[', ']']));
    let reply_to = reply_to.map_or_else(String::new, |id| format!("[[reply_to:{id}]]"));
    let silent = if flags.silent { "[[silent:true]]" } else { "" };
    let suppress_embeds = if flags.suppress_embeds {
        "[[suppress_embeds:true]]"
    } else {
        ""
    };
    format!("{reply_to}{silent}{suppress_embeds}")
}

/// The operation as output of an agent, header and directives included; an error, in words, where no output means the
/// same.
pub(super) fn output_of(entry: &LedgerEntry) -> Result<String, &'static str> {
    if entry.intent.live {
        return Err("it was a live frame, and a later one replaced it");
    }
    check_audience(&entry.intent)?;
    let output = plain_output_of(entry)?;
    Ok(header_of(&entry.intent) + &output)
}

fn plain_output_of(entry: &LedgerEntry) -> Result<String, &'static str> {
    let text = entry.text.clone().unwrap_or_default();
    let quoted = |value: &str| {
        value
            .replace('&', "&amp;")
            .replace('"', "&quot;")
            .replace('<', "&lt;")
    };
    match entry.intent.kind {
        OpKind::SendText | OpKind::EditText => as_output(text),
        OpKind::React => {
            let (Some(emoji), Some(message)) = (&entry.intent.emoji, &entry.intent.message) else {
                return Err("its emoji or its message is not known");
            };
            let (emoji, message) = (quoted(emoji), quoted(message.as_str()));
            Ok(format!(
                "<actions><react emoji=\"{emoji}\" message=\"{message}\" /></actions>"
            ))
        }
        OpKind::SendFile => {
            let path = entry.intent.path.as_deref().ok_or("its file is not known")?;
            let path = quoted(path);
            let caption = entry
                .text
                .as_deref()
                .map_or_else(String::new, |text| format!(" caption=\"{}\"", quoted(text)));
            let kind = entry
                .intent
                .file_kind
                .map_or_else(String::new, |kind| format!(" kind=\"{}\"", kind.code()));
            let cleanup = if entry.intent.cleanup {
                " cleanup=\"true\""
            } else {
                ""
            };
            Ok(format!(
                "<actions><send-file path=\"{path}\"{kind}{caption}{cleanup} /></actions>"
            ))
        }
        OpKind::Delete | OpKind::SendVoice | OpKind::Typing => Err("only texts, files and reactions are"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_wire::{FileKind, MessageFlags, Target, Timestamp};

    fn intent(flags: MessageFlags) -> Intent {
        Intent {
            kind: OpKind::SendText,
            channel: None,
            target: Target {
                chat: "c".into(),
                thread: None,
            },
            message: None,
            reply_to: None,
            body: None,
            emoji: None,
            emoji_sent: None,
            path: None,
            file_kind: None,
            cleanup: false,
            directive: None,
            part_of: None,
            block: None,
            flags,
            live: false,
        }
    }

    fn intended(op: u64) -> Event {
        let intent = intent(MessageFlags::default());
        Event {
            seq: Seq(op),
            at: Timestamp(1),
            turn: Some(TurnId(op + 100)),
            session: None,
            channel: None,
            kind: Kind::Intended {
                op: OpId(op),
                intent: Box::new(intent),
            },
        }
    }

    #[test]
    fn a_dead_letter_that_was_pruned_is_not_looked_for_behind_earlier_operations() {
        let look = |ops: [u64; 2]| look_through(&ops.map(intended), OpId(5));
        assert_eq!(look([6, 7]), ControlFlow::Continue(()));
        assert_eq!(look([4, 5]), ControlFlow::Break(Some(TurnId(105))));
        assert_eq!(look([4, 6]), ControlFlow::Continue(()));
        assert_eq!(look([3, 4]), ControlFlow::Break(None));
    }

    fn letter(flags: MessageFlags) -> LedgerEntry {
        LedgerEntry {
            seq: 1,
            op: OpId(1),
            at_ms: 0,
            intent: intent(flags),
            text: Some("hi".to_owned()),
            waiting: None,
            waiting_until_ms: None,
            attempts: 1,
            outcome: None,
            outcome_seq: None,
            took_ms: None,
            visible_ms: None,
            leaked: Vec::new(),
            spoken: None,
            reached: None,
        }
    }

    #[test]
    fn a_letter_that_only_one_person_may_see_is_sent_again_to_that_person_alone() {
        let only_for = |person: &str| MessageFlags {
            only_for: Some(person.into()),
            ..MessageFlags::default()
        };
        assert_eq!(
            output_of(&letter(only_for("u1"))),
            Err("only one person may see it")
        );
        // The chat is called as its person is.
        assert_eq!(output_of(&letter(only_for("c"))).as_deref(), Ok("hi"));
    }

    #[test]
    fn a_letter_is_sent_again_as_its_directive_asked() {
        let mut file = letter(MessageFlags::default());
        file.intent = Intent {
            kind: OpKind::SendFile,
            reply_to: Some("m1".into()),
            path: Some("a.png".to_owned()),
            file_kind: Some(FileKind::File),
            cleanup: true,
            ..file.intent
        };
        let output = "[[reply_to:m1]]<actions><send-file path=\"a.png\" kind=\"file\" caption=\"hi\" \
                      cleanup=\"true\" /></actions>";
        assert_eq!(output_of(&file).as_deref(), Ok(output));
        let read = parse(output, &foldback_directives::Settings::default(), None);
        assert_eq!(read.header.reply_to.as_deref(), Some("m1"));
        assert_eq!((read.directives.len(), read.diagnostics.len()), (1, 0));
    }

    #[test]
    fn a_letter_is_sent_again_as_the_answer_that_it_was() {
        let answering = |id: &str| {
            let mut letter = letter(MessageFlags::default());
            letter.intent.reply_to = Some(id.into());
            output_of(&letter).unwrap()
        };
        assert_eq!(answering("wamid.HBg="), "[[reply_to:wamid.HBg=]]hi");
        assert_eq!(answering("a]]b"), "hi");
        assert_eq!(answering("a\nb"), "hi");
    }

    #[test]
    fn a_letter_is_sent_again_with_its_flags() {
        let quiet = MessageFlags {
            silent: true,
            suppress_embeds: true,
            only_for: None,
        };
        let output = output_of(&letter(quiet));
        assert_eq!(output.as_deref(), Ok("[[silent:true]][[suppress_embeds:true]]hi"));
    }
}
