//! What redaction takes out of events on their way out: which kinds of secrets, how many, where; never the secrets.

use crate::output::names;
use foldback_directives::redact::{KnownBy, MASK, RedactSettings, Secret};
use foldback_wire::{
    Event, Kind, TurnId,
    redact::{Outgoing, Redaction},
    rpc::ExportMask,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The row of the table of secrets that knows the journal's own masks.
const MASKED: KnownBy = KnownBy::Known("masked");

/// The secrets that were masked, counted.
#[derive(Debug, Default)]
pub(super) struct MaskCounts {
    /// Those of this export, by name, what they are, and place.
    found: BTreeMap<(String, String, &'static str), (u32, BTreeSet<TurnId>)>,
    /// Those that the journal had masked when it was written.
    pub(super) masked_before: u32,
}

impl MaskCounts {
    pub(super) fn masks(&self) -> Vec<ExportMask> {
        let mask = |((secrets, about, place), (count, turns)): (
            &(String, String, &str),
            &(u32, BTreeSet<TurnId>),
        )| {
            ExportMask {
                secrets: secrets.clone(),
                about: about.clone(),
                place: (*place).to_owned(),
                count: *count,
                turns: turns.iter().copied().collect(),
            }
        };
        self.found.iter().map(mask).collect()
    }

    fn tell(&mut self, secret: &Secret, own: &RedactSettings, place: &'static str, turn: Option<TurnId>) {
        if secret.by == [MASKED] {
            self.masked_before += 1;
            return;
        }
        let (ids, about) = names(&secret.by, own);
        let (count, turns) = self.found.entry((ids.join(" "), about, place)).or_default();
        *count += 1;
        turns.extend(turn);
    }
}

/// Masks events and tells what was masked. Order and number of the events stay.
pub(super) fn mask(
    events: &[Event],
    redaction: &Redaction,
    own: &RedactSettings,
) -> (Vec<Event>, MaskCounts) {
    let mut outgoing = Outgoing::new(redaction.clone());
    let mut masked: Vec<Event> = events
        .iter()
        .flat_map(|event| outgoing.push(event.clone()))
        .collect();
    masked.extend(outgoing.finish());
    let mut told = MaskCounts::default();
    let mut raw: BTreeMap<(Option<TurnId>, u32), (String, String)> = BTreeMap::new();
    for (before, after) in events.iter().zip(&masked) {
        match (&before.kind, &after.kind) {
            (Kind::Chunk { message, text, .. }, Kind::Chunk { text: shown, .. }) => {
                let both = raw.entry((before.turn, *message)).or_default();
                both.0.push_str(text);
                both.1.push_str(shown);
            }
            (plain, shown) => {
                let place = place_of(before);
                let values = (serde_json::to_value(plain), serde_json::to_value(shown));
                if let (Ok(plain), Ok(shown)) = values {
                    compare(&plain, &shown, &mut |plain, shown| {
                        told.masked_before += plain.matches(MASK).count() as u32;
                        if plain != shown {
                            for secret in redaction.patterns().secrets(plain) {
                                told.tell(&secret, own, place, before.turn);
                            }
                        }
                    });
                }
            }
        }
    }
    for ((turn, _), (plain, _)) in raw {
        for secret in redaction.patterns().secrets(&plain) {
            told.tell(&secret, own, "the agent's output", turn);
        }
    }
    (masked, told)
}

/// Shows the texts at the same places of two values of one shape.
fn compare(before: &Value, after: &Value, each: &mut impl FnMut(&str, &str)) {
    match (before, after) {
        (Value::String(before), Value::String(after)) => each(before, after),
        (Value::Array(before), Value::Array(after)) => {
            for (before, after) in before.iter().zip(after) {
                compare(before, after, each);
            }
        }
        (Value::Object(before), Value::Object(after)) => {
            for (before, after) in before.values().zip(after.values()) {
                compare(before, after, each);
            }
        }
        _ => {}
    }
}

/// Where a text of an event stands, in words.
fn place_of(event: &Event) -> &'static str {
    match &event.kind {
        Kind::Received { .. } | Kind::TakenIn { .. } => "the user's message",
        Kind::GroupHistory { .. } => "the messages of the group",
        Kind::ThreadRead(_) => "the messages of the thread",
        Kind::Gathered { .. } | Kind::Understood(_) => "a file of the user",
        Kind::LinkRead { .. } => "a link of the user",
        Kind::InlineDirectives(_) | Kind::Command { .. } | Kind::SettingsChanged { .. } => {
            "a directive of the user"
        }
        Kind::Prepared { .. } => "the prompt",
        Kind::Reasoning { .. } => "the reasoning",
        Kind::Tool { .. } => "a tool call",
        Kind::PermissionAsked { .. } | Kind::PermissionDecided { .. } => "a permission request",
        Kind::Directive { .. } | Kind::Action { .. } | Kind::HeaderRead { .. } => "a directive",
        Kind::ActionRefused(_) | Kind::ActionStarted(_) | Kind::ActionEnded(_) | Kind::ActionAnswered(_) => {
            "an action"
        }
        Kind::Diagnosed { .. } => "a finding",
        Kind::Intended { .. } => "a delivery",
        Kind::Ended { .. } | Kind::Refused { .. } | Kind::Undelivered { .. } | Kind::Skipped { .. } => {
            "the outcome of a delivery"
        }
        Kind::MemoryFlushed { .. } => "what the agent was asked to write down",
        Kind::HistoryCompacted { .. } => "the summary of a conversation",
        Kind::LevelIgnored { .. } => "the reason of a level that was ignored",
        Kind::RunFailed { .. } | Kind::Retrying { .. } | Kind::TurnEnded { .. } => "the reason of a failure",
        _ => "the words of an event",
    }
}
