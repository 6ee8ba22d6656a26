//! A fixture that plays a turn again.

use super::Backend;
use crate::{TurnFold, failure};
use foldback_replay::{Came, ends, fixture, fixture::PermitStep, recording, updated};
use foldback_store::one_line;
use foldback_wire::{
    CallFault, ChatType, Code, Event, Inbound, Platform, TurnId,
    rpc::{Failure, FixtureText},
};
use serde_json::{Map, Value, json};
use std::{fmt::Write as _, path::Path, time::Duration};

impl Backend {
    pub(super) async fn fixture_of(&self, turn: TurnId) -> Result<FixtureText, Failure> {
        let events = self.shared.journal.turn(turn).await.map_err(failure::journal)?;
        let detail = TurnFold::of(turn, &events)
            .detail()
            .ok_or_else(|| failure::no_turn(turn))?;
        let platform = self.capabilities(&detail.inbound.channel).platform;
        let path = format!("turns/turn-{turn}.yaml");
        let script = Script {
            name: format!("Turn {turn}: {}", one_line(&detail.inbound.readable_text(), 60)),
            about: format!("Made from turn {turn} of {}.", detail.inbound.channel),
            platform,
            inbound: &detail.inbound,
            age_ms: age_ms(&detail.inbound, &events),
            more: faults(&recording::faults(&events)),
        }
        .with(recording::script(&events).iter().map(|step| json!(step)))
            + &answers(&events);
        let parsed = fixture::parse(Path::new(&path), &script).map_err(|e| failure::internal(&e))?;
        let codes: Vec<Code> = detail
            .messages
            .iter()
            .flat_map(|m| &m.diagnostics)
            .map(|d| d.code)
            .collect();
        let came = Came {
            platform,
            ends: ends(&detail.deliveries),
            codes,
        };
        Ok(FixtureText {
            path,
            text: updated(&script, &parsed, &[came]),
        })
    }
}

/// How requests for permission were answered, as steps of the fixture.
fn answers(events: &[Event]) -> String {
    let mut before = events.first().map(|event| event.at).unwrap_or_default();
    let mut steps = String::new();
    for answer in recording::answers(events) {
        let waited = answer.at.since(before).as_millis();
        let permit = PermitStep::from(answer.option.map(|option| option.kind));
        // Writing to a String cannot fail.
        let _ = writeln!(steps, "  - wait_ms: {waited}\n  - permit: {}", json!(permit));
        before = answer.at;
    }
    steps
}

/// The planned faults that hit the turn's calls, as a key of the fixture.
fn faults(faults: &[CallFault]) -> String {
    let lines = faults.iter().map(|fault| format!("  - {}\n", json!(fault)));
    let lines: String = lines.collect();
    if lines.is_empty() {
        lines
    } else {
        format!("faults:\n{lines}")
    }
}

/// A fixture without its agent's steps and its expectations.
pub(super) struct Script<'a> {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) platform: Platform,
    pub(super) inbound: &'a Inbound,
    /// Time from its writing until it came in.
    pub(super) age_ms: u32,
    /// Whole lines of further keys.
    pub(super) more: String,
}

impl Script<'_> {
    /// The text of the fixture, up to its expectations. JSON values are YAML values.
    pub(super) fn with(&self, steps: impl IntoIterator<Item = Value>) -> String {
        let mut text = format!(
            "name: {}\nabout: {}\nchannel: {}\nrules: []\n{}steps:\n  - user: {}\n",
            json!(self.name),
            json!(self.about),
            self.platform,
            self.more,
            user(self.inbound, self.age_ms),
        );
        let mut steps = steps.into_iter().peekable();
        if steps.peek().is_some() {
            text += "  - agent:\n";
        }
        for step in steps {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "      - {step}");
        }
        text
    }
}

/// The time that a message waited before it came in; 0 below an hour, in which no gate looks at it.
fn age_ms(inbound: &Inbound, events: &[Event]) -> u32 {
    let waited = events.first().map(|event| event.at.since(inbound.at));
    let waited = waited.filter(|waited| inbound.at.0 > 0 && *waited >= Duration::from_hours(1));
    waited.map_or(0, |waited| u32::try_from(waited.as_millis()).unwrap_or(u32::MAX))
}

fn user(inbound: &Inbound, age_ms: u32) -> Value {
    let mut user = Map::new();
    user.insert("text".into(), json!(inbound.readable_text()));
    user.insert("from".into(), json!(inbound.sender.id));
    user.insert("id".into(), json!(inbound.message));
    user.insert("chat".into(), json!(inbound.chat_type));
    if let Some(thread) = &inbound.thread {
        user.insert("thread".into(), json!(thread));
    }
    if let Some(reply_to) = &inbound.reply_to {
        user.insert("reply_to".into(), json!(reply_to));
    }
    if inbound.chat_type == ChatType::Group {
        user.insert("mentioned".into(), json!(inbound.mentioned));
    }
    if inbound.sender.is_bot {
        user.insert("is_bot".into(), json!(true));
    }
    if !inbound.files.is_empty() {
        let names: Vec<_> = inbound.files.iter().map(|file| &file.name).collect();
        user.insert("files".into(), json!(names));
    }
    if age_ms > 0 {
        user.insert("age_ms".into(), json!(age_ms));
    }
    Value::Object(user)
}
