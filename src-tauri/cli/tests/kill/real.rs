//! The same on the real adapters, step by step: an answer of a reaction, a file and three messages is cut short by a kill
//! at every step in turn, and the bot starts again. What the platform has then, and what the journal says, must agree.

use crate::{
    life::start,
    place::{Place, Said},
};
use foldback_channels::{platform, profile};
use foldback_pipeline::{
    CrashPoint,
    invariants::{self, Extent},
};
use foldback_store::{Journal as _, SqliteJournal};
use foldback_wire::{Event, Kind, OpKind, OutcomeCode, Platform, Seq, Terminal, TurnId};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::process::ExitStatusExt as _,
    path::Path,
    process::{Child, Command},
    sync::mpsc::{Receiver, RecvTimeoutError},
    time::Duration,
};
use tokio::runtime::{Builder, Runtime};

/// A bot that says nothing for so long hangs.
const PATIENCE: Duration = Duration::from_mins(1);
/// Messages that the answer is split into.
const CHUNKS: usize = 3;
const FIRST: &str = "the long answer, please";
const SECOND: &str = "and the short one";

/// A bot in a process of its own.
struct Bot {
    child: Child,
    lines: Receiver<Value>,
}

impl Bot {
    fn start(home: &Path, crash: Option<&str>) -> Self {
        let (child, lines) = start(home, &[], crash);
        Self { child, lines }
    }

    /// Waits for an event; false when the process ended first.
    fn until(&self, mut what: impl FnMut(&Value) -> bool) -> bool {
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(event) if what(&event) => return true,
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return false,
                Err(RecvTimeoutError::Timeout) => panic!("the bot hangs"),
            }
        }
    }

    fn up(&self) -> bool {
        self.until(|event| event["kind"]["type"] == "channel_state" && event["kind"]["to"] == "up")
    }

    /// Waits until the turn of this message has ended; false when the process ended first.
    fn answers(&self, text: &str) -> bool {
        let mut turn = Value::Null;
        self.until(|event| {
            let kind = &event["kind"];
            if kind["type"] == "received"
                && kind["message"]["text"]
                    .as_str()
                    .is_some_and(|said| said.ends_with(text))
            {
                turn = event["turn"].clone();
            }
            kind["type"] == "turn_ended" && !turn.is_null() && event["turn"] == turn
        })
    }

    fn term(&self) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", "TERM", &pid]).status().unwrap();
        assert!(sent.success());
    }

    /// True when it was killed.
    fn end(mut self) -> bool {
        let status = self.child.wait().unwrap();
        let killed = status.signal() == Some(9);
        assert!(killed || status.success(), "a bot ended with {status}");
        killed
    }
}

/// As many words as fill three messages, the last by half.
fn words(platform: Platform) -> Vec<String> {
    let enough = profile(platform).text_limit * (2 * CHUNKS - 1) / 2;
    let words = (0..).map(|n| format!("word{n:04}"));
    words.take(enough / "word0000 ".len()).collect()
}

/// An answer of three messages, a file and a reaction. Each word is there once.
fn script(platform: Platform) -> String {
    let long = serde_json::to_string(&words(platform).join(" ")).unwrap();
    format!(
        "- when: {{contains: {FIRST:?}}}\n  agent:\n\
         \x20   - \"<actions><react emoji=\\\"eyes\\\"/><send-file path=\\\"report.txt\\\"/></actions>\"\n    - {long}\n\
         - agent: [\"Short.\"]\n"
    )
}

fn home(place: &Place, platform: Platform) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(home.path().join(name), text).unwrap();
    write(
        "foldback.toml",
        &format!(
            "[queue]\nmode = \"followup\"\n[agent.script]\nfile = \"script.yaml\"\n[files]\nsend_dir = \"out\"\n[typing]\nenabled = false\n\
             [store]\nfile = \"journal.sqlite\"\n{}",
            place.config(home.path())
        ),
    );
    write("script.yaml", &script(platform));
    fs::create_dir(home.path().join("out")).unwrap();
    write("out/report.txt", "42");
    home
}

/// One bot is killed at `crash`, another goes on. `None` when the step was never reached.
fn cut_short(there: &Runtime, platform: Platform, crash: &str) -> Option<Told> {
    let place = there.block_on(Place::open(platform));
    let home = home(&place, platform);
    let bot = Bot::start(home.path(), Some(crash));
    let asked = bot.up();
    if asked {
        there.block_on(place.introduce());
        place.write(0, FIRST);
        if bot.answers(FIRST) {
            bot.term();
        }
    }
    let killed = bot.end();
    let bot = Bot::start(home.path(), None);
    assert!(bot.up(), "{platform} {crash}: it does not start again");
    if !killed {
        bot.term();
        bot.end();
        return None;
    }
    if !asked {
        there.block_on(place.introduce());
    }
    place.write(0, SECOND);
    assert!(bot.answers(SECOND), "{platform} {crash}");
    bot.term();
    assert!(!bot.end());
    let events = there.block_on(async {
        let journal = SqliteJournal::open(&home.path().join("journal.sqlite"))
            .await
            .unwrap();
        assert_eq!(journal.outbox().await.unwrap(), [], "{platform} {crash}");
        journal.read(Seq(1), usize::MAX >> 1).await.unwrap()
    });
    assert_eq!(
        invariants::check(&events, Extent::Ended),
        [],
        "{platform} {crash}"
    );
    assert_eq!(place.broken(), "[]", "{platform} {crash}");
    let told = Told::of(&events);
    told.agrees_with(&place, asked, &words(platform), &format!("{platform} {crash}"));
    Some(told)
}

/// What the journal says of the operations.
#[derive(Debug, Default)]
struct Told {
    /// Operations that were acknowledged, by kind. A reaction that is set again counts once: the platform has it once.
    acknowledged: BTreeMap<OpKind, usize>,
    unknown: BTreeMap<OpKind, usize>,
    /// Whether the first message has a turn.
    received: bool,
    /// The turns in which the agent was asked about it, and whether each failed: an agent that was cut off is not run
    /// again, unless the platform, which has no confirmation of the message yet, delivers it once more.
    asked: BTreeMap<TurnId, bool>,
}

impl Told {
    fn of(events: &[Event]) -> Self {
        let mut told = Self::default();
        let mut intents = BTreeMap::new();
        let (mut first, mut reacted) = (BTreeSet::new(), BTreeSet::new());
        for event in events {
            let turn = event.turn.filter(|turn| first.contains(turn));
            match &event.kind {
                Kind::Received { message } if message.text.ends_with(FIRST) => first.extend(event.turn),
                Kind::RunStarted { .. } => told.asked.extend(turn.map(|turn| (turn, false))),
                Kind::TurnEnded { terminal } => {
                    if let Some(failed) = turn.and_then(|turn| told.asked.get_mut(&turn)) {
                        *failed = matches!(terminal, Terminal::Failed { .. });
                    }
                }
                Kind::Intended { op, intent } => drop(intents.insert(*op, intent)),
                Kind::Ended { op, outcome } => {
                    let intent = intents[op];
                    let count = match outcome.code {
                        OutcomeCode::Sent | OutcomeCode::Unchanged => &mut told.acknowledged,
                        OutcomeCode::Unknown => &mut told.unknown,
                        // A live frame that a later one replaced.
                        OutcomeCode::Cancelled => continue,
                        other => panic!("operation {op} ended as {other}"),
                    };
                    let reaction = (&intent.message, &intent.emoji);
                    if intent.kind != OpKind::React || reacted.insert(reaction) {
                        *count.entry(intent.kind).or_default() += 1;
                    }
                }
                _ => {}
            }
        }
        told.received = !first.is_empty();
        told
    }

    /// Whether no turn answered the first message to its end.
    fn failed(&self) -> bool {
        !self.asked.is_empty() && self.asked.values().all(|failed| *failed)
    }

    fn of_kind(&self, kind: OpKind) -> (usize, usize) {
        let count = |counts: &BTreeMap<OpKind, usize>| counts.get(&kind).copied().unwrap_or_default();
        (count(&self.acknowledged), count(&self.unknown))
    }

    /// Whether an operation is as often on the platform as it was acknowledged, or once more where that is unknown.
    fn agrees(&self, kind: OpKind, there: usize) -> bool {
        let (acknowledged, unknown) = self.of_kind(kind);
        (acknowledged..=acknowledged + unknown).contains(&there)
    }

    fn agrees_with(&self, place: &Place, asked: bool, words: &[String], crash: &str) {
        let (files, texts): (Vec<Said>, Vec<Said>) =
            place.messages(0).into_iter().partition(|said| said.file);
        let about = || {
            format!(
                "{crash}: {self:?}, on the platform {} texts, {} files, {} reactions",
                texts.len(),
                files.len(),
                place.reactions()
            )
        };
        assert_eq!(self.received, asked, "{}", about());
        assert!(self.unknown.values().sum::<usize>() <= 1, "{}", about());
        // An edit shows a text in a message that is there.
        assert!(self.agrees(OpKind::SendText, texts.len()), "{}", about());
        assert!(self.agrees(OpKind::SendFile, files.len()), "{}", about());
        assert!(self.agrees(OpKind::React, place.reactions()), "{}", about());
        let said = texts.iter().flat_map(|said| said.text.split_whitespace());
        let said: Vec<_> = said.filter(|word| word.starts_with("word")).collect();
        let once: BTreeSet<_> = said.iter().copied().collect();
        // What was cut off may stand there, and before a whole answer, where the message came again.
        let answers = self.asked.len().max(1);
        let texts_unknown = [OpKind::SendText, OpKind::EditText].map(|kind| self.of_kind(kind).1);
        let in_doubt: usize = texts_unknown.iter().sum();
        let most = once
            .iter()
            .map(|word| said.iter().filter(|said| *said == word).count());
        assert!(
            most.max() <= Some(answers + in_doubt),
            "something is shown twice: {}",
            about()
        );
        // Of what is unknown, one message's words, the file or the reaction may be missing, and nothing else.
        let there = |kind, there: usize| (1..=answers).contains(&there) || self.unknown.contains_key(&kind);
        let in_one = (2 * words.len()).div_ceil(2 * CHUNKS - 1);
        let may_miss = if texts_unknown == [0, 0] { 0 } else { in_one };
        let whole = words.len() - once.len() <= may_miss
            && there(OpKind::SendFile, files.len())
            && there(OpKind::React, place.reactions());
        assert!(
            whole || !asked || self.failed(),
            "something is lost, and nothing says so: {}",
            about()
        );
    }
}

/// The steps of a delivery.
const STEPS: [CrashPoint; 8] = [
    CrashPoint::BeforeIntend,
    CrashPoint::AfterIntend,
    CrashPoint::BeforeAttempt,
    CrashPoint::AfterAttempt,
    CrashPoint::BeforeCall,
    CrashPoint::AfterCall,
    CrashPoint::BeforeSettle,
    CrashPoint::AfterSettle,
];

fn at_every_step(platform: Platform) {
    let there = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let (mut kills, mut unknown) = (0, 0);
    for step in STEPS {
        let reached = (1..).map_while(|nth| cut_short(&there, platform, &format!("{}:{nth}", step.code())));
        let told: Vec<_> = reached.collect();
        assert!(
            told.len() >= 2 + CHUNKS,
            "{platform} {}: reached {} times",
            step.code(),
            told.len()
        );
        kills += told.len();
        unknown += told
            .iter()
            .map(|told| told.unknown.values().sum::<usize>())
            .sum::<usize>();
    }
    println!(
        "{platform}: killed at {kills} steps, {unknown} operations unknown, lost or doubled silently = 0"
    );
    let keyed = profile(platform).idempotency_key;
    assert!(unknown > 0 || keyed, "{platform}: no kill hit a call in flight");
}

#[test]
fn telegram_loses_and_doubles_nothing_silently() {
    at_every_step(platform::TELEGRAM);
}

#[test]
fn discord_loses_and_doubles_nothing_silently() {
    at_every_step(platform::DISCORD);
}

#[test]
fn slack_loses_and_doubles_nothing_silently() {
    at_every_step(platform::SLACK);
}

#[test]
fn whatsapp_loses_and_doubles_nothing_silently() {
    at_every_step(platform::WHATSAPP);
}

#[test]
fn signal_loses_and_doubles_nothing_silently() {
    at_every_step(platform::SIGNAL);
}
