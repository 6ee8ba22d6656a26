//! One turn of a conversation out of the journal: what was asked, what was delivered, and what became of it.

use crate::stages::prepare::without_directives;
use foldback_agents::{HistoryEntry, estimated_tokens};
use foldback_directives::Fate;
use foldback_store::{Journal, Selection, StoreError};
use foldback_wire::{Body, CleanPlace, Kind, Range, RunId, Seq, StopReason, Terminal, ToolCall, TurnId};
use std::collections::BTreeMap;

/// Events of a turn that are read at once.
const PAGE: usize = 1_024;
/// Most bytes of a note, and of the arguments of a call.
const LINE: usize = 200;

/// The kinds of events that tell a turn.
const KINDS: [&str; 7] = [
    "chunk",
    "decided",
    "intended",
    "prepared",
    "run_ended",
    "tool",
    "turn_ended",
];

/// A turn of a conversation.
pub(super) struct ReadTurn {
    /// What was said and done in it; more than was allowed where it was cut off.
    pub(super) entries: Vec<HistoryEntry>,
    /// Its run, once it is over.
    pub(super) run: Option<RunId>,
    /// The place from which on the agent remembered it: the end of its run, or of the turn where the agent said nothing.
    remembered_from: Option<Seq>,
}

impl ReadTurn {
    /// True where the agent remembered it at this place of the journal.
    pub(super) fn was_remembered_at(&self, at: Seq) -> bool {
        self.remembered_from.is_some_and(|ended| ended < at)
    }
}

/// An assistant message as the journal tells it.
#[derive(Default)]
struct Message {
    raw: String,
    clean: String,
    /// True where something of it was meant for the chat.
    is_sent: bool,
}

/// What a turn said and did, in order.
enum Part {
    /// A message, by its number.
    Message(u32),
    Tool(ToolCall),
}

#[derive(Default)]
struct Reading {
    prompt: String,
    messages: BTreeMap<u32, Message>,
    parts: Vec<Part>,
    run_ended: Option<(Seq, RunId, StopReason)>,
    terminal: Option<(Seq, Terminal)>,
}

/// Reads a turn. Stops reading once it has more than `most` tokens.
pub(super) async fn read_turn(
    journal: &dyn Journal,
    turn: TurnId,
    most: u64,
) -> Result<ReadTurn, StoreError> {
    let wanted = Selection {
        turns: Some([turn].into()),
        ..Selection::kinds(KINDS)
    };
    let mut reading = Reading::default();
    let (mut after, head) = (Seq(0), journal.head());
    loop {
        let page = journal.select(&wanted, after, head, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        let is_last_page = page.len() < PAGE;
        for event in page {
            reading.take(event.seq, event.kind);
        }
        if is_last_page || reading.tokens() > most {
            break;
        }
    }
    Ok(reading.into_turn())
}

impl Reading {
    fn take(&mut self, seq: Seq, kind: Kind) {
        match kind {
            Kind::Chunk { message, text, .. } => self.message(message).raw.push_str(&text),
            Kind::Decided { message, range } => self.message(message).decide(&range),
            Kind::Intended { intent, .. } => {
                let body = intent.body.filter(|_| intent.directive.is_none());
                if let Some(CleanPlace { message, .. }) = body.as_ref().and_then(Body::place) {
                    self.message(message).is_sent = true;
                }
            }
            Kind::Tool { call } => self.call(call),
            // A turn is prepared again after a kill: the latest prompt is the one that was asked.
            Kind::Prepared { prompt } => self.prompt = without_directives(&prompt),
            Kind::RunEnded { run, reason } => self.run_ended = Some((seq, run, reason)),
            Kind::TurnEnded { terminal } => self.terminal = Some((seq, terminal)),
            _ => {}
        }
    }

    fn message(&mut self, number: u32) -> &mut Message {
        let parts = &mut self.parts;
        self.messages.entry(number).or_insert_with(|| {
            parts.push(Part::Message(number));
            Message::default()
        })
    }

    /// Takes a call in the place of what was known of it.
    fn call(&mut self, call: ToolCall) {
        for part in &mut self.parts {
            if let Part::Tool(known) = part
                && known.id == call.id
            {
                known.status = call.status;
                if call.arguments.is_some() {
                    known.arguments = call.arguments;
                }
                return;
            }
        }
        self.parts.push(Part::Tool(call));
    }

    fn tokens(&self) -> u64 {
        let messages = self.messages.values();
        messages.map(|message| estimated_tokens(&message.clean)).sum()
    }

    fn into_turn(mut self) -> ReadTurn {
        let (note, without_words) = (self.note(), self.without_words());
        let mut spoke = false;
        let mut entries = vec![HistoryEntry::User(std::mem::take(&mut self.prompt))];
        for part in self.parts {
            match part {
                Part::Message(number) => {
                    let message = self.messages.remove(&number).unwrap_or_default();
                    spoke |= !message.raw.trim().is_empty();
                    if message.is_sent && !message.clean.trim().is_empty() {
                        entries.push(HistoryEntry::Assistant(message.clean));
                    }
                }
                Part::Tool(call) => entries.push(HistoryEntry::Tool(in_a_line(&call))),
            }
        }
        entries.extend(note.map(HistoryEntry::Note));
        if entries.len() == 1 {
            // A question without any answer would run into the next one.
            entries.push(HistoryEntry::Note(without_words.to_owned()));
        }
        let ended = self.run_ended.map(|(seq, ..)| seq);
        let closed = self.terminal.map(|(seq, _)| seq);
        ReadTurn {
            entries,
            run: self.run_ended.map(|(_, run, _)| run),
            remembered_from: if spoke { ended } else { ended.and(closed) },
        }
    }

    /// What became of the turn, where it was not simply answered.
    fn note(&self) -> Option<String> {
        let stopped = matches!(self.run_ended, Some((_, _, StopReason::Cancelled)));
        match self.terminal.as_ref().map(|(_, terminal)| terminal) {
            Some(Terminal::Failed { detail }) => Some(one_line(&format!("this turn failed: {detail}"))),
            Some(Terminal::Silent { reason }) => Some(format!("nothing was sent: {reason}")),
            Some(Terminal::Unknown { .. }) => Some("it is not known whether all of this arrived".to_owned()),
            _ if stopped => Some("a person stopped this answer".to_owned()),
            Some(_) => None,
            None if self.run_ended.is_none() => Some("this turn did not end".to_owned()),
            None => Some("all of this has not arrived yet".to_owned()),
        }
    }

    /// What became of a turn in which nothing was said.
    const fn without_words(&self) -> &'static str {
        match self.terminal {
            Some((
                _,
                Terminal::Steered { .. } | Terminal::Collected { .. } | Terminal::Summarised { .. },
            )) => "answered with another message",
            _ => "answered without words",
        }
    }
}

impl Message {
    /// Adds what is shown of a range. Ranges come in order, after their bytes.
    fn decide(&mut self, range: &Range) {
        if range.fate != Fate::Show {
            return;
        }
        let raw = self.raw.get(range.span.start..range.span.end);
        let shown = range.shown_as.as_deref().or(raw);
        self.clean.push_str(shown.unwrap_or_default());
    }
}

/// A call as one line: its name, what it was asked, and how it ended.
fn in_a_line(call: &ToolCall) -> String {
    let arguments = call.arguments.as_deref().unwrap_or_default();
    let line = one_line(&format!("{} {arguments}", call.name));
    format!("{line}: {}", call.status)
}

/// The beginning of a text, on one line.
fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.len() {
        0..=LINE => line,
        _ => format!("{}…", &line[..line.floor_char_boundary(LINE)]),
    }
}
