//! A message up to its prompt, and messages in the queue lab: by the real pipeline, with nothing kept.

use crate::host::Host;
use foldback_pipeline::config::{LinkMode, parse};
use foldback_wire::{
    SettingSource, Terminal,
    rpc::{PreparedMessage, QueueLabResult, QueueLabTurn},
};
use serde_json::{Value, json};
use std::{path::Path, time::Duration};

async fn prepare(host: &Host, text: &str, more: Value) -> PreparedMessage {
    let mut args = json!({"channel": "telegram", "user_text": text});
    if let (Some(args), Value::Object(more)) = (args.as_object_mut(), more) {
        args.extend(more);
    }
    host.call("compose_prepare", args).await
}

async fn quiet() -> Host {
    Host::start_with(|setup| setup.demo = false).await
}

#[tokio::test(start_paused = true)]
async fn a_message_comes_to_its_prompt_and_nothing_is_kept() {
    let host = quiet().await;
    let head = host.backend.journal().head();
    let prepared = prepare(&host, "/think high explain this", json!({})).await;
    let prompt = prepared.prompt.unwrap();
    assert!(
        prompt.ends_with("written by the sender.\n\nexplain this"),
        "{prompt}"
    );
    assert_eq!(prepared.terminal, None);
    assert_eq!(prepared.replies, [""; 0]);
    assert!(prepared.answer.starts_with("The agent (script) would be asked"));
    let stripped: Vec<_> = prepared.stripped.iter().map(|part| part.text.as_str()).collect();
    assert_eq!(stripped, ["/think high"]);
    let think = prepared
        .settings
        .iter()
        .find(|set| set.setting == "think")
        .unwrap();
    assert_eq!(
        (think.value.as_str(), think.source),
        ("high", SettingSource::Inline)
    );
    assert_eq!(prepared.steps.last().unwrap().stage, "prepare");
    assert_eq!(host.backend.journal().head(), head);
}

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_about_a_link_while_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let asked = folder.path().join("asked");
    for mode in [LinkMode::Program, LinkMode::Fetch] {
        let host = Host::start_with(|setup| {
            setup.demo = false;
            setup.config.links.mode = mode;
            setup.config.links.command = vec!["touch".to_owned(), asked.display().to_string()];
        })
        .await;
        let text = "what is https://a.example/x?";
        let prepared = prepare(&host, text, json!({})).await;
        assert!(prepared.prompt.is_some());
        // The prompt is not the exact one, and says so.
        let omitted: Vec<_> = prepared.omitted.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(omitted, ["https://a.example/x"]);
        assert!(
            prepared
                .answer
                .ends_with(", and with what stands behind 1 link, which was not read."),
            "{}",
            prepared.answer
        );
        let compose = json!({"user_text": text, "agent_output": "A page.", "channels": ["telegram"]});
        let composed: Value = host.call("compose", compose).await;
        assert_eq!(
            composed["previews"].as_array().map(Vec::len),
            Some(1),
            "{composed}"
        );
    }
    assert!(!asked.exists());
}

/// With a session that is stored and without one: each letter is a dry run of its own.
#[tokio::test(start_paused = true)]
async fn no_program_is_run_while_a_command_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let ran = folder.path().join("ran");
    let file = ran.display().to_string();
    let custom = format!("[commands.custom.run]\nabout = \"Makes a file\"\nrun = [\"touch\", {file:?}]\n");
    let configured = parse(&custom, Path::new("test.toml")).unwrap();
    let host = Host::start_with(|setup| {
        setup.demo = false;
        setup.config.commands = configured.commands;
        setup.config.commands.bash = true;
        setup.config.commands.owner_allow_from = vec!["telegram:42".to_owned()];
    })
    .await;
    let by_owner = json!({"context": {"sender": "42"}});
    let bash = format!("/bash touch {file}");
    for _ in 0..2 {
        for (command, name) in [("/run", "run"), (bash.as_str(), "bash")] {
            let prepared = prepare(&host, command, by_owner.clone()).await;
            let told = format!("ℹ️ /{name} runs a program, and a rehearsal runs none.");
            assert_eq!(prepared.replies, [told]);
            let compose = json!({"user_text": command, "agent_output": "Yes.", "channels": ["telegram"]});
            let _: Value = host.call("compose", compose).await;
        }
        let hello = json!({
            "channel": "telegram", "user_text": "hi", "agent_output": "Yes.", "context": {"sender": "42"},
        });
        let _: Value = host.call("compose_send", hello).await;
        tokio::time::sleep(Duration::from_secs(30)).await;
    }
    assert!(!ran.exists());
}

/// Each sender of a group has a session of their own there; what was set for the group counts for all of them.
#[tokio::test(start_paused = true)]
async fn what_is_set_for_a_group_counts_for_everybody_in_it() {
    let host = Host::start_with(|setup| {
        setup.demo = false;
        setup.config.commands.owner_allow_from = vec!["telegram:42".to_owned()];
    })
    .await;
    let set = async |text: &str| {
        let context = json!({"sender": "42", "chat_type": "group", "chat": "g1", "mentioned": true});
        let args = json!({"channel": "telegram", "user_text": text, "agent_output": "", "context": context});
        let _: Value = host.call("compose_send", args).await;
        tokio::time::sleep(Duration::from_secs(30)).await;
    };
    let hello = async |chat: &str| {
        let context = json!({"sender": "8", "chat_type": "group", "chat": chat, "mentioned": false});
        prepare(&host, "hello", json!({ "context": context })).await
    };
    assert_eq!(hello("g1").await.prompt, None);
    set("/activation always").await;
    assert!(hello("g1").await.prompt.is_some());
    assert_eq!(hello("g2").await.prompt, None);
    set("/send off").await;
    let closed = hello("g1").await;
    assert_eq!(closed.terminal.unwrap().to_string(), "blocked(send_denied)");
    let no = closed.steps.iter().find(|step| step.no).unwrap();
    assert!(
        no.inputs.iter().any(|input| input.value == "telegram:g1"),
        "{:?}",
        no.inputs
    );
}

#[tokio::test(start_paused = true)]
async fn its_context_decides_at_the_gates() {
    let host = quiet().await;
    let group = prepare(
        &host,
        "hi",
        json!({"context": {"chat_type": "group", "mentioned": false}}),
    )
    .await;
    assert_eq!(group.prompt, None);
    let no = group.steps.iter().find(|step| step.no).unwrap();
    assert_eq!(no.stage, "activation");
    assert_eq!(no.setting.as_deref(), Some("channels.telegram.require_mention"));
    assert!(no.change.as_deref().unwrap().starts_with("Mention the bot"));
    let listed = |sender: &str| json!({"context": {"sender": sender}, "allow_from": ["7"]});
    assert!(prepare(&host, "hi", listed("7")).await.prompt.is_some());
    let stranger = prepare(&host, "hi", listed("8")).await;
    assert_eq!(
        stranger.terminal.unwrap().to_string(),
        "blocked(sender_not_allowed)"
    );
    let prompt = prepare(
        &host,
        "hi",
        json!({"context": {"reply_to": "99", "is_bot": true}}),
    )
    .await
    .prompt;
    let prompt = prompt.unwrap();
    let packed = prompt.replace(' ', "");
    assert!(
        packed.contains(r#""reply_to":"99""#) && packed.contains(r#""is_bot":true"#),
        "{prompt}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_command_is_answered_and_the_stored_settings_of_its_conversation_count() {
    let host = quiet().await;
    let help = prepare(&host, "/whoami", json!({})).await;
    assert!(
        matches!(help.terminal, Some(Terminal::Command { .. })),
        "{help:?}"
    );
    assert!(!help.replies.is_empty());
    host.say("telegram", "/think high", "").await;
    let session = prepare(&host, "hi", json!({})).await;
    let think = session
        .settings
        .iter()
        .find(|set| set.setting == "think")
        .unwrap();
    assert_eq!(think.source, SettingSource::Session);
    let key = session.session.unwrap();
    let elsewhere = json!({"session": key, "context": {"chat": "another"}});
    let borrowed = prepare(&host, "hi", elsewhere).await;
    assert!(borrowed.settings.iter().any(|set| set.setting == "think"));
    let (code, ..) = host
        .failure(
            "compose_prepare",
            json!({"channel": "telegram", "user_text": "hi", "session": "nowhere"}),
        )
        .await;
    assert_eq!(code, "not_found");
}

/// What was said in a group and waits for the next turn there is in the prompt, and waits on.
#[tokio::test(start_paused = true)]
async fn what_was_said_in_the_group_before_is_in_the_prompt() {
    let host = Host::start_with(|setup| {
        setup.demo = false;
        let channel = setup.config.channels.get_mut(&"telegram".into()).unwrap();
        channel.group_history = 5;
    })
    .await;
    let loopback = host.backend.loopback(&"telegram".into()).unwrap();
    let chat = "g1".into();
    let message = json!({
        "channel": "telegram", "account": "bot7", "chat": chat, "chat_type": "group", "thread": null,
        "message": loopback.mint(&chat), "reply_to": null, "text": "The train leaves at nine.", "mentioned": false,
        "files": [], "at": "2027-01-15T08:00:00.000Z",
        "sender": {"id": "42", "name": "alice", "display_name": "Alice", "is_bot": false},
    });
    loopback.inject(serde_json::from_value(message).unwrap()).unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let here = json!({"context": {"chat_type": "group", "chat": "g1", "mentioned": true}});
    for _ in 0..2 {
        let prepared = prepare(&host, "when?", here.clone()).await;
        let prompt = prepared.prompt.unwrap();
        assert!(prompt.contains("The train leaves at nine."), "{prompt}");
        assert_eq!(prepared.omitted, []);
    }
    let elsewhere = json!({"context": {"chat_type": "group", "chat": "g2", "mentioned": true}});
    let prompt = prepare(&host, "when?", elsewhere).await.prompt.unwrap();
    assert!(!prompt.contains("The train leaves at nine."), "{prompt}");
}

/// Messages that come right after each other go on as one where the channel waits for more.
#[tokio::test(start_paused = true)]
async fn the_queue_lab_has_the_channels_own_debounce() {
    let host = quiet().await;
    let messages = json!([{"at_ms": 0, "text": "one"}, {"at_ms": 500, "text": "two"}]);
    let args =
        |debounce: u32| json!({"run_ms": 1_000, "channel_debounce_ms": debounce, "messages": messages});
    let result: QueueLabResult = host.call("queue_lab", args(2_000)).await;
    assert_eq!(ends(&result), ["collected", "replied"]);
    assert_eq!(result.turns[1].ran_ms, Some((2_500, 3_500)));
    let kinds: Vec<_> = result.turns[0]
        .steps
        .iter()
        .map(|step| step.kind.as_str())
        .collect();
    assert_eq!(kinds[0], "waiting", "{kinds:?}");
    let (code, message, _) = host.failure("queue_lab", args(60_001)).await;
    assert!(code == "bad_setting" && message.contains("60000 ms"), "{message}");
}

/// How each message ended.
fn ends(result: &QueueLabResult) -> Vec<String> {
    let end = |turn: &QueueLabTurn| turn.terminal.as_ref().unwrap().to_string();
    result.turns.iter().map(end).collect()
}

async fn lab(host: &Host, mode: &str, drop: &str) -> QueueLabResult {
    let messages: Vec<_> = [(0, "one"), (500, "two"), (900, "three"), (1_200, "four")]
        .map(|(at_ms, text)| json!({"at_ms": at_ms, "text": text}))
        .into();
    let args = json!({
        "mode": mode, "drop": drop, "cap": 2, "debounce_ms": 500, "run_ms": 3_000, "messages": messages,
    });
    host.call("queue_lab", args).await
}

#[tokio::test(start_paused = true)]
async fn the_queue_lab_shows_what_each_mode_makes_of_the_messages() {
    let host = quiet().await;
    let head = host.backend.journal().head();
    let old = lab(&host, "followup", "old").await;
    assert_eq!(ends(&old), ["replied", "dropped", "replied", "replied"]);
    let new = lab(&host, "followup", "new").await;
    assert_eq!(ends(&new)[3], "blocked(queue_full)");
    let collected = lab(&host, "collect", "new").await;
    assert_eq!(ends(&collected)[1], "collected");
    let interrupted = lab(&host, "interrupt", "old").await;
    assert!(
        ends(&interrupted)[0].starts_with("failed"),
        "{:?}",
        ends(&interrupted)
    );
    let [first, second, ..] = &old.turns[..] else {
        panic!("four messages")
    };
    assert_eq!((first.came_ms, second.came_ms), (0, 500));
    let (began, ended) = first.ran_ms.unwrap();
    assert_eq!(ended - began, 3_000);
    assert!(
        second.steps.iter().any(|step| step.kind == "queued"),
        "{second:?}"
    );
    assert_eq!(host.backend.journal().head(), head);
}

/// The answers of the script are enough, however often a message is given to it.
#[tokio::test(start_paused = true)]
async fn no_mode_of_the_queue_lab_is_short_of_answers() {
    let host = quiet().await;
    for mode in ["steer", "followup", "collect", "steer-backlog", "interrupt"] {
        for drop in ["old", "new", "summarize"] {
            let ends = ends(&lab(&host, mode, drop).await);
            let failed = |end: &String| end.starts_with("failed(internal");
            assert!(!ends.iter().any(failed), "{mode} {drop}: {ends:?}");
        }
    }
    let inline = json!([
        {"at_ms": 0, "text": "one"}, {"at_ms": 500, "text": "/queue steer-backlog two"},
    ]);
    let args = json!({"mode": "followup", "run_ms": 3_000, "messages": inline});
    let result: QueueLabResult = host.call("queue_lab", args).await;
    assert_eq!(ends(&result), ["replied", "replied"]);
}

#[tokio::test(start_paused = true)]
async fn the_queue_lab_refuses_what_it_cannot_run() {
    let host = quiet().await;
    let one = json!([{"at_ms": 0, "text": "x"}]);
    for args in [
        json!({"run_ms": 1, "messages": []}),
        json!({"run_ms": 1, "mode": "fifo", "messages": one}),
        json!({"run_ms": 4_000_000, "messages": one}),
    ] {
        let (code, message, hint) = host.failure("queue_lab", args).await;
        assert_eq!(code, "bad_setting", "{message}");
        assert!(hint.is_some());
    }
}
