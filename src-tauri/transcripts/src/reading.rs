//! What is gathered while a file is read.

use crate::{
    Conversation, Damage, DamageReason, LogEntry, ReadLimits, Refusal, SlackNames, Transcript,
    TranscriptFormat, json, source::Source,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Most types that are told apart in a count; the others are counted together.
const TYPES: usize = 200;

/// Longest name of a type that is repeated; a longer one, or one with other characters, may be content.
const TYPE_NAME: usize = 48;

/// A file while it is read.
pub(crate) struct Reading {
    pub(crate) format: TranscriptFormat,
    pub(crate) conversations: Vec<Conversation>,
    pub(crate) log: Vec<LogEntry>,
    pub(crate) names: Option<SlackNames>,
    limits: ReadLimits,
    notes: BTreeSet<String>,
    aside: BTreeMap<String, u64>,
    unknown: BTreeMap<String, u64>,
    damaged: Vec<Damage>,
    damaged_places: u64,
    repaired: u64,
}

impl Reading {
    pub(crate) fn new(format: TranscriptFormat, limits: ReadLimits) -> Self {
        Self {
            format,
            limits,
            conversations: Vec::new(),
            log: Vec::new(),
            names: None,
            notes: BTreeSet::new(),
            aside: BTreeMap::new(),
            unknown: BTreeMap::new(),
            damaged: Vec::new(),
            damaged_places: 0,
            repaired: 0,
        }
    }

    /// Names a place that cannot be read.
    pub(crate) fn damage(&mut self, line: u64, offset: u64, reason: DamageReason) {
        self.damaged_places += 1;
        if self.damaged.len() < self.limits.damaged {
            self.damaged.push(Damage { line, offset, reason });
        }
    }

    /// Says something about the file, once.
    pub(crate) fn note(&mut self, sentence: impl Into<String>) {
        self.notes.insert(sentence.into());
    }

    /// Counts an entry of an unknown type.
    pub(crate) fn unknown(&mut self, what: &str, name: &str) {
        count(&mut self.unknown, what, name);
    }

    /// Counts an entry of a known type that is no part of a conversation.
    pub(crate) fn aside(&mut self, what: &str, name: &str) {
        count(&mut self.aside, what, name);
    }

    /// Reads an object; one that cannot be read is named. `ended` says that it is whole: then its bytes are not the
    /// last of a file that was cut off.
    pub(crate) fn parse(&mut self, line: u64, offset: u64, bytes: &[u8], ended: bool) -> Option<Value> {
        match json::parse(bytes) {
            Ok((value @ Value::Object(_), repaired)) => {
                self.repaired += u64::from(repaired);
                Some(value)
            }
            Ok(_) => {
                self.damage(line, offset, DamageReason::NotAnObject);
                None
            }
            Err(DamageReason::CutOff) if ended => {
                self.damage(line, offset, DamageReason::NotJson);
                None
            }
            Err(reason) => {
                self.damage(line, offset, reason);
                None
            }
        }
    }

    pub(crate) fn into_transcript(mut self) -> Transcript {
        if self.repaired > 0 {
            let repaired = self.repaired;
            self.note(format!(
                "Entries with invalid escapes that were repaired: {repaired}."
            ));
        }
        Transcript {
            format: self.format,
            conversations: self.conversations,
            log: self.log,
            names: self.names,
            losses: self.format.row().losses,
            notes: self.notes.into_iter().collect(),
            aside: self.aside,
            unknown: self.unknown,
            damaged: self.damaged,
            damaged_places: self.damaged_places,
        }
    }
}

fn count(counts: &mut BTreeMap<String, u64>, what: &str, name: &str) {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.:$/".contains(c);
    let name = if name.is_empty() {
        "without a name"
    } else if name.len() <= TYPE_NAME && name.chars().all(plain) {
        name
    } else {
        "with another name"
    };
    let key = format!("{what} {name}");
    if counts.len() < TYPES || counts.contains_key(&key) {
        *counts.entry(key).or_default() += 1;
    } else {
        *counts.entry(format!("{what} of further types")).or_default() += 1;
    }
}

/// An object of a file with a line each.
pub(crate) struct Entry {
    pub(crate) line: u64,
    pub(crate) offset: u64,
    pub(crate) value: Value,
}

/// The next line that holds an object; damaged ones are named and passed.
pub(crate) fn next_object(source: &mut Source<'_>, reading: &mut Reading) -> Result<Option<Entry>, Refusal> {
    while let Some(line) = source.next_line()? {
        let (number, offset) = (line.number, line.offset);
        match line.bytes {
            Ok(bytes) => {
                if let Some(value) = reading.parse(number, offset, &bytes, line.ended) {
                    return Ok(Some(Entry {
                        line: number,
                        offset,
                        value,
                    }));
                }
            }
            Err(reason) => reading.damage(number, offset, reason),
        }
    }
    Ok(None)
}
