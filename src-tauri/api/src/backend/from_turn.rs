//! A fixture that plays a turn again.

use super::Backend;
use crate::{TurnFold, failure};
use foldback_replay::{Came, ends, fixture, recording, updated};
use foldback_store::one_line;
use foldback_wire::{
    ChatType, Code, Event, Inbound, TurnId,
    rpc::{Failure, FixtureText},
};
use serde_json::{Map, Value, json};
use std::{fmt::Write as _, path::Path};

impl Backend {
    pub(super) async fn fixture_of(&self, turn: TurnId) -> Result<FixtureText, Failure> {
        let events = self.shared.journal.turn(turn).await.map_err(failure::journal)?;
        let detail = TurnFold::of(turn, &events)
            .detail()
            .ok_or_else(|| failure::no_turn(turn))?;
        let platform = self.capabilities(&detail.inbound.channel).platform;
        let path = format!("turns/turn-{turn}.yaml");
        let script = script(turn, platform.code(), &detail.inbound, &events);
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

/// The fixture without its expectations. JSON values are YAML values.
fn script(turn: TurnId, platform: &str, inbound: &Inbound, events: &[Event]) -> String {
    let title = format!("Turn {turn}: {}", one_line(&inbound.text, 60));
    let mut text = format!(
        "name: {}\nabout: {}\nchannel: {platform}\nrules: []\nsteps:\n  - user: {}\n",
        json!(title),
        json!(format!("Made from turn {turn} of {}.", inbound.channel)),
        user(inbound),
    );
    let steps = recording::script(events);
    if !steps.is_empty() {
        text += "  - agent:\n";
        for step in steps {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "      - {}", json!(step));
        }
    }
    text
}

fn user(inbound: &Inbound) -> Value {
    let mut user = Map::new();
    user.insert("text".into(), json!(inbound.text));
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
    Value::Object(user)
}
