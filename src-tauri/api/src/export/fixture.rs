//! A fixture that plays turns again, with what came of them as its expectations.

use super::{Export, capabilities_of, check_count};
use crate::{TurnFold, failure};
use foldback_directives::{Dialect, Settings};
use foldback_replay::{Came, ends, fixture, fixture::PermitStep, recording, updated};
use foldback_store::one_line;
use foldback_wire::{
    CallFault, ChatType, Code, Event, Inbound, Kind, Platform, Timestamp, TurnId,
    redact::Redaction,
    rpc::{Failure, FixtureText, TurnDetail},
};
use serde_json::{Map, Value, json};
use std::{fmt::Write as _, path::Path, time::Duration};

/// Most turns of one fixture: beyond them no person reads what is expected.
const MOST: usize = 50;

/// A fixture of all turns of an export, which must have come on one channel.
pub(super) fn fixture(export: &Export<'_>) -> Result<FixtureText, Failure> {
    check_count(export, MOST, "a fixture")?;
    let turns: Vec<_> = export
        .turns
        .iter()
        .map(|(turn, events)| (*turn, events.as_slice()))
        .collect();
    let channels: std::collections::BTreeSet<_> = export
        .folds()
        .filter_map(|fold| fold.inbound().map(|inbound| inbound.channel.clone()))
        .collect();
    let mut channels = channels.into_iter();
    match (channels.next(), channels.next()) {
        (Some(channel), None) => fixture_of(&turns, capabilities_of(export.config, &channel).platform),
        (Some(first), Some(second)) => Err(failure::cannot_export(&format!(
            "A fixture plays one channel, and these turns came on {first} and {second}."
        ))),
        (None, _) => Err(failure::nothing_to_export()),
    }
}

/// A fixture of turns with their events, in the order in which they began.
pub(crate) fn fixture_of(turns: &[(TurnId, &[Event])], platform: Platform) -> Result<FixtureText, Failure> {
    let mut details = Vec::new();
    for (turn, events) in turns {
        if is_of_actions(events) {
            return Err(failure::cannot_export(&format!(
                "A fixture cannot play turn {turn} again: its agent asked for actions, or was given what came of one, and \
                 the rest of that is in other turns. A recording keeps all of it."
            )));
        }
        let detail = TurnFold::of(*turn, *events).detail();
        details.push((detail.ok_or_else(|| failure::no_turn(*turn))?, *events));
    }
    let Some((first, _)) = details.first() else {
        return Err(failure::nothing_to_export());
    };
    let (name, about, path) = titles(&details, first);
    let all_faults: Vec<_> = details
        .iter()
        .flat_map(|(_, events)| recording::faults(events))
        .collect();
    let more = dialects(turns) + &faults(&all_faults);
    let mut script = header(&name, &about, platform, &more);
    let mut clock: Option<Timestamp> = None;
    for (detail, events) in &details {
        let began = events.first().map(|event| event.at).unwrap_or_default();
        if let Some(before) = clock {
            // Writing to a String cannot fail.
            let _ = writeln!(script, "  - wait_ms: {}", began.since(before).as_millis());
        }
        let agent = recording::script(events);
        script += &asked(
            &detail.inbound,
            age_ms(&detail.inbound, events),
            agent.iter().map(|step| json!(step)),
        );
        let (answers, last) = answers(events);
        script += &answers;
        clock = Some(last.max(began));
    }
    let parsed = fixture::parse(Path::new(&path), &script).map_err(|e| failure::internal(&e))?;
    let masked = Redaction::masked();
    let details = details.into_iter().map(|(detail, _)| detail);
    let mut deliveries = Vec::new();
    let mut codes: Vec<Code> = Vec::new();
    for mut detail in details {
        // What the file says masked is masked when it is played.
        for text in detail
            .deliveries
            .iter_mut()
            .filter_map(|delivery| delivery.text.as_mut())
        {
            masked.mask(text);
        }
        deliveries.append(&mut detail.deliveries);
        codes.extend(
            detail
                .messages
                .iter()
                .flat_map(|m| &m.diagnostics)
                .map(|d| d.code),
        );
    }
    let came = Came {
        platform,
        ends: ends(&deliveries),
        codes,
    };
    Ok(FixtureText {
        path,
        text: updated(&script, &parsed, &[came]),
    })
}

/// Name, description and path.
fn titles(details: &[(TurnDetail, &[Event])], first: &TurnDetail) -> (String, String, String) {
    let from = first.summary.turn;
    let said = one_line(&first.inbound.readable_text(), 60);
    let channel = &first.inbound.channel;
    match details.last().filter(|_| details.len() > 1) {
        None => (
            format!("Turn {from}: {said}"),
            format!("Made from turn {from} of {channel}."),
            format!("turns/turn-{from}.yaml"),
        ),
        Some((last, _)) => {
            let (count, to) = (details.len(), last.summary.turn);
            (
                format!("Turns {from} to {to}: {said}"),
                format!("Made from {count} turns of {channel}, {from} to {to}."),
                format!("turns/turns-{from}-{to}.yaml"),
            )
        }
    }
}

/// True where the turn's actions were to be carried out, or where it delivers what came of one: the turns before and behind
/// it belong to it, with commands whose results a fixture would have to make up.
fn is_of_actions(events: &[Event]) -> bool {
    events.iter().any(|event| {
        matches!(
            event.kind,
            Kind::Action { outcome: None, .. }
                | Kind::ActionRefused(_)
                | Kind::ActionStarted(_)
                | Kind::DeliveryDue(_)
        )
    })
}

/// The dialects of the turns, as a key of the fixture, where they are not those that are on by default: JSON was read.
fn dialects(turns: &[(TurnId, &[Event])]) -> String {
    let mut events = turns.iter().flat_map(|(_, events)| *events);
    if !events.any(|event| matches!(event.kind, Kind::Action { .. })) {
        return String::new();
    }
    let mut dialects = Settings::default().dialects;
    dialects.push(Dialect::Json);
    format!("config: {}\n", json!({"output": {"dialects": dialects}}))
}

/// How requests for permission were answered, as steps of the fixture, and the moment of the last step.
fn answers(events: &[Event]) -> (String, Timestamp) {
    let mut before = events.first().map(|event| event.at).unwrap_or_default();
    let mut steps = String::new();
    for answer in recording::answers(events) {
        let waited = answer.at.since(before).as_millis();
        let permit = PermitStep::from(answer.option.map(|option| option.kind));
        // Writing to a String cannot fail.
        let _ = writeln!(steps, "  - wait_ms: {waited}\n  - permit: {}", json!(permit));
        before = answer.at;
    }
    (steps, before)
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
pub(crate) struct Script<'a> {
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) platform: Platform,
    pub(crate) inbound: &'a Inbound,
    /// Time from its writing until it came in.
    pub(crate) age_ms: u32,
    /// Whole lines of further keys.
    pub(crate) more: String,
}

impl Script<'_> {
    /// The text of the fixture, up to its expectations. JSON values are YAML values.
    pub(crate) fn with(&self, steps: impl IntoIterator<Item = Value>) -> String {
        let head = header(&self.name, &self.about, self.platform, &self.more);
        head + &asked(self.inbound, self.age_ms, steps)
    }
}

/// A fixture up to its first step.
fn header(name: &str, about: &str, platform: Platform, more: &str) -> String {
    format!(
        "name: {}\nabout: {}\nchannel: {platform}\nrules: []\n{more}steps:\n",
        json!(name),
        json!(about),
    )
}

/// The steps of a message and of the agent that answers it.
fn asked(inbound: &Inbound, age_ms: u32, steps: impl IntoIterator<Item = Value>) -> String {
    let mut text = format!("  - user: {}\n", user(inbound, age_ms));
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

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_channels::platform::TELEGRAM;
    use foldback_replay::{Job, Options, Played, fixture::load, run_all};

    /// Plays a fixture on Telegram.
    fn play(path: &Path) -> Played {
        let fixture = load(path).unwrap();
        let job = Job {
            path,
            fixture: &fixture,
            platform: TELEGRAM,
        };
        let mut played = None;
        run_all(&[job], None, &Options::default(), |_, case| {
            played = Some(case.unwrap());
            true
        });
        played.unwrap()
    }

    fn turn_of(name: &str, turn: TurnId) -> Vec<Event> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
        let mut events = play(&folder.join(name)).events;
        events.retain(|event| event.turn == Some(turn));
        events
    }

    #[test]
    fn actions_that_were_read_and_are_off_are_read_again_when_it_is_played() {
        let events = turn_of("json/alone.yaml", TurnId(1));
        let made = fixture_of(&[(TurnId(1), &events)], TELEGRAM).unwrap();
        assert!(made.text.contains("\"json\""), "{}", made.text);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made.yaml");
        std::fs::write(&path, &made.text).unwrap();
        let Played { case, .. } = play(&path);
        assert!(
            case.mismatches.is_empty(),
            "{:#?}\n{}",
            case.mismatches,
            made.text
        );
    }

    #[test]
    fn a_turn_whose_actions_were_carried_out_is_no_fixture_and_says_what_is() {
        for turn in [TurnId(1), TurnId(2)] {
            let events = turn_of("json-actions/allowed.yaml", turn);
            let failure = fixture_of(&[(turn, &events)], TELEGRAM).unwrap_err();
            assert_eq!(failure.code, "cannot_export");
            let begins = format!("A fixture cannot play turn {turn} again");
            assert!(failure.message.starts_with(&begins), "{}", failure.message);
            assert!(
                failure.message.ends_with("A recording keeps all of it."),
                "{}",
                failure.message
            );
        }
    }
}
