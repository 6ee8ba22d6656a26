//! Records what a backend answers and pushes, for a host that plays it back: the window's tests run on what the real
//! backend said. Time is virtual, so that two recordings are the same.

mod agents;
mod demo;

use foldback_api::{Backend, COMMANDS, Setup, Subscription, call, typescript::File};
use foldback_pipeline::{SeededRng, TokioClock};
use foldback_store::{MemoryJournal, Scene};
use foldback_wire::{
    Seq, Timestamp,
    rpc::{EventRow, Push},
};
use serde_json::{Value, json};
use std::{error::Error, fmt::Write as _, sync::Arc, time::Duration};
use tokio::runtime::{self, Runtime};

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// When a recording begins: 2026-11-21T13:00:00Z.
const BEGIN: Timestamp = Timestamp(1_795_266_000_000);

/// The recordings.
pub(crate) fn files() -> Result<Vec<File>> {
    let folder = tempfile::tempdir()?;
    let demo = paused()?.block_on(demo::record(&folder.path().join("demo")))?;
    let agents = paused()?.block_on(agents::record(&folder.path().join("agents")))?;
    Ok(vec![
        File {
            name: "demo.json",
            text: demo,
        },
        File {
            name: "agents.json",
            text: agents,
        },
    ])
}

pub(crate) fn paused() -> Result<Runtime> {
    let mut runtime = runtime::Builder::new_current_thread();
    Ok(runtime.enable_all().start_paused(true).build()?)
}

/// The same time, chance and place for every recording.
pub(crate) fn repeatable(setup: &mut Setup) {
    setup.clock = Arc::new(TokioClock::at(BEGIN));
    setup.rng = Arc::new(SeededRng::new(1));
    setup.journal = Some(Arc::new(MemoryJournal::new()));
}

/// What is recorded.
struct Tape {
    backend: Backend,
    calls: Vec<Value>,
}

impl Tape {
    fn new(backend: Backend) -> Self {
        Self {
            backend,
            calls: Vec::new(),
        }
    }

    /// Performs a command without recording it; it must succeed.
    async fn ask(&self, name: &str, args: Value) -> Result<Value> {
        let answer = call(&self.backend, name, args).await;
        answer.map_err(|failure| format!("{name}: {}", failure.message).into())
    }

    /// What a window asks for at its start, and what its views begin with.
    async fn state(&mut self) {
        for name in [
            "catalog",
            "status",
            "channels",
            "pairings",
            "permissions",
            "faults",
            "secrets",
            "hooks",
            "fixtures",
            "log_tail",
        ] {
            self.play(name, json!({})).await;
        }
        self.play("sessions", json!({ "limit": 200 })).await;
    }

    /// Performs a command and records it; answers what it answered.
    async fn play(&mut self, name: &str, args: Value) -> Value {
        let answer = call(&self.backend, name, args.clone()).await;
        let mut exchange = json!({ "name": name });
        if args != json!({}) {
            exchange["args"] = args;
        }
        let result = match answer {
            Ok(result) => {
                exchange["result"] = result.clone();
                result
            }
            Err(failure) => {
                exchange["failure"] = json!(failure);
                Value::Null
            }
        };
        self.calls.push(exchange);
        result
    }
}

/// Every turn as it is at its end, and every moment of the one that is scrubbed; answers what each is.
async fn turns(tape: &mut Tape, scrubbed: Option<u64>) -> Vec<Value> {
    let turns = tape.play("turns", json!({ "before": null, "limit": 100 })).await;
    let mut details = Vec::new();
    for summary in turns.as_array().into_iter().flatten() {
        let turn = &summary["turn"];
        let detail = tape.play("turn", json!({ "turn": turn })).await;
        tape.play("why", json!({ "about": turn.to_string() })).await;
        if detail["has_chain"] == true {
            tape.play("action_chain", json!({ "turn": turn })).await;
        }
        tape.play("fixture_from_turn", json!({ "turn": turn })).await;
        tape.play("ruler", json!({ "turn": turn })).await;
        if scrubbed.is_some_and(|scrubbed| *turn == scrubbed) {
            moments(tape, turn, &detail).await;
        } else {
            let end = json!({ "turn": turn, "seq": detail["head"], "byte": null });
            tape.play("turn_at", end).await;
        }
        details.push(detail);
    }
    details
}

/// A turn at each of its decisions, and at each byte of its first chunks.
async fn moments(tape: &mut Tape, turn: &Value, detail: &Value) {
    for decision in detail["decisions"].as_array().into_iter().flatten() {
        let at = json!({ "turn": turn, "seq": decision["seq"], "byte": null });
        tape.play("turn_at", at).await;
    }
    let chunks = detail["messages"][0]["chunks"].as_array();
    for chunk in chunks.into_iter().flatten().take(3) {
        let end = |of: usize| chunk["span"][of].as_u64().unwrap_or_default();
        for byte in end(0)..end(1) {
            let at = json!({ "turn": turn, "seq": chunk["seq"], "byte": [0, byte] });
            tape.play("turn_at", at).await;
        }
    }
}

/// Performs a command and records what is pushed after it.
async fn after(tape: &mut Tape, app: &mut Subscription, name: &str, args: Value) -> Vec<Value> {
    // What is still on its way belongs to what was before.
    pushed(app, Duration::from_secs(30)).await;
    tape.play(name, args).await;
    let pushes = latest(pushed(app, Duration::from_secs(2)).await);
    followed(name, 100, pushes)
}

/// Pushes, and what they followed after how many milliseconds.
fn followed(name: &str, after_ms: u64, pushes: Vec<Push>) -> Vec<Value> {
    let told = |push| json!({ "after": name, "after_ms": after_ms, "push": push });
    pushes.into_iter().map(told).collect()
}

async fn pushed(subscription: &mut Subscription, within: Duration) -> Vec<Push> {
    let end = tokio::time::Instant::now() + within;
    let mut pushes = Vec::new();
    while let Ok(Some(push)) = tokio::time::timeout_at(end, subscription.next()).await {
        pushes.push(push);
    }
    pushes
}

/// The last push of each kind and channel; how often a figure changed on the way depends on the tick. Cases
/// of fixtures come in the order in which threads end, so they are put in order, in one report.
fn latest(pushes: Vec<Push>) -> Vec<Push> {
    let mut kept: Vec<Push> = Vec::new();
    for push in pushes {
        let same = |other: &Push| match (other, &push) {
            (Push::Status { .. }, Push::Status { .. })
            | (Push::Fixtures { .. }, Push::Fixtures { .. })
            | (Push::Recut { .. }, Push::Recut { .. })
            | (Push::Pairings { .. }, Push::Pairings { .. })
            | (Push::Permissions { .. }, Push::Permissions { .. })
            | (Push::Faults { .. }, Push::Faults { .. })
            | (Push::Log { .. }, Push::Log { .. }) => true,
            (Push::Channel { card: a }, Push::Channel { card: b }) => a.channel == b.channel,
            _ => false,
        };
        match (kept.iter().position(same), push) {
            (Some(at), Push::Fixtures { mut progress }) => {
                if let Push::Fixtures { progress: before } = &mut kept[at] {
                    progress.ended.append(&mut before.ended);
                    progress
                        .ended
                        .sort_by(|a, b| (&a.path, &a.channel).cmp(&(&b.path, &b.channel)));
                    *before = progress;
                }
            }
            (Some(at), push) => kept[at] = push,
            (None, push) => kept.push(push),
        }
    }
    kept
}

async fn rows(backend: &Backend) -> Result<Vec<EventRow>> {
    let journal = backend.journal();
    let mut scene = Scene::live();
    scene.learn(journal.as_ref(), journal.head()).await?;
    let events = journal.read(Seq(1), usize::MAX).await?;
    Ok(scene.rows(journal.as_ref(), &events).await?)
}

/// One row, call and push a line, so that a difference shows what differs.
fn written(rows: &[EventRow], calls: &[Value], pushes: &[Value]) -> Result<String> {
    let unknown: Vec<_> = calls
        .iter()
        .filter(|call| !COMMANDS.iter().any(|name| call["name"] == *name))
        .collect();
    if !unknown.is_empty() {
        return Err(format!("these are no commands: {unknown:?}").into());
    }
    let mut text = "{\n".to_owned();
    let rows: Vec<Value> = rows.iter().map(|row| json!(row)).collect();
    for (name, list) in [("rows", rows.as_slice()), ("calls", calls), ("pushes", pushes)] {
        let lines: Vec<String> = list.iter().map(ToString::to_string).collect();
        let end = if name == "pushes" { "" } else { "," };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "\"{name}\": [\n{}\n]{end}", lines.join(",\n"));
    }
    Ok(text + "}\n")
}
