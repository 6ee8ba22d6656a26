//! Scenes in which the agent asks, keeps a session, uses tools and thinks.

use crate::bot::{Bot, called, later, text};
use foldback_agents::{Act, PermissionStep, ScriptStep, SessionStep, ToolStep};
use foldback_channels::platform;
use foldback_wire::{Actor, Platform, ToolStatus};
use std::time::Duration;

const PLATFORM: Platform = platform::TELEGRAM;

fn asks(does: &str) -> ScriptStep {
    let step: PermissionStep = serde_json::from_value(serde_json::json!({
        "id": does, "title": format!("{does} it"), "does": does,
        "options": [
            {"id": "a", "name": "Yes", "kind": "reject_once"}, {"id": "b", "name": "No", "kind": "allow_once"}
        ],
        "allowed": ["allowed "], "rejected": ["rejected "], "cancelled": ["cancelled "],
    }))
    .unwrap();
    Act::Permission(Box::new(step)).into()
}

/// Decided by the configuration, by nobody in time, and by the end of the run.
pub(super) async fn permissions(bot: &Bot) -> Vec<String> {
    bot.says([asks("read"), asks("delete"), text("so")]);
    let first = format!("{:?}", bot.turn(PLATFORM, "hi").await);
    bot.says([asks("delete")]);
    let turn = bot.user(PLATFORM, "hi").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    bot.engine.cancel(turn.id, Actor::Console).unwrap();
    vec![first, format!("{:?}", turn.ended().await)]
}

/// Asked in the chat; somebody else answers first.
pub(super) async fn in_the_chat(bot: &Bot) -> Vec<String> {
    bot.says([asks("delete"), text("so")]);
    let turn = bot.user(PLATFORM, "hi").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut ends = Vec::new();
    for (from, words) in [("mallory", "/approve 1-1"), ("alice", "/deny 1-1")] {
        let mut message = bot.message(PLATFORM, words);
        message.sender.id = from.into();
        let answer = bot.engine.submit(message).await.unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
        drop(answer);
        ends.push(from.to_owned());
    }
    ends.push(format!("{:?}", turn.ended().await));
    ends
}

/// The agent has its session, then has lost it.
pub(super) async fn sessions(bot: &Bot) -> Vec<String> {
    let mut ends = Vec::new();
    for id in ["s-1", "s-1", "s-2"] {
        let session = SessionStep {
            id: id.to_owned(),
            start: None,
            detail: String::new(),
        };
        bot.says([Act::Session(session).into(), text("hello")]);
        ends.push(format!("{:?}", bot.turn(PLATFORM, "hi").await));
    }
    ends
}

/// It thinks and uses a tool.
pub(super) async fn work(bot: &Bot) -> Vec<String> {
    let call = ToolStep {
        id: "t".into(),
        name: "search".to_owned(),
        status: ToolStatus::Completed,
        after_ms: 0,
        arguments: None,
        result: None,
    };
    bot.says([
        Act::Reasoning("hm".to_owned()).into(),
        Act::Tool(call).into(),
        later(1_000, "so"),
    ]);
    vec![format!("{:?}", bot.turn(PLATFORM, "hi").await)]
}

/// A tool that runs for longer than an agent may be silent.
pub(super) async fn long_tool(bot: &Bot) -> Vec<String> {
    bot.says([
        called("t", ToolStatus::Running),
        Act::Stall(400_000).into(),
        text("b"),
    ]);
    vec![format!("{:?}", bot.turn(PLATFORM, "hi").await)]
}

/// A conversation that two chats share, that ends by itself, and that a word begins anew.
pub(super) async fn over(bot: &Bot) -> Vec<String> {
    let mut ends = Vec::new();
    for (minutes, platform, words) in [
        (0, platform::TELEGRAM, "hi"),
        (1, platform::SIGNAL, "there"),
        (60, platform::TELEGRAM, "again"),
        (1, platform::TELEGRAM, "anew"),
        (1, platform::TELEGRAM, "after"),
    ] {
        tokio::time::sleep(Duration::from_mins(minutes)).await;
        bot.says([text("Yes.")]);
        ends.push(format!("{:?}", bot.turn(platform, words).await));
    }
    ends
}
