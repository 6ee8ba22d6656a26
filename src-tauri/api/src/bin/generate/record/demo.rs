//! The demonstration, and everything a person can ask about it.

use super::{Result, Tape, after, followed, latest, pushed, repeatable, rows, turns, written};
use foldback_api::{Backend, Setup};
use foldback_wire::{Actor, rpc::Topic};
use serde_json::json;
use std::{fs, path::Path, time::Duration};

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

pub(super) async fn record(folder: &Path) -> Result<String> {
    let fixtures = folder.join("fixtures");
    for (path, text) in FIXTURES {
        let file = fixtures.join(path);
        fs::create_dir_all(file.parent().unwrap_or(&fixtures))?;
        fs::write(file, text)?;
    }
    let mut setup = Setup::embedded(folder.to_owned(), fixtures, Actor::Console);
    repeatable(&mut setup);
    let backend = Backend::open(setup).await?;
    let mut app = backend
        .subscribe(&Topic::App)
        .map_err(|failure| failure.message)?;
    tokio::time::sleep(DEMO).await;
    let at_start = latest(pushed(&mut app, Duration::from_secs(1)).await);
    let rows = rows(&backend).await?;

    let mut tape = Tape::new(backend);
    tape.state().await;
    for channel in ["telegram", "slack"] {
        tape.play("channel_reach", json!({ "channel": channel })).await;
        let of = json!({ "channel": channel, "limit": 20 });
        tape.play("deliveries", of).await;
    }
    turns(&mut tape, Some(SCRUBBED)).await;
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
    let mut pushes = followed("start", 0, at_start);
    pushes.extend(after(&mut tape, &mut app, "fixture_run", json!({ "paths": [] })).await);
    let specimen = json!({ "of": "message", "turn": SCRUBBED, "message": 0 });
    pushes.extend(after(&mut tape, &mut app, "recut", json!({ "specimen": specimen })).await);
    let off = json!({ "channel": "slack", "on": false });
    pushes.extend(after(&mut tape, &mut app, "channel_switch", off).await);
    pushes.extend(after(&mut tape, &mut app, "mute", json!({ "muted": true })).await);
    written(&rows, &tape.calls, &pushes)
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
    let context = json!({ "chat_type": "direct", "mentioned": true, "is_bot": false });
    let prepare = json!({ "channel": "telegram", "user_text": "How was my talk?", "context": context });
    tape.play("compose_prepare", prepare).await;
    let messages: Vec<_> = [
        (0, "plan a trip"),
        (500, "for two"),
        (900, "by train"),
        (1_200, "next week"),
    ]
    .map(|(at_ms, text)| json!({ "at_ms": at_ms, "text": text }))
    .into();
    let lab = json!({
        "mode": "collect", "drop": "summarize", "cap": 3, "debounce_ms": 500, "run_ms": 3_000, "messages": messages,
    });
    tape.play("queue_lab", lab).await;
    let send = json!({ "channel": "telegram", "user_text": "How was my talk?", "agent_output": OUTPUT });
    tape.play("compose_send", send).await;
}
