//! Records what a backend answers and pushes around the demonstration, for a host that plays it back: the
//! window's tests run on what the real backend said. Time is virtual, so that two recordings are the same.

use foldback_api::{Backend, COMMANDS, Setup, Subscription, call, typescript::File};
use foldback_pipeline::{SeededRng, TokioClock};
use foldback_store::{MemoryJournal, Scene};
use foldback_wire::{
    Actor, Seq, Timestamp,
    rpc::{EventRow, Push, Topic},
};
use serde_json::{Value, json};
use std::{error::Error, fmt::Write as _, fs, path::Path, sync::Arc, time::Duration};
use tokio::runtime;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// When the recording begins: 2026-11-21T13:00:00Z.
const BEGIN: Timestamp = Timestamp(1_795_266_000_000);
/// Longer than the demonstration takes.
const DEMO: Duration = Duration::from_mins(2);
/// The turn whose every moment is recorded.
const SCRUBBED: u64 = 1;

const OUTPUT: &str = "<actions>\n  <react emoji=\"thumbsup\" />\n</actions>\nGreat idea!";
const SECRET: &str =
    "The key is sk-abcdefghijklmnopqrstuvwx.\n<actions>\n  <voice>password: hunter2</voice>\n</actions>";
const TYPO: &str = "Fine.\n<actions>\n  <raect emoji=\"eyes\" />\n</actions>";
const FIXTURES: [(&str, &str); 2] = [
    (
        "actions/reaction.yaml",
        "name: A reaction, then text\nabout: The documented example of the response directives.\n\
         channel: [telegram, slack]\nrules: [G3.block]\nsteps:\n  - user: {text: \"How was my talk?\", id: m1}\n  \
         - agent:\n      - \"<actions>\\n  <react em\"\n      - \"oji=\\\"thumbsup\\\" />\\n</actions>\\nGreat idea!\"\n\
         expect:\n  - react: {emoji: \"👍\", message: m1}\n  - send: {text: \"Great idea!\"}\n",
    ),
    (
        "silence/broken.yaml",
        "name: A broken expectation\nabout: It expects another text than comes, to show a difference.\n\
         channel: telegram\nrules: []\nsteps:\n  - user: {text: \"Hello?\", id: m1}\n  - agent: [\"Good morning!\"]\n\
         expect:\n  - send: {text: \"Good evening!\"}\n",
    ),
];

/// The recording.
pub(crate) fn files() -> Result<Vec<File>> {
    let folder = tempfile::tempdir()?;
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()?;
    let text = runtime.block_on(record(folder.path()))?;
    Ok(vec![File {
        name: "demo.json",
        text,
    }])
}

/// What is recorded.
struct Tape {
    backend: Backend,
    calls: Vec<Value>,
}

impl Tape {
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

async fn record(folder: &Path) -> Result<String> {
    let fixtures = folder.join("fixtures");
    for (path, text) in FIXTURES {
        let file = fixtures.join(path);
        fs::create_dir_all(file.parent().unwrap_or(&fixtures))?;
        fs::write(file, text)?;
    }
    let mut setup = Setup::embedded(folder.to_owned(), fixtures, Actor::Console);
    setup.clock = Arc::new(TokioClock::at(BEGIN));
    setup.rng = Arc::new(SeededRng::new(1));
    setup.journal = Some(Arc::new(MemoryJournal::new()));
    let backend = Backend::open(setup).await?;
    let mut app = backend
        .subscribe(&Topic::App)
        .map_err(|failure| failure.message)?;
    tokio::time::sleep(DEMO).await;
    let at_start = latest(pushed(&mut app, Duration::from_secs(1)).await);
    let rows = rows(&backend).await?;

    let mut tape = Tape {
        backend,
        calls: Vec::new(),
    };
    for name in [
        "catalog", "status", "channels", "pairings", "faults", "secrets", "fixtures", "log_tail",
    ] {
        tape.play(name, json!({})).await;
    }
    for channel in ["telegram", "slack"] {
        tape.play("channel_reach", json!({ "channel": channel })).await;
        let of = json!({ "channel": channel, "limit": 20 });
        tape.play("deliveries", of).await;
    }
    turns(&mut tape).await;
    compose(&mut tape).await;
    for text in ["", "channel:discord,telegram -kind:edit", "chanel:discord"] {
        tape.play("filter_check", json!({ "text": text })).await;
    }
    tape.play("view_open", json!({ "filter": "chanel:discord" }))
        .await;
    for text in ["chan", "reason:"] {
        tape.play("filter_complete", json!({ "text": text, "cursor": text.len() }))
            .await;
    }
    for row in rows.iter().step_by(7) {
        tape.play("event", json!({ "seq": row.seq })).await;
    }
    for (path, _) in FIXTURES {
        tape.play("fixture_read", json!({ "path": path })).await;
    }
    let mut pushes: Vec<Value> = at_start
        .into_iter()
        .map(|push| json!({ "after": "start", "after_ms": 0, "push": push }))
        .collect();
    pushes.extend(after(&mut tape, &mut app, "fixture_run", json!({ "paths": [] })).await);
    let specimen = json!({ "of": "message", "turn": SCRUBBED, "message": 0 });
    pushes.extend(after(&mut tape, &mut app, "recut", json!({ "specimen": specimen })).await);
    let off = json!({ "channel": "slack", "on": false });
    pushes.extend(after(&mut tape, &mut app, "channel_switch", off).await);
    pushes.extend(after(&mut tape, &mut app, "mute", json!({ "muted": true })).await);
    let unknown: Vec<_> = tape
        .calls
        .iter()
        .filter(|c| !COMMANDS.iter().any(|name| c["name"] == *name))
        .collect();
    if !unknown.is_empty() {
        return Err(format!("these are no commands: {unknown:?}").into());
    }
    Ok(written(&rows, &tape.calls, &pushes))
}

async fn turns(tape: &mut Tape) {
    let turns = tape.play("turns", json!({ "before": null, "limit": 200 })).await;
    for summary in turns.as_array().into_iter().flatten() {
        let turn = &summary["turn"];
        let detail = tape.play("turn", json!({ "turn": turn })).await;
        tape.play("why", json!({ "about": turn.to_string() })).await;
        tape.play("fixture_from_turn", json!({ "turn": turn })).await;
        tape.play("ruler", json!({ "turn": turn })).await;
        if *turn != SCRUBBED {
            let end = json!({ "turn": turn, "seq": detail["head"], "byte": null });
            tape.play("turn_at", end).await;
            continue;
        }
        for decision in detail["decisions"].as_array().into_iter().flatten() {
            tape.play(
                "turn_at",
                json!({ "turn": turn, "seq": decision["seq"], "byte": null }),
            )
            .await;
        }
        for chunk in detail["messages"][0]["chunks"]
            .as_array()
            .into_iter()
            .flatten()
            .take(3)
        {
            for byte in 0..chunk["span"][1].as_u64().unwrap_or_default() {
                if byte >= chunk["span"][0].as_u64().unwrap_or_default() {
                    let at = json!({ "turn": turn, "seq": chunk["seq"], "byte": [0, byte] });
                    tape.play("turn_at", at).await;
                }
            }
        }
    }
}

async fn compose(tape: &mut Tape) {
    for output in [OUTPUT, TYPO, SECRET, ""] {
        let args = json!({ "user_text": "How was my talk?", "agent_output": output, "channels": [] });
        tape.play("compose", args).await;
    }
    let specimen =
        json!({ "of": "text", "user_text": "How was my talk?", "agent_output": OUTPUT, "channel": null });
    let bench = json!({ "specimen": specimen, "columns": null });
    tape.play("dialect_bench", bench).await;
    let send = json!({ "channel": "telegram", "user_text": "How was my talk?", "agent_output": OUTPUT });
    tape.play("compose_send", send).await;
}

/// Performs a command and records what is pushed after it.
async fn after(tape: &mut Tape, app: &mut Subscription, name: &str, args: Value) -> Vec<Value> {
    // What is still on its way belongs to what was before.
    pushed(app, Duration::from_secs(30)).await;
    tape.play(name, args).await;
    let pushes = latest(pushed(app, Duration::from_secs(2)).await);
    pushes
        .into_iter()
        .map(|push| json!({ "after": name, "after_ms": 100, "push": push }))
        .collect()
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
    Ok(events.iter().map(|event| scene.row(event)).collect())
}

/// One row, call and push a line, so that a difference shows what differs.
fn written(rows: &[EventRow], calls: &[Value], pushes: &[Value]) -> String {
    let mut text = "{\n".to_owned();
    let rows: Vec<Value> = rows.iter().map(|row| json!(row)).collect();
    for (name, list) in [("rows", rows.as_slice()), ("calls", calls), ("pushes", pushes)] {
        let lines: Vec<String> = list.iter().map(ToString::to_string).collect();
        let end = if name == "pushes" { "" } else { "," };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "\"{name}\": [\n{}\n]{end}", lines.join(",\n"));
    }
    text + "}\n"
}
