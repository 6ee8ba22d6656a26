//! Hooks of the configuration, beside a bot. In real time: programs know no other.

use crate::host::Host;
use foldback_api::{Backend, OpenError, Setup};
use foldback_pipeline::config::{self, Config};
use foldback_store::MemoryJournal;
use foldback_wire::{Actor, Event, rpc::HookLine};
use serde_json::{Value, json};
use std::{path::Path, sync::Arc, time::Duration};

fn with_hook(more: &str) -> Config {
    config::parse(
        &format!("[[hooks]]\nname = \"pager\"\n{more}\n"),
        Path::new("test.toml"),
    )
    .unwrap()
}

#[tokio::test]
async fn a_hook_is_told_of_a_turns_end_and_the_journal_of_the_hook() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("told");
    let run = format!(
        "where = \"kind:turn_ended\"\nrun = [\"tee\", {:?}]",
        file.display().to_string()
    );
    let host = Host::start_with(|setup| {
        setup.demo = false;
        setup.config.hooks = with_hook(&run).hooks;
    })
    .await;
    let message = json!({"channel": "telegram", "user_text": "hi", "agent_output": "Hello."});
    let sent: Value = host.call("compose_send", message).await;
    for _ in 0..200 {
        if host.rows("kind:hook_ended").await == 1 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(host.rows("kind:hook_ended").await, 1);
    assert_eq!(host.rows("kind:hook_ended is:warning").await, 0);
    let lines: Vec<HookLine> = host.call("hooks", json!({})).await;
    assert_eq!((lines.len(), lines[0].done, lines[0].failed), (1, 1, 0));
    assert_eq!(lines[0].filter, "kind:turn_ended");
    assert!(lines[0].destination == "tee" && !lines[0].signed);
    let latest = lines[0].latest.as_ref().unwrap();
    assert!(latest.end.done && lines[0].failures.is_empty(), "{latest:?}");
    let event: Value = host.call("event", json!({"seq": latest.seq})).await;
    assert!(event.to_string().contains("hook_ended"), "{event}");
    let told: Event = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert_eq!(told.turn.map(|turn| turn.0), sent["turn"].as_u64());
}

#[tokio::test]
async fn a_key_that_is_not_there_is_told_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let mut setup = Setup::embedded(
        folder.path().to_owned(),
        folder.path().join("fixtures"),
        Actor::Console,
    );
    setup.journal = Some(Arc::new(MemoryJournal::new()));
    let post = "where = \"\"\nurl = \"https://example.org\"\nsecret = { file = \"nowhere\" }";
    setup.config.hooks = with_hook(post).hooks;
    let error = Backend::open(setup).await.err().unwrap();
    assert!(matches!(error, OpenError::Hook(_)), "{error}");
    assert!(
        error
            .to_string()
            .starts_with("the hook \"pager\": the secret file "),
        "{error}"
    );
}
