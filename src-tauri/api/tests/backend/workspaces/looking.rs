//! Open workspaces: what is looked at in them, and what cannot be done there.

use super::{ask, files, fixtures, rows, sample, turns};
use crate::host::Host;
use foldback_api::call;
use foldback_channels::platform;
use foldback_wire::rpc::{Status, TurnDetail, Workspace};
use serde_json::{Value, json};
use std::fs;

#[tokio::test(flavor = "multi_thread")]
async fn an_open_file_is_looked_at_and_nothing_can_be_done_in_it() {
    let host = Host::start().await;
    let opened = host.open_file(&sample("lettabot-turns.jsonl")).await;
    assert_eq!(opened.name, "lettabot-turns.jsonl");
    let file = host.file(&opened);
    let status: Status = ask(&file, "status", json!({})).await;
    assert!(status.replayed && status.demo.is_none() && status.armed.is_empty());
    assert_eq!(status.workspace, "lettabot-turns.jsonl");
    assert_eq!((status.running, status.head), (0, opened.events));
    let first = turns(&file).await[0].turn;
    let detail: TurnDetail = ask(&file, "turn", json!({"turn": first})).await;
    assert!(!detail.messages[0].ranges.is_empty(), "its hold map is there");
    assert_eq!(detail.summary.at.to_string(), "2026-03-02T08:14:07.572Z");
    let send = json!({"channel": "telegram", "user_text": "hi", "agent_output": "hello"});
    for (name, args) in [
        ("compose_send", send),
        ("mute", json!({"muted": true})),
        ("channel_switch", json!({"channel": "telegram", "on": false})),
        ("workspace_open", files(&["/x"])),
    ] {
        let failure = call(&file, name, args).await.unwrap_err();
        assert_eq!(failure.code, "replayed", "{name}");
        assert!(
            failure.message.starts_with("lettabot-turns.jsonl is a file"),
            "{}",
            failure.message
        );
    }
    assert_eq!(file.journal().head().0, opened.events);
    // The live bot goes on.
    let live: Status = host.call("status", json!({})).await;
    assert!(!live.replayed);
    let closed: Vec<Workspace> = host
        .call("workspace_close", json!({"workspace": opened.workspace}))
        .await;
    assert_eq!(closed, []);
    assert_eq!(
        host.backend.workspace(opened.workspace).err().unwrap().code,
        "no_workspace"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_are_opened_at_once_are_all_there_and_one_takes_its_own_place() {
    let host = Host::start().await;
    let (session, export) = (sample("openclaw-session.jsonl"), sample("telegram-result.json"));
    let (one, two) = tokio::join!(host.open_file(&session), host.open_file(&export));
    assert_ne!(one.workspace, two.workspace);
    let again = host.open_file(&sample("telegram-result.json")).await;
    let listed: Vec<Workspace> = host.call("workspaces", json!({})).await;
    let numbers: Vec<u32> = listed.iter().map(|one| one.workspace).collect();
    assert_eq!(numbers, [one.workspace, again.workspace]);
    assert!(host.backend.workspace(two.workspace).is_err());
    // Logs that belong together are opened together.
    let both = [sample("lettabot-turns.jsonl"), sample("lettabot-cron-log.jsonl")];
    let both: Workspace = host.call("workspace_open", files(&[&both[0], &both[1]])).await;
    assert_eq!(
        (both.files.len(), both.name.as_str()),
        (2, "lettabot-turns.jsonl and 1 more")
    );
    // The bot is named where the format does not say.
    let named =
        json!({"source": {"of": "files", "paths": [sample("telegram-result.json")], "bot": "Pia Bot"}});
    let named: Workspace = host.call("workspace_open", named).await;
    assert_eq!(rows(&host.file(&named), "kind:intended").await, 1);
    assert_eq!(rows(&host.file(&again), "kind:intended").await, 0);
    assert!(
        again.files[0]
            .notes
            .iter()
            .any(|note| note.contains("does not say who the bot is"))
    );
    for name in [
        "acp-stdio.jsonl",
        "codex-rollout.jsonl",
        "gemini-session.jsonl",
        "openai-finetune.jsonl",
    ] {
        host.open_file(&sample(name)).await;
    }
    let (code, message, _) = host
        .failure("workspace_open", files(&[&sample("discord-export.json")]))
        .await;
    assert_eq!(code, "too_many_workspaces", "{message}");
    host.backend.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fixture_opens_as_turns_with_their_hold_maps() {
    let host = Host::start_with(|setup| {
        setup.demo = false;
        setup.fixtures = fixtures().into();
    })
    .await;
    let entries: Value = host.call("fixtures", json!({})).await;
    let entry = entries
        .as_array()
        .unwrap()
        .iter()
        .find(|entry| entry["channels"].as_array().unwrap().len() == platform::ALL.len())
        .unwrap();
    let path = entry["path"].as_str().unwrap();
    let whole = host.open_file(&fixtures().join(path).to_string_lossy()).await;
    assert_eq!(whole.files[0].format, "fixture");
    assert!(whole.turns >= 5);
    assert_eq!(whole.files[0].notes, Vec::<String>::new(), "it holds");
    let case = json!({"source": {"of": "case", "path": path, "channel": "discord"}});
    let case: Workspace = host.call("workspace_open", case).await;
    let file = host.file(&case);
    let listed = turns(&file).await;
    assert_eq!(listed.len() as u32, case.turns);
    assert!(
        listed
            .iter()
            .all(|turn| turn.channel == Some("discord".into()) && turn.replayed)
    );
    let detail: TurnDetail = ask(&file, "turn", json!({"turn": listed[0].turn})).await;
    assert!(!detail.messages[0].ranges.is_empty());
    let args = json!({"source": {"of": "case", "path": path, "channel": "fax"}});
    let (_, message, _) = host.failure("workspace_open", args).await;
    assert!(
        message.ends_with("is not opened: the fixture does not run on fax."),
        "{message}"
    );
    let broken = host.folder.path().join("broken.yaml");
    fs::write(&broken, "name: x\nchannel: telegram\nsteps:\n  - shout: hi\n").unwrap();
    let message = host.refusal(&broken).await;
    assert!(
        message.starts_with("broken.yaml is not opened: the fixture is wrong at line 4: "),
        "{message}"
    );
}
