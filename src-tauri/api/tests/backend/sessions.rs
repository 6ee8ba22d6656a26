//! Conversations and requests for permission as a client sees them: listed, pushed, decided, stopped, forgotten.

use crate::host::{Host, pushed};
use foldback_directives::inbound::{QueueDrop, QueueMode};
use foldback_pipeline::config::{Interval, QueueConfig};
use foldback_wire::{
    Actor, PermissionRequest, RunActivity, SettingSource,
    rpc::{MessageWait, PendingPermission, Push, SessionDetail, SessionLine, SessionList, Topic},
};
use serde_json::{Value, json};
use std::time::Duration;

const SCRIPT: &str = r#"
- when: {contains: "tidy"}
  agent:
    - session: {id: "s-1"}
    - permission: {id: p1, title: "rm -r build, password: hunter2hunter2", does: execute, allowed: ["Done."], rejected: ["Not done."]}
- agent:
    - session: {id: "s-1"}
    - "Hello."
    - {text: " Bye.", after_ms: 60000}
"#;

async fn host() -> Host {
    host_with(|_| {}).await
}

async fn host_with(change: impl FnOnce(&mut QueueConfig)) -> Host {
    Host::start_with(|setup| {
        setup.demo = false;
        let path = setup.base.join("script.yaml");
        std::fs::write(&path, SCRIPT).unwrap();
        setup.config.agent.script.file = Some(path);
        setup.config.queue.mode = Some(QueueMode::Followup);
        change(&mut setup.config.queue);
    })
    .await
}

/// Somebody writes, and the agent answers by its script.
async fn write(host: &Host, text: &str) {
    let loopback = host.backend.loopback(&"telegram".into()).unwrap();
    let chat = "42".into();
    let message = json!({
        "channel": "telegram", "account": null, "chat": chat, "chat_type": "direct", "thread": null,
        "message": loopback.mint(&chat), "reply_to": null, "text": text, "mentioned": true, "files": [],
        "at": "2026-01-01T00:00:00.000Z",
        "sender": {"id": "42", "name": "alice", "display_name": "Alice", "is_bot": false},
    });
    let message = serde_json::from_value(message).unwrap();
    loopback.inject(message).unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
}

fn told(pushes: Vec<Push>) -> Option<Vec<PendingPermission>> {
    pushes.into_iter().rev().find_map(|push| match push {
        Push::Permissions { permissions } => Some(permissions),
        _ => None,
    })
}

async fn only(host: &Host) -> SessionLine {
    let list: SessionList = host.call("sessions", json!({"limit": 10})).await;
    assert_eq!((list.sessions.len(), list.total), (1, 1));
    list.sessions.into_iter().next().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_request_is_pushed_and_decided_once() {
    let host = host().await;
    let mut app = host.subscribe(&Topic::App);
    assert_eq!(told(pushed(&mut app, Duration::from_secs(1)).await), Some(vec![]));
    write(&host, "tidy up").await;
    let asked = told(pushed(&mut app, Duration::from_secs(1)).await).unwrap();
    let pending = &asked[0];
    assert_eq!(
        asked,
        host.call::<Vec<PendingPermission>>("permissions", json!({}))
            .await
    );
    assert!(pending.request.title.starts_with("rm -r build"), "{pending:?}");
    assert!(!pending.request.title.contains("hunter2hunter2"), "{pending:?}");
    let line = only(&host).await;
    assert_eq!(
        (line.permissions, line.running.unwrap().doing),
        (1, RunActivity::Asking)
    );

    let (turn, id) = (pending.turn, &pending.request.id);
    assert!(pending.masked);
    let which = json!({"turn": turn, "permission": id});
    let whole: PermissionRequest = host.call("permission_uncover", which.clone()).await;
    assert!(whole.title.contains("hunter2hunter2"), "{whole:?}");
    let wrong = json!({"turn": turn, "permission": id, "option": "sudo"});
    assert_eq!(host.failure("permission_decide", wrong).await.0, "no_option");
    let right = json!({"turn": turn, "permission": id, "option": "allow"});
    let left: Vec<PendingPermission> = host.call("permission_decide", right.clone()).await;
    assert_eq!(left, []);
    assert_eq!(host.failure("permission_decide", right).await.0, "not_found");
    assert_eq!(host.failure("permission_uncover", which).await.0, "not_found");
    assert_eq!(told(pushed(&mut app, Duration::from_secs(1)).await), Some(vec![]));
    assert_eq!(host.rows("kind:permission_asked").await, 1);
    assert_eq!(host.rows("kind:permission_decided").await, 1);
}

#[tokio::test(start_paused = true)]
async fn a_conversation_is_listed_stopped_dropped_and_forgotten() {
    let host = host().await;
    for text in ["hi", "are you there?"] {
        write(&host, text).await;
    }
    let line = only(&host).await;
    assert_eq!(
        (line.sender.as_str(), line.turns, line.waiting.len()),
        ("Alice", 2, 1)
    );
    assert_eq!(line.agents.first().map(|kept| kept.id.as_str()), Some("s-1"));
    assert_eq!(
        line.running.as_ref().map(|run| run.doing),
        Some(RunActivity::Writing)
    );

    let which = json!({"session": line.session});
    let line: SessionLine = host.call("session_drop", which.clone()).await;
    assert_eq!(line.waiting, []);
    let line: SessionLine = host.call("session_cancel", which.clone()).await;
    assert!(
        line.running
            .is_none_or(|run| run.cancelled_by == Some(Actor::Console))
    );
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(only(&host).await.running, None);
    let line: SessionLine = host.call("session_reset", which).await;
    assert_eq!(line.agents, []);
    for (filter, count) in [
        ("kind:run_cancelled", 1),
        ("kind:session_reset", 1),
        ("kind:stopping", 1),
    ] {
        assert_eq!(host.rows(filter).await, count, "{filter}");
    }
}

#[tokio::test(start_paused = true)]
async fn only_the_turn_that_was_meant_is_stopped_and_what_does_not_run_is_said() {
    let host = host().await;
    for text in ["hi", "are you there?"] {
        write(&host, text).await;
    }
    let line = only(&host).await;
    let (running, waiting) = (line.running.unwrap().turn, line.waiting[0]);
    let stop = |turn| json!({"session": line.session, "turn": turn});
    let (code, message, _) = host.failure("session_cancel", stop(waiting)).await;
    assert_eq!(code, "not_running");
    assert!(message.contains(&format!("turn #{waiting}")), "{message}");
    let _: SessionLine = host.call("session_cancel", stop(running)).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(only(&host).await.running.map(|run| run.turn), Some(waiting));
    assert_eq!(
        host.failure("session_cancel", stop(running)).await.0,
        "not_running"
    );
    assert_eq!(host.rows("kind:run_cancelled").await, 1);
}

/// What came after the question was asked is not dropped with what it named.
#[tokio::test(start_paused = true)]
async fn only_the_messages_that_were_meant_are_dropped() {
    let host = host().await;
    for text in ["hi", "are you there?", "hello?"] {
        write(&host, text).await;
    }
    let asked = only(&host).await;
    write(&host, "never mind").await;
    let waiting = only(&host).await.waiting;
    assert_eq!((asked.waiting.len(), waiting.len()), (2, 3));
    let which = json!({"session": asked.session, "turns": asked.waiting});
    for _ in 0..2 {
        let line: SessionLine = host.call("session_drop", which.clone()).await;
        assert_eq!(line.waiting, [waiting[2]]);
    }
    assert_eq!(host.rows("kind:stopping").await, 2);
    let none = json!({"session": asked.session, "turns": []});
    let line: SessionLine = host.call("session_drop", none).await;
    assert_eq!(line.waiting, [waiting[2]]);
    let all = json!({"session": asked.session});
    let line: SessionLine = host.call("session_drop", all).await;
    assert_eq!(line.waiting, []);
}

#[tokio::test(start_paused = true)]
async fn what_is_no_conversation_changes_nothing() {
    let host = host().await;
    for deed in ["session_cancel", "session_drop", "session_reset"] {
        let failure = host.failure(deed, json!({"session": "telegram:nobody"})).await;
        assert_eq!(failure.0, "not_found", "{deed}");
    }
    let list: Value = host.call("sessions", json!({"limit": 10})).await;
    assert_eq!(
        list,
        json!({"sessions": [], "total": 0, "running": 0, "waiting": 0})
    );
    assert_eq!(host.rows("kind:session_reset").await, 0);
}

/// In a group each sender has a conversation of their own; `/send` and `/activation` are kept for all of them.
#[tokio::test(start_paused = true)]
async fn what_counts_in_a_group_is_told_of_each_conversation_there() {
    let host = Host::start_with(|setup| {
        setup.demo = false;
        setup.config.commands.owner_allow_from = vec!["telegram:42".to_owned()];
    })
    .await;
    let write = async |sender: &str, text: &str| {
        let context = json!({"sender": sender, "chat_type": "group", "chat": "g1", "mentioned": true});
        let args =
            json!({"channel": "telegram", "user_text": text, "agent_output": "Yes.", "context": context});
        let _: Value = host.call("compose_send", args).await;
        tokio::time::sleep(Duration::from_secs(30)).await;
    };
    write("8", "hello").await;
    write("42", "/activation always").await;
    write("42", "/send off").await;
    let session = json!({"session": "telegram:g1:8"});
    let detail: SessionDetail = host.call("session_detail", session).await;
    let told = |name: &str| {
        let found = detail.settings.iter().find(|set| set.setting == name).unwrap();
        (found.value.as_str(), found.source)
    };
    assert_eq!(told("send"), ("deny", SettingSource::Session));
    assert_eq!(told("activation"), ("always", SettingSource::Session));
    assert_eq!(detail.clears, [], "they are not the conversation's own");
    write("42", "/session").await;
    let loopback = host.backend.loopback(&"telegram".into()).unwrap();
    let platform = loopback.platform();
    let chat = platform.chat(&"g1".into()).unwrap();
    let said: Vec<_> = chat.messages().map(|message| &message.content).collect();
    let told = format!("{said:?}");
    assert!(
        told.contains("Set: send deny (session), activation always (session)"),
        "{told}"
    );
}

/// Three messages: one runs, two wait.
#[tokio::test(start_paused = true)]
async fn a_conversation_in_full_has_settings_history_queue_and_what_a_reset_keeps() {
    let host = host().await;
    write(&host, "/think high").await;
    write(&host, "/send on").await;
    for text in ["one", "two", "three"] {
        write(&host, text).await;
    }
    let session = json!({"session": "telegram:42"});
    let detail: SessionDetail = host.call("session_detail", session.clone()).await;
    let source = |name: &str| {
        let found = detail.settings.iter().find(|set| set.setting == name).unwrap();
        (found.value.as_str(), found.source)
    };
    assert_eq!(source("think"), ("high", SettingSource::Session));
    assert_eq!(source("activation"), ("mention", SettingSource::Default));
    assert_eq!(source("queue.mode"), ("followup", SettingSource::Global));
    let set: Vec<_> = detail.history.iter().flat_map(|change| &change.changes).collect();
    assert!(
        set.iter()
            .any(|change| change.setting == "think" && change.to.as_deref() == Some("high"))
    );
    let cleared: Vec<_> = detail.clears.iter().map(|kept| kept.setting.as_str()).collect();
    assert_eq!(cleared, ["think"]);
    let texts: Vec<_> = detail
        .waiting
        .iter()
        .map(|message| message.text.as_str())
        .collect();
    assert_eq!(texts, ["two", "three"]);
    assert!(detail.waiting.iter().all(|message| message.movable));
    let waits = detail.waiting.iter().map(|message| message.waits_for);
    assert!(waits.into_iter().all(|wait| wait == MessageWait::Turn));

    let turns: Vec<_> = detail.waiting.iter().rev().map(|message| message.turn).collect();
    let order = json!({"session": "telegram:42", "turns": turns});
    let after: SessionDetail = host.call("session_reorder", order.clone()).await;
    assert_eq!(
        after
            .waiting
            .iter()
            .map(|message| message.turn)
            .collect::<Vec<_>>(),
        turns
    );
    let _: SessionDetail = host.call("session_reorder", order).await;
    assert_eq!(
        host.rows("kind:queue_reordered").await,
        1,
        "the second changed nothing"
    );
    // The one that was moved first runs first.
    tokio::time::sleep(Duration::from_secs(90)).await;
    let line = only(&host).await;
    assert_eq!(line.running.map(|run| run.turn), Some(turns[0]));
}

/// A message that waits for more of its sender is counted and listed alike, and dropped by itself.
#[tokio::test(start_paused = true)]
async fn a_message_that_waits_for_more_is_counted_listed_and_dropped() {
    let host = Host::start_with(|setup| {
        setup.demo = false;
        let channel = setup.config.channels.get_mut(&"telegram".into()).unwrap();
        channel.debounce = Interval::seconds(30);
    })
    .await;
    for text in ["one", "two"] {
        write(&host, text).await;
    }
    let line = only(&host).await;
    let session = json!({"session": "telegram:42"});
    let detail: SessionDetail = host.call("session_detail", session.clone()).await;
    let told: Vec<_> = detail
        .waiting
        .iter()
        .map(|message| (message.turn, message.waits_for))
        .collect();
    let wanted: Vec<_> = line
        .waiting
        .iter()
        .map(|turn| (*turn, MessageWait::Debounce))
        .collect();
    assert_eq!((told.len(), &told), (2, &wanted));
    assert!(detail.waiting.iter().all(|message| !message.movable));
    let list: SessionList = host.call("sessions", json!({"limit": 10})).await;
    assert_eq!(list.waiting, 2);

    let which = json!({"session": "telegram:42", "turns": [line.waiting[0]]});
    let left: SessionLine = host.call("session_drop", which).await;
    assert_eq!(left.waiting, [line.waiting[1]]);
    let detail: SessionDetail = host.call("session_detail", session).await;
    assert_eq!(detail.waiting.len(), 1);
}

/// What is set aside for a summary is counted, listed as that, and dropped by itself.
#[tokio::test(start_paused = true)]
async fn a_message_that_is_to_be_summarised_is_listed_as_that() {
    let host = host_with(|queue| {
        queue.cap = Some(1);
        queue.drop = Some(QueueDrop::Summarize);
    })
    .await;
    for text in ["one", "two", "three"] {
        write(&host, text).await;
    }
    let session = json!({"session": "telegram:42"});
    let detail: SessionDetail = host.call("session_detail", session).await;
    let told: Vec<_> = detail
        .waiting
        .iter()
        .map(|message| (message.text.as_str(), message.waits_for))
        .collect();
    assert_eq!(
        told,
        [("two", MessageWait::Summary), ("three", MessageWait::Turn)]
    );
    let turns: Vec<_> = detail.waiting.iter().map(|message| message.turn).collect();
    assert_eq!(only(&host).await.waiting, turns);
    let which = json!({"session": "telegram:42", "turns": [turns[0]]});
    let left: SessionLine = host.call("session_drop", which).await;
    assert_eq!(left.waiting, [turns[1]]);
}
