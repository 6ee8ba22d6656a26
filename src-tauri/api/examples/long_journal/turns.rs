//! Turns of a real bot, and a journal that is made of many copies of them.

use crate::Fault;
use foldback_api::{Backend, Setup, call};
use foldback_pipeline::{TokioClock, config};
use foldback_store::{Journal, MemoryJournal, SqliteJournal};
use foldback_wire::{Actor, Clock, Draft, Event, Kind, Seq, Timestamp, TurnId};
use serde_json::{Value, json};
use std::{fmt::Write as _, path::Path, sync::Arc, time::Duration};

/// The journal's name in its folder, as a bot names it.
pub(crate) const FILE: &str = "journal.sqlite";

/// Messages with streamed answers that are recorded.
pub(crate) const STREAMED: usize = 4;

/// Bytes of a streamed answer, and of a delta of it.
const ANSWER: usize = 1_200;
const DELTA: usize = 4;

/// Longest that a message or the demonstration takes on its clock.
const LONGEST: Duration = Duration::from_mins(2);

/// The events of the demonstration, or of so many messages that are answered by a model which streams.
pub(crate) async fn record(messages: Option<usize>) -> Result<Vec<Event>, Fault> {
    let folder = tempfile::tempdir()?;
    let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    let mut setup = Setup::embedded(
        folder.path().to_owned(),
        folder.path().join("fixtures"),
        Actor::Console,
    );
    setup.clock = Arc::new(TokioClock::at(Timestamp(1_800_000_000_000)));
    setup.journal = Some(Arc::clone(&journal));
    if messages.is_some() {
        setup.demo = false;
        setup.config = streaming(folder.path())?;
    }
    let backend = Backend::open(setup).await?;
    if messages.is_none() {
        tokio::time::sleep(LONGEST).await;
    }
    for _ in 0..messages.unwrap_or_default() {
        let args = json!({"channel": "telegram", "user_text": "Tell me something.", "agent_output": null});
        call(&backend, "compose_send", args)
            .await
            .map_err(|f| f.message)?;
        tokio::time::sleep(LONGEST).await;
    }
    let events = journal.read(Seq(1), usize::MAX >> 1).await?;
    backend.shutdown().await?;
    Ok(events)
}

/// A bot whose agent writes as a model of 50 tokens a second.
fn streaming(folder: &Path) -> Result<config::Config, Fault> {
    let prose = "The model writes a sentence, and then another one. ".repeat(ANSWER / 50 + 1);
    let mut steps = String::new();
    for delta in prose.as_bytes()[..ANSWER].chunks(DELTA) {
        let text = json!(String::from_utf8_lossy(delta));
        write!(steps, "{{\"text\": {text}, \"after_ms\": 20}},")?;
    }
    let rules = folder.join("rules.yaml");
    std::fs::write(&rules, format!("[{{\"agent\": [{steps}]}}]"))?;
    let text = format!(
        "[agent]\nbackend = \"script\"\n[agent.script]\nfile = {}\n[channels.telegram]\nkind = \"loopback\"\n\
         armed = true\nallow_from = [\"*\"]\n",
        json!(rules)
    );
    Ok(config::parse(&text, &folder.join("foldback.toml"))?)
}

/// Copies turns, as of now, into the journal of a folder until it has so many events.
pub(crate) async fn grow(folder: &Path, own: &[Event], most: u64) -> Result<(), Fault> {
    std::fs::create_dir_all(folder)?;
    let journal = SqliteJournal::open(&folder.join(FILE)).await?;
    let now = TokioClock::system().now();
    let most_of = |number: fn(&Event) -> Option<u64>| own.iter().filter_map(number).max().unwrap_or_default();
    let turns = most_of(|event| event.turn.map(|turn| turn.0)) + 1;
    let mut copies = 0;
    while journal.head().0 < most {
        let copy = |event: &Event| copied(event, copies, turns, now);
        let drafts: Vec<_> = own.iter().filter_map(copy).collect::<Result<_, _>>()?;
        journal.append(drafts)?;
        journal.flush().await?;
        copies += 1;
    }
    journal.close().await?;
    Ok(())
}

/// An event of a turn as one of a later turn; `None` for one of no turn.
fn copied(event: &Event, copies: u64, turns: u64, at: Timestamp) -> Option<Result<Draft, Fault>> {
    let turn = TurnId(event.turn?.0 + copies * turns);
    let kind = renumbered(&event.kind, copies).map(|mut kind| {
        if let Kind::Received { message } = &mut kind {
            message.message = format!("{}-{turn}", message.message).into();
        }
        kind
    });
    Some(kind.map(|kind| Draft {
        at,
        turn: Some(turn),
        session: event.session.clone(),
        channel: event.channel.clone(),
        kind,
    }))
}

/// Operations and runs of a copy have numbers of their own, 10,000 for each.
fn renumbered(kind: &Kind, copies: u64) -> Result<Kind, Fault> {
    let mut value = serde_json::to_value(kind)?;
    for name in ["op", "run"] {
        if let Some(number) = value.get(name).and_then(Value::as_u64) {
            value[name] = (number + copies * 10_000).into();
        }
    }
    Ok(serde_json::from_value(value)?)
}
